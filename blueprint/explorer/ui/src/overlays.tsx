// Numbers beside the entities, from outside the derivation: off until somebody turns them on.
import { chunksFrom, useAnswer, type Answer } from "./chunks"
import { index } from "./data"
import { grouped } from "./numbers"
import type { OverlayIndex, OverlayValue } from "./payload"
import { route, settle, withOptions } from "./route"

/** Values by entity of one overlay. */
export interface Shown {
  readonly overlay: OverlayIndex
  readonly values: ReadonlyMap<number, OverlayValue>
}

export function overlaysOf(stage: number): readonly (readonly [number, OverlayIndex])[] {
  return index.overlays.flatMap((overlay, at) => (overlay.stage === stage ? [[at, overlay] as const] : []))
}

function chosen(): readonly number[] {
  return (route.value.options.get("ov") ?? "").split(",").filter(Boolean).map(Number)
}

async function read(overlay: OverlayIndex): Promise<Shown> {
  const values = new Map<number, OverlayValue>()
  for await (const [, rows] of chunksFrom<OverlayValue>(overlay.values)) for (const row of rows) values.set(row[0], row)
  return { overlay, values }
}

/** The overlays of a stage that are on, with their values. */
export function useOverlays(stage: number): Answer<readonly Shown[]> {
  const on = overlaysOf(stage).filter(([at]) => chosen().includes(at))
  return useAnswer(() => Promise.all(on.map(([, overlay]) => read(overlay))), [stage, on.map(([at]) => at).join(",")])
}

/** The switches of a stage's overlays; each says whose it is and how much of it fits. */
export function OverlaySwitches({ stage }: { stage: number }) {
  const all = overlaysOf(stage)
  if (all.length === 0) return null
  const on = chosen()
  const turned = (at: number) => (on.includes(at) ? on.filter((each) => each !== at) : [...on, at]).join(",")
  return (
    <fieldset class="overlays">
      <legend>Overlays, from outside the derivation</legend>
      {all.map(([at, overlay]) => (
        <label>
          <input
            type="checkbox"
            checked={on.includes(at)}
            onChange={() => settle(withOptions({ ov: turned(at) }))}
          />
          <span>
            <bdi>{overlay.provider}</bdi>, revision <bdi>{overlay.revision}</bdi>:{" "}
            {grouped(String(overlay.matched))} of {grouped(String(overlay.entities))} entities matched
            {on.includes(at) ? (
              <small>
                {" "}
                {grouped(overlay.low)} to {grouped(overlay.high)} <bdi>{overlay.unit}</bdi>.{" "}
                <bdi>{overlay.about}</bdi>
              </small>
            ) : null}
          </span>
        </label>
      ))}
    </fieldset>
  )
}

/** How full the bar beside a value is, in tenths. */
export function tenth(level: number): number {
  return Math.min(10, Math.max(0, Math.round(level / 100)))
}
