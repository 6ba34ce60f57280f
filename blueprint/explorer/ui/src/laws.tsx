// The law book: every law once, with its forms at every boundary.
import { boundaryTitle, index } from "./data"
import type { LawRow } from "./payload"
import { address } from "./route"
import { Equations, foreverWords } from "./evidence"
import { examined } from "./standing"
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

/** The uses of a law by boundary, and there by verdict word. */
function together(uses: readonly Use[]): ReadonlyMap<number, ReadonlyMap<string, readonly Use[]>> {
  const found = new Map<number, Map<string, Use[]>>()
  for (const use of uses) {
    const words = found.get(use.boundary) ?? new Map<string, Use[]>()
    words.set(use.law.status, [...(words.get(use.law.status) ?? []), use])
    found.set(use.boundary, words)
  }
  return found
}

function boundaryName(position: number): string {
  const row = index.boundaries[position]
  return row ? boundaryTitle(row) : ""
}

export function Laws() {
  const laws = [...book()]
  if (laws.length === 0) return <p class="none">{index.boundaries.every(examined) ? "no law applies" : "no law was examined"}</p>
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
        {[...together(uses)].map(([boundary, words]) => (
          <div class="uses">
            <small>{boundaryName(boundary)}</small>
            {[...words].map(([word, some]) => (
              <p>
                <Status word={word} />{" "}
                {some.map((use) => (
                  <a href={address(["boundary", use.boundary, "l", use.at])}>{use.law.form}</a>
                ))}
              </p>
            ))}
          </div>
        ))}
      </td>
      <td>{[...new Set(uses.map((use) => foreverWords(use.law.theorem)))].join("; ")}</td>
    </tr>
  )
}
