// How places stand once the findings are counted, too: their claims may all be proved, and the record be wrong.
import { boundaryTitle, index } from "./data"
import type { BoundaryIndex, FindingRow, LawRow } from "./payload"
import { establishes, WORDS } from "./status"

/** The findings about a boundary that the index lists. */
export function findingsAt(boundary: number): readonly FindingRow[] {
  return index.findings.filter((finding) => finding.boundary === boundary)
}

/** How many findings about a boundary there are, listed or not. */
export function countAt(boundary: number): number {
  return index.totals_of_findings.boundaries[boundary]?.count ?? 0
}

/** Whether anything was asked at a boundary; where a stage before it is broken, nothing is. */
export function examined(boundary: BoundaryIndex): boolean {
  return boundary.coverage.length > 0
}

/** The word of a boundary: the weakest of claims and laws, or what findings say where they are established. */
export function standingOf(boundary: BoundaryIndex, position: number): string {
  if (!establishes(boundary.weakest)) return boundary.weakest
  return index.totals_of_findings.boundaries[position]?.word || boundary.weakest
}

/** What differs, of findings about digests, replay and records: the family of their codes in words. */
const FAMILIES: Readonly<Record<string, string>> = {
  report: "the recorded report differs",
  digest: "a digest differs",
  replay: "the canonical construction differs",
}

export function differences(findings: readonly FindingRow[]): readonly string[] {
  const words = findings.map(({ code }) => FAMILIES[code.split(".")[0] ?? ""] ?? code)
  return [...new Set(words)]
}

/** The first boundary with something to mend; undefined where no finding names one. */
export function firstWrong(): readonly [string, number] | undefined {
  const position = index.findings.find((finding) => finding.refutes && finding.boundary >= 0)?.boundary ?? -1
  const boundary = index.boundaries[position]
  return boundary && [boundaryTitle(boundary), position]
}

const refuted: readonly ReadonlySet<number>[] = index?.totals_of_findings.refuted.map((found) => new Set(found)) ?? []
const NONE: ReadonlySet<number> = new Set()

/** Positions of the entities of a stage that a finding refutes, in canonical order. */
export function wrongIn(stage: number): ReadonlySet<number> {
  return refuted[stage] ?? NONE
}

/** Forms of laws by verdict word. */
export function lawWords(laws: readonly LawRow[]): readonly (readonly [string, number])[] {
  return WORDS.flatMap((word) => {
    const count = laws.filter((law) => law.status === word).length
    return count > 0 ? [[word, count] as const] : []
  })
}
