// What lies between two stages: what the pass promises, how much is accounted for, and each relation.
import { rowAt, useAnswer } from "./chunks"
import { boundaryTitle, index, stageTitle } from "./data"
import { LawEvidence, ObligationAt } from "./evidence"
import { FindingList, FindingNotes } from "./failure"
import { counted, grouped } from "./numbers"
import { Awaited, Choice, Digest, Facts, isDigest, More, NotHere, NoView, Part } from "./parts"
import type { BoundaryIndex, Fact, LawRow, Obligation, RuleRow } from "./payload"
import { RelationEvidence } from "./relation"
import { Relations } from "./relations"
import { address, route, withOptions } from "./route"
import { Side } from "./side"
import { countAt, examined, findingsAt, firstWrong, lawWords, standingOf } from "./standing"
import { establishes, Icon, Status } from "./status"

export function BoundaryView({ name, kind, target }: { name: string; kind: string; target: string }) {
  const position = /^\d{1,4}$/.test(name) ? Number(name) : -1
  const boundary = index.boundaries[position]
  if (!boundary) return <NoView what={`boundary ${name}`} />
  return (
    <>
      <main class="view" tabIndex={-1}>
        <Head boundary={boundary} position={position} />
        <Findings position={position} />
        <OpenLaws boundary={boundary} position={position} />
        <Forms />
        <Coverage boundary={boundary} />
        <Form boundary={boundary} position={position} />
      </main>
      <Beside boundary={boundary} position={position} kind={kind} target={target} />
    </>
  )
}

function Head({ boundary, position }: { boundary: BoundaryIndex; position: number }) {
  return (
    <header class="view-head">
      <h1 tabIndex={-1}>
        {boundaryTitle(boundary)} <small>{boundary.name}</small>
      </h1>
      <ul class="badges">
        <li>
          <Status word={standingOf(boundary, position)} />
        </li>
        <li>{boundary.relation_verified ? "relation verified" : "relations not verified"}</li>
        <li>canonical-conformant: {boundary.canonical_conformant}</li>
        {boundary.structural_only ? <li>structural only: it changed nothing</li> : null}
      </ul>
      <div class="tallies">
        <p class="counts">
          <span>Claims:</span>
          {boundary.claims.map(({ word, count }) => (
            <Status word={word} count={grouped(count)} />
          ))}
        </p>
        <p class="counts law-counts">
          <span>Laws:</span>
          {boundary.laws.length === 0 ? <span class="none">{examined(boundary) ? "none" : "not examined"}</span> : null}
          {lawWords(boundary.laws).map(([word, count]) => (
            <Status word={word} count={grouped(String(count))} />
          ))}
        </p>
      </div>
    </header>
  )
}

/** Counts that are zero where everything is accounted for. */
const FAULTS: ReadonlySet<string> = new Set(["missing", "dangling", "undeclared", "mismatched"])

function Coverage({ boundary }: { boundary: BoundaryIndex }) {
  return (
    <section class="coverage" aria-label="Accounted for">
      <ul class="tiles">
        <li>
          <b>Accounted for:</b>{" "}
          {!examined(boundary) ? "not examined" : boundary.exact ? "everything, once" : "not everything, or not once"}
        </li>
        {boundary.coverage.map(({ name, value }) => (
          <li class={value === "0" ? "zero" : ""}>
            {FAULTS.has(name) && value !== "0" ? <Icon word="refuted" /> : null} <b class="number">{grouped(value)}</b> <span>{name}</span>
          </li>
        ))}
        {boundary.cardinality.map(({ cardinality, count }) => (
          <li>
            <a href={withOptions({ card: cardinality, form: "" })}>
              <b class="number">{grouped(String(count))}</b> <span>{cardinality}</span>
            </a>
          </li>
        ))}
      </ul>
      <p class="support">host duration: {boundary.duration}</p>
    </section>
  )
}

/** The forms of a boundary; the lowering table is the first that is shown. */
const FORMS = [
  ["", "Lowering"],
  ["short", "Short form"],
  ["detail", "Detailed form"],
  ["laws", "Laws"],
  ["audit", "Audit"],
] as const

function Forms() {
  const chosen = route.value.options.get("form") ?? ""
  return (
    <Choice
      label="Form"
      chosen={chosen}
      options={FORMS.map(([name, title]) => [name, title, withOptions({ form: name })])}
    />
  )
}

