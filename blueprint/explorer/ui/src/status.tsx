// A verdict word: never by colour alone, but by shape, word and colour.

interface Sign {
  readonly tone: "good" | "checked" | "chosen" | "bad" | "open" | "none"
  readonly shape: string
  readonly means: string
}

const CHECK = "M4.6 8.2l2.3 2.4 4.5-5"
const CROSS = "M5.2 5.2l5.6 5.6M10.8 5.2l-5.6 5.6"
const DISC = "M8 1.5a6.5 6.5 0 1 0 0 13a6.5 6.5 0 1 0 0-13z"
const SQUARE = "M2.5 2.5h11v11h-11z"
const OCTAGON = "M5.2 1.5h5.6l3.7 3.7v5.6l-3.7 3.7h-5.6l-3.7-3.7v-5.6z"
const TRIANGLE = "M8 1.8l6.6 12.2h-13.2z"
const DIAMOND = "M8 1.2l6.8 6.8-6.8 6.8-6.8-6.8z"
const BANG = "M8 6.2v3.6M8 11.6v0.4"
const DASH = "M5 8h6"
const EQUAL = "M5 6.6h6M5 9.4h6"
const UNEQUAL = "M5 6.6h6M5 9.4h6M9.6 4.6l-3.2 6.8"

const SIGNS: Readonly<Record<string, Sign>> = {
  verified: { tone: "good", shape: DISC + CHECK, means: "everything that was asked follows" },
  proved: { tone: "good", shape: DISC + CHECK, means: "follows for all values that its hypotheses allow" },
  checked: { tone: "checked", shape: SQUARE + CHECK, means: "holds at the values of this bundle" },
  definition: { tone: "chosen", shape: SQUARE + EQUAL, means: "chosen, not derived" },
  refuted: { tone: "bad", shape: OCTAGON + CROSS, means: "false, with a counterexample" },
  differs: { tone: "bad", shape: OCTAGON + UNEQUAL, means: "claims and laws hold, but digest, construction or record differs" },
  malformed: { tone: "bad", shape: OCTAGON + CROSS, means: "not a bundle" },
  error: { tone: "bad", shape: OCTAGON + BANG, means: "the verifier failed" },
  unknown: { tone: "open", shape: TRIANGLE + BANG, means: "not decided within the budget" },
  "not established": { tone: "open", shape: TRIANGLE + BANG, means: "something that is required was not shown" },
  vacuous: { tone: "open", shape: DIAMOND + BANG, means: "its hypotheses can never hold" },
  "not-run": { tone: "none", shape: DISC + DASH, means: "was not asked" },
  "not-applicable": { tone: "none", shape: DIAMOND + DASH, means: "does not apply here" },
  unavailable: { tone: "none", shape: DISC + DASH, means: "there is no such snapshot" },
}

const UNKNOWN: Sign = { tone: "none", shape: DISC + DASH, means: "" }

/** Verdict words in the order in which a legend lists them. */
export const WORDS: readonly string[] = [
  "proved",
  "checked",
  "definition",
  "refuted",
  "unknown",
  "vacuous",
  "not-run",
  "not-applicable",
]

export function meaningOf(word: string): string {
  return (SIGNS[word] ?? UNKNOWN).means
}

export function toneOf(word: string): string {
  return (SIGNS[word] ?? UNKNOWN).tone
}

/** Only these words establish anything. */
export function establishes(word: string): boolean {
  return word === "proved" || word === "checked" || word === "verified"
}

export function Icon({ word, zero = false }: { word: string; zero?: boolean }) {
  const sign = SIGNS[word] ?? UNKNOWN
  return (
    <svg class={`icon tone-${zero ? "none" : sign.tone}`} viewBox="0 0 16 16" aria-hidden="true">
      <path d={sign.shape} />
    </svg>
  )
}

/** A verdict word with its shape; nothing for the empty word. */
export function Status({ word, count }: { word: string; count?: string }) {
  if (!word) return null
  return (
    <span class={`status tone-${count === "0" ? "zero" : toneOf(word)}`} title={meaningOf(word)}>
      <Icon word={word} zero={count === "0"} />
      {count === undefined ? null : (
        <>
          <b>{count}</b>{" "}
        </>
      )}
      <span>{word}</span>
    </span>
  )
}
