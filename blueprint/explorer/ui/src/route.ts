// What is looked at stands in the address, so that every view has a link and survives a reload.
import { signal } from "@preact/signals"

/** The parts of `#/part/part?name=value`. */
export interface Route {
  readonly path: readonly string[]
  readonly options: ReadonlyMap<string, string>
}

export function parsed(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2)
  const parts = path.split("/").filter(Boolean).map(decoded)
  return { path: parts, options: new Map(new URLSearchParams(query)) }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

export function address(path: readonly (string | number)[], options: Iterable<readonly [string, string]> = []): string {
  const query = new URLSearchParams([...options].filter(([, value]) => value !== "").map(([name, value]) => [name, value]))
  const tail = query.toString()
  return `#/${path.map((part) => encodeURIComponent(part)).join("/")}${tail ? `?${tail}` : ""}`
}

export const route = signal<Route>(parsed(location.hash))

let followed = location.hash

/** Take the address as it is now: the browser tells of a change only later, and keys may be faster. */
function follow(): void {
  if (location.hash === followed) return
  followed = location.hash
  route.value = parsed(followed)
}

addEventListener("hashchange", follow)

export function go(to: string): void {
  location.hash = to
  follow()
}

/** Another address of the same view: it takes the place of this one in the history. */
export function settle(to: string): void {
  location.replace(to)
  follow()
}

/** The address of this view with other options; those that are empty are left out. */
export function withOptions(changes: Readonly<Record<string, string>>): string {
  const { path, options } = route.value
  return address(path, new Map([...options, ...Object.entries(changes)]))
}

/** The address of another path with the options of this view. */
export function keepingOptions(path: readonly (string | number)[]): string {
  return address(path, route.value.options)
}
