"""One relation in full, built by hand: whatever its names, and however much of it there is."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from blueprint.outcome import ObligationRow, Outcome, Status
from blueprint.report import explained
from blueprint.report.explanation import ClaimExplained, Explanation, FactRow, LawExplained, QuestionRow
from tests.report import samples

MARKDOWN = MarkdownIt("commonmark").enable("table")
BLOCKS = {
    *(f"{part}_{side}" for part in ("heading", "paragraph", "bullet_list", "list_item") for side in ("open", "close")),
    *(f"{part}_{side}" for part in ("table", "thead", "tbody", "tr", "th", "td") for side in ("open", "close")),
    *("inline", "code_block"),
}
foreign = st.text(alphabet=st.characters(codec=None, exclude_categories=()), max_size=200)


def _question(name: str, *, lines: int = 1, row: ObligationRow | None = None) -> QuestionRow:
    return QuestionRow(
        hypotheses=(f"{name} = 1",) * lines,
        goal=("1 = 1",),
        symbols={"v0": name},
        text="(check-sat)\n" * lines,
        answer=row or samples.VERIFIED.obligations[0],
    )


def _explanation(name: str, *, facts: int = 2, lines: int = 1) -> Explanation:
    rows = tuple(
        FactRow(field=name, found=name, expected=name, expression="B*S", numbers="2*3", holds=number > 0)
        for number in range(facts)
    )
    claims = tuple(
        ClaimExplained(kind=kind, status=status, facts=rows, question=_question(name, lines=lines))
        for kind, status in (("role", Status.PROVED), ("exact_work", Status.REFUTED))
    )
    law = LawExplained(
        id="mlp",
        form="general",
        status=Status.REFUTED,
        statement="W_MLP = 4 B S H F / t",
        source=name,
        equations=("W*t = 4*B*F*H*S",),
        latex=("W t = 4 B F H S",),
        group=name,
        instance=("[7*2 = 14] = 24, which is false",),
        values={name: "1"},
        instances="3",
        question=_question(name),
    )
    return Explanation(
        bundle_sha256="a" * 64,
        verdict=Outcome.REFUTED,
        bindings={name: {name: name}},
        source="model",
        target="distributed",
        branch=name,
        derivation_pass=name,
        relation=msgspec.structs.replace(samples.VERIFIED.transitions[0].relations[0], names=(name,) * 3),
        sources=(name,) * 100,
        rewrite=name or "none",
        laws=(law, msgspec.structs.replace(law, question=None, instance=(), status=Status.NOT_APPLICABLE)),
        claims=claims,
    )


def _types(document: str) -> set[str]:
    """Every kind of block and of inline markup; an indented line is code, and nothing in it is markup."""
    tokens = MARKDOWN.parse(document)
    assert {each.type for each in tokens} <= BLOCKS
    return {child.type for each in tokens for child in each.children or ()}


@given(foreign)
def test_no_name_reaches_a_reader_raw(name: str) -> None:
    for shown in (explained.text([_explanation(name)]), explained.markdown([_explanation(name)])):
        assert all(character == "\n" or " " <= character <= "~" for character in shown)
    assert _types(explained.markdown([_explanation(name)])) <= {
        *("text", "softbreak", "code_inline", "strong_open", "strong_close"),
    }
    named = explained.text([_explanation(name)]).count("\n")
    assert named == explained.text([_explanation("x")]).count("\n"), "a name makes no line of its own"


def test_what_fails_comes_first_and_is_what_is_asked_again() -> None:
    shown = explained.text([_explanation("x")])
    assert shown.index("claim exact_work: refuted") < shown.index("claim role: proved")
    assert "  with numbers, the first of 3 that differ: [7*2 = 14] = 24, which is false\n" in shown
    assert f"  blueprint report BUNDLE --smt2 {'8' * 16} -o question.smt2\n" in shown
    assert shown.splitlines()[-1].startswith("  z3 question.smt2 ")
    assert "FALSE  B*S = 2*3" in shown


@pytest.mark.parametrize("render", [explained.text, explained.markdown])
def test_a_long_relation_is_cut_and_counted(render: type) -> None:
    shown = render([_explanation("x", facts=1000, lines=5000)])
    assert "and 940 more fields, which hold if those above do" in shown
    assert "and 4880 more lines, which --smt2 writes" in shown
    assert "and 4880 more\n" in shown
    assert "and 40 more" in shown
    assert len(shown) < 60_000


def test_a_question_that_was_not_stated_says_so() -> None:
    claim = msgspec.structs.replace(_explanation("x").claims[0], question=_question("x", lines=0))
    explanation = msgspec.structs.replace(_explanation("x"), claims=(claim,))
    assert "    too large to be stated\n" in explained.text([explanation])
    assert "  hypotheses: none\n" in explained.text([explanation])


def test_a_relation_without_claims_has_nothing_to_ask() -> None:
    shown = explained.text([msgspec.structs.replace(_explanation("x"), claims=(), laws=())])
    assert "question.smt2" not in shown


def test_every_answer_is_shown() -> None:
    row = msgspec.structs.replace(
        samples.VERIFIED.obligations[0], cross="unknown", reason="no second decider", shared="7", verdict=Status.UNKNOWN
    )
    claim = msgspec.structs.replace(_explanation("x").claims[0], question=_question("x", row=row))
    shown = explained.text([msgspec.structs.replace(_explanation("x"), claims=(claim,), laws=())])
    assert (
        "  decided by z3 5.4.1 within 20000000 steps; exact: proved; cross-check: unknown;"
        " not decided: no second decider; 7 claims and law instances ask this\n"
    ) in shown
