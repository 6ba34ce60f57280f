// The structure of a stage: phases from left to right, lanes of subsystem and kind from top to bottom.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks"
import { signal } from "@preact/signals"
import { useAnswer } from "./chunks"
import { index, slug } from "./data"
import { Glow, glowOf } from "./glow"
import { openedFrom } from "./keyboard"
import { namesOf } from "./names"
import { counted, grouped } from "./numbers"
import { tenth, type Shown } from "./overlays"
import type { GroupRow, LaneRow, StageIndex } from "./payload"
import { address, go, route } from "./route"
import { breakable } from "./spans"
import { wrongIn } from "./standing"
import { Icon } from "./status"

/** What lights neighbours in the matrix that is shown now. */
export const glow = signal<Glow | undefined>(undefined)

/** The group whose entity is open at the side; -1 for none. */
export const opened = signal(-1)

/** A chip that was just opened, and how far below the top of the screen it stands: it must not jump away. */
let held: { readonly group: number; readonly top: number } | undefined

function chipOf(group: number): HTMLElement | null {
  return document.querySelector<HTMLElement>(`.matrix [data-group="${group}"]`)
}

function hold(chip: HTMLElement, group: number): void {
  held = { group, top: chip.getBoundingClientRect().top }
}

/** Put the held chip back to where it stood, after what opened beside it has changed the columns. */
function restore(board: HTMLElement): void {
  const chip = held && chipOf(held.group)
  if (!held || !chip) return
  const by = chip.getBoundingClientRect().top - held.top
  if (board.classList.contains("fits")) scrollBy({ top: by, behavior: "instant" })
  else board.scrollTop += by
}

/** The width of the board's two borders, in pixels: a scroll bar must not decide whether the columns fit. */
const BORDERS = 2

/** Where opening a chip leads: its entity, or the list of its entities. */
export function groupAddress(stage: number, at: number): string {
  const row = index.stages[stage]
  const group = row?.groups[at]
  if (!row || !group) return address([])
  const options = new Map([...route.value.options, ["g", String(at)] as const, ["q", ""] as const])
  const path = ["stage", slug(row)]
  return address(group.entity < 0 ? path : [...path, "e", group.entity], options)
}

