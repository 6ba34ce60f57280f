"""No verdict hangs on how a question is put: seeds, names and order change none. `make soak-deciders`.

Every recorded obligation is asked of Z3 in the way that `blueprint` asks it, and again with other random seeds, with
other names, and with its lines in another order. The table says how many verdicts changed, which must be none, and how
far the number of steps strayed: for all questions that are proved together by a tenth at most. What is refuted counts
apart, for to find a model is a matter of luck. Then all deciders are asked of random claims, others in every run.

    python -m tests.soak.deciders            # all of them
    python -m tests.soak.deciders 50         # every so-manieth, 50 in all
"""

from __future__ import annotations

import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

import pytest
import z3
from hypothesis import given, settings
from hypothesis import strategies as st

from blueprint import solver
from blueprint.settings import DEFAULT_BUDGET
from blueprint.verdict import Answer, Obligation, Verdict
from tests.solver.claims import ground, universal
from tests.solver.test_agreement import check_ground, check_universal

ROOT: Final = Path(__file__).resolve().parents[2]
PROOFS: Final = ROOT / "proofs"

WAYS: Final = ("seeds", "names", "order")
SEEDS: Final = tuple(range(1, 11))
DRAWN: Final = 5
"""Other namings and other orders of each question."""

CLAIMS: Final = 2_000
"""Random claims of each kind."""

STRAY: Final = 0.10
"""How far from the recorded way's steps those of another way may be, of all proved questions together."""

_VARIABLE: Final = re.compile(r"\bv(\d+)\b")
_DECLARED: Final = re.compile(r"^\(declare-const .*\)$", re.MULTILINE)
_ASSERTED: Final = re.compile(r"^\(assert .*\)$", re.MULTILINE)


class Variant(NamedTuple):
    """One way to put a question: how, which of several, the text, and the seed."""

    way: str
    number: int
    text: str
    seed: int


class Other(NamedTuple):
    """What came of a variant: verdict and steps."""

    way: str
    number: int
    verdict: Verdict
    steps: int


class Outcome(NamedTuple):
    """What came of a question put in the recorded way, and in the others."""

    name: str
    verdict: Verdict
    steps: int
    others: tuple[Other, ...]

    def changed(self) -> list[str]:
        """The ways that change the verdict."""
        return sorted({each.way for each in self.others if each.verdict is not self.verdict})

    def strays(self, way: str) -> bool:
        """Whether the steps of a way differ by more than their share."""
        return any(abs(each.steps - self.steps) > STRAY * self.steps for each in self.others if each.way == way)


