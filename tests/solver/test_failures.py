"""A decider that fails, lies or falls silent: its own verdict, exit status 3 or 4, and never success.

Through the commands that a user runs. Workers are exchanged for others that speak their protocol, deciders for others
of their kind.
"""

from __future__ import annotations

import functools
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from blueprint import cli, discharge, exact, normalform
from blueprint.derivation import derive
from blueprint.exit import ExitCode
from blueprint.frontend.request import training_request
from blueprint.ir.common import Stage
from blueprint.verdict import Answer, Verdict
from tests.bundles.conftest import TINY
from tests.hostile.running import blueprint
from tests.reseal import Draft

RULE = "training.qkv_projection"
"""Few theorems, all of them equations."""

SPEAKING = """
import sys
from blueprint.verdict import Answer, Verdict
from blueprint.worker import LENGTH_BYTES, Batch, frame
import msgspec
decoder = msgspec.json.Decoder(Batch)
out = sys.stdout.buffer
while len(head := sys.stdin.buffer.read(LENGTH_BYTES)) == LENGTH_BYTES:
    batch = decoder.decode(sys.stdin.buffer.read(int.from_bytes(head, "big")))
    for question in batch.questions:
        ANSWER
        out.flush()
"""


def speaking(answer: str) -> str:
    """A worker that answers every question in this way."""
    return SPEAKING.replace("ANSWER", answer)


def always(verdict: Verdict) -> str:
    """A worker that gives every question one answer; with values, where it refutes."""
    model = "{f'v{place}': 1 for place in range(question.variables)}" if verdict is Verdict.REFUTED else "{}"
    return speaking(f"out.write(frame(Answer({verdict}, 'z3 0', 'so it says', model={model})))")


NO_MEMORY = "from blueprint import worker; worker.MEMORY_BYTES = 2**24; worker.main()"

OUT_OF_MEMORY = """
import blueprint.solver, z3
from blueprint import worker
def fails(*_): raise z3.Z3Exception("out of memory")
blueprint.solver._asked = fails
worker.main()
"""

UNABLE = {
    "crashes": ("import os; os.abort()", "killed"),
    "has no memory to begin with": (NO_MEMORY, "killed"),
    "talks nonsense": ("import sys; sys.stdout.buffer.write(b'\\0\\0\\0\\2{}'); sys.stdout.flush()", "killed"),
    "runs out of memory while it solves": (OUT_OF_MEMORY, "solver error"),
    "gives up": (always(Verdict.UNKNOWN), "so it says"),
    "calls everything vacuous": (always(Verdict.VACUOUS), "so it says"),
}
"""Workers that decide nothing, and the reason that a report gives for it."""


@functools.cache
def few() -> bytes:
    """A good bundle that asks little: a worker that dies takes its time for every question."""
    return derive(training_request(TINY, sequence=4), jobs=1)


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bundles") / "good.json"
    path.write_bytes(few())
    return path