function Form({ boundary, position }: { boundary: BoundaryIndex; position: number }) {
  const form = route.value.options.get("form") ?? ""
  switch (form) {
    case "":
      return (
        <Relations boundary={boundary} position={position} detail={false} />
      )
    case "short":
      return (
        <>
          <Promises facts={boundary.short} />
          <Rules boundary={boundary} detail={false} />
        </>
      )
    case "detail":
      return (
        <>
          <Promises facts={boundary.detail} />
          <Rules boundary={boundary} detail />
          <Part title="Lineage evidence" note="every relation with its claims">
            <Relations boundary={boundary} position={position} detail />
          </Part>
        </>
      )
    case "laws":
      return <Laws boundary={boundary} position={position} />
    case "audit":
      return <Audit boundary={boundary} />
    default:
      return <NotHere what={`form ${form}`} />
  }
}

function Findings({ position }: { position: number }) {
  const findings = findingsAt(position)
  const all = countAt(position)
  if (all === 0) return null
  const wrong = firstWrong()
  const follow = wrong && wrong[1] !== position && findings.length > 0 && findings.every((finding) => finding.weight !== "first")
  return (
    <Part title="Findings here" note={grouped(String(all))}>
      {follow ? (
        <p class="follow">
          They may follow from what is wrong before: mend <a href={address(["boundary", wrong[1]])}>{wrong[0]}</a> first.
        </p>
      ) : null}
      <FindingList findings={findings.slice(0, FINDINGS)} />
      {findings.length > FINDINGS ? (
        <More title={`${grouped(String(findings.length - FINDINGS))} more`}>
          <FindingList findings={findings.slice(FINDINGS)} />
        </More>
      ) : null}
      {all > findings.length ? (
        <p class="support">
          {grouped(String(findings.length))} of {counted(all, "finding")} here stand on this page; the report has them all.
        </p>
      ) : null}
    </Part>
  )
}

/** How many findings a boundary shows at once. */
const FINDINGS = 1

/** What is said in words, and beneath it the digests, cut short: the audit has the whole of them. */
function Promises({ facts }: { facts: readonly Fact[] }) {
  const words = facts.filter(({ value }) => !isDigest(value))
  const digests = facts.filter(({ value }) => isDigest(value))
  return (
    <Part title="What the pass promises">
      <dl class="promises">
        {words.map(({ name, value }) => (
          <div>
            <dt>{name}</dt>
            <dd>
              <bdi>{value}</bdi>
            </dd>
          </div>
        ))}
      </dl>
      {digests.length > 0 ? (
        <dl class="promises digests">
          {digests.map(({ name, value }) => (
            <div>
              <dt>{name}</dt>
              <dd>
                <Digest text={value} />
              </dd>
            </div>
          ))}
        </dl>
      ) : null}
    </Part>
  )
}

