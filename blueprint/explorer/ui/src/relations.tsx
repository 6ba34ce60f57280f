// The lowering table of a boundary: Source | Pass | Target, one body of rows for each application of a rule.
import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import { chunksFrom, useRows, why, type Answer } from "./chunks"
import { openedFrom } from "./keyboard"
import { counted, grouped } from "./numbers"
import { Notice } from "./parts"
import type { BoundaryIndex, Relation } from "./payload"
import { printedOf, printing } from "./print"
import { lineageOnly, opened, WrongSign } from "./relation"
import { address, route, settle, withOptions } from "./route"
import { Expression, Legend } from "./spans"
import { Status } from "./status"
import { positionsOf, useWindow } from "./window"

const ROW = 60

/** What the rows are chosen by; an empty word chooses all. */
interface Choice {
  readonly rule: string
  readonly status: string
  readonly cardinality: string
}

const NO_RULE = "lineage only"

export function Relations({ boundary, position, detail }: { boundary: BoundaryIndex; position: number; detail: boolean }) {
  const options = route.value.options
  const choice = {
    rule: options.get("rule") ?? "",
    status: options.get("status") ?? "",
    cardinality: options.get("card") ?? "",
  }
  const chosen = useChosen(boundary, choice)
  return (
    <div class="relations">
      <div class="relations-head">
        <Filters boundary={boundary} choice={choice} />
        <Legend />
      </div>
      {chosen.state === "failed" ? <Notice>{chosen.why}</Notice> : null}
      <p class="count" role="status">
        {choice.rule || choice.status || choice.cardinality
          ? `${grouped(String(chosen.positions.length))} of ${counted(boundary.relations.count, "relation")}`
          : counted(boundary.relations.count, "relation")}
        {chosen.state === "reading" ? `, ${grouped(String(chosen.read))} read so far` : ""}
        {printing.value ? ` (printed ${printedOf(chosen.positions.length)})` : ""}
      </p>
      <Table
        boundary={boundary}
        position={position}
        positions={chosen.positions}
        detail={detail}
        name={`${position} ${choice.rule} ${choice.status} ${choice.cardinality}`}
      />
    </div>
  )
}

// Which rows ----------------------------------------------------------------------------------------------------------

interface Chosen {
  readonly state: "reading" | "whole" | "failed"
  readonly positions: readonly number[]
  readonly read: number
  readonly why: string
}

/** The positions of the rows that a choice leaves. Only what the index does not say is looked up in the rows. */
function useChosen(boundary: BoundaryIndex, choice: Choice): Chosen {
  const [from, to] = useMemo(() => rangeOf(boundary, choice.rule), [boundary, choice.rule])
  const all = useMemo(() => Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at), [from, to])
  const plain = choice.status === "" && choice.cardinality === ""
  const key = `${from} ${to} ${choice.status} ${choice.cardinality}`
  const [found, hold] = useState<Chosen & { key: string }>({ key: "", state: "reading", positions: [], read: 0, why: "" })
  useEffect(() => {
    if (plain) return undefined
    let wanted = true
    const positions: number[] = []
    const read = async () => {
      for await (const [start, rows] of chunksFrom<Relation>(boundary.relations, from)) {
        if (!wanted || start >= to) break
        rows.forEach((row, at) => {
          const position = start + at
          const fits = position >= from && position < to
          const status = choice.status === "" || row.status === choice.status
          const cardinality = choice.cardinality === "" || row.cardinality === choice.cardinality
          if (fits && status && cardinality) positions.push(position)
        })
        const read = Math.min(to, start + rows.length) - from
        if (wanted) hold({ key, state: "reading", positions: [...positions], read, why: "" })
      }
    }
    const settle = (state: "whole" | "failed", reason: string) => {
      if (wanted) hold({ key, state, positions: [...positions], read: to - from, why: reason })
    }
    read().then(
      () => settle("whole", ""),
      (error: unknown) => settle("failed", why(error)),
    )
    return () => {
      wanted = false
    }
  }, [boundary, key])
  if (plain) return { state: "whole", positions: all, read: all.length, why: "" }
  return found.key === key ? found : { state: "reading", positions: [], read: 0, why: "" }
}

