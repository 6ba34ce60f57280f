// What is wrong, first: the entity, its rule, the law or claim, and the counterexample, with a link to each.
import { rowAt, useAnswer } from "./chunks"
import { boundaryTitle, index } from "./data"
import { Counterexample, Equations, Failed } from "./evidence"
import { namesOf } from "./names"
import { grouped, groupedWithin } from "./numbers"
import { Awaited, Notice, Part } from "./parts"
import type { FindingRow, LawRow, Obligation, Relation } from "./payload"
import { address } from "./route"
import { entityAddress } from "./spans"
import { establishes, Icon, Status } from "./status"

export function Failures() {
  const [first, ...others] = index.findings
  if (!first) return null
  const note = index.findings_total > 1 ? `1 of ${grouped(String(index.findings_total))} findings: mend this first` : ""
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
            {WEIGHTS.map(([weight, title]) => {
              const some = others.filter((finding) => finding.weight === weight)
              return some.length === 0 ? null : (
                <>
                  <h3>{title}</h3>
                  <FindingList findings={some} />
                </>
              )
            })}
          </details>
        ) : null}
      </div>
    </Part>
  )
}

/** What a finding is to the reader, in the order in which findings stand. */
const WEIGHTS = [
  ["first", "To mend, too"],
  ["later", "Of later stages, which are held against what is wrong before them"],
  ["bytes", "Of digests, replay and records, which differ wherever anything does"],
] as const

export function FindingList({ findings }: { findings: readonly FindingRow[] }) {
  return (
    <ol class="finding-list">
      {findings.map((finding) => (
        <li>
          <Finding finding={finding} />
        </li>
      ))}
    </ol>
  )
}

function Finding({ finding, first = false }: { finding: FindingRow; first?: boolean }) {
  return (
    <>
      <p class="finding-code">
        <Icon word={finding.refutes ? "refuted" : "unknown"} /> <span class="code-name">{finding.code}</span>
      </p>
      <p>
        <bdi>{groupedWithin(finding.message)}</bdi>
      </p>
      <Places finding={finding} first={first} />
    </>
  )
}

/** Where a finding leads; the first one names its entity by itself. */
function Places({ finding, first }: { finding: FindingRow; first: boolean }) {
  const boundary = index.boundaries[finding.boundary]
  const stage = index.stages[finding.stage]
  const law = boundary?.laws[finding.law]
  return (
    <p class="places">
      {stage && finding.entity >= 0 && !first ? <a href={entityAddress(finding.stage, finding.entity)}>The entity</a> : null}
      {boundary && finding.relation >= 0 ? (
        <a href={address(["boundary", finding.boundary, "r", finding.relation])}>Rule, law and counterexample</a>
      ) : null}
      {law ? (
        <a href={address(["boundary", finding.boundary, "l", finding.law])}>
          Law {law.id} {law.form}
        </a>
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

/** The findings about what is open at the side, before everything else. */
export function FindingNotes({ findings }: { findings: readonly FindingRow[] }) {
  return (
    <>
      {findings.map((finding) => (
        <Notice refutes={finding.refutes}>
          <b class="code-name">{finding.code}</b> <bdi>{groupedWithin(finding.message)}</bdi>{" "}
          {finding.relation >= 0 ? (
            <a href={address(["boundary", finding.boundary, "r", finding.relation])}>Rule, law and counterexample</a>
          ) : null}
        </Notice>
      ))}
    </>
  )
}

type Placed = readonly [LawRow, number]

function isOpen(law: LawRow): boolean {
  return !establishes(law.status) && law.status !== "not-applicable"
}

/** The first finding, with everything that leads from it. */
function First({ finding }: { finding: FindingRow }) {
  const answer = useAnswer(() => tell(finding), [finding])
  return (
    <article class={`first ${finding.refutes ? "refutes" : ""}`}>
      <Finding finding={finding} first />
      {finding.meaning ? <p class="support">{finding.meaning}</p> : null}
      <Awaited answer={answer}>{(told) => <Steps finding={finding} told={told} />}</Awaited>
    </article>
  )
}

interface Told {
  readonly entity: string
  readonly relation: Relation | undefined
  readonly laws: readonly Placed[]
  readonly obligation: Obligation | undefined
}

/** Most instances of a law among which a counterexample is looked for. */
const LOOKED_AT = 100

async function tell(finding: FindingRow): Promise<Told> {
  const boundary = index.boundaries[finding.boundary]
  const names = finding.entity >= 0 ? await namesOf(finding.stage) : []
  const relation =
    boundary && finding.relation >= 0 ? await rowAt<Relation>(boundary.relations, finding.relation) : undefined
  const rule = relation && boundary?.rules[relation.rule]
  const laws = (rule?.laws ?? [finding.law]).flatMap((at): Placed[] => {
    const law = boundary?.laws[at]
    return law ? [[law, at]] : []
  })
  const asked = [
    ...(relation?.claims ?? []).filter((claim) => !establishes(claim.status)).map((claim) => claim.obligation),
    ...laws.filter(([law]) => isOpen(law)).flatMap(([law]) => law.obligations.slice(0, LOOKED_AT)),
  ]
  laws.sort(([a], [b]) => Number(isOpen(b)) - Number(isOpen(a)))
  return { entity: names[finding.entity]?.[0] ?? "", relation, laws, obligation: await refuted(asked) }
}

async function refuted(asked: readonly number[]): Promise<Obligation | undefined> {
  for (const at of asked) {
    const obligation = await rowAt<Obligation>(index.obligations, at)
    if (obligation.counterexample.length > 0) return obligation
  }
  return undefined
}

function Steps({ finding, told }: { finding: FindingRow; told: Told }) {
  const boundary = index.boundaries[finding.boundary]
  const rule = told.relation && boundary?.rules[told.relation.rule]
  const claims = (told.relation?.claims ?? []).filter((claim) => !establishes(claim.status))
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
      {told.laws.map(([law, at]) => (
        <>
          <dt>law</dt>
          <dd>
            <Status word={law.status} />{" "}
            <a href={address(["boundary", finding.boundary, "l", at])}>
              {law.id} {law.form}
            </a>{" "}
            <bdi>{law.statement}</bdi>
            {isOpen(law) ? <Equations equations={law.equations} /> : <SpeaksOf law={law} />}
          </dd>
        </>
      ))}
      {told.obligation ? (
        <>
          <dt>counterexample</dt>
          <dd>
            <Counterexample row={told.obligation} failed={claims[0]?.failed[0]} />
          </dd>
        </>
      ) : null}
    </dl>
  )
}

/** A law that holds beside a claim that does not: it may speak of something else. */
function SpeaksOf({ law }: { law: LawRow }) {
  return (
    <p class="support">
      {law.status === "not-applicable" ? "it does not apply; it would speak of" : "it holds, and speaks of"} <bdi>{law.group}</bdi>
    </p>
  )
}