function Rules({ boundary, detail }: { boundary: BoundaryIndex; detail: boolean }) {
  if (boundary.rules.length === 0) return null
  return (
    <Part title="Rules" note={`as ${boundary.name} declares them`}>
      <div class="wide">
        <table class="rows">
          <thead>
            <tr>
              <th scope="col">rule</th>
              <th scope="col">signature and rewrite</th>
              {detail ? <th scope="col">claims</th> : null}
              <th scope="col" class="number">
                relations
              </th>
              <th scope="col">weakest</th>
            </tr>
          </thead>
          <tbody>
            {boundary.rules.map((rule) => (
              <tr>
                <th scope="row">{rule.relations > 0 ? <a href={withOptions({ rule: rule.id, form: "" })}>{rule.id}</a> : rule.id}</th>
                <td>
                  <bdi>{rule.signature}</bdi>
                  <p class="support">
                    <bdi>{rule.rewrite}</bdi>
                  </p>
                </td>
                {detail ? (
                  <td>
                    <Semantics rule={rule} />
                  </td>
                ) : null}
                <td class="number">{grouped(String(rule.relations))}</td>
                <td>
                  <Status word={rule.status} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Part>
  )
}

function Semantics({ rule }: { rule: RuleRow }) {
  const parts = [
    ["preserves", rule.preserves],
    ["introduces", rule.introduces],
    ["forbids", rule.forbids],
  ] as const
  return (
    <dl class="semantics">
      <dt>lineage</dt>
      <dd>{rule.lineage}</dd>
      {parts.map(([name, claims]) => (
        <>
          <dt>{name}</dt>
          <dd>{claims.join(", ") || "nothing"}</dd>
        </>
      ))}
    </dl>
  )
}

/** What a law is to the reader, by its word: what does not hold comes first, what does not apply last. */
function lawRank({ status }: LawRow): number {
  if (status === "not-applicable") return 2
  return establishes(status) ? 1 : 0
}

function Laws({ boundary, position }: { boundary: BoundaryIndex; position: number }) {
  const laws = boundary.laws.map((law, at) => [law, at] as const).sort(([a], [b]) => lawRank(a) - lawRank(b))
  return (
    <Part title="Laws" note={counted(laws.length, "form")}>
      {laws.length === 0 ? <p class="none">{examined(boundary) ? "none at this boundary" : "not examined"}</p> : null}
      <div class="wide">
        <table class="rows laws">
          <caption class="hidden-text">Laws, those that do not hold first</caption>
          <tbody>
            {laws.map(([law, at]) => (
              <tr>
                <td>
                  <Status word={law.status} />
                </td>
                <th scope="row">
                  <LawLink law={law} position={position} at={at} />
                </th>
                <td>
                  <bdi>{law.statement}</bdi>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Part>
  )
}

/** The laws that do not hold, in one line: they are about the relations, and belong above them. */
function OpenLaws({ boundary, position }: { boundary: BoundaryIndex; position: number }) {
  const open = boundary.laws.flatMap((law, at) =>
    establishes(law.status) || law.status === "not-applicable" ? [] : [[law, at] as const],
  )
  if (open.length === 0) return null
  return (
    <p class="open-laws">
      <span>Laws that do not hold:</span>
      {open.map(([law, at]) => (
        <span>
          <Icon word={law.status} /> <LawLink law={law} position={position} at={at} />
        </span>
      ))}
    </p>
  )
}

function LawLink({ law, position, at }: { law: LawRow; position: number; at: number }) {
  return (
    <a href={address(["boundary", position, "l", at], route.value.options)}>
      {law.id} {law.form}
    </a>
  )
}

/** Nothing left out: the contract, the rules with all that they state, and what the claims were decided by. */
function Audit({ boundary }: { boundary: BoundaryIndex }) {
  return (
    <Part title="Audit" note="the whole contract; the stable ids of a relation stand beside it, under “Raw mapping”">
      <Facts facts={boundary.detail} label="Contract" />
      {boundary.rules.map((rule) => (
        <section class="audit-rule" aria-label={rule.id}>
          <h3>{rule.id}</h3>
          <p>
            <bdi>{rule.signature}</bdi>
          </p>
          <p class="support">
            <bdi>{rule.rewrite}</bdi>
          </p>
          <Semantics rule={rule} />
        </section>
      ))}
    </Part>
  )
}

function Beside(beside: { boundary: BoundaryIndex; position: number; kind: string; target: string }) {
  const { boundary, position, kind, target } = beside
  if (kind === "r") {
    return (
      <Side label={`Relation, ${stageTitle(boundary.target)}`}>
        <RelationEvidence boundary={boundary} position={position} target={target} />
      </Side>
    )
  }
  if (kind === "l") {
    const law = /^\d{1,6}$/.test(target) ? boundary.laws[Number(target)] : undefined
    return (
      <Side label="Law">
        {law ? (
          <>
            <h2 tabIndex={-1}>
              {law.id} <small>{law.form}</small>
            </h2>
            <FindingNotes findings={findingsAt(position).filter((finding) => finding.law === Number(target))} />
            <LawEvidence law={law} />
            <Instances obligations={law.obligations} />
          </>
        ) : (
          <NotHere what={`law ${target}`} />
        )}
      </Side>
    )
  }
  if (kind) return <Side label="Unknown"><NotHere what={`${kind} ${target}`} /></Side>
  return null
}

/** Most instances of a law that are read, and most that are listed. */
const READ = 200
const LISTED = 10

interface Instance {
  readonly at: number
  readonly verdict: string
}

/** The instances of a law, those that do not hold first. */
async function instancesOf(obligations: readonly number[]): Promise<readonly Instance[]> {
  const read = obligations.slice(0, READ).map(async (at) => {
    const { verdict } = await rowAt<Obligation>(index.obligations, at)
    return { at, verdict }
  })
  const found = await Promise.all(read)
  return found.sort((a, b) => Number(establishes(a.verdict)) - Number(establishes(b.verdict)))
}

function Instances({ obligations }: { obligations: readonly number[] }) {
  const answer = useAnswer(() => instancesOf(obligations), [obligations])
  return (
    <>
      <h3>
        Instances <small>{grouped(String(obligations.length))}</small>
      </h3>
      <Awaited answer={answer}>
        {(instances) =>
          instances.slice(0, LISTED).map(({ at, verdict }, first) => (
            <details class="claim" open={first === 0} key={at}>
              <summary>
                <Status word={verdict} /> obligation {grouped(String(at))}
              </summary>
              <ObligationAt position={at} />
            </details>
          ))
        }
      </Awaited>
      {obligations.length > LISTED ? <p>and {counted(obligations.length - LISTED, "more instance")}</p> : null}
    </>
  )
}
