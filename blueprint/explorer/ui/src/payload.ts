// Generated from blueprint/explorer/payload.py by `python -m tests.tools.payload_types --write`.

export type Colour = "structure" | "type" | "topology" | "work" | "mapping" | "name"

export interface Span {
  readonly colour: Colour
  readonly parts: readonly (string | Span)[]
  readonly entity?: number
}

export interface ChunkRow {
  readonly id: string
  readonly start: number
  readonly count: number
  readonly sha256: string
}

export interface ChunkList {
  readonly count: number
  readonly chunks: readonly (ChunkRow)[]
}

export interface StatusCount {
  readonly word: string
  readonly count: string
}

export interface FindingRow {
  readonly code: string
  readonly message: string
  readonly meaning: string
  readonly path: string
  readonly weight: string
  readonly refutes: boolean
  readonly boundary: number
  readonly relation: number
  readonly law: number
  readonly stage: number
  readonly entity: number
}

export interface BoundaryFindings {
  readonly count: number
  readonly word: string
}

export interface FindingTotals {
  readonly first: number
  readonly later: number
  readonly bytes: number
  readonly boundaries: readonly (BoundaryFindings)[]
  readonly refuted: readonly (readonly (number)[])[]
}

export interface LaneRow {
  readonly subsystem: string
  readonly kind: string
}

export interface GroupRow {
  readonly column: number
  readonly lane: number
  readonly name: string
  readonly count: number
  readonly entity: number
  readonly neighbours: readonly (number)[]
}

export interface KindCount {
  readonly kind: string
  readonly count: number
}

export interface StageIndex {
  readonly stage: string
  readonly branch: string
  readonly title: string
  readonly digest: string
  readonly label: string
  readonly unavailable: string
  readonly question: string
  readonly result: readonly (string)[]
  readonly beyond: string
  readonly columns: readonly (string)[]
  readonly lanes: readonly (LaneRow)[]
  readonly groups: readonly (GroupRow)[]
  readonly kinds: readonly (KindCount)[]
  readonly status: string
  readonly names: ChunkList
  readonly entities: ChunkList
  readonly short: ChunkList
  readonly detail: ChunkList
}

export interface RuleRow {
  readonly id: string
  readonly signature: string
  readonly rewrite: string
  readonly lineage: string
  readonly preserves: readonly (string)[]
  readonly introduces: readonly (string)[]
  readonly forbids: readonly (string)[]
  readonly laws: readonly (number)[]
  readonly relations: number
  readonly status: string
}

export interface LawRow {
  readonly id: string
  readonly form: string
  readonly rule: string
  readonly statement: string
  readonly equations: readonly (string)[]
  readonly source: string
  readonly group: string
  readonly members: string
  readonly status: string
  readonly theorem: string
  readonly theorems: readonly (string)[]
  readonly obligations: readonly (number)[]
}

export interface Fact {
  readonly name: string
  readonly value: string
}

export interface CardinalityCount {
  readonly cardinality: string
  readonly count: number
}

export interface BoundaryIndex {
  readonly branch: string
  readonly source: number
  readonly target: number
  readonly name: string
  readonly relation_verified: boolean
  readonly canonical_conformant: string
  readonly structural_only: boolean
  readonly undeclared: boolean
  readonly duration: string
  readonly coverage: readonly (Fact)[]
  readonly exact: boolean
  readonly cardinality: readonly (CardinalityCount)[]
  readonly claims: readonly (StatusCount)[]
  readonly weakest: string
  readonly rules: readonly (RuleRow)[]
  readonly laws: readonly (LawRow)[]
  readonly short: readonly (Fact)[]
  readonly detail: readonly (Fact)[]
  readonly relations: ChunkList
  readonly failing: readonly (number)[]
}

export interface OverlayIndex {
  readonly stage: number
  readonly provider: string
  readonly revision: string
  readonly unit: string
  readonly about: string
  readonly rates: readonly (Fact)[]
  readonly matched: number
  readonly entities: number
  readonly entries: number
  readonly low: string
  readonly high: string
  readonly values: ChunkList
}

export interface Section {
  readonly title: string
  readonly facts: readonly (Fact)[]
}

export interface Index {
  readonly schema: string
  readonly verdict: string
  readonly summary: string
  readonly bundle_sha256: string
  readonly derivation_digest: string
  readonly branches: readonly (string)[]
  readonly slots: readonly (readonly (number)[])[]
  readonly bindings: readonly (Section)[]
  readonly tool: readonly (Fact)[]
  readonly totals: readonly (Section)[]
  readonly covered: string
  readonly counts: readonly (StatusCount)[]
  readonly weakest: number
  readonly stages: readonly (StageIndex)[]
  readonly boundaries: readonly (BoundaryIndex)[]
  readonly findings: readonly (FindingRow)[]
  readonly findings_total: number
  readonly totals_of_findings: FindingTotals
  readonly overlays: readonly (OverlayIndex)[]
  readonly obligations: ChunkList
  readonly definitions: readonly (Fact)[]
  readonly meanings: readonly (Fact)[]
}

export type NameRow = readonly [alias: string, name: string, id: string, group: number]

export type Link = readonly [boundary: number, relation: number]

export interface Entity {
  readonly alias: string
  readonly name: string
  readonly id: string
  readonly kind: string
  readonly group: number
  readonly expression: Span
  readonly fields: readonly (Fact)[]
  readonly before: readonly (number)[]
  readonly after: readonly (number)[]
  readonly lineage: readonly (Fact)[]
  readonly made_by: readonly (Link)[]
  readonly used_by: readonly (Link)[]
  readonly counts: readonly (number)[]
}

export type Line = readonly [depth: number, parts: readonly (string | Span)[]]

export interface FailedRow {
  readonly field: string
  readonly found: string
  readonly expected: string
  readonly expression: string
}

export interface Claim {
  readonly kind: string
  readonly status: string
  readonly obligation: number
  readonly failed: readonly (FailedRow)[]
}

export interface TargetGroup {
  readonly expression: Span
  readonly entities: readonly (number)[]
}

export interface Relation {
  readonly id: string
  readonly rule: number
  readonly transform: string
  readonly cardinality: string
  readonly status: string
  readonly source: Span
  readonly sources: readonly (number)[]
  readonly passed: Span
  readonly targets: readonly (TargetGroup)[]
  readonly missing: readonly (string)[]
  readonly claims: readonly (Claim)[]
}

export interface Obligation {
  readonly digest: string
  readonly statement: string
  readonly verdict: string
  readonly solver: string
  readonly second: string
  readonly cross: string
  readonly premises: readonly (number)[]
  readonly shared: string
  readonly reason: string
  readonly counterexample: readonly (Fact)[]
  readonly witness: readonly (Fact)[]
}

export type OverlayValue = readonly [entity: number, value: string, level: number]
