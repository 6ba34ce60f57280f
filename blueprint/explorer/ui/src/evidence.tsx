// What was asked of the deciders, and what they answered.
import { rowAt, useAnswer } from "./chunks"
import { index } from "./data"
import { counted, grouped, isNumber } from "./numbers"
import { Awaited, Facts, More } from "./parts"
import type { Claim, FailedRow, LawRow, Obligation } from "./payload"
import { address } from "./route"
import { breakable } from "./spans"
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
      <ObligationAt position={claim.obligation} failed={claim.failed[0]} />
    </details>
  )
}

export function Failed({ rows }: { rows: readonly FailedRow[] }) {
  if (rows.length === 0) return null
  return (
    <div class="failed-box">
    <table class="failed">
      <caption>Fields that are not what the rule makes of them</caption>
      <thead>
        <tr>
          <th scope="col">field</th>
          <th scope="col" class="amount">
            found
          </th>
          <th scope="col" class="amount">
            expected
          </th>
          <th scope="col">because</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr>
            <th scope="row">
              <bdi>{breakable(row.field)}</bdi>
            </th>
            <td class="amount wrong" data-label="found">
              <Amount text={row.found} />
            </td>
            <td class="amount" data-label="expected">
              <Amount text={row.expected} />
            </td>
            <td data-label="because">
              <bdi>{breakable(row.expression)}</bdi>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
    </div>
  )
}

function Amount({ text }: { text: string }) {
  return <bdi class={isNumber(text) ? "number" : ""}>{grouped(text)}</bdi>
}

/** The obligation at a position of the list, read when this is drawn. */
export function ObligationAt({ position, failed }: { position: number; failed?: FailedRow | undefined }) {
  const answer = useAnswer(() => rowAt<Obligation>(index.obligations, position), [position])
  return <Awaited answer={answer}>{(row) => <ObligationFacts row={row} position={position} failed={failed} />}</Awaited>
}

function ObligationFacts(of: { row: Obligation; position: number; failed: FailedRow | undefined }) {
  const { row, position, failed } = of
  const same = JSON.stringify(row.counterexample) === JSON.stringify(row.witness)
  const facts = [
    { name: row.shared === "1" ? "asked" : "first asked as", value: row.statement },
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
      {row.counterexample.length > 0 ? <h3>Counterexample</h3> : null}
      <Counterexample row={row} failed={failed} />
      <Facts facts={facts} label="Obligation" />
      {row.witness.length > 0 && !same ? (
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

export function Counterexample({ row, failed }: { row: Obligation; failed: FailedRow | undefined }) {
  if (row.counterexample.length === 0) return null
  return (
    <div class="counterexample">
      <Facts facts={row.counterexample} label="Counterexample" />
      {failed ? (
        <p class="gives">
          gives <Amount text={failed.expected} />, found{" "}
          <b class="wrong">
            <Amount text={failed.found} />
          </b>
        </p>
      ) : null}
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
    { name: "for all parameters", value: foreverWords(law.theorem) },
  ]
  return (
    <div class="law">
      <p>
        <Status word={law.status} /> <bdi>{law.statement}</bdi>
      </p>
      <Equations equations={law.equations} />
      <Facts facts={facts} label="Law" />
      {law.theorems.length > 0 ? (
        <More title={counted(law.theorems.length, "recorded theorem")}>
          <Facts facts={law.theorems.map((digest) => ({ name: "theorem", value: digest }))} label="Theorems" />
        </More>
      ) : null}
    </div>
  )
}

const FOREVER: Readonly<Record<string, string>> = {
  "re-decided": "proved for all parameters, and decided again in this run",
  recorded: "proved for all parameters, recorded in proofs/",
  absent: "no theorem is recorded",
  none: "nothing: it is a law of single plans, or does not apply",
}

/** What stands behind a law for all parameters, in words. */
export function foreverWords(theorem: string): string {
  return FOREVER[theorem] ?? theorem
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
