// Keys that hold everywhere, and the movement between the entries of a list.
import { signal } from "@preact/signals"
import { index, slug } from "./data"
import { address, go, route, withOptions } from "./route"
import { turnTheme } from "./theme"

export const helping = signal(false)

/** Every key, for the help. */
export const KEYS: readonly (readonly [string, string])[] = [
  ["/", "search names and ids"],
  ["?", "this help"],
  ["Esc", "close what is open at the side; the focus goes back to where it was opened, if that is still shown"],
  ["[ and ]", "the place before and after in the derivation"],
  ["o", "overview"],
  ["t", "light or dark"],
  ["j and k", "next and previous relation"],
  ["Arrow keys", "in the matrix: from entity to entity; in a list: up and down"],
  ["Home and End", "in the matrix: first and last of the row; with Ctrl: of the matrix"],
  ["Page Up, Page Down", "in the matrix: up and down by five rows"],
  ["Enter", "open"],
  ["Tab", "to the next control"],
]

/** What Esc returns to. */
let opener: HTMLElement | null = null

export function openedFrom(element: EventTarget | null): void {
  if (element instanceof HTMLElement && !element.closest("aside")) opener = element
}

/** The address of this view without what is open at its side; the view itself where nothing is. */
export function closed(): string {
  const { path } = route.value
  if (path.length <= 2) return withOptions({ g: "", q: "" })
  return address(path.slice(0, 2), [...route.value.options].filter(([name]) => name !== "g" && name !== "q"))
}

function close(): void {
  const back = opener
  go(closed())
  opener = null
  setTimeout(() => {
    const target = back?.isConnected ? back : document.querySelector<HTMLElement>("main h1")
    target?.focus()
  })
}

/** Stages and boundaries from left to right, as addresses. */
function places(): string[] {
  const found = [address([])]
  const seen = new Set<number>()
  for (const slots of index.slots) {
    for (const slot of slots) {
      const stage = index.stages[slot]
      if (!stage || seen.has(slot)) continue
      seen.add(slot)
      const before = index.boundaries.findIndex((boundary) => boundary.target === slot)
      if (before >= 0) found.push(address(["boundary", before]))
      found.push(address(["stage", slug(stage)]))
    }
  }
  return found
}

function step(by: number): void {
  const all = places()
  const here = all.indexOf(address(route.value.path.slice(0, 2)))
  const next = all[Math.min(all.length - 1, Math.max(0, here + by))]
  if (next) go(next)
}

function typing(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input, select, textarea")
}

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
  if (event.key === "Escape") {
    // The help closes itself.
    if (!helping.value) close()
    return
  }
  if (typing(event.target) || helping.value) return
  const act = ACTIONS[event.key]
  if (!act) return
  event.preventDefault()
  act()
})

const ACTIONS: Readonly<Record<string, () => void>> = {
  "/": () => document.querySelector<HTMLElement>("#search")?.focus(),
  "?": () => (helping.value = true),
  "[": () => step(-1),
  "]": () => step(1),
  o: () => go(address([])),
  t: turnTheme,
  j: () => neighbour(1),
  k: () => neighbour(-1),
}

/** The link to the relation after or before the one that has the focus or is open. */
function neighbour(by: number): void {
  const links = [...document.querySelectorAll<HTMLElement>("a.relation-link")]
  const at = links.findIndex((link) => link === document.activeElement || link.ariaCurrent === "true")
  const next = links[at < 0 ? 0 : at + by]
  next?.focus()
  next?.scrollIntoView({ block: "nearest" })
}

/** Up and down among the entries of a list, of which one is in the order of Tab. */
export function moveInList(event: KeyboardEvent): void {
  const list = event.currentTarget as HTMLElement
  const entries = [...list.querySelectorAll<HTMLElement>("[data-entry]")]
  const at = entries.indexOf(document.activeElement as HTMLElement)
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: entries.length - 1 }[event.key]
  const entry = to === undefined ? undefined : entries[to]
  if (!entry) return
  event.preventDefault()
  for (const each of entries) each.tabIndex = each === entry ? 0 : -1
  entry.focus()
}