export function Matrix({ stage, shown }: { stage: number; shown: readonly Shown[] }) {
  const row = index.stages[stage] as StageIndex
  const frame = useRef<HTMLDivElement>(null)
  const board = useRef<HTMLDivElement>(null)
  const all = useRef<SVGPathElement>(null)
  const some = useRef<SVGPathElement>(null)
  const [at, move] = useState<Place>({ lane: 0, column: 0, chip: 0 })
  const cells = useMemo(() => cellsOf(row), [stage])
  const wrong = useWrongGroups(stage)
  const levels = useLevels(stage, shown)

  useEffect(() => {
    if (!board.current || !all.current || !some.current) return undefined
    const own = glowOf(stage, board.current, all.current, some.current)
    glow.value = own
    // Where all columns fit, the page scrolls and the head sticks to it; otherwise the board scrolls by itself.
    const observer = new ResizeObserver(() => {
      const [outer, inner] = [frame.current, board.current]
      if (outer && inner) outer.classList.toggle("fits", inner.offsetWidth <= outer.offsetWidth - BORDERS)
      own?.measure()
    })
    if (frame.current) observer.observe(frame.current)
    observer.observe(board.current)
    return () => {
      observer.disconnect()
      glow.value = undefined
    }
  }, [stage])

  const group = Number(route.value.options.get("g") || -1)
  const chosen = opened.value < 0 ? group : opened.value
  const beside = route.value.path.length > 2 || group >= 0
  useLayoutEffect(() => {
    if (frame.current) restore(frame.current)
  }, [beside, chosen])
  useEffect(() => {
    glow.value?.keep(chosen)
    // What was linked to is brought to the middle; what was opened here stays where it is.
    if (chosen >= 0 && held?.group !== chosen) chipOf(chosen)?.scrollIntoView({ block: "center", inline: "center" })
    if (chosen < 0) held = undefined
  }, [chosen, stage])

  const focus = (place: Place) => {
    move(place)
    board.current?.querySelector<HTMLElement>(`[data-place="${nameOf(place)}"]`)?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const next = moved(event, at, cells, row.lanes.length, row.columns.length)
    if (!next) return
    event.preventDefault()
    focus(next)
  }
  const chipUnder = (event: Event) => {
    const chip = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-group]") : null
    if (chip) glow.value?.group(Number(chip.dataset.group))
    else glow.value?.off()
  }

  return (
    <div
      class="board"
      ref={frame}
      onPointerOver={chipUnder}
      onPointerLeave={() => glow.value?.off()}
      onFocusIn={chipUnder}
      onFocusOut={() => glow.value?.off()}
    >
      <div class="sheet" ref={board}>
      <svg class="edges" aria-hidden="true">
        <path class="edges-all" ref={all} />
        <path class="edges-some" ref={some} />
      </svg>
      <table class="matrix" role="grid" aria-label={`Entities of ${row.title} by phase and lane`} onKeyDown={onKeyDown}>
        <thead>
          <tr role="row">
            <th role="columnheader" scope="col">
              lane
            </th>
            {row.columns.map((column, c) => (
              <th role="columnheader" scope="col" class={row.groups.some((each) => each.column === c) ? "" : "empty"}>
                <bdi>{column}</bdi>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {row.lanes.map((lane, l) => (
            <tr role="row" class={row.lanes[l - 1]?.subsystem === lane.subsystem ? "" : "subsystem-start"}>
              <LaneHead lane={lane} />
              {row.columns.map((column, c) => {
                const groups = cells[l]?.[c] ?? []
                const place = { lane: l, column: c, chip: 0 }
                return (
                  <td
                    role="gridcell"
                    {...(groups.length === 0
                      ? {
                          tabIndex: same(at, place) ? 0 : -1,
                          "data-place": nameOf(place),
                          "aria-label": `${lane.subsystem}, ${lane.kind}, ${column}: empty`,
                        }
                      : {})}
                  >
                    {groups.map(([group, g], chip) => (
                      <Chip
                        stage={stage}
                        group={group}
                        position={g}
                        kind={lane.kind}
                        place={{ lane: l, column: c, chip }}
                        current={same(at, { lane: l, column: c, chip })}
                        wrong={wrong.has(g)}
                        level={levels.get(g)}
                      />
                    ))}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
    </div>
  )
}

function LaneHead({ lane }: { lane: LaneRow }) {
  return (
    <th role="rowheader" scope="row">
      <bdi>{lane.subsystem}</bdi> <small>{lane.kind}</small>
    </th>
  )
}

function Chip(chip: {
  stage: number
  group: GroupRow
  position: number
  kind: string
  place: Place
  current: boolean
  wrong: boolean
  level: number | undefined
}) {
  const { group, position } = chip
  const label = `${group.name}, ${counted(group.count, "entity", "entities")}${chip.wrong ? ", refuted" : ""}`
  return (
    <button
      type="button"
      class={`chip${chip.wrong ? " wrong" : ""}`}
      tabIndex={chip.current ? 0 : -1}
      data-place={nameOf(chip.place)}
      data-group={position}
      aria-label={label}
      aria-pressed={opened.value === position || route.value.options.get("g") === String(position)}
      onClick={(event) => {
        openedFrom(event.currentTarget)
        hold(event.currentTarget, position)
        go(groupAddress(chip.stage, position))
      }}
    >
      {chip.wrong ? <Icon word="refuted" /> : null}
      <bdi>{breakable(group.name)}</bdi>
      {group.count > 1 ? <small> ×{grouped(String(group.count))}</small> : null}
      {chip.level === undefined ? null : <Bar level={chip.level} />}
    </button>
  )
}

export function Bar({ level }: { level: number }) {
  return <span class={`bar bar-${tenth(level)}`} aria-hidden="true" />
}

// Places and movement -------------------------------------------------------------------------------------------------

interface Place {
  readonly lane: number
  readonly column: number
  readonly chip: number
}

type Cells = readonly (readonly (readonly (readonly [GroupRow, number])[])[])[]

function cellsOf(row: StageIndex): Cells {
  const cells = row.lanes.map(() => row.columns.map(() => [] as [GroupRow, number][]))
  row.groups.forEach((group, at) => cells[group.lane]?.[group.column]?.push([group, at]))
  return cells
}

function nameOf(place: Place): string {
  return `${place.lane}.${place.column}.${place.chip}`
}

function same(one: Place, other: Place): boolean {
  return nameOf(one) === nameOf(other)
}

/** Where a key of the grid leads; undefined for any other key and at the edge. */
function moved(event: KeyboardEvent, at: Place, cells: Cells, lanes: number, columns: number): Place | undefined {
  const last = (lane: number, column: number) => Math.max(0, (cells[lane]?.[column]?.length ?? 0) - 1)
  const inLane = (lane: number) => ({ lane: Math.min(lanes - 1, Math.max(0, lane)), column: at.column, chip: 0 })
  switch (event.key) {
    case "ArrowRight":
      if (at.chip < last(at.lane, at.column)) return { ...at, chip: at.chip + 1 }
      return at.column + 1 < columns ? { lane: at.lane, column: at.column + 1, chip: 0 } : undefined
    case "ArrowLeft":
      if (at.chip > 0) return { ...at, chip: at.chip - 1 }
      return at.column > 0
        ? { lane: at.lane, column: at.column - 1, chip: last(at.lane, at.column - 1) }
        : undefined
    case "ArrowDown":
      return inLane(at.lane + 1)
    case "ArrowUp":
      return inLane(at.lane - 1)
    case "PageDown":
      return inLane(at.lane + 5)
    case "PageUp":
      return inLane(at.lane - 5)
    case "Home":
      return { lane: event.ctrlKey ? 0 : at.lane, column: 0, chip: 0 }
    case "End": {
      const lane = event.ctrlKey ? lanes - 1 : at.lane
      return { lane, column: columns - 1, chip: last(lane, columns - 1) }
    }
    default:
      return undefined
  }
}

// What marks chips ----------------------------------------------------------------------------------------------------

/** Groups with an entity that a finding is about. */
function useWrongGroups(stage: number): ReadonlySet<number> {
  const wrong = [...wrongIn(stage)]
  const answer = useAnswer(async () => {
    const names = wrong.length > 0 ? await namesOf(stage) : []
    return new Set(wrong.map((entity) => names[entity]?.[3] ?? -1))
  }, [stage])
  return answer.state === "here" ? answer.value : new Set()
}

/** For each group the highest level that an overlay gives one of its entities. */
function useLevels(stage: number, shown: readonly Shown[]): ReadonlyMap<number, number> {
  const answer = useAnswer(async () => {
    const levels = new Map<number, number>()
    const names = shown.length > 0 ? await namesOf(stage) : []
    for (const { values } of shown) {
      for (const [entity, , level] of values.values()) {
        const group = names[entity]?.[3] ?? -1
        levels.set(group, Math.max(level, levels.get(group) ?? 0))
      }
    }
    return levels
  }, [stage, shown])
  return answer.state === "here" ? answer.value : new Map()
}
