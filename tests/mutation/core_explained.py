"""Mutants of the trusted core that no test notices, and that make no false thing true: each with what it changes."""

from __future__ import annotations

from typing import Final

_LIMIT = "a limit that is one higher or lower; what it keeps out is far beyond it, and what is in use far below"
_POINT = "another point at which a counterexample is looked for; what is found is checked at the point itself"

_NO_SLOT = (
    "the slot of a command that has none: any number but 0, the slot that each must have, is as false; a report of the"
    " false fact would show another number"
)
_NO_PLACE = "the place of a command that is issued nowhere: no place is negative, so that any such number is as false"

_ISSUED = "yield from ((each, (queue.category.value, at, -1)) for at, each in enumerate(queue.order))"
_NOWHERE = 'NOWHERE: Final = ("", -1, -1)'

_FREE = "free = [v for v in dict.fromkeys(itertools.chain(*map(comparison_variables, comparisons)))"
_OTHER_BOXES = (
    *("2, 3, 4, 8, 17, 32", "2, 3, 4, 9, 16, 32", "2, 4, 4, 8, 16, 32", "2, 3, 4, 8, 16, 33"),
    *("2, 3, 4, 16, 32", "2, 4, 8, 16, 32", "2, 3, 4, 8, 32"),
)

EXPLAINED: Final[dict[tuple[str, str, str], str]] = {
    ("blueprint/solver.py", "BRIEF = 50_000", "BRIEF = 50001"): _LIMIT,
    ("blueprint/smtlib.py", "MAX_NODES = 200_000", "MAX_NODES = 200001"): _LIMIT,
    ("blueprint/smtlib.py", "self.nodes = 0", "self.nodes = 1"): _LIMIT,
    ("blueprint/smtlib.py", "if next(nodes) > MAX_NODES:", "if next(nodes) >= MAX_NODES:"): _LIMIT,
    **{("blueprint/normalform.py", "BOX = (2, 3, 4, 8, 16, 32)", f"BOX = ({after})"): _POINT for after in _OTHER_BOXES},
    (
        "blueprint/normalform.py",
        "[_slack(each, system) for each in obligation.hypotheses if each.relation is not Relation.EQUAL]",
        "[_slack(each, system) for each in obligation.hypotheses]",
    ): "the equation 1 = x makes x positive, too, so that it may be multiplied with: more is proved, nothing false",
    (
        "blueprint/transition.py",
        "relations = [relation for relation in plan.relations if relation.rule == rule.id]",
        "relations = [relation for relation in plan.relations]",
    ): "the claim of a projection is one rule's; had two rules the same, each would ask more, and count too many",
    ("blueprint/transition.py", "if isinstance(expected, ExpectedTask)", ""): (
        "no rule names a tensor like a task that it makes of the same sources; with one, planning would break off"
    ),
    (
        "blueprint/instances.py",
        "present = {each.target.primitive for each in targets if isinstance(each, ExpectedTask)}",
        "present = {each.target.primitive for each in targets}",
    ): ("rules that claim something about a task's traffic have one task as their target"),
    **{
        ("blueprint/normalform.py", before, after): _POINT
        for before, after in (
            (
                "usable = (v for v in candidates if left.count(v) == 1 and v not in taken and not _mentions(right, v))",
                "usable = (v for v in candidates if left.count(v) == 1 and not _mentions(right, v))",
            ),
            (
                "fixed = {*system.definitions, *(rule.solved for rule in system.rules)}",
                "fixed = {*(rule.solved for rule in system.rules)}",
            ),
            (
                "fixed = {*system.definitions, *(rule.solved for rule in system.rules)}",
                "fixed = {*system.definitions, }",
            ),
            (
                f"{_FREE} if v not in fixed]",
                f"{_FREE}]",
            ),
        )
    },
    (
        "blueprint/normalform.py",
        "known = [_slack(each, system) for each in obligation.hypotheses if each.relation is not Relation.EQUAL]",
        "known = [_slack(each, system) for each in obligation.hypotheses]",
    ): "the difference of an equation is not negative either, as it is nothing: more is proved, nothing false",
    (
        "blueprint/normalform.py",
        "if len(left) * len(right) > MAX_MONOMIALS:",
        "if len(left) * len(right) >= MAX_MONOMIALS:",
    ): _LIMIT,
    ("blueprint/instances.py", "if times > 1:", "if times >= 1:"): (
        "the right side of one block stands there once, which is said"
    ),
    ("blueprint/worker.py", "_SIGKILL = 9", "_SIGKILL = 10"): (
        "the signal with which a worker follows its parent; this one ends it, too, as nothing in it takes signals"
    ),
    **{
        (
            "blueprint/extension.py",
            "for numbers in ((2, 2), (Symbolic(symbols.E), Symbolic(symbols.e))):",
            f"for numbers in (({other}), (Symbolic(symbols.E), Symbolic(symbols.e))):",
        ): (
            "The work of an operation is tried with other integers. That it can be computed is all that is looked for,"
            " and any integers show it; what it gives is proved elsewhere."
        )
        for other in ("2, 3", "3, 2")
    },
    (
        "blueprint/examine.py",
        'self.find("model.domain", plain(error.message, 400), "request")',
        'self.find("model.domain", plain(error.message, 401), "request")',
    ): "Of a message that is longer than any that is written one character more is shown.",
    (
        "blueprint/rulebook.py",
        'total.update(len(part).to_bytes(8, "big") + part)',
        'total.update(len(part).to_bytes(9, "big") + part)',
    ): (
        "The digest of every rulebook is another one; as before, it covers lengths and contents, and no two rulebooks"
        " have one. A bundle of before is then one of other rules, which is a refusal."
    ),
    **{
        ("blueprint/claims/concrete.py", _ISSUED, _ISSUED.replace("at, -1", f"at, {slot}")): _NO_SLOT
        for slot in ("-2", "+1")
    },
    **{
        ("blueprint/claims/concrete.py", _NOWHERE, f'NOWHERE: Final = ("", -1, {slot})'): _NO_SLOT
        for slot in ("-2", "+1")
    },
    ("blueprint/claims/concrete.py", _NOWHERE, 'NOWHERE: Final = ("", -2, -1)'): _NO_PLACE,
    ("blueprint/claims/machine.py", 'NOWHERE: Final = ("", -1)', 'NOWHERE: Final = ("", -2)'): _NO_PLACE,
}
"""File, line before and line after -> what changes, and why no promise is broken."""
