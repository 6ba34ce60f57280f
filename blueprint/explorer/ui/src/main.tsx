// The page: what stays on it, and the view that the address names.
import { render } from "preact"
import { useEffect } from "preact/hooks"
import { BoundaryView } from "./boundary"
import { Chain } from "./chain"
import { canInflate } from "./chunks"
import { index } from "./data"
import { Help } from "./help"
import { helping } from "./keyboard"
import { Obligations } from "./obligations"
import { Overview } from "./overview"
import { Notice, NoView } from "./parts"
import { address, route } from "./route"
import { SearchBox, SearchView } from "./search"
import { StageView } from "./stage"
import { Icon, toneOf } from "./status"
import { theme, turnTheme } from "./theme"

function Top() {
  return (
    <header class="top">
      <a class="brand" href={address([])}>
        Blueprint <span>IR Explorer</span>
      </a>
      <span class={`status verdict tone-${toneOf(index.verdict)}`}>
        <Icon word={index.verdict} />
        <span>{index.verdict}</span>
      </span>
      <span class="digest" title={`SHA-256 of the bundle: ${index.bundle_sha256}`}>
        bundle {index.bundle_sha256.slice(0, 12)}
      </span>
      <SearchBox />
      <button type="button" onClick={turnTheme}>
        {theme.value === "dark" ? "Light" : "Dark"}
      </button>
      <button type="button" aria-label="Keys" onClick={() => (helping.value = true)}>
        ?
      </button>
    </header>
  )
}

function View() {
  const [view, name = "", kind = "", target = ""] = route.value.path
  switch (view) {
    case undefined:
      return <Overview />
    case "stage":
      return <StageView name={name} kind={kind} target={target} />
    case "boundary":
      return <BoundaryView name={name} kind={kind} target={target} />
    case "evidence":
      return <Obligations target={name || undefined} />
    case "search":
      return <SearchView />
    default:
      return <NoView what={`#/${route.value.path.join("/")}`} />
  }
}

function Page() {
  const here = route.value.path.slice(0, 2).join("/")
  // A new place is read from its top; what opens beside a place leaves it where it is.
  useEffect(() => {
    scrollTo(0, 0)
    if (document.activeElement !== document.querySelector("#search")) {
      document.querySelector<HTMLElement>("main h1")?.focus({ preventScroll: true })
    }
  }, [here])
  return (
    <>
      <Top />
      <Chain />
      {canInflate ? null : (
        <Notice>This browser cannot read the details in this page (it has no DecompressionStream). What follows is a summary.</Notice>
      )}
      <div class="body">
        <View />
      </div>
      <Help />
    </>
  )
}

const app = document.getElementById("app")
if (app && index) {
  render(<Page />, app)
  const plain = document.getElementById("plain")
  if (plain) plain.hidden = true
  document.documentElement.dataset.ready = "true"
}
