// Lists of entities: a group of the matrix, or what a search found. At most a thousand, and the cut is announced.
import { useAnswer } from "./chunks"
import { index, slug } from "./data"
import { moveInList, openedFrom } from "./keyboard"
import { Bar, glow } from "./matrix"
import { matching, namesOf } from "./names"
import { counted, grouped } from "./numbers"
import type { Shown } from "./overlays"
import { Awaited, Quantity } from "./parts"
import type { NameRow } from "./payload"
import { address, route } from "./route"
import { wrongIn } from "./standing"
import { Icon } from "./status"

/** Most entities that are shown at a time. */
export const MOST = 1000

interface Found {
  readonly names: readonly NameRow[]
  readonly positions: readonly number[]
}

/** The entities of one group. */
export function GroupList({ stage, group, shown }: { stage: number; group: number; shown: readonly Shown[] }) {
  const answer = useAnswer<Found>(async () => {
    const names = await namesOf(stage)
    return { names, positions: names.flatMap((name, at) => (name[3] === group ? [at] : [])) }
  }, [stage, group])
  return <Awaited answer={answer}>{(found) => <List stage={stage} found={found} shown={shown} />}</Awaited>
}

/** The entities of a stage whose alias, name or id contains a text. */
export function SearchList({ stage, text, shown }: { stage: number; text: string; shown: readonly Shown[] }) {
  const answer = useAnswer<Found>(async () => {
    const names = await namesOf(stage)
    return { names, positions: matching(names, text) }
  }, [stage, text])
  return <Awaited answer={answer}>{(found) => <List stage={stage} found={found} shown={shown} />}</Awaited>
}

function List({ stage, found, shown }: { stage: number; found: Found; shown: readonly Shown[] }) {
  const positions = found.positions.slice(0, MOST)
  const wrong = wrongIn(stage)
  return (
    <>
      <Cut shown={positions.length} all={found.positions.length} />
      <ul class="entities" onKeyDown={moveInList} onPointerLeave={() => glow.value?.off()}>
        {positions.map((position, at) => (
          <Entry stage={stage} name={found.names[position]} position={position} first={at === 0} wrong={wrong.has(position)} shown={shown} />
        ))}
      </ul>
    </>
  )
}

/** What of all that there is can be seen. */
export function Cut({ shown, all }: { shown: number; all: number }) {
  if (all <= shown) return <p class="count" role="status">{counted(all, "entity", "entities")}</p>
  return (
    <p class="count cut" role="status">
      The first {grouped(String(shown))} of {grouped(String(all))} entities. A longer search text finds fewer.
    </p>
  )
}

/** What an entity is called, its alias beside it where that is another; a wrong one carries its sign. */
export function EntityName({ name: [alias, full], wrong }: { name: NameRow; wrong: boolean }) {
  return (
    <>
      {wrong ? <Icon word="refuted" /> : null}
      {wrong ? <b class="wrong"> refuted </b> : null}
      <bdi class="entity-name">{full}</bdi> {full === alias ? null : <span class="alias">{alias}</span>}
    </>
  )
}

function Entry(entry: {
  stage: number
  name: NameRow | undefined
  position: number
  first: boolean
  wrong: boolean
  shown: readonly Shown[]
}) {
  const { stage, name, position } = entry
  const row = index.stages[stage]
  if (!name || !row) return null
  const light = () => void glow.value?.entity(position)
  return (
    <li>
      <a
        href={address(["stage", slug(row), "e", position], route.value.options)}
        tabIndex={entry.first ? 0 : -1}
        data-entry
        data-entity={position}
        onPointerOver={light}
        onFocus={light}
        onBlur={() => glow.value?.off()}
        onClick={(event) => openedFrom(event.currentTarget)}
      >
        <EntityName name={name} wrong={entry.wrong} />
        {entry.shown.map(({ overlay, values }) => {
          const value = values.get(position)
          return value ? (
            <small>
              <Quantity text={value[1]} about={overlay.unit} unit={overlay.unit} /> <Bar level={value[2]} />
            </small>
          ) : null
        })}
      </a>
    </li>
  )
}
