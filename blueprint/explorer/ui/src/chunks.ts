// Rows that stand in the page as gzip in base64: inflated when somebody looks at them, and forgotten again.
import { useEffect, useRef, useState } from "preact/hooks"
import type { ChunkList, ChunkRow } from "./payload"

/** Most chunks that are kept inflated. */
const KEPT = 24

interface Kept {
  readonly rows: Promise<readonly unknown[]>
  /** The same rows once they are there, for what cannot wait, such as printing. */
  now?: readonly unknown[]
}

const kept = new Map<string, Kept>()

/** Whether this browser can inflate at all; browsers can since the middle of 2023. */
export const canInflate = typeof DecompressionStream !== "undefined"

async function inflated(base64: string): Promise<ArrayBuffer> {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))
  return await new Response(stream).arrayBuffer()
}

async function digest(bytes: ArrayBuffer): Promise<string> {
  const found = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))
  return Array.from(found, (byte) => byte.toString(16).padStart(2, "0")).join("")
}

async function read(chunk: ChunkRow): Promise<readonly unknown[]> {
  if (!canInflate) throw new Error("This browser cannot inflate the page's data (DecompressionStream is missing).")
  const text = document.getElementById(chunk.id)?.textContent
  if (!text) throw new Error(`Part ${chunk.id} of this page is missing.`)
  const bytes = await inflated(text.trim()).catch(() => {
    throw new Error(`Part ${chunk.id} of this page is damaged.`)
  })
  // Pages from some origins have no crypto.subtle; gzip's own checksum has been checked there all the same.
  const whole = !globalThis.crypto?.subtle || (await digest(bytes)) === chunk.sha256
  const rows: unknown = whole ? JSON.parse(new TextDecoder().decode(bytes)) : null
  if (!Array.isArray(rows) || rows.length !== chunk.count) throw new Error(`Part ${chunk.id} of this page is damaged.`)
  return rows
}

let reading = 0

/** Read a part; as long as any is being read, the page says that it is busy. */
async function announced(chunk: ChunkRow): Promise<readonly unknown[]> {
  reading += 1
  document.body.ariaBusy = "true"
  try {
    return await read(chunk)
  } finally {
    reading -= 1
    document.body.ariaBusy = String(reading > 0)
  }
}

function rowsOf(chunk: ChunkRow): Promise<readonly unknown[]> {
  const held: Kept = kept.get(chunk.id) ?? { rows: announced(chunk) }
  held.rows.then(
    (rows) => {
      held.now = rows
    },
    () => kept.delete(chunk.id),
  )
  kept.delete(chunk.id)
  kept.set(chunk.id, held)
  for (const id of kept.keys()) {
    if (kept.size <= KEPT) break
    kept.delete(id)
  }
  return held.rows
}

function rowNow<Row>(list: ChunkList, position: number): Row | undefined {
  const chunk = list.chunks[chunkAt(list, position)]
  return chunk && (kept.get(chunk.id)?.now?.[position - chunk.start] as Row | undefined)
}

/** The position of the chunk that holds a row; -1 where none does. */
function chunkAt(list: ChunkList, position: number): number {
  let low = 0
  let high = list.chunks.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    const chunk = list.chunks[middle]
    if (!chunk) return -1
    if (position < chunk.start) high = middle - 1
    else if (position >= chunk.start + chunk.count) low = middle + 1
    else return middle
  }
  return -1
}

/** One row of a list. */
export async function rowAt<Row>(list: ChunkList, position: number): Promise<Row> {
  const chunk = list.chunks[chunkAt(list, position)]
  if (!chunk) throw new Error("This is not in this bundle.")
  return (await rowsOf(chunk))[position - chunk.start] as Row
}

/** Chunk after chunk of a list from a position on, with the position of each one's first row. */
export async function* chunksFrom<Row>(list: ChunkList, start = 0): AsyncGenerator<readonly [number, readonly Row[]]> {
  for (const chunk of list.chunks) {
    if (chunk.start + chunk.count <= start) continue
    yield [chunk.start, (await rowsOf(chunk)) as readonly Row[]]
  }
}

/** What came of asking for something: not yet anything, the thing, or why there is none. */
export type Answer<Value> =
  | { readonly state: "waiting" }
  | { readonly state: "here"; readonly value: Value }
  | { readonly state: "failed"; readonly why: string }

export const WAITING = { state: "waiting" } as const

export function why(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The answer to a question, asked again whenever one of `of` changes. */
export function useAnswer<Value>(ask: () => Promise<Value>, of: readonly unknown[]): Answer<Value> {
  const [held, hold] = useState<{ of: readonly unknown[]; answer: Answer<Value> }>({ of, answer: WAITING })
  useEffect(() => {
    let wanted = true
    ask().then(
      (value) => wanted && hold({ of, answer: { state: "here", value } }),
      (error: unknown) => wanted && hold({ of, answer: { state: "failed", why: why(error) } }),
    )
    return () => {
      wanted = false
    }
  }, of)
  // What was answered to an earlier question is no answer to this one.
  const current = held.of.length === of.length && held.of.every((value, at) => Object.is(value, of[at]))
  return current ? held.answer : WAITING
}

/** The rows at some positions of a list, each once it is there. */
export function useRows<Row>(list: ChunkList, positions: readonly number[]): ReadonlyMap<number, Answer<Row>> {
  const held = useRef({ list, rows: new Map<number, Answer<Row>>() })
  const [, redraw] = useState(0)
  if (held.current.list !== list) held.current = { list, rows: new Map() }
  const rows = held.current.rows
  const wanted = new Set(positions)
  for (const position of rows.keys()) if (!wanted.has(position)) rows.delete(position)
  for (const position of positions) {
    const row = rows.has(position) ? undefined : rowNow<Row>(list, position)
    if (row !== undefined) rows.set(position, { state: "here", value: row })
  }
  const asked = positions.filter((position) => !rows.has(position))
  useEffect(() => {
    const chunks = new Map<number, number[]>()
    for (const position of asked) {
      const at = chunkAt(list, position)
      chunks.set(at, [...(chunks.get(at) ?? []), position])
    }
    for (const [at, positions] of chunks) {
      const chunk = list.chunks[at]
      if (!chunk) continue
      const settle = (answer: (position: number) => Answer<Row>) => {
        for (const position of positions) rows.set(position, answer(position))
        redraw((count) => count + 1)
      }
      rowsOf(chunk).then(
        (found) => settle((position) => ({ state: "here", value: found[position - chunk.start] as Row })),
        (error: unknown) => settle(() => ({ state: "failed", why: why(error) })),
      )
    }
  }, [list, asked.join(",")])
  return rows
}