@pytest.fixture(scope="module")
def false(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One count is one too much; that replay would notice it, too, is not asked here."""
    path = tmp_path_factory.mktemp("bundles") / "false.json"
    draft = Draft(few())
    draft.entity(Stage.PORTABLE, "tasks", "scores.forward")["work"]["operations"] += 1
    path.write_bytes(draft.sealed())
    return path


@pytest.fixture
def report(tmp_path: Path) -> Path:
    return tmp_path / "report.json"


def verified(path: Path, report: Path, *options: str) -> tuple[ExitCode, dict[str, Any]]:
    """The status of `verify`, and the report where one was made."""
    code = cli.run(("-q", "verify", str(path), "--jobs", "1", "--format", "json", "-o", str(report), *options))
    return code, json.loads(report.read_bytes()) if report.exists() else {}


def worker(monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    monkeypatch.setattr(discharge, "COMMAND", (sys.executable, "-P", "-c", script))


def test_the_bundles_are_good_and_false(bundle: Path, false: Path, report: Path) -> None:
    assert verified(bundle, report)[0] is ExitCode.VERIFIED
    assert verified(false, report)[0] is ExitCode.REFUTED


@pytest.mark.parametrize("name", UNABLE)
def test_a_worker_that_cannot_answer_establishes_nothing(
    name: str, bundle: Path, report: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script, reason = UNABLE[name]
    worker(monkeypatch, script)
    code, found = verified(bundle, report)
    assert (code, found["verdict"]) == (ExitCode.NOT_ESTABLISHED, "not_established")
    assert {each["verdict"] for each in found["obligations"]} == {"unknown"}
    assert {each["reason"] for each in found["obligations"]} == {reason}
    assert found["summary"]["by_status"]["proved"] == "0"


@pytest.mark.parametrize("name", ["crashes", "gives up"])
def test_a_false_bundle_is_refuted_without_a_solver(
    name: str, false: Path, report: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exact arithmetic needs none to find the false fact. What is true stays undecided."""
    worker(monkeypatch, UNABLE[name][0])
    code, found = verified(false, report)
    assert code is ExitCode.REFUTED
    assert {each["verdict"] for each in found["obligations"]} == {"unknown", "refuted"}


def test_a_worker_that_never_answers_is_killed(bundle: Path, report: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    worker(monkeypatch, "import sys, time; sys.stdin.buffer.read(1); time.sleep(10**6)")
    monkeypatch.setattr(discharge.SolverPool.__init__, "__defaults__", (0.05,))
    code, found = verified(bundle, report)
    assert code is ExitCode.NOT_ESTABLISHED
    assert {each["reason"] for each in found["obligations"]} == {"killed"}


def test_a_budget_that_is_used_up_is_no_success(bundle: Path, report: Path) -> None:
    code, found = verified(bundle, report, "--budget", "1")
    assert code is ExitCode.NOT_ESTABLISHED
    undecided = [each for each in found["obligations"] if each["verdict"] == "unknown"]
    assert undecided
    assert {each["reason"] for each in undecided} == {"undecided within budget"}
    assert {each["budget"] for each in found["obligations"]} == {"1"}


# Lies -----------------------------------------------------------------------------------------------------------------


def test_a_solver_that_refutes_what_is_true_is_contradicted(
    bundle: Path, report: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker(monkeypatch, always(Verdict.REFUTED))
    assert verified(bundle, report)[0] is ExitCode.INTERNAL


def test_a_solver_that_proves_what_is_false_is_contradicted(
    false: Path, report: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker(monkeypatch, always(Verdict.PROVED))
    assert verified(false, report)[0] is ExitCode.INTERNAL


def test_a_solver_that_only_agrees_proves_nothing_false(
    bundle: Path, false: Path, report: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a lying solver could do alone: nothing, while exact arithmetic has the second word."""
    worker(monkeypatch, always(Verdict.PROVED))
    assert verified(bundle, report)[0] is ExitCode.VERIFIED
    monkeypatch.setattr(exact, "decide", lambda _: Answer(Verdict.UNKNOWN, "exact", "asleep"))
    for path in (bundle, false):
        assert verified(path, report)[0] is ExitCode.NOT_ESTABLISHED if path == bundle else ExitCode.REFUTED


@pytest.mark.parametrize("path", ["bundle", "false"])
def test_exact_arithmetic_that_lies_is_contradicted(
    path: str, report: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    lie = Answer(Verdict.PROVED, "exact") if path == "false" else Answer(Verdict.REFUTED, "exact", model={"0": 1})
    monkeypatch.setattr(exact, "decide", lambda _: lie)
    assert verified(request.getfixturevalue(path), report)[0] is ExitCode.INTERNAL


# Theorems -------------------------------------------------------------------------------------------------------------


def proved(tmp_path: Path, *options: str) -> ExitCode:
    """The status of `prove` for one rule, with nothing recorded before."""
    return cli.run(("-q", "prove", RULE, "--jobs", "1", "--proofs", str(tmp_path / "proofs"), *options))


def test_the_rule_is_proved(tmp_path: Path) -> None:
    assert proved(tmp_path) is ExitCode.VERIFIED


def test_a_theorem_whose_second_decider_refutes_it_is_a_disagreement(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(normalform, "decide", lambda _: Answer(Verdict.REFUTED, "normal form", model={"t": 1}))
    assert proved(tmp_path) is ExitCode.INTERNAL


def test_a_false_variant_that_the_second_decider_proves_is_a_disagreement(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(normalform, "decide", lambda _: Answer(Verdict.PROVED, "normal form"))
    assert proved(tmp_path) is ExitCode.INTERNAL


@pytest.mark.parametrize("verdict", [Verdict.PROVED, Verdict.REFUTED])
def test_a_solver_that_says_one_thing_of_all_theorems_is_contradicted(
    verdict: Verdict, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker(monkeypatch, always(verdict))
    assert proved(tmp_path) is ExitCode.INTERNAL


@pytest.mark.parametrize("name", ["crashes", "gives up", "calls everything vacuous"])
def test_theorems_without_a_solver_are_not_established(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker(monkeypatch, UNABLE[name][0])
    assert proved(tmp_path) is ExitCode.NOT_ESTABLISHED


def test_a_theorem_beyond_its_budget_is_not_established(tmp_path: Path) -> None:
    assert proved(tmp_path, "--budget", "1") is ExitCode.NOT_ESTABLISHED


HARD = '''"""No cube is the sum of two."""

from blueprint.law import Bound, BoundLaw
from blueprint.rule import DISTRIBUTED_TO_PORTABLE, BoundaryRule
from blueprint.symbols import B, H, S
from blueprint.term import Relation

DIFFERENCE = B**3 + H**3 - S**3

LAW = BoundLaw(
    id="cubes",
    statement="B^3 + H^3 is not S^3",
    source="Euler",
    bounds=(Bound("squared", 1 + 0 * B, Relation.AT_MOST, DIFFERENCE * DIFFERENCE),),
    wrong=(Bound("squared twice", 2 + 0 * B, Relation.AT_MOST, DIFFERENCE * DIFFERENCE),),
)

RULE = BoundaryRule(id="hard.cubes", boundaries=(DISTRIBUTED_TO_PORTABLE,), claims=(), laws=(LAW,))
'''


@pytest.fixture
def hard(tmp_path: Path) -> Path:
    """A rulebook with a law that is true and that no solver decides."""
    folder = tmp_path / "hard_rules"
    (folder / "hard").mkdir(parents=True)
    head = '"""Hard."""\n\nEXTENDS = "blueprint"\nREVISION = "1"\nFAMILIES = ("hard",)\n'
    (folder / "__init__.py").write_text(head, encoding="ascii")
    (folder / "hard" / "__init__.py").write_text('"""Hard."""\n\nRULES = ("cubes",)\n', encoding="ascii")
    (folder / "hard" / "cubes.py").write_text(HARD, encoding="ascii")
    return folder


@pytest.mark.parametrize("budget", ["100000", "5000000"])
def test_a_law_that_no_solver_decides_is_unknown_within_its_budget(hard: Path, budget: str) -> None:
    run = blueprint("prove", "hard.cubes", "--rules", hard, "--budget", budget, "--jobs", "1", seconds=300)
    assert run.code == ExitCode.NOT_ESTABLISHED
    assert "cubes" in run.out + run.said


def test_such_a_law_does_not_keep_a_bundle_from_its_verdict(hard: Path, tmp_path: Path, bundle: Path) -> None:
    """Its rulebook is another one, so the bundle is not established; the law itself has no instance."""
    run = blueprint("-q", "verify", bundle, "--rules", hard, "--jobs", "1", seconds=300)
    assert run.code in {ExitCode.NOT_ESTABLISHED, ExitCode.REFUTED}
    assert str(tmp_path) not in run.last
