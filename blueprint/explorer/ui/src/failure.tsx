// What is wrong, first: the entity, its rule, the law or claim, and the counterexample, with a link to each.
import { rowAt, useAnswer } from "./chunks"
import { boundaryTitle, index } from "./data"
import { Failed } from "./evidence"
import { namesOf } from "./names"
import { grouped } from "./numbers"
import { Awaited, Facts, Part } from "./parts"
import type { FindingRow, Obligation, Relation } from "./payload"
import { address } from "./route"
import { entityAddress } from "./spans"
import { establishes, Icon, Status } from "./status"

export function Failures() {
  const [first, ...others] = index.findings
  if (!first) return null
  const note = index.findings_total > 1 ? `1 of ${grouped(String(index.findings_total))}, the most specific first` : ""
  return (
    <Part title={first.refutes ? "What is wrong" : "What is not established"} note={note}>
      <div class="findings">
        <First finding={first} />
        {others.length > 0 ? (
          <details class="more">
            <summary>
              {grouped(String(others.length))} more
              {index.findings_total > index.findings.length
                ? ` of ${grouped(String(index.findings_total - 1))}; the report has them all`
                : ""}
            </summary>
            <ol>
              {others.map((finding) => (
                <li>
                  <Finding finding={finding} />
                </li>
              ))}
            </ol>
          </details>
        ) : null}
      </div>
    </Part>
  )
}

function Finding({ finding }: { finding: FindingRow }) {
  return (
    <>
      <p>
        <Icon word={finding.refutes ? "refuted" : "unknown"} /> <b class="code-name">{finding.code}</b>{" "}
        <bdi>{finding.message}</bdi>
      </p>
      <Places finding={finding} />
    </>
  )
}

function Places({ finding }: { finding: FindingRow }) {
  const boundary = index.boundaries[finding.boundary]
  const stage = index.stages[finding.stage]
  return (
    <p class="places">
      {stage && finding.entity >= 0 ? <a href={entityAddress(finding.stage, finding.entity)}>The entity</a> : null}
      {boundary && finding.relation >= 0 ? (
        <a href={address(["boundary", finding.boundary, "r", finding.relation])}>Rule, law and counterexample</a>
      ) : null}
      {boundary ? <a href={address(["boundary", finding.boundary])}>{boundaryTitle(boundary)}</a> : null}
      {finding.path ? (
        <span>
          at <bdi>{finding.path}</bdi>
        </span>
      ) : null}
    </p>
  )
}

/** The first finding, with everything that leads from it. */
function First({ finding }: { finding: FindingRow }) {
  return (
    <article class={`first ${finding.refutes ? "refutes" : ""}`}>
      <Finding finding={finding} />
      {finding.meaning ? <p class="support">{finding.meaning}</p> : null}
      {finding.relation >= 0 ? <Story finding={finding} /> : null}
    </article>
  )
}

interface Told {
  readonly entity: string
  readonly relation: Relation
  readonly obligation: Obligation | undefined
}

async function tell(finding: FindingRow): Promise<Told | undefined> {
  const boundary = index.boundaries[finding.boundary]
  if (!boundary) return undefined
  const relation = await rowAt<Relation>(boundary.relations, finding.relation)
  const names = finding.entity >= 0 ? await namesOf(finding.stage) : []
  const claim = relation.claims.find((each) => !establishes(each.status))
  const obligation = claim ? await rowAt<Obligation>(index.obligations, claim.obligation) : undefined
  return { entity: names[finding.entity]?.[0] ?? "", relation, obligation }
}

function Story({ finding }: { finding: FindingRow }) {
  const answer = useAnswer(() => tell(finding), [finding])
  return <Awaited answer={answer}>{(told) => (told ? <Steps finding={finding} told={told} /> : null)}</Awaited>
}

function Steps({ finding, told }: { finding: FindingRow; told: Told }) {
  const boundary = index.boundaries[finding.boundary]
  const rule = boundary?.rules[told.relation.rule]
  const laws = rule && boundary ? rule.laws.flatMap((at) => (boundary.laws[at] ? [[at, boundary.laws[at]] as const] : [])) : []
  const claims = told.relation.claims.filter((claim) => !establishes(claim.status))
  return (
    <dl class="steps">
      {told.entity ? (
        <>
          <dt>entity</dt>
          <dd>
            <a href={entityAddress(finding.stage, finding.entity)}>
              <bdi>{told.entity}</bdi>
            </a>
          </dd>
        </>
      ) : null}
      {rule ? (
        <>
          <dt>rule</dt>
          <dd>
            <a href={address(["boundary", finding.boundary, "r", finding.relation])}>{rule.id}</a>: {rule.rewrite}
          </dd>
        </>
      ) : null}
      {claims.map((claim) => (
        <>
          <dt>claim</dt>
          <dd>
            <Status word={claim.status} /> {claim.kind}
            <Failed rows={claim.failed} />
          </dd>
        </>
      ))}
      {laws.map(([at, law]) => (
        <>
          <dt>law</dt>
          <dd>
            <Status word={law.status} /> <a href={address(["boundary", finding.boundary, "l", at])}>{law.id}</a>{" "}
            <bdi>{law.statement}</bdi>
          </dd>
        </>
      ))}
      {told.obligation && told.obligation.counterexample.length > 0 ? (
        <>
          <dt>counterexample</dt>
          <dd>
            <Facts facts={told.obligation.counterexample} label="Counterexample" />
          </dd>
        </>
      ) : null}
    </dl>
  )
}