/** The rows of a rule stand together, in the order of the rules; those without a rule stand last. */
function rangeOf(boundary: BoundaryIndex, rule: string): readonly [number, number] {
  if (rule === "") return [0, boundary.relations.count]
  let start = 0
  for (const row of boundary.rules) {
    if (row.id === rule && row.relations > 0) return [start, start + row.relations]
    start += row.relations
  }
  return rule === NO_RULE ? [start, boundary.relations.count] : [0, 0]
}

/** The number of the rule of the relation at a position; -1 for none. */
function ruleAt(boundary: BoundaryIndex, position: number): number {
  let start = 0
  return position < 0
    ? -1
    : boundary.rules.findIndex((row) => {
        start += row.relations
        return position < start
      })
}

function Filters({ boundary, choice }: { boundary: BoundaryIndex; choice: Choice }) {
  const used = boundary.rules.filter((rule) => rule.relations > 0)
  const rules = boundary.undeclared ? [...used.map(({ id }) => id), NO_RULE] : used.map(({ id }) => id)
  return (
    <div class="filters" role="group" aria-label="Filters">
      <Select label="rule" option="rule" chosen={choice.rule} values={rules} />
      <Select label="status" option="status" chosen={choice.status} values={boundary.claims.map(({ word }) => word)} />
      <Select
        label="cardinality"
        option="card"
        chosen={choice.cardinality}
        values={boundary.cardinality.map(({ cardinality }) => cardinality)}
      />
      {choice.rule || choice.status || choice.cardinality ? (
        <a href={withOptions({ rule: "", status: "", card: "" })}>all relations</a>
      ) : null}
    </div>
  )
}

function Select(select: { label: string; option: string; chosen: string; values: readonly string[] }) {
  const change = (event: Event) => {
    settle(withOptions({ [select.option]: (event.currentTarget as HTMLSelectElement).value }))
  }
  return (
    <label>
      {select.label}{" "}
      <select onChange={change} value={select.chosen}>
        <option value="">any</option>
        {select.values.map((value) => (
          <option value={value}>{value}</option>
        ))}
      </select>
    </label>
  )
}

// The table -----------------------------------------------------------------------------------------------------------

function Table(table: {
  boundary: BoundaryIndex
  position: number
  positions: readonly number[]
  detail: boolean
  name: string
}) {
  const { boundary, position, positions } = table
  const self = useRef<HTMLTableElement>(null)
  const { window, reveal } = useWindow(self, positions.length, ROW, `${table.name} ${table.detail}`)
  const mounted = positionsOf(window).map((at) => positions[at] ?? 0)
  const rows = useRows<Relation>(boundary.relations, mounted)
  const open = opened.value

  // A relation that was linked to is brought to where it can be seen, once: first to about its place, then exactly.
  const brought = useRef(-1)
  useEffect(() => {
    if (brought.current === open) return
    const at = positions.indexOf(open)
    if (at < 0) brought.current = open
    else if (at < window.start || at >= window.end) reveal(at)
    else if (rows.get(open)?.state === "here") {
      self.current?.querySelector(".open")?.scrollIntoView({ block: "center" })
      brought.current = open
    }
  })

  return (
    <table class="lowering" ref={self} aria-rowcount={positions.length + 1}>
      <caption class="hidden-text">Source, pass and target of each relation</caption>
      <thead>
        <tr aria-rowindex={1}>
          <th scope="col">Source</th>
          <th scope="col">Pass</th>
          <th scope="col">Target</th>
        </tr>
      </thead>
      <Spacer height={window.above} />
      {mounted.map((at, index) => (
        <Rows
          key={at}
          first={ruleAt(boundary, at) !== ruleAt(boundary, positions[window.start + index - 1] ?? -1)}
          answer={rows.get(at)}
          boundary={boundary}
          position={position}
          relation={at}
          row={window.start + index}
          open={at === open}
          detail={table.detail}
        />
      ))}
      <Spacer height={window.below} />
    </table>
  )
}

