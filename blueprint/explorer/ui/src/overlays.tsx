// Numbers beside the entities, from outside the derivation: off until somebody turns them on.
import { chunksFrom, useAnswer, type Answer } from "./chunks"
import { index, slug, stageTitle } from "./data"
import { counted, grouped } from "./numbers"
import { NotHere, Quantity } from "./parts"
import type { Fact, OverlayIndex, OverlayValue } from "./payload"
import { address, route, settle, withOptions } from "./route"

/** Values by entity of one overlay. */
export interface Shown {
  readonly overlay: OverlayIndex
  readonly values: ReadonlyMap<number, OverlayValue>
}

export function overlaysOf(stage: number): readonly (readonly [number, OverlayIndex])[] {
  return index.overlays.flatMap((overlay, at) => (overlay.stage === stage ? [[at, overlay] as const] : []))
}

function chosen(): readonly string[] {
  return (route.value.options.get("ov") ?? "").split(",").filter(Boolean)
}

async function read(overlay: OverlayIndex): Promise<Shown> {
  const values = new Map<number, OverlayValue>()
  for await (const [, rows] of chunksFrom<OverlayValue>(overlay.values)) for (const row of rows) values.set(row[0], row)
  return { overlay, values }
}

/** The overlays of a stage that are on, with their values. */
export function useOverlays(stage: number): Answer<readonly Shown[]> {
  const on = overlaysOf(stage).filter(([at]) => chosen().includes(String(at)))
  return useAnswer(() => Promise.all(on.map(([, overlay]) => read(overlay))), [stage, on.map(([at]) => at).join(",")])
}

/** The switches of a stage's overlays; each says whose it is and how much of it fits. */
export function OverlaySwitches({ stage }: { stage: number }) {
  const all = overlaysOf(stage)
  const known = all.map(([at]) => String(at))
  const on = chosen().filter((at) => known.includes(at))
  const strange = chosen().filter((at) => !known.includes(at))
  const turned = (at: string) => (on.includes(at) ? on.filter((each) => each !== at) : [...on, at]).join(",")
  const unknown = strange.length > 0 ? <NotHere what={`overlay ${strange.join(", ")}`} /> : null
  if (all.length === 0) return unknown
  return (
    <fieldset class="overlays">
      <legend>Overlays, from outside the derivation</legend>
      {unknown}
      {all.map(([at, overlay]) => (
        <label>
          <input
            type="checkbox"
            checked={on.includes(String(at))}
            onChange={() => settle(withOptions({ ov: turned(String(at)) }))}
          />
          <span>
            <bdi>{overlay.provider}</bdi>, revision <bdi>{overlay.revision}</bdi>:{" "}
            {grouped(String(overlay.matched))} of {grouped(String(overlay.entities))} entities matched
            {overlay.entries > overlay.matched
              ? `, by ${grouped(String(overlay.matched))} of its ${counted(overlay.entries, "entry", "entries")}`
              : ""}
            {on.includes(String(at)) ? (
              <small>
                {" "}
                <Quantity text={overlay.low} about={overlay.unit} unit={overlay.unit} /> to{" "}
                <Quantity text={overlay.high} about={overlay.unit} unit={overlay.unit} />. <bdi>{overlay.about}</bdi>
                <Rates rates={overlay.rates} />
              </small>
            ) : null}
          </span>
        </label>
      ))}
    </fieldset>
  )
}

/** What the device of an overlay does in one second. */
function Rates({ rates }: { rates: readonly Fact[] }) {
  if (rates.length === 0) return null
  return (
    <>
      . In one second:{" "}
      {rates.map(({ name, value }, at) => (
        <>
          {at > 0 ? "; " : ""}
          <Quantity text={value} about={`${name} in one second`} unit={name} />
        </>
      ))}
    </>
  )
}

/** Which stages have overlays; there they are turned on. */
export function OverlayNotice() {
  const stages = index.stages.flatMap((stage, at) => {
    const providers = new Set(overlaysOf(at).map(([, { provider }]) => provider))
    return providers.size > 0 ? [{ stage, at, providers: [...providers].join(", ") }] : []
  })
  if (stages.length === 0) return null
  return (
    <p class="overlay-notice">
      Overlays, from outside the derivation and off until they are turned on:{" "}
      {stages.map(({ stage, at, providers }, place) => (
        <>
          {place > 0 ? "; " : ""}
          <bdi>{providers}</bdi> on <a href={address(["stage", slug(stage)])}>{stageTitle(at)}</a>
        </>
      ))}
    </p>
  )
}

/** How full the bar beside a value is, in tenths. */
export function tenth(level: number): number {
  return Math.min(10, Math.max(0, Math.round(level / 100)))
}
