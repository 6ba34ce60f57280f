// A stage as text, short or detailed: both are drawn from the snapshot and stand for nothing else.
import { useRef } from "preact/hooks"
import { useRows } from "./chunks"
import { grouped } from "./numbers"
import { printedOf, printing } from "./print"
import type { ChunkList, Line, Span } from "./payload"
import { route, withOptions } from "./route"
import { Parts } from "./spans"
import { wrongIn } from "./standing"
import { Icon } from "./status"
import { positionsOf, useWindow } from "./window"

/** Most lines of one sheet: a browser cannot draw an element of any height. */
const SHEET = 200_000

const LINE = 21

export function TextView({ list, stage, form }: { list: ChunkList; stage: number; form: string }) {
  const sheets = Math.max(1, Math.ceil(list.count / SHEET))
  const sheet = Math.min(sheets - 1, Math.max(0, Number(route.value.options.get("sheet")) || 0))
  const from = sheet * SHEET
  const count = Math.min(SHEET, list.count - from)
  const body = useRef<HTMLDivElement>(null)
  const { window } = useWindow(body, count, LINE, `${stage} ${form} ${sheet}`)
  const positions = positionsOf(window).map((at) => at + from)
  const rows = useRows<Line>(list, positions)
  const wrong = wrongIn(stage)
  return (
    <>
      <p class="count">
        {grouped(String(list.count))} lines
        {sheets > 1 ? `, of which ${grouped(String(from + 1))} to ${grouped(String(from + count))} here ` : ""}
        {sheet > 0 ? <a href={withOptions({ sheet: String(sheet - 1) })}>before</a> : null}{" "}
        {sheet + 1 < sheets ? <a href={withOptions({ sheet: String(sheet + 1) })}>after</a> : null}
        {printing.value ? ` (printed ${printedOf(list.count)})` : ""}
      </p>
      <div class="code" ref={body} role="region" aria-label={`${form} text`} style={{ "--digits": String(list.count).length }}>
        <div style={{ height: `${window.above}px` }} />
        {positions.map((position) => {
          const answer = rows.get(position)
          const bad = answer?.state === "here" && names(answer.value[1], wrong)
          return (
            <div class={bad ? "line wrong" : "line"} data-row={position - from} key={position}>
              <span class="line-number" aria-hidden="true">
                {position + 1}
              </span>
              <code class={`depth-${answer?.state === "here" ? Math.min(8, answer.value[0]) : 0}`}>
                {bad ? (
                  <>
                    <Icon word="refuted" />
                    <span class="hidden-text">refuted: </span>
                  </>
                ) : null}
                {answer?.state === "here" ? <Parts parts={answer.value[1]} stage={stage} /> : null}
                {answer?.state === "failed" ? <span role="alert">{answer.why}</span> : null}
              </code>
            </div>
          )
        })}
        <div style={{ height: `${window.below}px` }} />
      </div>
    </>
  )
}

/** Whether a line names one of some entities. */
function names(parts: readonly (string | Span)[], entities: ReadonlySet<number>): boolean {
  return parts.some(
    (part) => typeof part !== "string" && (entities.has(part.entity ?? -1) || names(part.parts, entities)),
  )
}
