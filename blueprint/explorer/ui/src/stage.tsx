// One stage: its question, what this snapshot answers, what it leaves to others; its structure and its texts.
import { useAnswer } from "./chunks"
import { boundaryTitle, index, slug, stageBySlug } from "./data"
import { GroupList, SearchList } from "./entities"
import { Inspector } from "./inspector"
import { Matrix } from "./matrix"
import { namesOf } from "./names"
import { counted, grouped, groupedWithin } from "./numbers"
import { OverlaySwitches, useOverlays, type Shown } from "./overlays"
import { Awaited, Choice, Notice, NotHere, NoView } from "./parts"
import type { StageIndex } from "./payload"
import { address, route } from "./route"
import { Side } from "./side"
import { standingOf, wrongIn } from "./standing"
import { Icon, Status } from "./status"
import { TextView } from "./text"

export function StageView({ name, kind, target }: { name: string; kind: string; target: string }) {
  const position = stageBySlug(name)
  const stage = index.stages[position]
  const shown = useOverlays(position)
  if (!stage) return <NoView what={`stage ${name}`} />
  const overlays = shown.state === "here" ? shown.value : []
  return (
    <>
      <main class="view" tabIndex={-1}>
        <Head stage={stage} position={position} />
        {stage.unavailable ? (
          <Notice>
            <b>Unavailable.</b> <bdi>{stage.unavailable}</bdi>
          </Notice>
        ) : (
          <>
            <Wrong position={position} />
            <Tools stage={stage} position={position} />
            {shown.state === "failed" ? <Awaited answer={shown}>{() => null}</Awaited> : null}
            <Form stage={stage} position={position} shown={overlays} />
          </>
        )}
      </main>
      <Beside stage={stage} position={position} kind={kind} target={target} shown={overlays} />
    </>
  )
}

function Head({ stage, position }: { stage: StageIndex; position: number }) {
  const made = index.boundaries.findIndex((boundary) => boundary.target === position)
  const boundary = index.boundaries[made]
  return (
    <header class="view-head">
      <h1 tabIndex={-1}>
        {stage.title}
        {stage.branch ? <small> {stage.branch}</small> : null}
      </h1>
      <p class="question">{stage.question}</p>
      <div class="columns">
        {stage.unavailable ? null : <section>
          <h2>Here</h2>
          {stage.label ? (
            <p>
              <bdi>{stage.label}</bdi>
            </p>
          ) : null}
          {stage.result.map((line) => (
            <p>
              <bdi>{groupedWithin(line)}</bdi>
            </p>
          ))}
          {stage.kinds.length > 0 ? (
            <p>{stage.kinds.map(({ kind, count }) => counted(count, kind)).join(", ")}</p>
          ) : null}
        </section>}
        <section>
          <h2>Not here</h2>
          <p>{stage.beyond}</p>
        </section>
      </div>
      {stage.digest ? (
        <p class="made">
          {boundary ? (
            <span>
              Made by <a href={address(["boundary", made])}>{boundaryTitle(boundary)}</a>:{" "}
              <Status word={standingOf(boundary, made)} />
            </span>
          ) : null}
          <span class="digest">snapshot {stage.digest}</span>
        </p>
      ) : null}
    </header>
  )
}

/** How many wrong entities are named at once. */
const NAMED = 3

/** The entities that findings refute, above all forms of the stage. */
function Wrong({ position }: { position: number }) {
  const wrong = [...wrongIn(position)]
  const answer = useAnswer(() => (wrong.length > 0 ? namesOf(position) : Promise.resolve([])), [position])
  if (wrong.length === 0) return null
  const names = answer.state === "here" ? answer.value : []
  return (
    <p class="wrong-here">
      <span>
        <Icon word="refuted" /> <b>{grouped(String(wrong.length))} refuted here:</b>
      </span>
      {wrong.slice(0, NAMED).map((entity) => (
        <a href={address(["stage", slug(index.stages[position] as StageIndex), "e", entity], route.value.options)}>
          <bdi>{names[entity]?.[0] ?? `entity ${entity}`}</bdi>
        </a>
      ))}
      {wrong.length > NAMED ? <span>and {grouped(String(wrong.length - NAMED))} more</span> : null}
    </p>
  )
}

function Tools({ stage, position }: { stage: StageIndex; position: number }) {
  const path = ["stage", slug(stage)]
  const view = route.value.options.get("view") ?? "matrix"
  const ov = route.value.options.get("ov") ?? ""
  const to = (name: string) => address(path, [["view", name === "matrix" ? "" : name], ["ov", ov]])
  return (
    <div class="tools">
      <Choice
        label="Form"
        chosen={view}
        options={[
          ["matrix", "Structure", to("matrix")],
          ["short", "Short text", to("short")],
          ["detail", "Detailed text", to("detail")],
        ]}
      />
      <OverlaySwitches stage={position} />
    </div>
  )
}

function Form({ stage, position, shown }: { stage: StageIndex; position: number; shown: readonly Shown[] }) {
  const view = route.value.options.get("view") ?? "matrix"
  if (view === "short") return <TextView list={stage.short} stage={position} form="Short" />
  if (view === "detail") return <TextView list={stage.detail} stage={position} form="Detailed" />
  if (view !== "matrix") return <NotHere what={`form ${view}`} />
  return <Matrix stage={position} shown={shown} />
}

/** What is open at the side: a group, a search, an entity. */
function Beside(beside: {
  stage: StageIndex
  position: number
  kind: string
  target: string
  shown: readonly Shown[]
}) {
  const { stage, position, kind, target, shown } = beside
  const options = route.value.options
  const text = options.get("q") ?? ""
  const group = options.get("g") ?? ""
  if (kind && kind !== "e") return <Side label="Unknown"><NotHere what={`${kind} ${target}`} /></Side>
  if (kind) {
    const back = address(["stage", slug(stage)], options)
    return (
      <Side label="Entity" back={text ? [`search “${text}”`, back] : group ? [groupName(stage, group), back] : undefined}>
        <Inspector stage={position} target={target} shown={shown} />
      </Side>
    )
  }
  if (text) {
    return (
      <Side label="Search">
        <h2 tabIndex={-1}>“{text}”</h2>
        <SearchList stage={position} text={text} shown={shown} />
      </Side>
    )
  }
  if (group) {
    const at = /^\d{1,9}$/.test(group) ? Number(group) : -1
    const row = stage.groups[at]
    return (
      <Side label="Group">
        {row ? (
          <>
            <h2 tabIndex={-1}>
              <bdi>{row.name}</bdi>
            </h2>
            <GroupList stage={position} group={at} shown={shown} />
          </>
        ) : (
          <NotHere what={`group ${group}`} />
        )}
      </Side>
    )
  }
  return null
}

function groupName(stage: StageIndex, group: string): string {
  return stage.groups[Number(group)]?.name ?? group
}
