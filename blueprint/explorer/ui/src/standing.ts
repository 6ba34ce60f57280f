// How places stand once the findings are counted, too: their claims may all be proved, and the record be wrong.
import { boundaryTitle, index } from "./data"
import type { FindingRow, LawRow } from "./payload"
import { WORDS } from "./status"

export function findingsAt(boundary: number): readonly FindingRow[] {
  return index.findings.filter((finding) => finding.boundary === boundary)
}

/** The word of a boundary as a whole. */
export function standingOf(position: number): string {
  return index.standings[position] ?? "not-run"
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
