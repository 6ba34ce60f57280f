// Small pieces that several views are made of.
import type { ComponentChildren } from "preact"
import type { Answer } from "./chunks"
import type { Fact } from "./payload"
import { grouped, human } from "./numbers"

/** A decimal string with separators; larger units beside it where its topic has some. */
export function Quantity({ text, about = "" }: { text: string; about?: string }) {
  const larger = human(text, about)
  return (
    <>
      <span class="number">{grouped(text)}</span>
      {larger ? <span class="aside-value"> {larger}</span> : null}
    </>
  )
}

/** A digest, or an id that ends in one. */
const DIGEST = /^([a-z]+:)?[0-9a-f]{64}$/

/** A table of two columns. */
export function Facts({ facts, label }: { facts: readonly Fact[]; label: string }) {
  if (facts.length === 0) return null
  return (
    <table class="facts">
      <caption class="hidden-text">{label}</caption>
      <tbody>
        {facts.map(({ name, value }) => (
          <tr>
            <th scope="row">{name}</th>
            <td class={DIGEST.test(value) ? "digest" : ""}>
              <bdi>
                <Quantity text={value} about={name} />
              </bdi>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** What there is to show while something is asked for, and where it cannot be had. */
export function Awaited<Value>({
  answer,
  children,
}: {
  answer: Answer<Value>
  children: (value: Value) => ComponentChildren
}) {
  if (answer.state === "waiting") return <p class="waiting">Reading…</p>
  if (answer.state === "failed") return <Notice>{answer.why}</Notice>
  return <>{children(answer.value)}</>
}

export function Notice({ children }: { children: ComponentChildren }) {
  return (
    <p class="notice" role="alert">
      {children}
    </p>
  )
}

export function NotHere({ what }: { what: string }) {
  return <Notice>Not in this bundle: {what}.</Notice>
}

/** A view of what is not there. */
export function NoView({ what }: { what: string }) {
  return (
    <main class="view" tabIndex={-1}>
      <h1 tabIndex={-1}>Nothing to show</h1>
      <NotHere what={what} />
    </main>
  )
}

/** A part of a view with its heading. */
export function Part({ title, note, children }: { title: string; note?: string; children: ComponentChildren }) {
  return (
    <section class="part" aria-label={title}>
      <h2>
        {title}
        {note ? <small> {note}</small> : null}
      </h2>
      {children}
    </section>
  )
}

/** Something that is long, and that not everybody wants. */
export function More({ title, open, children }: { title: string; open?: boolean; children: ComponentChildren }) {
  return (
    <details class="more" open={open}>
      <summary>{title}</summary>
      {children}
    </details>
  )
}

/** Some ways to see the same thing, each with an address. */
export function Choice({
  label,
  options,
  chosen,
}: {
  label: string
  options: readonly (readonly [string, string, string])[]
  chosen: string
}) {
  return (
    <nav class="choice" aria-label={label}>
      {options.map(([name, title, href]) => (
        <a href={href} aria-current={name === chosen ? "true" : undefined}>
          {title}
        </a>
      ))}
    </nav>
  )
}
