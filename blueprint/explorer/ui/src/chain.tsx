// The derivation from left to right: five slots for each branch, and what lies between them.
import { index, slug, stageTitle } from "./data"
import { grouped } from "./numbers"
import type { StageIndex } from "./payload"
import { address, route } from "./route"
import { Icon } from "./status"

export function Chain() {
  const [view, name] = route.value.path
  return (
    <nav class="chain" aria-label="Derivation">
      {index.slots.map((slots, branch) => (
        <ol>
          <li class="slot">
            <a href={address([])} aria-current={view === undefined ? "page" : undefined}>
              {index.branches[branch] ? `Overview · ${index.branches[branch]}` : "Overview"}
            </a>
          </li>
          {slots.map((slot) => {
            const stage = index.stages[slot]
            if (!stage) return null
            const before = index.boundaries.findIndex((boundary) => boundary.target === slot)
            return (
              <>
                <Arrow boundary={before} here={view === "boundary" && name === String(before)} />
                <Slot stage={stage} here={view === "stage" && name === slug(stage)} />
              </>
            )
          })}
        </ol>
      ))}
    </nav>
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
