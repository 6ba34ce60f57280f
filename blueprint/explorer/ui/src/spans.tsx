// Expressions: spans within spans, coloured by what they mean.
import type { Colour, Span } from "./payload"
import { index, slug } from "./data"
import { address } from "./route"

/** What each colour means, in the order of the legend. */
export const MEANINGS: readonly (readonly [Colour, string])[] = [
  ["structure", "structure"],
  ["type", "type and shape"],
  ["topology", "topology"],
  ["work", "exact work"],
  ["mapping", "mapping"],
  ["name", "name"],
]

export function entityAddress(stage: number, entity: number | string): string {
  const row = index.stages[stage]
  return address(["stage", row ? slug(row) : "", "e", entity])
}

/** How long a parameter is at most that stands on one line, whatever breaks around it. */
const WHOLE = 32

/** The whole expression; the entities that it names are links into the stage. */
export function Expression({ span, stage, outer = true }: { span: Span; stage: number; outer?: boolean }) {
  const whole = !outer && span.colour !== "name" && wording(span).length <= WHOLE
  const parts = whole ? wording(span) : <Parts parts={span.parts} stage={stage} />
  const classes = `span span-${span.colour}${outer ? " span-outer" : ""}${whole ? " span-whole" : ""}`
  if (span.entity === undefined) return <span class={classes}>{parts}</span>
  return (
    <a class={classes} href={entityAddress(stage, span.entity)}>
      {parts}
    </a>
  )
}

export function Parts({ parts, stage }: { parts: readonly (string | Span)[]; stage: number }) {
  return (
    <>
      {parts.map((part) =>
        typeof part === "string" ? wrapping(part) : <Expression span={part} stage={stage} outer={false} />,
      )}
    </>
  )
}

/** The text between spans: what follows an opening parenthesis may stand on the next line. */
function wrapping(text: string) {
  return text.endsWith("(") ? [breakable(text), <wbr />] : breakable(text)
}

/** A text that may be broken after a full stop, a low line, a comma or an equals sign. */
export function breakable(text: string) {
  return text.split(/(?<=[._,=])(?=\S)/).flatMap((part, at) => (at === 0 ? [part] : [<wbr />, part]))
}

/** The words of an expression, without its spans. */
export function wording(part: string | Span): string {
  return typeof part === "string" ? part : part.parts.map(wording).join("")
}

export function Legend() {
  return (
    <p class="legend">
      <span>Colours:</span>
      {MEANINGS.map(([colour, meaning]) => (
        <span class={`span span-${colour}`}>{meaning}</span>
      ))}
    </p>
  )
}
