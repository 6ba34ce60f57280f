// One entity with everything that its snapshot says of it, and its lineage in both directions.
import { useEffect, useState } from "preact/hooks"
import { rowAt, useAnswer } from "./chunks"
import { boundaryTitle, index, slug } from "./data"
import { FindingNotes } from "./failure"
import { opened } from "./matrix"
import { namesOf } from "./names"
import { counted, grouped } from "./numbers"
import type { Shown } from "./overlays"
import { Awaited, Facts, NotHere, Quantity } from "./parts"
import type { Entity, FindingRow, Link, NameRow, Relation, StageIndex } from "./payload"
import { address, keepingOptions, settle } from "./route"
import { entityAddress, Expression } from "./spans"

const SHOWN = 40

interface Found {
  readonly entity: Entity
  readonly position: number
  readonly names: readonly NameRow[]
}

/** A target is named by its position or its id; the address is then settled to the id. */
async function find(stage: number, target: string): Promise<Found | undefined> {
  const row = index.stages[stage] as StageIndex
  const names = await namesOf(stage)
  const position = /^\d+$/.test(target) ? Number(target) : names.findIndex((name) => name[2] === target)
  const name = names[position]
  if (!name) return undefined
  const entity = await rowAt<Entity>(row.entities, position)
  if (name[2] !== target) settle(keepingOptions(["stage", slug(row), "e", name[2]]))
  return { entity, position, names }
}

export function Inspector({ stage, target, shown }: { stage: number; target: string; shown: readonly Shown[] }) {
  const answer = useAnswer(() => find(stage, target), [stage, target])
  return (
    <Awaited answer={answer}>
      {(found) => (found ? <Whole stage={stage} found={found} shown={shown} /> : <NotHere what={`entity ${target}`} />)}
    </Awaited>
  )
}

function Whole({ stage, found, shown }: { stage: number; found: Found; shown: readonly Shown[] }) {
  const { entity, position, names } = found
  const [before = 0, after = 0, made = 0, used = 0] = entity.counts
  useEffect(() => {
    opened.value = entity.group
    return () => {
      opened.value = -1
    }
  }, [entity.group])
  const findings = index.findings.filter((each) => each.stage === stage && each.entity === position)
  const relations = useAnswer(() => accused(findings), [stage, position])
  const expected = relations.state === "here" ? expectedOf(entity, relations.value) : new Map<string, string>()
  return (
    <>
      <h2 tabIndex={-1}>
        <bdi>{entity.alias}</bdi> <small>{entity.kind}</small>
      </h2>
      <FindingNotes findings={findings} />
      <p class="expression">
        <Expression span={entity.expression} stage={stage} />
      </p>
      <dl class="ids">
        <dt>name</dt>
        <dd>
          <bdi>{entity.name}</bdi>
        </dd>
        <dt>id</dt>
        <dd class="digest">{entity.id}</dd>
      </dl>
      <Values position={position} shown={shown} />
      <h3>Fields</h3>
      <Facts facts={entity.fields} label="Fields" expected={expected} />
      <Entities title="Reads or waits for" stage={stage} positions={entity.before} count={before} names={names} />
      <Entities title="Is read or waited for by" stage={stage} positions={entity.after} count={after} names={names} />
      <h3>Lineage</h3>
      <Facts facts={entity.lineage} label="Lineage" />
      <Relations title="Made by" links={entity.made_by} count={made} none="no relation" />
      <Relations title="Lowered by" links={entity.used_by} count={used} none="no relation" />
    </>
  )
}

/** The relation that made an entity which a finding is about. */
async function accused(findings: readonly FindingRow[]): Promise<readonly Relation[]> {
  const places = findings.flatMap(({ boundary, relation }) => (relation < 0 ? [] : [[boundary, relation] as const]))
  const found = places.map(([at, relation]) => {
    const boundary = index.boundaries[at]
    return boundary ? [rowAt<Relation>(boundary.relations, relation)] : []
  })
  return Promise.all(found.flat())
}

/** What is expected of the fields that failed: a claim names a field by its entity and its last part. */
function expectedOf(entity: Entity, relations: readonly Relation[]): ReadonlyMap<string, string> {
  const expected = new Map<string, string>()
  for (const row of relations.flatMap(({ claims }) => claims.flatMap(({ failed }) => failed))) {
    if (!row.field.startsWith(`${entity.name}.`)) continue
    const last = row.field.slice(entity.name.length + 1)
    const fact = entity.fields.find(({ name }) => name === last || name.endsWith(`.${last}`))
    if (fact) expected.set(fact.name, row.expected)
  }
  return expected
}

function Values({ position, shown }: { position: number; shown: readonly Shown[] }) {
  return (
    <>
      {shown.map(({ overlay, values }) => {
        const value = values.get(position)?.[1]
        return (
          <p class="overlay-value">
            <b>Overlay</b> <bdi>{overlay.provider}</bdi>, revision <bdi>{overlay.revision}</bdi>:{" "}
            {value === undefined ? (
              "no value for this entity"
            ) : (
              <Quantity text={value} about={overlay.unit} unit={overlay.unit} />
            )}
          </p>
        )
      })}
    </>
  )
}

/** Links to entities, `count` in all; those beyond the first that the page has are opened on demand. */
export function Entities(list: {
  title: string
  stage: number
  positions: readonly number[]
  count: number
  names: readonly NameRow[]
}) {
  const [all, showAll] = useState(false)
  const positions = all ? list.positions : list.positions.slice(0, SHOWN)
  const cut = list.count > list.positions.length
  return (
    <>
      <h3>
        {list.title} <small>{grouped(String(list.count))}</small>
      </h3>
      {list.positions.length === 0 ? <p class="none">nothing</p> : null}
      <ul class="links">
        {positions.map((position) => (
          <li>
            <a href={entityAddress(list.stage, position)}>
              <bdi>{list.names[position]?.[0] ?? position}</bdi>
            </a>
          </li>
        ))}
      </ul>
      {!all && list.positions.length > SHOWN ? (
        <button type="button" class="plain" onClick={() => showAll(true)}>
          {cut ? `First ${grouped(String(list.positions.length))} of ` : "All "}
          {counted(list.count, "entity", "entities")}
        </button>
      ) : null}
      {all && cut ? <p>and {grouped(String(list.count - list.positions.length))} more, which the bundle holds</p> : null}
    </>
  )
}

function Relations({ title, links, count, none }: { title: string; links: readonly Link[]; count: number; none: string }) {
  return (
    <>
      <h3>{title}</h3>
      {links.length === 0 ? <p class="none">{none}</p> : null}
      <ul class="links">
        {links.slice(0, SHOWN).map(([boundary, relation]) => {
          const row = index.boundaries[boundary]
          return row ? (
            <li>
              <a href={address(["boundary", boundary, "r", relation])}>
                relation {grouped(String(relation))} of {boundaryTitle(row)}
              </a>
            </li>
          ) : null
        })}
      </ul>
      {count > SHOWN ? <p>and {counted(count - SHOWN, "more relation")}</p> : null}
    </>
  )
}
