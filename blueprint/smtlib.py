"""Obligations as SMT-LIB2 text, the only form in which a question reaches a solver.

Laws kept here: the text is canonical, so equal questions up to variable names give equal text and digest; it holds
sums of monomials and comparisons and nothing else, so there is no operator whose meaning a solver may choose; no name
of the caller's reaches it; and its size and degree are bounded before a solver can try to expand them.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterable, Sequence

import msgspec

from blueprint.errors import ObligationError
from blueprint.settings import MAX_BITS
from blueprint.term import Comparison, Const, Product, Relation, Sum, Term, Var
from blueprint.verdict import Obligation

MAX_FACTORS = 64
MAX_MONOMIALS = 20_000
MAX_DEPTH = 100
MAX_NODES = 200_000

_Monomials = list[tuple[int, tuple[str, ...]]]


class Rendered(msgspec.Struct, frozen=True):
    """A question as text. `names[i]` is the caller's name for the variable `v<i>`; `digest` is SHA-256 of `text`."""

    text: str
    names: tuple[str, ...]
    digest: str


class _Line(msgspec.Struct, frozen=True):
    """A comparison with both sides written as sums of monomials."""

    relation: Relation
    left: _Monomials
    right: _Monomials

    def variables(self) -> set[str]:
        return {name for side in (self.left, self.right) for _, names in side for name in names}

    def is_positivity(self) -> bool:
        """Whether the line is `1 <= x` or `0 < x`."""
        bounded = len(self.right) == 1 and self.right[0][0] == 1 and len(self.right[0][1]) == 1
        least = {Relation.AT_MOST: 1, Relation.LESS: 0}.get(self.relation)
        return bounded and self.left == [(least, ())]


class _Expander:
    """Distributes products over sums. Like terms stay apart: collecting them would be deciding."""

    def __init__(self) -> None:
        self.nodes = 0

    def line(self, comparison: Comparison) -> _Line:
        return _Line(comparison.relation, self.expand(comparison.left), self.expand(comparison.right))

    def expand(self, term: Term, depth: int = 0) -> _Monomials:
        self.nodes += 1  # shared subterms count each time: the tree is what a solver sees
        if depth > MAX_DEPTH or self.nodes > MAX_NODES:
            raise ObligationError("an obligation is nested too deeply or has too many terms")
        match term:
            case Const(value):
                return _bounded([(value, ())])
            case Var(name):
                return [(1, (name,))]
            case Sum(terms):
                found: _Monomials = []
                for part in terms:
                    found += self.expand(part, depth + 1)
                    _bounded(found[-1:], len(found))
                return found
            case Product(factors):
                found = [(1, ())]
                for factor in factors:
                    parts = self.expand(factor, depth + 1)
                    _bounded([], len(found) * len(parts))
                    found = _bounded([(a * b, left + right) for a, left in found for b, right in parts])
                return found


def _bounded(monomials: _Monomials, count: int = 0) -> _Monomials:
    if max(count, len(monomials)) > MAX_MONOMIALS:
        raise ObligationError(f"an obligation has a side of more than {MAX_MONOMIALS} monomials")
    for coefficient, names in monomials:
        if type(coefficient) is not int or coefficient.bit_length() > MAX_BITS:
            raise ObligationError(f"a constant is no whole number of at most {MAX_BITS} bits")
        if len(names) > MAX_FACTORS:
            raise ObligationError(f"a monomial has more than {MAX_FACTORS} factors")
    return monomials


def _reaching(hypotheses: Sequence[_Line], goal: Sequence[_Line], *, reasoned: bool) -> list[int]:
    """The positions of the hypotheses that share variables with the goal, directly or through other hypotheses."""
    reached = {name for line in goal for name in line.variables()}
    waiting = {i: line.variables() for i, line in enumerate(hypotheses) if not line.is_positivity()}
    kept: set[int] = set()
    while joined := [i for i, names in waiting.items() if names & reached]:
        kept.update(joined)
        reached.update(*(waiting.pop(i) for i in joined))
    # Positivity decides no equation but one whose reason divides by it; without it a question is only harder to prove.
    if reasoned or any(line.relation is not Relation.EQUAL for line in (*goal, *(hypotheses[i] for i in kept))):
        kept.update(i for i, line in enumerate(hypotheses) if line.is_positivity() and line.variables() & reached)
    return sorted(kept)


