// The whole derivation at once: the verdict, what is wrong, the slots, what lies between them, and the laws.
import { boundaryTitle, index, slug } from "./data"
import { Failures } from "./failure"
import { Laws } from "./laws"
import { counted, grouped, groupedWithin } from "./numbers"
import { OverlayNotice } from "./overlays"
import { Facts, More, Part, Quantity } from "./parts"
import type { BoundaryIndex, Section, StageIndex } from "./payload"
import { address } from "./route"
import { differences, examined, lawWords, standingOf } from "./standing"
import { establishes, Icon, meaningOf, Status, toneOf, WORDS } from "./status"

export function Overview() {
  return (
    <main class="view" tabIndex={-1}>
      <Verdict />
      <Failures />
      <Statement />
      <Part title="Stages">
        <Slots />
        <OverlayNotice />
      </Part>
      <Boundaries />
      <Part title="Law book" note="what was shown of this bundle, and what is proved for all parameters">
        <Laws />
      </Part>
      <Sections title="Totals" note={index.covered} sections={index.totals} />
      <More title={`Chosen, not derived: ${counted(index.definitions.length, "definition")}`}>
        <Facts facts={index.definitions} label="Definitions" />
      </More>
      <More title="What decided">
        <Facts
          facts={[
            ...index.tool,
            { name: "bundle SHA-256", value: index.bundle_sha256 },
            { name: "derivation digest", value: index.derivation_digest },
          ]}
          label="Tool"
        />
        <p>
          <a href={address(["evidence"])}>All {counted(index.obligations.count, "obligation")}</a>
        </p>
      </More>
      <More title="Verdict words">
        <dl class="words">
          {WORDS.map((word) => (
            <>
              <dt>
                <Status word={word} />
              </dt>
              <dd>{meaningOf(word)}</dd>
            </>
          ))}
        </dl>
      </More>
    </main>
  )
}

function Verdict() {
  return (
    <header class={`verdict-head tone-${toneOf(index.verdict)}`}>
      <h1 tabIndex={-1}>
        <Icon word={index.verdict} /> {index.verdict.charAt(0).toUpperCase() + index.verdict.slice(1)}
      </h1>
      <Found />
      <p>{groupedWithin(index.summary)}</p>
      <p class="counts">
        {index.counts.map(({ word, count }) => (
          <Status word={word} count={grouped(count)} />
        ))}
      </p>
      <Weakest />
    </header>
  )
}

/** How many findings there are, and how many of them may follow from the others. */
function Found() {
  if (index.findings.length === 0) return null
  const { first, later, bytes } = index.totals_of_findings
  const asked = index.counts.filter(({ word, count }) => count !== "0" && !SETTLED.has(word))
  const established = asked.length > 0 && asked.every(({ word }) => establishes(word)) && nothingIsMissing()
  const parts = [
    first > 0 ? `${grouped(String(first))} to mend` : "",
    later > 0 ? `${grouped(String(later))} of later stages, which may follow` : "",
    ...(first + later === 0
      ? differences(index.findings)
      : [bytes > 0 ? `${grouped(String(bytes))} of digests, replay and records` : ""]),
    established ? "all claims and laws are established" : "",
  ]
  return (
    <p class="found">
      <b>{counted(index.findings_total, "finding")}</b>: {parts.filter(Boolean).join("; ")}
    </p>
  )
}

/** Words that ask for nothing more. */
const SETTLED: ReadonlySet<string> = new Set(["not-applicable", "definition"])

/** Whether every stage that is asked for is there, and all that leads to it is related. */
function nothingIsMissing(): boolean {
  const missing = index.findings.some((finding) => finding.code === "stage.missing")
  const listed = index.findings.length === index.findings_total
  return listed && !missing && index.boundaries.every((boundary) => boundary.relation_verified)
}

