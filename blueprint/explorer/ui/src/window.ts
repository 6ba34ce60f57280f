// Long tables: only what is near the screen is mounted; the rest is two spacers of its measured or estimated height.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import type { RefObject } from "preact"
import { PRINTED, printing } from "./print"

/** Most rows that are mounted at a time. */
const MOUNTED = 200

/** How far beyond the screen rows are mounted, in pixels. */
const BEYOND = 600

export interface Window {
  readonly start: number
  readonly end: number
  readonly above: number
  readonly below: number
}

/**
 * The rows to mount, out of `count` of about `estimate` pixels. Each mounted row carries its position as `data-row`;
 * `key` says which table it is, so that heights of another one are forgotten.
 */
export function useWindow(
  table: RefObject<HTMLElement | null>,
  count: number,
  estimate: number,
  key: string,
): { window: Window; reveal: (row: number) => void } {
  const heights = useRef<{ key: string; of: Float64Array }>({ key: "", of: new Float64Array(0) })
  if (heights.current.key !== key || heights.current.of.length !== count) {
    heights.current = { key, of: new Float64Array(count).fill(estimate) }
  }
  const of = heights.current.of
  const [offset, move] = useState(0)
  const shown = printing.value ? { ...windowAt(of, 0), start: 0, end: Math.min(count, PRINTED) } : windowAt(of, offset)

  useEffect(() => {
    let frame = 0
    const follow = () => {
      frame = 0
      const top = table.current?.getBoundingClientRect().top ?? 0
      move(Math.max(0, -top))
    }
    const schedule = () => {
      frame ||= requestAnimationFrame(follow)
    }
    follow()
    addEventListener("scroll", schedule, { passive: true })
    addEventListener("resize", schedule, { passive: true })
    return () => {
      cancelAnimationFrame(frame)
      removeEventListener("scroll", schedule)
      removeEventListener("resize", schedule)
    }
  }, [key, count])

  useLayoutEffect(() => {
    for (const row of table.current?.querySelectorAll<HTMLElement>("[data-row]") ?? []) {
      const at = Number(row.dataset.row)
      if (at < of.length) of[at] = row.offsetHeight || estimate
    }
  })

  const reveal = (row: number) => {
    const top = (table.current?.getBoundingClientRect().top ?? 0) + scrollY
    scrollTo({ top: top + sum(of, 0, row) - innerHeight / 3 })
  }
  return { window: shown, reveal }
}

function sum(heights: Float64Array, from: number, to: number): number {
  let total = 0
  for (let at = from; at < to; at += 1) total += heights[at] ?? 0
  return total
}

function windowAt(heights: Float64Array, offset: number): Window {
  const from = offset - BEYOND
  const to = offset + innerHeight + BEYOND
  let start = 0
  let above = 0
  while (start < heights.length && above + (heights[start] ?? 0) < from) {
    above += heights[start] ?? 0
    start += 1
  }
  let end = start
  let reach = above
  while (end < heights.length && reach < to && end - start < MOUNTED) {
    reach += heights[end] ?? 0
    end += 1
  }
  return { start, end, above, below: sum(heights, end, heights.length) }
}

export function positionsOf(window: Window): number[] {
  return Array.from({ length: window.end - window.start }, (_, at) => window.start + at)
}
