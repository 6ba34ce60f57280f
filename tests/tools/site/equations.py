"""Laws as mathematics, with what is recorded of their proofs. Nothing about a law is written here."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from blueprint.law import AnyLaw, Law, Requirement
from blueprint.report import laws as rendering
from blueprint.rule import BoundaryRule, PassRule, PrimitiveRule, Rule
from blueprint.rulebook import Rulebook
from blueprint.theorems import ProvedLaw, ProvedObligation, RuleProofs, derivation_source, is_current, read_proofs
from tests.tools.site.markup import escaped, heading, sentence, table

_NEGATIVE: Final = "negative/"


SHOW: Final = functools.cache(rendering._latex)
"""Most cases of a strategy share their equation."""

ASKED: Final = "\nNo theorem: every plan is asked, where its request names all values.\n"
ABSENT: Final = "\nNo proof is recorded for this rule as it stands: `blueprint prove` records one.\n"


@dataclass(frozen=True)
class Book:
    """Rules, and the folder in which their proofs are recorded."""

    rulebook: Rulebook
    proofs: Path

    def evidence(self, rule: Rule) -> RuleProofs | None:
        """The recorded proofs of a rule; None where there are none, or where they speak of other sources."""
        recorded = read_proofs(self.proofs, rule.id)
        rule_source, derivation = self.rulebook.sources[rule.id], derivation_source(self.rulebook.extension_source)
        return recorded if recorded and is_current(recorded, rule_source, derivation) else None


@dataclass(frozen=True)
class Proof:
    """What is recorded of one form of a law: in how many cases, by how many obligations, and how they were decided."""

    form: str
    cases: str
    obligations: int
    verdict: str
    deciders: str
    negative: bool


def proofs_of(recorded: RuleProofs, law: str = "") -> list[Proof]:
    """The proofs of one law, or of all that a rule states where no law is named; a form without members has none."""
    forms: dict[tuple[str, str], list[ProvedLaw]] = {}
    for each in recorded.laws:
        if each.files and law in {"", each.law}:
            forms.setdefault((each.law, each.form), []).append(each)
    decided = {each.file: each for each in recorded.obligations}
    return [_proof(form if law else f"{name}: {form}", members, decided) for (name, form), members in forms.items()]


def _proof(form: str, members: list[ProvedLaw], decided: dict[str, ProvedObligation]) -> Proof:
    files = dict.fromkeys(file for each in members for file in each.files)
    cases = {case for each in members for case in each.cases}
    obligations = [decided[file] for file in files]
    return Proof(
        form=form,
        cases="all" if "" in cases else str(len(cases)),
        obligations=len(files),
        verdict=", ".join(dict.fromkeys(each.verdict for each in obligations)),
        deciders="; ".join(dict.fromkeys(f"{each.solver}, {each.second}" for each in obligations)),
        negative=any(file.startswith(_NEGATIVE) for file in files),
    )


def totals(recorded: RuleProofs, laws: set[str]) -> Counter[str]:
    """How many obligations of these laws have which verdict, without the false variants."""
    files = {file for each in recorded.laws if each.law in laws for file in each.files}
    return Counter(
        each.verdict for each in recorded.obligations if each.file in files and not each.file.startswith(_NEGATIVE)
    )


def law_section(book: Book, rule: PassRule | BoundaryRule, law: AnyLaw, level: int, prefix: str = "") -> str:
    """One law: its statement, source and group, every form with the cases that it is for, and its proofs."""
    over = f"\nOver {escaped(_words(rendering._group(law)))}.\n" if isinstance(law, Law) else ""
    recorded = book.evidence(rule)
    return (
        f"{heading(level, law.id, f'{prefix}{law.id}')}\n`{law.statement}`\n"
        f"\nRule `{rule.id}`. Source: {escaped(sentence(law.source))}\n{over}"
        f"{''.join(_equations(rule, law))}"
        f"{ASKED if isinstance(law, Requirement) else _proofs(proofs_of(recorded, law.id) if recorded else [])}"
    )


def primitive_section(book: Book, rule: PrimitiveRule, level: int, prefix: str = "") -> str:
    """The formulae of one primitive, phase by phase."""
    stated = rendering._formulae(rule)
    recorded = book.evidence(rule)
    return (
        f"{heading(level, stated.id, f'{prefix}{rule.id}')}\n`{stated.statement}`\n"
        f"\nRule `{rule.id}`. Source: {escaped(sentence(stated.source))}\n"
        f"{''.join(_equations(rule, stated))}{_proofs(proofs_of(recorded) if recorded else [])}"
    )


def _equations(rule: Rule, law: rendering._Stated) -> Iterator[str]:
    """Every form as a displayed equation, after the words that say where it holds; the same words stand once."""
    said = ""
    for each in rendering._equations(rule, law, SHOW):
        where, when = f", with ${_latex(each.where)}$" if each.where else "", f", if `{each.when}`" if each.when else ""
        lead = f"\n*{escaped(_words(each.form))}*{where}{when}:\n"
        yield "" if lead == said else lead
        said = lead
        yield f"\n$${_latex(f'{each.left} {each.relation} {each.right}')}$$\n"


def _latex(formula: str) -> str:
    """A relation between two expressions in LaTeX."""
    return formula.replace("<=", r"\le")


def _proofs(found: list[Proof]) -> str:
    """The proofs as a table, and the false variants in a line."""
    if not found:
        return ABSENT
    rows = [
        (escaped(_words(each.form)), each.cases, str(each.obligations), each.verdict, each.deciders)
        for each in found
        if not each.negative
    ]
    false = [f"{escaped(_words(each.form))} ({each.verdict})" for each in found if each.negative]
    proved = table(("proved form", "cases", "obligations", "verdict", "deciders"), rows) if rows else ""
    return proved + (f"\nFalse variants: {'; '.join(false)}.\n" if false else "")


def _words(name: str) -> str:
    """A name of a closed vocabulary in words; an index stays one."""
    return name.replace("_", " ").replace("W 0", "W_0")
