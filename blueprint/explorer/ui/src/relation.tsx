// One relation with everything that was executed for it.
import { signal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { chunksFrom, rowAt, useAnswer } from "./chunks"
import { stageTitle } from "./data"
import { ClaimEvidence, LawEvidence } from "./evidence"
import { namesOf } from "./names"
import { counted, grouped } from "./numbers"
import { Awaited, Facts, More, NotHere } from "./parts"
import type { BoundaryIndex, ChunkList, Fact, Relation } from "./payload"
import { address, route, settle } from "./route"
import { Expression } from "./spans"
import { wrongIn } from "./standing"
import { establishes, Icon, Status } from "./status"

/** The relation that is open at the side, by its position; -1 for none. */
export const opened = signal(-1)

interface Found {
  readonly relation: Relation
  readonly position: number
}

async function byId(list: ChunkList, id: string): Promise<Found | undefined> {
  for await (const [start, rows] of chunksFrom<Relation>(list)) {
    const at = rows.findIndex((row) => row.id === id)
    const relation = rows[at]
    if (relation) return { relation, position: start + at }
  }
  return undefined
}

async function byPosition(list: ChunkList, position: number): Promise<Found | undefined> {
  if (!(position < list.count)) return undefined
  return { relation: await rowAt<Relation>(list, position), position }
}

/** A target is named by its position or its id; the address is then settled to the id, with the position as a hint. */
async function find(boundary: BoundaryIndex, at: number, target: string): Promise<Found | undefined> {
  const list = boundary.relations
  if (/^\d{1,9}$/.test(target)) {
    const found = await byPosition(list, Number(target))
    if (found?.relation.id) {
      const hinted = new Map([...route.value.options, ["at", String(found.position)] as const])
      settle(address(["boundary", at, "r", found.relation.id], hinted))
    }
    return found
  }
  const hint = route.value.options.get("at") ?? ""
  const hinted = /^\d{1,9}$/.test(hint) ? await byPosition(list, Number(hint)) : undefined
  return hinted?.relation.id === target ? hinted : byId(list, target)
}

/** What a row is that belongs to no rule here: its rule may be declared, and may have been examined without that. */
export function lineageOnly(boundary: BoundaryIndex, { id, transform }: Relation): string {
  if (id) return `The contract in the bundle does not declare ${transform}.`
  const declared = boundary.rules.some(({ id }) => id === transform)
  const why = declared ? `No examined relation of ${transform} makes this` : `No contract declares ${transform || "this transform"}`
  return `${why}: evidence of lineage only.`
}

export function RelationEvidence(of: { boundary: BoundaryIndex; position: number; target: string }) {
  const answer = useAnswer(() => find(of.boundary, of.position, of.target), [of.boundary, of.target])
  return (
    <Awaited answer={answer}>
      {(found) =>
        found ? <Whole boundary={of.boundary} relation={found.relation} position={found.position} /> : <NotHere what={`relation ${of.target}`} />
      }
    </Awaited>
  )
}

function Whole(whole: { boundary: BoundaryIndex; relation: Relation; position: number }) {
  const { boundary, relation, position } = whole
  useEffect(() => {
    opened.value = position
    return () => {
      opened.value = -1
    }
  }, [position])
  const rule = boundary.rules[relation.rule]
  const laws = rule ? rule.laws.flatMap((at) => boundary.laws[at] ?? []) : []
  laws.sort((a, b) => Number(establishes(a.status)) - Number(establishes(b.status)))
  const claims = [...relation.claims].sort((a, b) => Number(establishes(a.status)) - Number(establishes(b.status)))
  return (
    <>
      <h2 tabIndex={-1}>
        {rule ? rule.id : relation.transform || "no transform"} <small>{relation.cardinality}</small>
      </h2>
      <p>{relation.status ? <Status word={relation.status} /> : lineageOnly(boundary, relation)}</p>
      {rule ? <p>{rule.rewrite}</p> : null}
      <Ends boundary={boundary} relation={relation} />
      <h3>
        Claims that were executed <small>{grouped(String(claims.length))}</small>
      </h3>
      {claims.length === 0 ? <p class="none">none</p> : null}
      {claims.map((claim) => (
        <ClaimEvidence claim={claim} />
      ))}
      <h3>
        Laws of the rule, over all that it is applied to <small>{grouped(String(laws.length))}</small>
      </h3>
      {laws.length === 0 ? <p class="none">none at this boundary</p> : null}
      {laws.map((law) => (
        <details class="claim" open={!establishes(law.status)}>
          <summary>
            <Status word={law.status} /> {law.id} <small>{law.form}</small>
          </summary>
          <LawEvidence law={law} />
        </details>
      ))}
      <More title="Raw mapping">
        <RawMapping boundary={boundary} relation={relation} />
      </More>
    </>
  )
}

/** The sign of a group of targets with one that a finding refutes. */
export function WrongSign({ stage, entities }: { stage: number; entities: readonly number[] }) {
  const wrong = wrongIn(stage)
  if (!entities.some((entity) => wrong.has(entity))) return null
  return (
    <span class="wrong-sign">
      <Icon word="refuted" />
      <span class="hidden-text">refuted: </span>
    </span>
  )
}

function Ends({ boundary, relation }: { boundary: BoundaryIndex; relation: Relation }) {
  return (
    <>
      <h3>{stageTitle(boundary.source)}</h3>
      <p class="expression">
        {relation.sources.length > 0 || boundary.source < 0 ? (
          <Expression span={relation.source} stage={boundary.source} />
        ) : (
          "generated: no source"
        )}
      </p>
      <h3>{stageTitle(boundary.target)}</h3>
      {relation.targets.map((group) => (
        <p class="expression">
          <WrongSign stage={boundary.target} entities={group.entities} />
          <Expression span={group.expression} stage={boundary.target} />
          {group.entities.length > 1 ? <small> ×{grouped(String(group.entities.length))}</small> : null}
        </p>
      ))}
      {relation.missing.map((id) => (
        <p class="missing">
          <Status word="refuted" /> not there: <span class="digest">{id}</span>
        </p>
      ))}
    </>
  )
}

const SHOWN = 100

/** Stable ids as the snapshots have them. */
function RawMapping({ boundary, relation }: { boundary: BoundaryIndex; relation: Relation }) {
  const targets = relation.targets.flatMap((group) => group.entities)
  const answer = useAnswer(async () => {
    const before = boundary.source < 0 ? [] : await namesOf(boundary.source)
    const after = await namesOf(boundary.target)
    const facts: Fact[] = [
      ...relation.sources.slice(0, SHOWN).map((at) => ({ name: before[at]?.[0] ?? "source", value: before[at]?.[2] ?? "" })),
      ...targets.slice(0, SHOWN).map((at) => ({ name: `→ ${after[at]?.[0] ?? "target"}`, value: after[at]?.[2] ?? "" })),
    ]
    return facts
  }, [relation])
  return (
    <>
      <Facts facts={[{ name: "relation", value: relation.id || "none" }, { name: "transform", value: relation.transform }]} label="Relation" />
      <Awaited answer={answer}>{(facts) => <Facts facts={facts} label="Raw mapping" />}</Awaited>
      {relation.sources.length > SHOWN || targets.length > SHOWN ? (
        <p>
          The first {SHOWN} of {counted(relation.sources.length, "source")} and of {counted(targets.length, "target")}.
        </p>
      ) : null}
    </>
  )
}
