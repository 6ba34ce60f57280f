// The law book: every law once, with its forms at every boundary.
import { boundaryTitle, index } from "./data"
import type { LawRow } from "./payload"
import { address } from "./route"
import { Equations } from "./evidence"
import { Status } from "./status"

interface Use {
  readonly boundary: number
  readonly at: number
  readonly law: LawRow
}

/** The uses of each law, in the order of the boundaries. */
function book(): ReadonlyMap<string, readonly Use[]> {
  const laws = new Map<string, Use[]>()
  index.boundaries.forEach((row, boundary) => {
    row.laws.forEach((law, at) => {
      laws.set(law.id, [...(laws.get(law.id) ?? []), { boundary, at, law }])
    })
  })
  return laws
}

function byWord(uses: readonly Use[]): ReadonlyMap<string, readonly Use[]> {
  const words = new Map<string, Use[]>()
  for (const use of uses) words.set(use.law.status, [...(words.get(use.law.status) ?? []), use])
  return words
}

export function Laws() {
  const laws = [...book()]
  if (laws.length === 0) return <p class="none">no law applies</p>
  return (
    <div class="wide">
      <table class="rows">
        <thead>
          <tr>
            <th scope="col">law</th>
            <th scope="col">statement</th>
            <th scope="col">here</th>
            <th scope="col">for all parameters</th>
          </tr>
        </thead>
        <tbody>
          {laws.map(([id, uses]) => (
            <Law id={id} uses={uses} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Law({ id, uses }: { id: string; uses: readonly Use[] }) {
  const law = uses[0]?.law
  if (!law) return null
  return (
    <tr>
      <th scope="row">{id}</th>
      <td>
        <details>
          <summary>
            <bdi>{law.statement}</bdi>
          </summary>
          <Equations equations={law.equations} />
          <p class="support">
            <bdi>{law.source}</bdi>
          </p>
        </details>
      </td>
      <td>
        {[...byWord(uses)].map(([word, some]) => (
          <p class="uses">
            <Status word={word} />{" "}
            {some.map((use) => {
              const row = index.boundaries[use.boundary]
              return (
                <a href={address(["boundary", use.boundary, "l", use.at])} title={row ? boundaryTitle(row) : ""}>
                  {use.law.form}
                </a>
              )
            })}
          </p>
        ))}
      </td>
      <td>{[...new Set(uses.map((use) => use.law.theorem))].join(", ")}</td>
    </tr>
  )
}
