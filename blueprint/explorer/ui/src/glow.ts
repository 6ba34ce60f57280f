// Which entities touch the one under the pointer: lit by a class and one path, without drawing anything anew.
import { rowAt } from "./chunks"
import { index } from "./data"
import { namesOf } from "./names"
import type { Entity, StageIndex } from "./payload"

type Point = readonly [number, number]

const LIT = ["lit", "lit-self"]

export class Glow {
  private points = new Map<number, Point>()
  private chips = new Map<number, HTMLElement>()
  private asked = 0
  private kept = -1
  private lit: readonly [number, readonly number[]] | undefined

  constructor(
    private readonly stage: number,
    private readonly row: StageIndex,
    private readonly board: HTMLElement,
    private readonly all: SVGPathElement,
    private readonly some: SVGPathElement,
  ) {}

  /** Take the places of the chips and draw every dependency, faintly. */
  measure(): void {
    this.points.clear()
    this.chips.clear()
    const origin = this.board.getBoundingClientRect()
    const chips = this.board.querySelectorAll<HTMLElement>("[data-group]")
    for (const chip of chips) {
      const group = Number(chip.dataset.group)
      const box = chip.getBoundingClientRect()
      this.chips.set(group, chip)
      this.points.set(group, [box.left - origin.left + box.width / 2, box.top - origin.top + box.height / 2])
    }
    const lines: string[] = []
    this.row.groups.forEach((group, at) => {
      for (const other of group.neighbours) if (other > at) lines.push(this.line(at, other))
    })
    this.all.setAttribute("d", lines.join(""))
    if (this.lit) this.light(...this.lit)
    else if (this.kept >= 0) this.off()
  }

  /** The group that stays lit while nothing else is under the pointer; -1 for none. */
  keep(group: number): void {
    this.kept = group
    this.off()
  }

  /** Light a group of the matrix and its direct neighbours. */
  group(at: number): void {
    this.asked += 1
    this.light(at, this.row.groups[at]?.neighbours ?? [])
  }

  /** Light the groups of one entity's direct neighbours, and those neighbours that a list shows. */
  async entity(position: number): Promise<void> {
    this.asked += 1
    const mine = this.asked
    const [entity, names] = await Promise.all([rowAt<Entity>(this.row.entities, position), namesOf(this.stage)])
    if (mine !== this.asked) return
    const touching = [...entity.before, ...entity.after]
    const groups = new Set(touching.map((each) => names[each]?.[3] ?? -1))
    this.light(entity.group, [...groups])
    for (const each of touching) {
      document.querySelector(`aside [data-entity="${each}"]`)?.classList.add("lit")
    }
  }

  /** Light nothing but what is kept. */
  off(): void {
    this.asked += 1
    this.clear()
    if (this.chips.has(this.kept)) this.light(this.kept, this.row.groups[this.kept]?.neighbours ?? [])
  }

  private clear(): void {
    this.lit = undefined
    for (const lit of document.querySelectorAll(".lit, .lit-self")) lit.classList.remove(...LIT)
    this.some.setAttribute("d", "")
    this.board.classList.remove("glowing")
  }

  private light(self: number, neighbours: readonly number[]): void {
    this.clear()
    this.lit = [self, neighbours]
    this.board.classList.add("glowing")
    this.chips.get(self)?.classList.add("lit-self")
    for (const each of neighbours) this.chips.get(each)?.classList.add("lit")
    this.some.setAttribute("d", neighbours.map((each) => this.line(self, each)).join(""))
  }

  private line(from: number, to: number): string {
    const a = this.points.get(from)
    const b = this.points.get(to)
    if (!a || !b || from === to) return ""
    const bend = Math.max(24, Math.abs(b[0] - a[0]) / 2)
    const [x, y] = a.map(Math.round)
    const [u, v] = b.map(Math.round)
    return `M${x} ${y}C${Math.round(a[0] + bend)} ${y} ${Math.round(b[0] - bend)} ${v} ${u} ${v}`
  }
}

export function glowOf(
  stage: number,
  board: HTMLElement,
  all: SVGPathElement,
  some: SVGPathElement,
): Glow | undefined {
  const row = index.stages[stage]
  return row && new Glow(stage, row, board, all, some)
}
