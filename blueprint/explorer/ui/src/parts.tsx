// Small pieces that several views are made of.
import type { ComponentChildren } from "preact"
import type { Answer } from "./chunks"
import type { Fact } from "./payload"
import { breakable } from "./spans"
import { Icon } from "./status"
import { grouped, human, isNumber } from "./numbers"

/** A decimal string with separators and its unit; larger units beside it where its topic has some. */
export function Quantity({ text, about = "", unit = "" }: { text: string; about?: string; unit?: string }) {
  const larger = human(text, about)
  return (
    <>
      {isNumber(text) ? <span class="number">{grouped(text)}</span> : <span>{isDigest(text) ? text : breakable(text)}</span>}
      {unit ? (
        <>
          {" "}
          <bdi>{unit}</bdi>
        </>
      ) : null}
      {larger ? <span class="aside-value"> {larger}</span> : null}
    </>
  )
}

/** A digest, or an id that ends in one. */
const DIGEST = /^([a-z]+:)?[0-9a-f]{64}$/

const NONE: ReadonlyMap<string, string> = new Map()

/** A table of two columns; facts that are not as `expected` come first, with what is expected of them. */
export function Facts(table: { facts: readonly Fact[]; label: string; expected?: ReadonlyMap<string, string> }) {
  const { facts, label, expected = NONE } = table
  if (facts.length === 0) return null
  const rows = [...facts].sort((a, b) => Number(expected.has(b.name)) - Number(expected.has(a.name)))
  return (
    <table class="facts">
      <caption class="hidden-text">{label}</caption>
      <tbody>
        {rows.map(({ name, value }) => (
          <tr class={expected.has(name) ? "wrong" : ""}>
            <th scope="row">
              {expected.has(name) ? <Icon word="refuted" /> : null} {breakable(name)}
            </th>
            <td class={DIGEST.test(value) ? "digest" : ""}>
              <bdi>
                <Quantity text={value} about={name} />
              </bdi>
              {expected.has(name) ? (
                <p class="expected">
                  expected <bdi class="number">{grouped(expected.get(name) ?? "")}</bdi>
                </p>
              ) : null}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** A digest cut short; the whole of it stands in its title. */
export function Digest({ text }: { text: string }) {
  return (
    <span class="digest" title={text}>
      {DIGEST.test(text) ? `${text.slice(0, 16)}…` : text}
    </span>
  )
}

export function isDigest(text: string): boolean {
  return DIGEST.test(text)
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

export function Notice({ refutes = false, children }: { refutes?: boolean; children: ComponentChildren }) {
  return (
    <p class={refutes ? "notice refutes" : "notice"} role="alert">
      {refutes ? <Icon word="refuted" /> : null}
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
