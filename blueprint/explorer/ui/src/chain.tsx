// The derivation from left to right: five slots for each branch, and what lies between them.
import { index, slug, stageTitle } from "./data"
import { grouped } from "./numbers"
import type { StageIndex } from "./payload"
import { address, route } from "./route"
import { Icon } from "./status"

export function Chain() {
  const here = route.value.path[0] === undefined
  return (
    <nav class="chain" aria-label="Derivation">
      <p class="slot">
        <a href={address([])} aria-current={here ? "page" : undefined}>
          Overview
        </a>
      </p>
      <div>
        {index.slots.map((slots, branch) => (
          <Branch name={index.branches[branch] ?? ""} slots={slots} />
        ))}
      </div>
    </nav>
  )
}

function Branch({ name, slots }: { name: string; slots: readonly number[] }) {
  const [view, place] = route.value.path
  return (
    <ol aria-label={name || undefined}>
      {name ? <li class="branch">{name}</li> : null}
      {slots.map((slot) => {
        const stage = index.stages[slot]
        if (!stage) return null
        const before = index.boundaries.findIndex((boundary) => boundary.target === slot)
        return (
          <>
            <Arrow boundary={before} here={view === "boundary" && place === String(before)} />
            <Slot stage={stage} here={view === "stage" && place === slug(stage)} />
          </>
        )
      })}
    </ol>
  )
}

function Slot({ stage, here }: { stage: StageIndex; here: boolean }) {
  return (
    <li class="slot">
      <a
        href={address(["stage", slug(stage)])}
        class={stage.unavailable ? "unavailable" : ""}
        aria-current={here ? "page" : undefined}
      >
        <b>{stage.title}</b>
        <small>{stage.unavailable ? "unavailable" : `${grouped(String(stage.entities.count))} entities`}</small>
      </a>
    </li>
  )
}

function Arrow({ boundary, here }: { boundary: number; here: boolean }) {
  const row = index.boundaries[boundary]
  if (!row) return <li class="arrow none" aria-hidden="true" />
  const name = `${stageTitle(row.source)} to ${stageTitle(row.target)}, ${row.name}: ${row.weakest}`
  return (
    <li class="arrow">
      <a href={address(["boundary", boundary])} aria-current={here ? "page" : undefined} aria-label={name} title={name}>
        <Icon word={row.weakest} />
        <span aria-hidden="true">→</span>
      </a>
    </li>
  )
}
