// The derivation from left to right: five slots for each branch, and what lies between them.
import { useEffect, useRef } from "preact/hooks"
import { index, slug, stageTitle } from "./data"
import { grouped } from "./numbers"
import type { StageIndex } from "./payload"
import { address, route } from "./route"
import { standingOf } from "./standing"
import { Icon } from "./status"

export function Chain() {
  const self = useRef<HTMLElement>(null)
  const here = route.value.path[0] === undefined
  // On a narrow screen the chain is one line that scrolls: what is shown stands in its middle.
  useEffect(() => {
    const chain = self.current
    const link = chain?.querySelector<HTMLElement>("[aria-current]")
    if (chain && link) chain.scrollLeft = link.offsetLeft - (chain.clientWidth - link.offsetWidth) / 2
  }, [route.value.path.slice(0, 2).join("/")])
  return (
    <nav class="chain" aria-label="Derivation" ref={self}>
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
  const word = standingOf(row, boundary)
  const name = `${stageTitle(row.source)} to ${stageTitle(row.target)}, ${row.name}: ${word}`
  return (
    <li class="arrow">
      <a href={address(["boundary", boundary])} aria-current={here ? "page" : undefined} aria-label={name} title={name}>
        <Icon word={word} />
        <span aria-hidden="true">→</span>
      </a>
    </li>
  )
}
