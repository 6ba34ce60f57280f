// Every obligation that was discharged, each with an address.
import { useRef } from "preact/hooks"
import { useRows } from "./chunks"
import { index } from "./data"
import { ObligationAt } from "./evidence"
import { counted, grouped } from "./numbers"
import { NotHere } from "./parts"
import type { Obligation } from "./payload"
import { address } from "./route"
import { Side } from "./side"
import { Status } from "./status"
import { positionsOf, useWindow } from "./window"

const ROW = 33

export function Obligations({ target }: { target: string | undefined }) {
  const self = useRef<HTMLTableElement>(null)
  const list = index.obligations
  const { window } = useWindow(self, list.count, ROW, "obligations")
  const positions = positionsOf(window)
  const rows = useRows<Obligation>(list, positions)
  const known = target !== undefined && /^\d{1,9}$/.test(target) && Number(target) < list.count
  return (
    <>
      <main class="view" tabIndex={-1}>
        <header class="view-head">
          <h1 tabIndex={-1}>Evidence</h1>
          <p class="question">What was asked of the deciders, each question once.</p>
          <p class="count">{counted(list.count, "obligation")}</p>
        </header>
        <table class="rows obligations" ref={self} aria-rowcount={list.count + 1}>
          <thead>
            <tr aria-rowindex={1}>
              <th scope="col">obligation</th>
              <th scope="col">verdict</th>
              <th scope="col">asked</th>
              <th scope="col" class="number">
                decides
              </th>
            </tr>
          </thead>
          <tbody>
            {window.above > 0 ? <Gap height={window.above} /> : null}
            {positions.map((position) => {
              const answer = rows.get(position)
              const row = answer?.state === "here" ? answer.value : undefined
              return (
                <tr key={position} data-row={position} aria-rowindex={position + 2}>
                  <th scope="row">
                    <a href={address(["evidence", position])}>{grouped(String(position))}</a>
                  </th>
                  <td>{row ? <Status word={row.verdict} /> : answer?.state === "failed" ? answer.why : "…"}</td>
                  <td>
                    <bdi>{row?.statement}</bdi>
                  </td>
                  <td class="number">{row ? grouped(row.shared) : ""}</td>
                </tr>
              )
            })}
            {window.below > 0 ? <Gap height={window.below} /> : null}
          </tbody>
        </table>
      </main>
      {target === undefined ? null : (
        <Side label="Obligation">
          {known ? (
            <>
              <h2 tabIndex={-1}>Obligation {grouped(target)}</h2>
              <ObligationAt position={Number(target)} />
            </>
          ) : (
            <NotHere what={`obligation ${target}`} />
          )}
        </Side>
      )}
    </>
  )
}

function Gap({ height }: { height: number }) {
  return (
    <tr aria-hidden="true">
      <td colSpan={4} class="spacer" style={{ height: `${height}px` }} />
    </tr>
  )
}
