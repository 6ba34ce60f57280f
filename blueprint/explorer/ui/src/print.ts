// Printing mounts what the view shows, up to a limit that the paper states, before the browser takes its picture.
import { signal } from "@preact/signals"
import { options } from "preact"
import { grouped } from "./numbers"

/** Most rows of one table on paper. */
export const PRINTED = 500

export const printing = signal(false)

/** How many of all rows stand on paper, in words. */
export function printedOf(count: number): string {
  return `${grouped(String(Math.min(PRINTED, count)))} of ${grouped(String(count))}`
}

/** Let a change draw at once: the browser waits for no frame between the event and the paper. */
function atOnce(change: () => void): void {
  const before = options.debounceRendering
  options.debounceRendering = (draw) => draw()
  change()
  options.debounceRendering = before
}

addEventListener("beforeprint", () => atOnce(() => (printing.value = true)))
addEventListener("afterprint", () => atOnce(() => (printing.value = false)))
