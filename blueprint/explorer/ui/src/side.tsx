// What is open beside a view; Esc closes it.
import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"
import { closed } from "./keyboard"
import { route } from "./route"

export function Side(side: {
  label: string
  back?: readonly [string, string] | undefined
  children: ComponentChildren
}) {
  const self = useRef<HTMLElement>(null)
  const here = route.value.path.join("/")
  // What was opened by a key is read on from there.
  useEffect(() => {
    self.current?.scrollTo(0, 0)
    if (document.activeElement?.closest(".board, .relations, .findings")) self.current?.focus()
  }, [here, route.value.options.get("g")])
  return (
    <aside class="side" aria-label={side.label} tabIndex={-1} ref={self}>
      <p class="side-head">
        {side.back ? <a href={side.back[1]}>← {side.back[0]}</a> : <span>{side.label}</span>}
        <a href={closed()} aria-label="Close" title="Close (Esc)">
          ×
        </a>
      </p>
      {side.children}
    </aside>
  )
}
