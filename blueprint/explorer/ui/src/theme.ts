// Light or dark: as the system says until somebody chooses.
import { signal } from "@preact/signals"

export type Theme = "light" | "dark"

const KEY = "blueprint-explorer-theme"

function remembered(): Theme | "" {
  try {
    const held = localStorage.getItem(KEY)
    return held === "light" || held === "dark" ? held : ""
  } catch {
    // A page may be denied storage; then the choice holds until it is closed.
    return ""
  }
}

function system(): Theme {
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"
}

export const theme = signal<Theme>(remembered() || system())

function show(): void {
  document.documentElement.dataset.theme = theme.value
}

export function turnTheme(): void {
  theme.value = theme.value === "dark" ? "light" : "dark"
  show()
  try {
    localStorage.setItem(KEY, theme.value)
  } catch {
    // As above.
  }
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  if (remembered()) return
  theme.value = system()
  show()
})
show()