class _Writer:
    """Writes lines with the variables numbered in order of first use."""

    def __init__(self) -> None:
        self.numbers: dict[str, str] = {}

    def line(self, line: _Line) -> str:
        return f"({line.relation.value} {self._side(line.left)} {self._side(line.right)})"

    def _side(self, monomials: _Monomials) -> str:
        parts = [self._monomial(coefficient, names) for coefficient, names in monomials]
        return f"(+ {' '.join(parts)})" if len(parts) > 1 else parts[0] if parts else "0"

    def _monomial(self, coefficient: int, names: tuple[str, ...]) -> str:
        factors = [self.numbers.setdefault(name, f"v{len(self.numbers)}") for name in names]
        if coefficient != 1 or not factors:
            factors.insert(0, str(coefficient) if coefficient >= 0 else f"(- {-coefficient})")
        return f"(* {' '.join(factors)})" if len(factors) > 1 else factors[0]


def _emit(
    hypotheses: Iterable[tuple[int, _Line]], goal: Sequence[_Line], header: tuple[str, ...] = (), *, named: bool = True
) -> Rendered:
    for line in header:
        if not (line.isascii() and line.isprintable()):
            raise ObligationError("a header line must be printable ASCII")
    writer = _Writer()
    body = []
    for position, hypothesis in hypotheses:
        written = writer.line(hypothesis)
        body.append(f"(assert (! {written} :named h{position}))" if named else f"(assert {written})")
    claims = [writer.line(line) for line in goal]
    if claims:
        body.append(f"(assert (not {claims[0] if len(claims) == 1 else '(and ' + ' '.join(claims) + ')'}))")
    declared = (f"(declare-const {number} Int)" for number in writer.numbers.values())
    comments = (f"; {line}" for line in header)
    text = "\n".join((*comments, "(set-logic QF_NIA)", *declared, *body, "(check-sat)")) + "\n"
    return Rendered(text, tuple(writer.numbers), hashlib.sha256(text.encode("ascii")).hexdigest())


def numbered(obligation: Obligation) -> tuple[Obligation, tuple[str, ...]]:
    """A ground obligation with numbers for names, and the names in that order: equal questions become equal values.

    One beyond the limits, which no text will state, stays as it is and has no names.
    """
    variables: dict[str, Var] = {}
    nodes = itertools.count(1)

    def variable(name: str) -> Var:
        return variables.get(name) or variables.setdefault(name, Var(str(len(variables))))

    def side(term: Term) -> Term:
        # Matching patterns would take twice as long, which large bundles feel.
        if next(nodes) > MAX_NODES:
            raise RecursionError
        if isinstance(term, Const):
            return term
        if isinstance(term, Var):
            return variable(term.name)
        if isinstance(term, Sum):
            return Sum(tuple(map(side, term.terms)))
        return Product(tuple(map(side, term.factors)))

    def lines(part: Iterable[Comparison]) -> tuple[Comparison, ...]:
        return tuple(Comparison(each.relation, side(each.left), side(each.right)) for each in part)

    try:
        hypotheses, goal = lines(obligation.hypotheses), lines(obligation.goal)
    except RecursionError:
        return obligation, ()
    witness = {variable(name).name: value for name, value in obligation.witness.items()}
    form = msgspec.structs.replace(obligation, hypotheses=hypotheses, goal=goal, witness=witness)
    return form, tuple(variables)


def render(obligation: Obligation) -> Rendered:
    """The hypotheses that reach the goal, and the negated goal: unsatisfiable exactly where they imply it.

    Raises ObligationError for an empty goal, which would be true of anything, and for terms beyond the limits.
    """
    if not obligation.goal:
        raise ObligationError("an obligation has an empty goal")
    expander = _Expander()
    goal = [expander.line(comparison) for comparison in obligation.goal]
    hypotheses = [expander.line(comparison) for comparison in obligation.hypotheses]
    kept = ((i, hypotheses[i]) for i in _reaching(hypotheses, goal, reasoned=bool(obligation.because)))
    return _emit(kept, goal, obligation.comments, named=not obligation.ground)


def render_premises(obligation: Obligation) -> Rendered:
    """Every hypothesis and no goal: unsatisfiable exactly where the hypotheses contradict each other."""
    expander = _Expander()
    lines = [expander.line(comparison) for comparison in obligation.hypotheses]
    return _emit(enumerate(lines), ())
