// The index that stands in the page, and the names by which the address bar speaks of it.
import type { BoundaryIndex, Index, StageIndex } from "./payload"

export const index = JSON.parse(document.getElementById("index")?.textContent ?? "null") as Index

/** The name of a stage in an address: `distributed`, or `distributed.prefill` where there are branches. */
export function slug(stage: StageIndex): string {
  return stage.branch ? `${stage.stage}.${stage.branch}` : stage.stage
}

export function stageAt(position: number): StageIndex | undefined {
  return index.stages[position]
}

export function stageBySlug(name: string): number {
  return index.stages.findIndex((stage) => slug(stage) === name)
}

/** How a stage is named to a reader: its title, with its branch where there are several. */
export function stageTitle(position: number): string {
  const stage = index.stages[position]
  if (!stage) return "request"
  return stage.branch ? `${stage.title} (${stage.branch})` : stage.title
}

export function boundaryTitle(boundary: BoundaryIndex): string {
  return `${stageTitle(boundary.source)} → ${stageTitle(boundary.target)}`
}
