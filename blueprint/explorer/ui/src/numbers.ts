// Quantities are decimal strings of any size: shown with separators, and beside it in units that people read.

const DIGITS = /^\d+$/

/** 4304896 as 4,304,896; anything else as it is. */
export function grouped(text: string): string {
  return DIGITS.test(text) ? text.replace(/\B(?=(\d{3})+$)/g, ",") : text
}

/** A sentence with every number in it grouped that stands by itself and is no part of a name. */
export function groupedWithin(text: string): string {
  return text.replace(/(?<![\w#.:-])\d{4,}(?!\w)/g, grouped)
}

/** Whether a text is one number, which must not be broken over lines. */
export function isNumber(text: string): boolean {
  return /^-?\d{1,40}$/.test(text)
}

export function counted(count: number | string, one: string, many = `${one}s`): string {
  const text = String(count)
  return `${grouped(text)} ${text === "1" ? one : many}`
}

const BINARY = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
const RATE = ["kB", "MB", "GB", "TB", "PB", "EB"]
const DECIMAL = ["k", "M", "G", "T", "P", "E", "Z"]
const TIME = ["ns", "µs", "ms", "s"]

/** The value in the largest unit that it reaches once rounded, with two decimals; `≈` where that is not exact; empty below the first. */
function scaled(text: string, step: bigint, units: readonly string[]): string {
  if (!DIGITS.test(text)) return ""
  const value = BigInt(text)
  let size = step
  let unit = 0
  if (value < size) return ""
  while (unit + 1 < units.length && hundredths(value, size) >= 100n * step) {
    size *= step
    unit += 1
  }
  const shown = hundredths(value, size)
  const rest = String(shown % 100n).padStart(2, "0")
  const sign = shown * size === value * 100n ? "" : "≈ "
  return `${sign}${grouped(String(shown / 100n))}.${rest} ${units[unit]}`
}

/** How many hundredths of a unit a value is, the half rounded up. */
function hundredths(value: bigint, size: bigint): bigint {
  return (200n * value + size) / (2n * size)
}

/** The same quantity in larger units: 15032385536 bytes as 14.00 GiB, one more as ≈ 14.00 GiB. Empty where that would say nothing more. */
export function human(text: string, about: string): string {
  const topic = about.toLowerCase()
  // Rates of memories and links are published in powers of ten.
  if (/bytes\b.* in one second/.test(topic)) return scaled(text, 1000n, RATE)
  if (/bytes?\b|^size$|^device_memory$/.test(topic)) return scaled(text, 1024n, BINARY)
  if (/operations|\bops\b|flop/.test(topic)) return scaled(text, 1000n, DECIMAL)
  if (/picoseconds?|\bps\b/.test(topic)) return scaled(text, 1000n, TIME)
  return ""
}
