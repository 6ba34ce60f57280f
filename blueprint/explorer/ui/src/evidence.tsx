// What was asked of the deciders, and what they answered.
import { rowAt, useAnswer } from "./chunks"
import { index } from "./data"
import { counted, grouped } from "./numbers"
import { Awaited, Facts } from "./parts"
import type { Claim, FailedRow, LawRow, Obligation } from "./payload"
import { address } from "./route"
import { establishes, Status } from "./status"

/** One claim of a relation: closed where it is established, as there is nothing to look for. */
export function ClaimEvidence({ claim }: { claim: Claim }) {
  return (
    <details class="claim" open={!establishes(claim.status)}>
      <summary>
        <Status word={claim.status} /> <span>{claim.kind}</span>
      </summary>
      <p class="support">{index.meanings.find(({ name }) => name === claim.kind)?.value}</p>
      <Failed rows={claim.failed} />
      <ObligationAt position={claim.obligation} />
    </details>
  )
}

export function Failed({ rows }: { rows: readonly FailedRow[] }) {
  if (rows.length === 0) return null
  return (
    <table class="failed">
      <caption>Fields that are not what the rule makes of them</caption>
      <thead>
        <tr>
          <th scope="col">field</th>
          <th scope="col">found</th>
          <th scope="col">expected</th>
          <th scope="col">because</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr>
            <th scope="row">
              <bdi>{row.field}</bdi>
            </th>
            <td class="wrong">
              <bdi>{grouped(row.found)}</bdi>
            </td>
            <td>
              <bdi>{grouped(row.expected)}</bdi>
            </td>
            <td>
              <bdi>{row.expression}</bdi>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** The obligation at a position of the list, read when this is drawn. */
export function ObligationAt({ position }: { position: number }) {
  const answer = useAnswer(() => rowAt<Obligation>(index.obligations, position), [position])
  return <Awaited answer={answer}>{(row) => <ObligationFacts row={row} position={position} />}</Awaited>
}

function ObligationFacts({ row, position }: { row: Obligation; position: number }) {
  const facts = [
    { name: "asked", value: row.statement },
    { name: "solver", value: row.solver },
    { name: "second decider", value: row.second },
    { name: "cross-check", value: row.cross || "not asked for" },
    { name: "premises used", value: row.premises.join(", ") || "none" },
    { name: "decides", value: counted(row.shared, "claim or law instance", "claims and law instances") },
    ...(row.reason ? [{ name: "not decided because", value: row.reason }] : []),
    { name: "digest", value: row.digest },
  ]
  return (
    <div class="obligation">
      <Counterexample row={row} />
      <Facts facts={facts} label="Obligation" />
      {row.witness.length > 0 ? (
        <>
          <h3>Values at which its hypotheses hold</h3>
          <Facts facts={row.witness} label="Witness" />
        </>
      ) : null}
      <p>
        <a href={address(["evidence", position])}>Obligation {grouped(String(position))} on its own</a>
      </p>
    </div>
  )
}

function Counterexample({ row }: { row: Obligation }) {
  if (row.counterexample.length === 0) return null
  return (
    <div class="counterexample">
      <h3>Counterexample</h3>
      <Facts facts={row.counterexample} label="Counterexample" />
    </div>
  )
}

/** One law at a boundary: in words, in mathematics, where it is published, and what stands behind it. */
export function LawEvidence({ law }: { law: LawRow }) {
  const facts = [
    { name: "rule", value: law.rule },
    { name: "published", value: law.source },
    { name: "speaks of", value: law.group },
    { name: "members", value: law.members },
    { name: "for all parameters", value: law.theorem },
    ...law.theorems.map((digest) => ({ name: "theorem", value: digest })),
  ]
  return (
    <div class="law">
      <p>
        <Status word={law.status} /> <bdi>{law.statement}</bdi>
      </p>
      <Equations equations={law.equations} />
      <Facts facts={facts} label="Law" />
    </div>
  )
}

export function Equations({ equations }: { equations: readonly string[] }) {
  if (equations.length === 0) return null
  return (
    <div class="equations">
      {equations.map((equation) => (
        <p>{equation}</p>
      ))}
    </div>
  )
}