/** What the verdict is about. */
function Statement() {
  const note = index.verdict === "verified" ? "this derivation follows from" : "this derivation should follow from"
  return (
    <Part title="Statement" note={note}>
      <dl class="statement">
        {index.bindings.map(({ title, facts }) => (
          <>
            <dt>{title}</dt>
            <dd>
              {facts.map(({ name, value }) => (
                <span>
                  <span class="binding">{name}</span>{" "}
                  <bdi>
                    <Quantity text={value} about={name} />
                  </bdi>
                </span>
              ))}
            </dd>
          </>
        ))}
      </dl>
    </Part>
  )
}

function Weakest() {
  const boundary = index.boundaries[index.weakest]
  if (!boundary) return null
  return (
    <p>
      Weakest link: <a href={address(["boundary", index.weakest])}>{boundaryTitle(boundary)}</a>,{" "}
      <Status word={standingOf(boundary, index.weakest)} />
    </p>
  )
}

function Slots() {
  return (
    <>
      {index.slots.map((slots, branch) => (
        <section aria-label={index.branches[branch] || "Slots"}>
          {index.branches[branch] ? <p class="branch">{index.branches[branch]}</p> : null}
          <ol class="slots">
            {slots.map((slot) => {
              const stage = index.stages[slot]
              return stage ? <Slot stage={stage} /> : null
            })}
          </ol>
        </section>
      ))}
    </>
  )
}

function Slot({ stage }: { stage: StageIndex }) {
  return (
    <li class={stage.unavailable ? "slot-card unavailable" : "slot-card"}>
      <h3>
        <a href={address(["stage", slug(stage)])}>{stage.title}</a>
      </h3>
      {stage.unavailable ? (
        <p>
          <Status word="unavailable" />: <bdi>{stage.unavailable}</bdi>
        </p>
      ) : (
        <>
          <p>{counted(stage.entities.count, "entity", "entities")}</p>
          {stage.label ? (
            <p class="support">
              <bdi>{stage.label}</bdi>
            </p>
          ) : null}
          <p class="digest" title={stage.digest}>
            {stage.digest.slice(0, 16)}
          </p>
        </>
      )}
    </li>
  )
}

function Boundaries() {
  return (
    <Part title="Boundaries">
      <div class="wide">
        <table class="rows">
          <thead>
            <tr>
              <th scope="col">boundary</th>
              <th scope="col">verdict</th>
              <th scope="col">pass</th>
              <th scope="col" class="number">
                relations
              </th>
              <th scope="col">relation verified</th>
              <th scope="col">canonical-conformant</th>
              <th scope="col">accounted for</th>
              <th scope="col">claims</th>
              <th scope="col">laws</th>
            </tr>
          </thead>
          <tbody>
            {index.boundaries.map((boundary, at) => (
              <BoundaryLine boundary={boundary} at={at} />
            ))}
          </tbody>
        </table>
      </div>
    </Part>
  )
}

function BoundaryLine({ boundary, at }: { boundary: BoundaryIndex; at: number }) {
  return (
    <tr>
      <th scope="row">
        <a href={address(["boundary", at])}>{boundaryTitle(boundary)}</a>
      </th>
      <td>
        <Status word={standingOf(boundary, at)} />
      </td>
      <td>{boundary.name}</td>
      <td class="number">{grouped(String(boundary.relations.count))}</td>
      <td>{boundary.structural_only ? "structural only" : boundary.relation_verified ? "yes" : "no"}</td>
      <td>{boundary.canonical_conformant}</td>
      <td>{!examined(boundary) ? "not examined" : boundary.exact ? "exactly" : "not exactly"}</td>
      <td>
        {boundary.claims.map(({ word, count }) => (
          <Status word={word} count={grouped(count)} />
        ))}
      </td>
      <td>
        {lawWords(boundary.laws).map(([word, count]) => (
          <Status word={word} count={grouped(String(count))} />
        ))}
      </td>
    </tr>
  )
}

function Sections({ title, note, sections }: { title: string; note: string; sections: readonly Section[] }) {
  if (sections.length === 0) return null
  return (
    <Part title={title} note={note}>
      <div class="sections">
        {sections.map((section) => (
          <section aria-label={section.title}>
            <h3>{section.title}</h3>
            <Facts facts={section.facts} label={section.title} />
          </section>
        ))}
      </div>
    </Part>
  )
}
