"""`blueprint report`: the evidence for each relation, one in full, and the same question for any other solver."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import cvc5
import jsonschema
import pytest
import z3
from markdown_it import MarkdownIt

from blueprint.bundle import read_bundle
from blueprint.cli.formats import FORMATS
from blueprint.errors import BlueprintError
from blueprint.ir.common import Stage
from blueprint.outcome import ObligationRow, Report, Status
from blueprint.report.explaining import explain
from blueprint.report.json import schema
from blueprint.restatement import Restatement, same_question
from blueprint.verification import verify
from tests.cli.conftest import Run
from tests.report import samples
from tests.reseal import Draft

TRAINING = "derive training --model gpt2 --tensor 2 --microbatch 1 --sequence 64 --communication sequence-parallel"
INFERENCE = "derive inference --model gpt2 --tensor 2 --batch 2 --prompt 16 --context 32 --target queue --emit"
STACK = (
    "derive training --model gpt2 --tensor 2 --pipeline 4 --data 2 --zero 1 --microbatch 1 --sequence 64 --scope stack"
)


@pytest.fixture(scope="module")
def training(process: Run) -> bytes:
    return process(*TRAINING.split()).out


@pytest.fixture(scope="module")
def tampered(training: bytes) -> bytes:
    """One operation more in the query projection, and a buffer of another storage class."""
    draft = Draft(training)
    draft.entity(Stage.DISTRIBUTED, "tasks", "query_projection.forward")["work"]["operations"] += 1
    draft.entity(Stage.PORTABLE, "buffers", "x.forward")["storage"] = "step"
    return draft.sealed()


@pytest.fixture
def run(blueprint: Run, tmp_path: Path) -> Callable[..., Any]:
    """Run `report` on bytes."""

    def report(data: bytes, *arguments: str) -> Any:
        path = tmp_path / "bundle.json"
        path.write_bytes(data)
        return blueprint("report", str(path), *arguments)

    return report


def _relation(data: bytes, rule: str, name: str) -> str:
    report = verify(data, jobs=2)
    (found,) = [
        relation.id
        for each in report.transitions
        for relation in each.relations
        if relation.transform == rule and name in relation.names
    ]
    return found.removeprefix("relation:")


# What is shown -------------------------------------------------------------------------------------------------------


def test_every_relation_is_shown_with_every_claim(run: Callable[..., Any], training: bytes) -> None:
    done = run(training)
    assert (done.code, done.err) == (0, "")
    lines = done.out.decode("ascii").splitlines()
    report = verify(training, jobs=2)
    relations = [relation for each in report.transitions for relation in each.relations]
    assert sum(line.startswith("  relation ") for line in lines) == len(relations) == int(report.summary.relations)
    # Of the model's relations, two may have one id.
    for relation in [relation for each in report.transitions[1:] for relation in each.relations][::17]:
        at = next(n for n, line in enumerate(lines) if line.startswith(f"  relation {relation.id[9:25]} by "))
        shown = [line.split()[:3] for line in lines[at + 2 : at + 2 + len(relation.claims)]]
        assert shown == [
            [claim.kind, claim.status.value, report.obligations[claim.obligation].digest[:16]]
            for claim in relation.claims
        ]
    assert lines[-1].startswith("verified ")


FITS: dict[str, Callable[[str, dict[str, Any], dict[str, Any]], bool]] = {
    "--rule=training.mlp": lambda _stage, relation, _claim: relation["transform"] == "training.mlp",
    "--stage=portable": lambda stage, _relation, _claim: stage == "portable",
    "--stage=model --only=refuted": lambda *_: False,
    "--only=refuted": lambda _stage, _relation, claim: claim["status"] == "refuted",
    "--relation=x.forward": lambda _stage, relation, _claim: "x.forward" in relation["names"],
}
"""Which claims a filter leaves, by stage, relation and claim."""


@pytest.mark.parametrize("options", FITS)
def test_a_filter_leaves_what_fits_and_no_more(options: str, run: Callable[..., Any], tampered: bytes) -> None:
    whole = json.loads(run(tampered, "--format=json").out)
    part = json.loads(run(tampered, "--format=json", *options.split()).out)
    jsonschema.Draft202012Validator(schema()).validate(part)

    def claims(document: dict[str, Any]) -> list[tuple[Any, ...]]:
        return [
            (each["target"], relation, claim, document["obligations"][claim.pop("obligation")]["digest"])
            for each in document["transitions"]
            for relation in each["relations"]
            for claim in relation.pop("claims")
        ]

    assert claims(part) == [each for each in claims(whole) if FITS[options](*each[:3])]
    assert part["summary"] == whole["summary"]
    assert part["diagnostics"] == whole["diagnostics"]
    assert part["selection"] == options.split()
    assert run(tampered, *options.split()).code == 1


def test_a_selection_says_that_it_is_one(run: Callable[..., Any], tampered: bytes) -> None:
    lines = run(tampered, "--only", "refuted").out.decode().splitlines()
    assert lines[-2].startswith("selected by --only=refuted: ")
    assert lines[-2].endswith(" law instances; all findings and counts are shown")
    assert all(line.endswith(" (selected)") for line in lines if line.startswith("transition "))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--relation", "no such"], "--relation=no such: nothing in this bundle is called so"),
        (
            ["--relation", "x.froward"],
            "--relation=x.froward: nothing in this bundle is called so; did you mean x.forward",
        ),
        (["--rule", "training.no"], "--rule=training.no: nothing in this bundle is called so"),
        (
            ["--rule=training.mpl"],
            "--rule=training.mpl: nothing in this bundle is called so; did you mean training.mlp",
        ),
        (["--stage=concrete"], "--stage=concrete: is no stage of this bundle; there are model, distributed, portable"),
        (["--explain", "x.froward"], '--explain: no relation is called "x.froward"; did you mean x.forward'),
        (["--explain", "no such"], '--explain: no relation is called "no such"'),
        (["--smt2", "zz"], '--smt2: no obligation has the digest "zz"'),
        (["--smt2", "a"], '--smt2: "a" begins '),
        (["--explain", "a"], '--explain: "a" begins '),
    ],
)
def test_a_name_of_nothing_is_wrong_input_whatever_the_verdict(
    arguments: list[str], words: str, run: Callable[..., Any], training: bytes, tampered: bytes
) -> None:
    for data in (training, tampered):
        done = run(data, *arguments)
        assert (done.code, done.out) == (2, b"")
        assert f"blueprint: error: {words}" in done.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--stage", "nowhere"], '--stage: "nowhere" is not known; choose model or distributed'),
        (["--only", "wrong"], '--only: "wrong" is not known; choose proved or checked'),
        (["--explain", "x", "--smt2", "y"], "--explain: cannot be combined with --smt2"),
        (["--explain", "x", "--only", "refuted"], "--explain: cannot be combined with --relation, --rule"),
        (["--smt2", "x", "--rule", "y"], "--smt2: cannot be combined with --relation, --rule"),
        (["--explain", ""], "--explain: names nothing"),
        (["--smt2", ""], "--smt2: names nothing"),
        (["--explain", "x", "--format", "sarif"], '--format: "sarif" is not known; choose text or markdown or json'),
        (["--smt2", "x", "--format", "json"], "--smt2: has no formats"),
        (["--format", "html"], '--format: "html" is not known'),
        (["-o", "b.json"], "b.json: a report would replace the bundle"),
    ],
)
def test_what_could_only_end_badly_is_refused_first(
    arguments: list[str], words: str, blueprint: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    done = blueprint("report", "b.json", *arguments)
    assert (done.code, done.out) == (2, b"")
    assert done.err.startswith(f"blueprint: error: {words}")
    assert done.err.count("\n") == 1


CODES = {"verified": 0, "inference": 0, "refuted": 1, "not_established": 3, "malformed": 2, "empty": 3, "error": 4}


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("case", samples.ALL)
def test_the_status_is_that_of_verify_in_every_format(
    case: str, form: str, blueprint: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def answer(*_: object, **__: object) -> Report:
        return samples.ALL[case]

    (tmp_path / "a.json").write_bytes(b"{}")
    monkeypatch.setattr(import_module("blueprint.verification"), "verify", answer)
    for more in ([], ["--only", "refuted"]):
        done = blueprint("report", str(tmp_path / "a.json"), "--format", form, *more)
        assert done.code == blueprint("verify", str(tmp_path / "a.json"), "--format", form).code == CODES[case]
        assert done.out


def test_a_bundle_comes_through_a_pipe(process: Run, tampered: bytes) -> None:
    done = process("report", "-", "--only", "refuted", stdin=tampered)
    assert done.code == 1
    assert b"x.forward.storage: found step, expected saved\n" in done.out
    done = process("report", "-", "--explain", "x.forward", stdin=tampered)
    assert done.code == 1
    assert b"claim storage: refuted\n" in done.out


@pytest.mark.parametrize("data", [b"", b"{}", b"\xff"])
def test_what_does_not_decode_is_malformed(data: bytes, run: Callable[..., Any]) -> None:
    done = run(data, "--relation", "x")
    assert done.code == 2
    assert b"\nverdict: malformed\n" in done.out
    assert run(data, "--explain", "x").code == 2


# One relation in full ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("line", [TRAINING, INFERENCE, STACK], ids=["training", "inference", "stack"])
def test_every_relation_can_be_explained_with_its_own_question(line: str, process: Run) -> None:
    """Each question that is stated again has the digest that verification reported, and its facts decide as it did."""
    data = process(*line.split()).out
    report = verify(data, jobs=2)
    again = Restatement(read_bundle(data), None)
    seen = 0
    for transition in report.transitions:
        for relation in transition.relations:
            explanation = explain(report, transition, relation, again)
            assert [claim.kind for claim in explanation.claims] == [claim.kind for claim in relation.claims]
            for claim in explanation.claims:
                assert hashlib.sha256(claim.question.text.encode()).hexdigest() == claim.question.answer.digest
                assert all(fact.holds for fact in claim.facts)
                seen += 1
            assert {law.id for law in explanation.laws} <= {law.id for law in transition.laws}
        assert {law.obligations for law in transition.laws if law.obligations} == {
            law.obligations
            for law in transition.laws
            if law.obligations and set(law.obligations) <= set(again.obligations(transition))
        }
    assert seen == int(report.summary.claims)
    positions = {position for each in report.transitions for position in again.obligations(each)}
    assert positions == set(range(len(report.obligations))), "every question is found again"


def test_another_question_is_never_passed_off_as_the_same(training: bytes) -> None:
    report = verify(training, jobs=2)
    obligations = Restatement(read_bundle(training), None).obligations(report.transitions[1])
    (one, first), (other, _) = list(obligations.items())[:2]
    assert same_question(report.obligations[one], first).text
    with pytest.raises(BlueprintError, match="is not what is stated again"):
        same_question(report.obligations[other], first)


def test_the_law_stands_there_with_the_numbers_in_it(run: Callable[..., Any], tampered: bytes) -> None:
    relation = _relation(tampered, "training.qkv_projection", "query_projection.forward")
    done = run(tampered, "--explain", relation[:12])
    assert done.code == 1
    text = done.out.decode("ascii")
    work = 2 * 64 * 768 * 768 // 2
    for line in (
        f"relation:{relation}\n",
        "  rule: training.qkv_projection, 1:N, model -> distributed by DistributeTransformerTrainingPass\n",
        "law qkv-projection (classical): refuted\n",
        "  W_QKV = 6 B S H^2 / t\n",
        "  in full: W*t = 6*B*H^2*S, with k = h, H = d*h\n",
        f"[6*1*768*768*64 = {6 * 768 * 768 * 64}], which is false\n",
        "  where t = 2, B = 1, H = 768, S = 64, k = 12, h = 12, d = 64\n",
        "claim exact_work: refuted\n",
        "FALSE  2*heads/t*head_width*batch*sequence*hidden = 2*6*64*1*64*768\n",
        "    t*heads/t = heads\n",
        "    (set-logic QF_NIA)\n",
    ):
        assert line in text, line
    assert "  query_projection.forward.operations  " in text
    assert f" {work + 1} " in text
    assert f" {work} " in text
    assert text.index("claim exact_work") < text.index("claim operation_identity"), "what fails comes first"
    assert " z3 " in text
    assert "; exact: refuted\n" in text


def test_the_same_stands_in_json_and_in_markdown(run: Callable[..., Any], tampered: bytes) -> None:
    relation = _relation(tampered, "training.qkv_projection", "query_projection.forward")
    document = json.loads(run(tampered, "--explain", relation, "--format", "json").out)
    jsonschema.Draft202012Validator(schema()).validate(document)
    (explanation,) = document["explanations"]
    claims = {each["kind"]: each for each in explanation["claims"]}
    (false,) = [fact for fact in claims["exact_work"]["facts"] if not fact["holds"]]
    assert false == {
        "field": "query_projection.forward.operations",
        "found": str(2 * 6 * 64 * 64 * 768 + 1),
        "expected": str(2 * 6 * 64 * 64 * 768),
        "expression": "2*heads/t*head_width*batch*sequence*hidden",
        "numbers": "2*6*64*1*64*768",
        "holds": False,
    }
    shown = run(tampered, "--explain", relation, "--format", "markdown").out.decode("ascii")
    tokens = MarkdownIt("commonmark").enable("table").parse(shown)
    inline = {child.type for token in tokens for child in token.children or ()}
    assert inline <= {"text", "softbreak", "code_inline", "strong_open", "strong_close"}
    assert {each.type for each in tokens} & {"html_block", "fence", "hr"} == set()
    assert "$$W t = 6 B H^{2} S$$" in shown
    assert sum(each.type == "code_block" for each in tokens) == len(claims) + 1


def test_a_word_is_explained_as_a_word(run: Callable[..., Any], tampered: bytes) -> None:
    relation = _relation(tampered, "planning.buffer", "x.forward")
    text = run(tampered, "--explain", relation).out.decode("ascii")
    (row,) = [line for line in text.splitlines() if line.startswith("  x.forward.storage ")]
    assert row.split() == ["x.forward.storage", "step", "saved", "FALSE"]
    assert "    x.forward.storage = 1 (saved)\n" in text
    (row,) = [line for line in text.splitlines() if line.startswith("  x.forward.source_value[0] ")]
    assert row.split()[1:] == ["x.forward", "x.forward"], "an id is shown as the name of its entity"


def test_an_id_of_both_branches_is_explained_in_both(process: Run, run: Callable[..., Any]) -> None:
    data = process(*INFERENCE.split()).out
    report = verify(data, jobs=2)
    shared = report.transitions[1].relations[3].id
    document = json.loads(run(data, "--explain", shared, "--format", "json").out)
    assert [each["branch"] for each in document["explanations"]] == ["prefill", "final-decode"]


# The same question elsewhere -----------------------------------------------------------------------------------------


def _z3(text: str) -> str:
    solver = z3.Solver()
    solver.from_string(text)
    return str(solver.check())


def _cvc5(text: str) -> str:
    solver = cvc5.Solver()
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "question")
    answers = []
    while not (command := parser.nextCommand()).isNull():
        answers.append(command.invoke(solver, parser.getSymbolManager()).strip())
    return "".join(answers)


def test_any_solver_gives_the_answer_of_the_report(run: Callable[..., Any], tampered: bytes, tmp_path: Path) -> None:
    """Everything that is refuted, and some of what is proved, written to a file and read by two other readers."""
    report = verify(tampered, jobs=2)
    refuted = [row for row in report.obligations if row.verdict is Status.REFUTED]
    proved = [row for row in report.obligations if row.verdict is Status.PROVED][::40]
    assert len(refuted) > 3
    for row in (*refuted, *proved):
        path = tmp_path / "question.smt2"
        done = run(tampered, "--smt2", row.digest[:20], "-o", str(path))
        assert (done.code, done.out) == (1, b"")
        text = path.read_text(encoding="ascii")
        answer = "sat" if row.verdict is Status.REFUTED else "unsat"
        assert (_z3(text), _cvc5(text)) == (answer, answer)
        head, _, question = text.partition("\n\n")
        assert hashlib.sha256(question.encode("ascii")).hexdigest() == row.digest
        assert all(line.startswith("; ") for line in head.splitlines())
        assert row.digest in head


def test_a_hostile_name_cannot_leave_its_comment() -> None:
    from blueprint.report.explained import question_file  # noqa: PLC0415
    from blueprint.report.explanation import QuestionRow  # noqa: PLC0415

    row: ObligationRow = samples.VERIFIED.obligations[0]
    question = QuestionRow(
        hypotheses=(), goal=(), symbols={"v0": samples.HOSTILE + "\n(assert false)"}, text="(check-sat)\n", answer=row
    )
    lines = question_file(row, question).decode("ascii").splitlines()
    assert [line for line in lines if not line.startswith("; ")] == ["", "(check-sat)"]
    assert all(" " <= character <= "~" for line in lines for character in line)
