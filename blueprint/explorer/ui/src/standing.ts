// How places stand once the findings are counted, too: their claims may all be proved, and the record be wrong.
import { boundaryTitle, index } from "./data"
import type { BoundaryIndex, FindingRow, LawRow } from "./payload"
import { establishes, WORDS } from "./status"

/** The word of a boundary whose claims and laws are established, and whose digests, replay or record are not. */
export const DIFFERS = "differs"

export function findingsAt(boundary: number): readonly FindingRow[] {
  return index.findings.filter((finding) => finding.boundary === boundary)
}

/** The word of a boundary: the weakest of claims and laws, or what a finding says where they are established. */
export function standingOf(boundary: BoundaryIndex, position: number): string {
  if (!establishes(boundary.weakest)) return boundary.weakest
  const refuting = findingsAt(position).filter((finding) => finding.refutes)
  if (refuting.length === 0) return boundary.weakest
  return refuting.every((finding) => finding.weight === "bytes") ? DIFFERS : "refuted"
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

/** Positions of the entities of a stage that a finding refutes, in canonical order. */
export function wrongIn(stage: number): ReadonlySet<number> {
  const found = index.findings.filter((each) => each.refutes && each.stage === stage && each.entity >= 0)
  return new Set(found.map((finding) => finding.entity).sort((a, b) => a - b))
}

/** Forms of laws by verdict word. */
export function lawWords(laws: readonly LawRow[]): readonly (readonly [string, number])[] {
  return WORDS.flatMap((word) => {
    const count = laws.filter((law) => law.status === word).length
    return count > 0 ? [[word, count] as const] : []
  })
}
