"""A selected part of a report: what is left, what stays that of the whole, and where positions point."""

from __future__ import annotations

import msgspec
import pytest

from blueprint.outcome import ClaimRow, Report, Status
from blueprint.report.selection import Selection, select, unmatched
from tests.report import samples

_RELATION = samples.VERIFIED.transitions[0].relations[0]
_LAW = samples.VERIFIED.transitions[0].laws[0]


def _report() -> Report:
    """Two transitions; four obligations, used crosswise."""
    replace = msgspec.structs.replace
    rows = tuple(replace(samples.VERIFIED.obligations[0], digest=letter * 64) for letter in "abcd")
    relations = (
        replace(
            _RELATION, id="relation:11aa", claims=(_claim("role", Status.PROVED, 3), _claim("x", Status.REFUTED, 1))
        ),
        replace(
            _RELATION,
            id="relation:11bb",
            transform="training.other",
            names=("other",),
            claims=(_claim("x", Status.UNKNOWN, 2),),
        ),
    )
    laws = (
        replace(_LAW, rule="training.mlp", obligations=(0, 3)),
        replace(_LAW, id="other", rule="training.other", status=Status.REFUTED, obligations=(1,)),
    )
    first = replace(samples.VERIFIED.transitions[0], relations=relations, laws=laws)
    second = replace(first, source="distributed", target="portable", laws=())
    return replace(samples.REFUTED, transitions=(first, second), obligations=rows)


def _claim(kind: str, status: Status, obligation: int) -> ClaimRow:
    return ClaimRow(kind=kind, status=status, obligation=obligation)


def _seen(report: Report) -> list[tuple[str, str, str]]:
    """Target, relation and the digest's letter of every claim."""
    return [
        (each.target, relation.id[-2:], report.obligations[claim.obligation].digest[0])
        for each in report.transitions
        for relation in each.relations
        for claim in relation.claims
    ]


@pytest.mark.parametrize(
    ("selection", "seen", "laws"),
    [
        (
            Selection(stages=("distributed",)),
            [("distributed", "aa", "d"), ("distributed", "aa", "b"), ("distributed", "bb", "c")],
            [("qkv-projection", "ad"), ("other", "b")],
        ),
        (Selection(relations=("11a",), stages=("portable",)), [("portable", "aa", "d"), ("portable", "aa", "b")], []),
        (
            Selection(relations=("relation:11bb",)),
            [("distributed", "bb", "c"), ("portable", "bb", "c")],
            [("other", "b")],
        ),
        (Selection(relations=("other",), stages=("portable",)), [("portable", "bb", "c")], []),
        (
            Selection(rules=("training.mlp",), stages=("distributed",)),
            [("distributed", "aa", "d"), ("distributed", "aa", "b")],
            [("qkv-projection", "ad")],
        ),
        (
            Selection(statuses=(Status.REFUTED,)),
            [("distributed", "aa", "b"), ("portable", "aa", "b")],
            [("other", "b")],
        ),
        (
            Selection(statuses=(Status.REFUTED, Status.UNKNOWN), stages=("portable",)),
            [("portable", "aa", "b"), ("portable", "bb", "c")],
            [],
        ),
        (Selection(relations=("11",), rules=("training.other",), stages=("portable",)), [("portable", "bb", "c")], []),
        (Selection(relations=("no such",)), [], []),
    ],
)
def test_what_is_selected(selection: Selection, seen: list[tuple[str, str, str]], laws: list[tuple[str, str]]) -> None:
    report = select(_report(), selection)
    assert _seen(report) == seen
    assert [
        (law.id, "".join(report.obligations[position].digest[0] for position in law.obligations))
        for each in report.transitions
        for law in each.laws
    ] == laws
    used = {claim.obligation for each in report.transitions for one in each.relations for claim in one.claims}
    used |= {position for each in report.transitions for law in each.laws for position in law.obligations}
    assert used == set(range(len(report.obligations))), "no obligation is left that nothing asks"


def test_verdict_findings_and_counts_stay_those_of_the_whole() -> None:
    whole, part = _report(), select(_report(), Selection(statuses=(Status.PROVED,), rules=("training.mlp",)))
    assert (part.verdict, part.summary, part.diagnostics, part.subject) == (
        whole.verdict,
        whole.summary,
        whole.diagnostics,
        whole.subject,
    )
    assert part.selection == ("--rule=training.mlp", "--only=proved")


def test_nothing_selected_is_the_whole() -> None:
    assert select(_report(), Selection()) is not None
    assert select(_report(), Selection()) == _report()


def test_what_nothing_can_meet_is_named() -> None:
    selection = Selection(("11aa", "no such", ""), ("training.mlp", "training.nothing"), statuses=(Status.VACUOUS,))
    assert unmatched(_report(), selection) == ["--relation=no such", "--relation=", "--rule=training.nothing"]