def recorded(most: int | None = None) -> list[Path]:
    """The recorded obligations, false variants among them; evenly drawn where there are to be fewer."""
    every = sorted(PROOFS.rglob("*.smt2"))
    return every[:: max(1, len(every) // most)][:most] if most else every


def variables(text: str) -> int:
    """How many variables a text declares."""
    return len(_DECLARED.findall(text))


def renamed(text: str, draw: random.Random) -> str:
    """The same text with its variables' numbers exchanged."""
    numbers = list(range(variables(text)))
    draw.shuffle(numbers)
    return _VARIABLE.sub(lambda found: f"v{numbers[int(found[1])]}", text)


def reordered(text: str, draw: random.Random) -> str:
    """The same text with its declarations among each other, and its assertions, in another order."""
    for pattern in (_DECLARED, _ASSERTED):
        lines = pattern.findall(text)
        draw.shuffle(lines)
        rest = iter(lines)
        text = pattern.sub(lambda _, rest=rest: next(rest), text)  # type: ignore[misc]
    return text


def variants(text: str, name: str) -> Iterator[Variant]:
    """Every other way to put a question."""
    draw = random.Random(name)  # noqa: S311 -- the same in every run
    yield from (Variant("seeds", seed, text, seed) for seed in SEEDS)
    yield from (Variant("names", number, renamed(text, draw), 0) for number in range(DRAWN))
    yield from (Variant("order", number, reordered(text, draw), 0) for number in range(DRAWN))


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Z3 is asked with this seed in the place of the fixed one."""

    def asked(chosen: z3.Solver, text: str, budget: int) -> tuple[z3.Solver, z3.CheckSatResult]:
        chosen.set("random_seed", seed)
        chosen.set("rlimit", budget)
        chosen.from_string(text)
        return chosen, chosen.check()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(solver, "_asked", asked)
        yield


def decide(text: str, seed: int) -> Answer:
    """The answer of Z3 alone, as a worker asks for it."""
    with seeded(seed):
        return solver.decide(text, variables(text), DEFAULT_BUDGET, ground=False)


def examined(path: Path, decided: Callable[[str, int], Answer] = decide) -> Outcome:
    """All ways of one question."""
    text, name = path.read_text(encoding="ascii"), path.relative_to(PROOFS).as_posix()
    base = decided(text, 0)
    found = [(each, decided(each.text, each.seed)) for each in variants(text, name)]
    others = tuple(Other(each.way, each.number, answer.verdict, answer.resource) for each, answer in found)
    return Outcome(name, base.verdict, base.resource, others)


def totals(outcomes: Sequence[Outcome], way: str) -> list[float]:
    """The steps of all questions together, of each variant of a way, as a share of those of the recorded way."""
    whole = sum(each.steps for each in outcomes)
    sums: dict[int, int] = {}
    for other in (each for outcome in outcomes for each in outcome.others if each.way == way):
        sums[other.number] = sums.get(other.number, 0) + other.steps
    return [each / whole for each in sums.values()]


def table(outcomes: Sequence[Outcome]) -> list[str]:
    """One line for each way, and how far every question stays from its budget."""
    lines = []
    for verdict in Verdict:
        of = [each for each in outcomes if each.verdict is verdict]
        if not of:
            continue
        lines.append(f"{len(of)} questions {verdict.value}, {sum(each.steps for each in of)} steps in the recorded way")
        for way in WAYS:
            changed = sum(way in each.changed() for each in of)
            shares = totals(of, way)
            beyond = sum(each.strays(way) for each in of)
            lines.append(
                f"  {way}: {changed} verdicts changed; all steps together {min(shares):.1%} to {max(shares):.1%} of "
                f"those; {beyond} questions differ by more than {STRAY:.0%}"
            )
        most = max(each.steps for outcome in of for each in outcome.others)
        lines.append(f"  most steps of a question in any way: {most}, {most / DEFAULT_BUDGET:.2%} of its budget")
    return lines


def unsteady(outcomes: Sequence[Outcome]) -> list[str]:
    """The ways in which all proved questions together take too many steps, or too few."""
    proved = [each for each in outcomes if each.verdict is Verdict.PROVED]
    return [way for way in WAYS if any(abs(share - 1) > STRAY for share in totals(proved, way))]


def drawn(
    check: Callable[[Obligation], Counter[str]], claims: st.SearchStrategy[Obligation], number: int
) -> Counter[str]:
    """Who said what of so many random claims. Raises AssertionError with a smallest claim where deciders disagree."""
    said: Counter[str] = Counter()

    @settings(max_examples=number, derandomize=False, deadline=None, database=None)
    @given(claim=claims)
    def run(claim: Obligation) -> None:
        said.update(check(claim))

    run()
    return said


def main(most: int | None = None) -> int:
    """Print the table, and every question whose verdict changed."""
    outcomes = [examined(path) for path in recorded(most)]
    print("\n".join(table(outcomes)))
    for each in outcomes:
        if each.changed():
            print(f"CHANGED {each.name}: {each.verdict.value}, but not by {', '.join(each.changed())}")
    number = most or CLAIMS
    for name, check, claims in (("universal", check_universal, universal()), ("ground", check_ground, ground())):
        said = drawn(check, claims, number)
        print(f"{number} random {name} claims: {', '.join(f'{who} {count}' for who, count in sorted(said.items()))}")
    for way in unsteady(outcomes):
        print(f"UNSTEADY {way}: the proved questions together stray by more than {STRAY:.0%}")
    return int(any(each.changed() for each in outcomes) or bool(unsteady(outcomes)))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else None))
