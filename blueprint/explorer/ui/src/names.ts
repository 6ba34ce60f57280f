// What every entity of a stage is called: read once per stage, when somebody searches or opens something.
import { chunksFrom } from "./chunks"
import { index } from "./data"
import type { NameRow } from "./payload"

const known = new Map<number, Promise<readonly NameRow[]>>()

async function read(stage: number): Promise<readonly NameRow[]> {
  const list = index.stages[stage]?.names
  const names: NameRow[] = []
  if (list) for await (const [, rows] of chunksFrom<NameRow>(list)) for (const row of rows) names.push(row)
  return names
}

export function namesOf(stage: number): Promise<readonly NameRow[]> {
  const found = known.get(stage) ?? read(stage)
  known.set(stage, found)
  return found
}

/** Positions of the entities whose alias, name or id contains a text, in canonical order. */
export function matching(names: readonly NameRow[], text: string): number[] {
  const wanted = text.toLowerCase()
  const found: number[] = []
  names.forEach(([alias, name, id], position) => {
    if (alias.toLowerCase().includes(wanted) || name.toLowerCase().includes(wanted) || id.includes(wanted)) {
      found.push(position)
    }
  })
  return found
}
