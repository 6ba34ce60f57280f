// Search by alias, name and id: within the stage that is shown, otherwise in all of them.
import { useRef } from "preact/hooks"
import { useAnswer } from "./chunks"
import { index, slug, stageTitle } from "./data"
import { Cut, EntityName, MOST } from "./entities"
import { moveInList } from "./keyboard"
import { matching, namesOf } from "./names"
import { grouped } from "./numbers"
import { Awaited } from "./parts"
import type { NameRow } from "./payload"
import { address, go, route, settle } from "./route"
import { entityAddress } from "./spans"
import { wrongIn } from "./standing"

/** How long a pause ends a search text, in milliseconds. */
const PAUSE = 150

/** The stage that a search looks through; undefined for all. */
function scope(): string | undefined {
  const [view, name] = route.value.path
  return view === "stage" ? name : undefined
}

function target(text: string): string {
  const stage = scope()
  const kept = [...route.value.options].filter(([name]) => name !== "g" && name !== "q")
  return stage ? address(["stage", stage], [...kept, ["q", text]]) : address(["search"], [["q", text]])
}

export function SearchBox() {
  const pause = useRef(0)
  const stage = index.stages.find((each) => slug(each) === scope())
  const where = stage ? `Search in ${stage.title}` : "Search all stages"
  const look = (text: string) => {
    const searching = route.value.path[0] === "search" || route.value.options.has("q")
    if (text || searching) (searching ? settle : go)(target(text))
  }
  return (
    <input
      id="search"
      type="search"
      aria-label={where}
      aria-keyshortcuts="/"
      placeholder={`${where}  ( / )`}
      value={route.value.options.get("q") ?? ""}
      autocomplete="off"
      spellcheck={false}
      onInput={(event) => {
        const text = event.currentTarget.value.trim()
        clearTimeout(pause.current)
        pause.current = setTimeout(() => look(text), PAUSE)
      }}
      onKeyDown={(event) => {
        if (event.key !== "Enter" && event.key !== "ArrowDown") return
        clearTimeout(pause.current)
        look(event.currentTarget.value.trim())
        document.querySelector<HTMLElement>(".entities [data-entry]")?.focus()
      }}
    />
  )
}

interface Hits {
  readonly stage: number
  readonly names: readonly NameRow[]
  readonly positions: readonly number[]
}

async function everywhere(text: string): Promise<readonly Hits[]> {
  const found: Hits[] = []
  for (const stage of text ? index.stages.keys() : []) {
    const names = await namesOf(stage)
    found.push({ stage, names, positions: matching(names, text) })
  }
  return found
}

export function SearchView() {
  const text = route.value.options.get("q") ?? ""
  const answer = useAnswer(() => everywhere(text), [text])
  return (
    <main class="view" tabIndex={-1}>
      <h1 tabIndex={-1}>Search “{text}”</h1>
      <Awaited answer={answer}>{(hits) => <Results hits={hits} />}</Awaited>
    </main>
  )
}

function Results({ hits }: { hits: readonly Hits[] }) {
  const all = hits.reduce((sum, each) => sum + each.positions.length, 0)
  let room = MOST
  return (
    <>
      <Cut shown={Math.min(all, MOST)} all={all} />
      {hits.map(({ stage, names, positions }) => {
        const shown = positions.slice(0, room)
        room -= shown.length
        if (shown.length === 0) return null
        const wrong = wrongIn(stage)
        return (
          <section aria-label={stageTitle(stage)}>
            <h2>
              {stageTitle(stage)} <small>{grouped(String(positions.length))}</small>
            </h2>
            <ul class="entities" onKeyDown={moveInList}>
              {shown.map((position, at) => {
                const name = names[position] ?? ["", "", "", 0]
                return (
                  <li>
                    <a href={entityAddress(stage, position)} tabIndex={at === 0 ? 0 : -1} data-entry>
                      <EntityName name={name} wrong={wrong.has(position)} />
                    </a>
                  </li>
                )
              })}
            </ul>
          </section>
        )
      })}
    </>
  )
}