function Spacer({ height }: { height: number }) {
  if (height === 0) return null
  return (
    <tbody aria-hidden="true">
      <tr>
        <td colSpan={3} class="spacer" style={{ height: `${height}px` }} />
      </tr>
    </tbody>
  )
}

function Rows(rows: {
  answer: Answer<Relation> | undefined
  boundary: BoundaryIndex
  position: number
  relation: number
  row: number
  open: boolean
  first: boolean
  detail: boolean
}) {
  const { answer, boundary } = rows
  if (answer?.state !== "here") {
    return (
      <tbody data-row={rows.row}>
        <tr aria-rowindex={rows.row + 2} class="unread">
          <td colSpan={3}>{answer?.state === "failed" ? <span role="alert">{answer.why}</span> : "Reading…"}</td>
        </tr>
      </tbody>
    )
  }
  const value = answer.value
  const groups = value.targets.length
  const span = Math.max(1, groups)
  return (
    <tbody data-row={rows.row} class={rows.open ? "open" : ""}>
      {Array.from({ length: span }, (_, at) => (
        <tr aria-rowindex={at === 0 ? rows.row + 2 : undefined}>
          {at === 0 ? (
            <>
              <td rowSpan={span}>
                {value.sources.length === 0 && value.source.parts.length === 0 ? (
                  <span class="none">generated</span>
                ) : (
                  <Expression span={value.source} stage={boundary.source} />
                )}
              </td>
              <td rowSpan={span}>
                <PassCell value={value} {...rows} />
              </td>
            </>
          ) : null}
          <td>
            <TargetCell value={value} at={at} stage={boundary.target} />
          </td>
        </tr>
      ))}
    </tbody>
  )
}

function TargetCell({ value, at, stage }: { value: Relation; at: number; stage: number }) {
  const group = value.targets[at]
  const missing = at === Math.max(0, value.targets.length - 1) ? value.missing : []
  return (
    <>
      {group ? <WrongSign stage={stage} entities={group.entities} /> : null}
      {group ? <Expression span={group.expression} stage={stage} /> : null}
      {group && group.entities.length > 1 ? <small> ×{grouped(String(group.entities.length))}</small> : null}
      {!group && missing.length === 0 ? <span class="none">nothing</span> : null}
      {missing.map((id) => (
        <p class="missing">
          <Status word="refuted" /> not there: <span class="digest">{id}</span>
        </p>
      ))}
    </>
  )
}

function PassCell(cell: {
  value: Relation
  boundary: BoundaryIndex
  position: number
  relation: number
  open: boolean
  first: boolean
  detail: boolean
}) {
  const { value, boundary, position, relation } = cell
  const rule = boundary.rules[value.rule]
  const options = new Map([...route.value.options].filter(([name]) => name !== "at"))
  return (
    <>
      <a
        class="relation-link"
        href={address(["boundary", position, "r", relation], options)}
        aria-current={cell.open ? "true" : undefined}
        onClick={(event) => openedFrom(event.currentTarget)}
      >
        {value.status ? <Status word={value.status} /> : <span class="status tone-none">lineage only</span>}
        <span class="hidden-text"> evidence of relation {relation + 1}</span>
      </a>{" "}
      <Expression span={value.passed} stage={-1} />
      {rule ? (
        <p class={cell.first || cell.open ? "support" : "support repeated"}>
          <bdi>{rule.signature}</bdi>
          <br />
          <bdi>{rule.rewrite}</bdi>
        </p>
      ) : (
        <p class="support">{lineageOnly(boundary, value)}</p>
      )}
      {cell.detail ? <Claims value={value} /> : null}
    </>
  )
}

/** In the detailed form every claim stands in the table. */
function Claims({ value }: { value: Relation }) {
  return (
    <>
      {value.id ? <p class="digest">{value.id}</p> : null}
      <ul class="claims">
        {value.claims.map((claim) => (
          <li>
            <Status word={claim.status} /> {claim.kind}
          </li>
        ))}
      </ul>
    </>
  )
}
