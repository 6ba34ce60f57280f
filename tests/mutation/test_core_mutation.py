"""The mutation of the trusted core's source kills a fault, reports a survivor, and fails under its target."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from tests.mutation import core, responsible, source
from tests.mutation.core import Row
from tests.mutation.core_equivalent import EQUIVALENT
from tests.mutation.core_explained import EXPLAINED
from tests.mutation.responsible import RESPONSIBLE
from tests.mutation.source import Mutant
from tests.tools.trusted_lines import CORE, STRUCTURAL

ROOT = Path(__file__).resolve().parents[2]

TOY = """\
def holds(left: int, right: int) -> bool:
    return left < right
"""
WEAK = """\
from blueprint.toy import holds


def test_toy() -> None:
    assert holds(1, 2)
    assert not holds(2, 1)
"""
STRONG = WEAK + "    assert not holds(1, 1)\n"
HANGING = """\
from blueprint.toy import holds


def test_toy() -> None:
    while not holds(1, 2):
        pass
"""
RUN = """\
import sys
from pathlib import Path

from tests.mutation import core
from tests.mutation.responsible import Tests

core.START_SECONDS = 3
sys.exit(core.main(sys.argv[2:], Path(sys.argv[1]), {"toy": Tests(("tests/test_toy.py",))}, ("blueprint", "tests")))
"""


def checkout(folder: Path, toy: str, test: str) -> Path:
    """A checkout with one module and one test."""
    files = {"blueprint/__init__.py": "", "blueprint/toy.py": toy, "blueprint/cli.py": "", "tests/test_toy.py": test}
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    return folder


def run(folder: Path, *words: str) -> tuple[int, str, list[Row]]:
    """The exit status of a run, what it prints, and the rows that it leaves."""
    ran = subprocess.run(
        [sys.executable, "-c", RUN, str(folder), *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert ran.returncode in {0, 1}, ran.stderr
    return ran.returncode, ran.stdout, msgspec.json.decode((folder / core.TABLE).read_bytes(), type=list[Row])


def test_a_survivor_is_reported_and_the_run_fails_under_its_target(tmp_path: Path) -> None:
    status, printed, rows = run(checkout(tmp_path, TOY, WEAK))
    assert {row.after: row.fate for row in rows} == {"return left <= right": "survived"}
    assert status == 1
    assert "blueprint/toy.py:2 (swap op)\n    return left < right\n -> return left <= right" in printed
    assert "0.0 % of the mutants are noticed; at least 95 % should be" in printed
    assert (tmp_path / "blueprint" / "toy.py").read_text() == TOY


def test_a_killed_mutant_is_named_with_its_test_and_a_later_run_goes_on(tmp_path: Path) -> None:
    run(checkout(tmp_path, TOY, WEAK))
    status, _, rows = run(checkout(tmp_path, TOY, STRONG))
    assert [(row.fate, row.by) for row in rows] == [("killed", "tests/test_toy.py::test_toy")]
    assert status == 0
    # Of what is known nothing is asked again: the test would fail now.
    assert run(checkout(tmp_path, TOY, "assert False\n"))[2] == rows


def test_what_killed_the_nearest_mutants_is_asked_first(tmp_path: Path) -> None:
    run(checkout(tmp_path, TOY, STRONG))
    bench = core.Bench(tmp_path / "bench", tmp_path, ("blueprint", "tests"))
    asked = core.Run(bench, tmp_path / "none.json", {})
    places = {"a": "blueprint/exact.py:9", "b": "blueprint/exact.py:5", "c": "blueprint/codec.py:6"}
    asked.known = {name: row("killed", place=place, by=f"tests/a.py::{name}") for name, place in places.items()}
    asked.known |= {"d": row("killed", place="blueprint/exact.py:6", by="tests/b.py::d"), "e": row("survived")}
    bench.pace = {f"tests/a.py::{name}": 1.0 for name in "abc"} | {"tests/b.py::d": 1.0}
    mutant = Mutant("blueprint/exact.py", 6, "number", "a = 1", "a = 2", "a = 2\n")
    assert asked.likely(mutant, ("tests/a.py",)) == ("tests/a.py::b", "tests/a.py::a")
    bench.pace.pop("tests/a.py::b")
    assert asked.likely(mutant, ("tests/a.py",)) == ("tests/a.py::a",)


def test_a_test_that_is_gone_is_not_asked_for(tmp_path: Path) -> None:
    toy = TOY + "\n\ndef other(left: int) -> bool:\n    return left < 3\n"
    other = "\n\ndef test_other() -> None:\n    from blueprint.toy import other\n\n    assert not other(3)\n"
    rows = run(checkout(tmp_path, toy, WEAK + other))[2]
    assert {row.by for row in rows} == {"", "tests/test_toy.py::test_other"}
    rows = run(checkout(tmp_path, toy, STRONG + other.replace("test_other", "test_another")))[2]
    assert {row.after: row.fate for row in rows}["return left <= right"] == "killed"


def test_a_mutant_that_hangs_is_given_up_and_one_that_does_not_load_does_not_count(tmp_path: Path) -> None:
    toy = TOY + "\n\nassert holds(1, 2)\nassert holds(0, 1) is True\n"
    rows = run(checkout(tmp_path, toy.replace("return left < right", "return left + 0 < right"), HANGING))[2]
    fates = {row.after: row.fate for row in rows}
    assert fates["return left - 0 < right"] == "survived"
    assert fates["assert holds(None, 2)"] == "stillborn"
    rows = run(checkout(tmp_path, TOY.replace("<", ">"), HANGING.replace("(1, 2)", "(2, 1)")))[2]
    assert [row.fate for row in rows] == ["survived"]
    rows = run(checkout(tmp_path, TOY.replace("left < right", "bool(right)"), HANGING))[2]
    assert {row.after: row.fate for row in rows} == {"return bool(None)": "timed out"}


def test_tests_that_fail_without_a_mutant_stop_the_run(tmp_path: Path) -> None:
    checkout(tmp_path, TOY, WEAK.replace("1, 2", "2, 1"))
    ran = subprocess.run(
        [sys.executable, "-c", RUN, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=False, timeout=600
    )
    assert ran.returncode == 1
    assert "the unmutated sources: failed by tests/test_toy.py::test_toy" in ran.stderr


def test_only_changed_lines_are_mutated(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        command = ("git", "-c", "user.name=a", "-c", "user.email=a@b.c", *words)
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)

    checkout(tmp_path, TOY + "\n\ndef other(left: int) -> int:\n    return left + 1\n", STRONG)
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "first")
    toy = tmp_path / "blueprint" / "toy.py"
    toy.write_text(toy.read_text().replace("left < right", "not left >= right"))
    assert core.changed_lines(tmp_path, "HEAD") == {"blueprint/toy.py": {2}}
    status, _, rows = run(tmp_path, "--changed", "HEAD")
    assert {row.after for row in rows} == {"return left >= right", "return not left > right"}
    assert (status, {row.fate for row in rows}) == (0, {"killed"})


def row(fate: str, **changes: str) -> Row:
    found = Row("id", "exact", "blueprint/exact.py:1", "number", "a = 1", "a = 2", fate, "", 0.0, "")
    return msgspec.structs.replace(found, **changes)


def test_the_score_leaves_out_what_cannot_be_noticed() -> None:
    rows = [*[row("killed")] * 18, row("timed out"), row("survived"), row("stillborn"), row("equivalent")]
    assert core.score(rows) == 19 / 20
    assert core.problems(rows, {"exact": 40}) == []
    assert core.problems([*rows, row("survived")], {"exact": 40}) != []
    assert core.score([]) == 1.0
    (empty,) = [line for line in core.table(rows, {"exact": 40, "codec": 9}) if line.startswith("codec")]
    assert empty.split() == ["codec", "9", "0", "0", "0", "0", "0", "0", "0", "-"]
    line = next(line for line in core.table(rows, {"exact": 40}) if line.startswith("exact"))
    assert line.split() == ["exact", "40", "22", "18", "1", "1", "1", "1", "0", "95.0%"]


def test_survivors_of_the_quick_tests_count_by_the_share_of_those_that_were_put_to_all() -> None:
    asked = [msgspec.structs.replace(row(fate), whole=True) for fate in ("killed", "timed out", "killed", "survived")]
    rows = [*[row("killed")] * 12, *[row("survived")] * 4, *asked, row("stillborn"), row("equivalent")]
    assert core.score(rows) == (12 + 3 + 4 * 3 / 4) / 20
    # Where none was put to all, none is taken to be noticed.
    assert core.score([*[row("killed")] * 12, *[row("survived")] * 4]) == 12 / 16
    wrong = msgspec.structs.replace(row("wrongly listed"), whole=True)
    assert core.score([row("killed"), wrong]) == core.score([row("killed"), row("wrongly listed")]) == 1 / 2
    (line,) = [line for line in core.table(rows, {"exact": 40}) if line.startswith("exact")]
    assert line.split() == ["exact", "40", "22", "14", "1", "1", "1", "5", "1", "90.0%"]


def test_a_sum_weighs_modules_by_their_mutants_and_not_by_how_many_were_asked() -> None:
    found = [row("killed"), *[row("survived", module="codec"), row("killed", module="codec")] * 5]
    sizes = {"exact": 30, "codec": 10, "bundle": 1_000}
    assert core.estimate(found, sizes) == (30 * 1 + 10 * 0.5) / 40
    total = next(line for line in core.table(found, sizes) if line.startswith("core with structures"))
    assert total.split()[3:] == ["1040", "11", "6", "0", "0", "0", "5", "0", "87.5%"]
    assert core.problems(found, sizes) != []
    assert core.estimate([], sizes) == 0


def test_a_survivor_of_all_tests_stays_one_where_only_the_quick_ones_are_asked_again() -> None:
    mutant = Mutant("blueprint/exact.py", 1, "number", "a = 1", "a = 2", "a = 2\n")
    answers = iter(("passed", "passed", "passed", "failed"))
    bench: Any = SimpleNamespace(control=lambda _: 1.0, pace={}, base=None)
    bench.attempt = lambda *_: core.Outcome(next(answers), "", 0.0, {})
    run = core.Run.__new__(core.Run)
    run.bench, run.known, run.responsible = bench, {}, {"exact": responsible.Tests(("q",), ("m",))}
    run.digests = {"exact": ("1", "2")}
    fates = [(run.row("exact", mutant, thorough=late).fate, run.known[mutant.id].whole) for late in (False, True)]
    assert fates == [("survived", False), ("survived", True)]
    # Other tests: the quick ones are asked again.
    for digests, fate, whole in ((("3", "4"), "survived", True), (("5", "6"), "killed", False)):
        run.digests = {"exact": digests}
        assert run.row("exact", mutant, thorough=False).fate == fate
        assert run.known[mutant.id].whole is whole


def test_a_listed_equivalence_must_not_be_killed_and_must_be_a_mutant(monkeypatch: pytest.MonkeyPatch) -> None:
    mutant = Mutant("blueprint/exact.py", 1, "number", "a = 1", "a = 2", "a = 2\n")
    monkeypatch.setitem(EQUIVALENT, mutant.key, "a is read by nobody")
    fates = {
        fate: core.judged("exact", mutant, core.Outcome(fate, "a test", 0.0, {}), "").fate
        for fate in ("passed", "failed", "late", "stillborn")
    }
    assert fates == {
        **dict.fromkeys(("failed", "late"), "wrongly listed"),
        "passed": "equivalent",
        "stillborn": "stillborn",
    }
    assert core.problems([*[row("killed")] * 99, row("wrongly listed", by="a test")], {"exact": 100}) == [
        "listed as equivalent, but killed by a test: blueprint/exact.py:1"
    ]
    assert core.problems([], {}, [mutant.key]) == [
        "listed as equivalent or explained, but no mutant: blueprint/exact.py a = 1 a = 2"
    ]


def test_a_survivor_of_all_tests_must_be_explained_and_what_is_explained_must_survive(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    survivor = msgspec.structs.replace(row("survived"), whole=True)
    killed = [row("killed", before="b", by="a test")] * 99
    assert core.problems([*killed, row("survived")], {"exact": 100}) == []
    assert core.problems([*killed, survivor], {"exact": 100}) == [
        "survived all tests, and is not explained: blueprint/exact.py:1 a = 2"
    ]
    monkeypatch.setitem(EXPLAINED, survivor.key, "a is only said")
    assert core.problems([*killed, survivor], {"exact": 100}) == []
    assert "    a is only said" in core.table([survivor], {"exact": 1})
    # The same line may stand twice.
    assert core.problems([*killed, survivor, row("killed", by="a test")], {"exact": 100}) == []
    assert core.problems([*killed, row("killed", by="a test")], {"exact": 100}) == [
        "explained, but killed by a test: blueprint/exact.py:1"
    ]


def test_every_module_of_the_trusted_core_has_responsible_tests() -> None:
    assert tuple(RESPONSIBLE) == (*CORE, *STRUCTURAL)
    for tests in RESPONSIBLE.values():
        for each in (*tests.quick, *tests.more):
            path, _, name = each.partition("::")
            assert (ROOT / path).exists(), each
            assert not name or f"def {name}(" in (ROOT / path).read_text(), each


def test_what_is_listed_is_a_mutant_and_listed_once() -> None:
    assert not EQUIVALENT.keys() & EXPLAINED.keys()
    for path in {path for path, _, _ in (*EQUIVALENT, *EXPLAINED)}:
        keys = {each.key for each in source.mutants(path, (ROOT / path).read_text())}
        assert {key for key in (*EQUIVALENT, *EXPLAINED) if key[0] == path} <= keys


@pytest.mark.parametrize(
    ("line", "operator", "after"),
    [
        ("if a.b:\n    pass", "condition negated", ["if not (a.b):"]),
        ("a = [b for b in c if d]", "condition negated", ["a = [b for b in c if not (d)]"]),
        ("a = [b for b in c if d]", "condition dropped", ["a = [b for b in c]"]),
        ("a = b and c", "operand dropped", ["a = b", "a = c"]),
        ("a = (b, c)", "element dropped", ["a = (b,)", "a = (c,)"]),
        ("a = (b,)", "element dropped", ["a = (())"]),
        ("a = {b}", "element dropped", []),
        ("a = any(b)", "quantifier", ["a = all(b)"]),
        ("f(1)", "statement dropped", ["pass"]),
        ("raise f(1 + 2)", "statement dropped", ["pass"]),
        ("raise f(1 + 2)", "number", []),
        ("a = 1 + 2", "swap op", ["a = 1 - 2"]),
        ("a = '1'", "string", []),
        ("a = f(b, 'words')", "arg removal", ["a = f('words')", "a = f(None, 'words')"]),
        ("a = f(b, message=c + 1)", "number", []),
        ("a: Annotated[int, Meta(ge=1)]", "number", ["a: Annotated[int, Meta(ge=2)]"]),
        ("a: Literal[1]", "number", []),
        ("@f(1)\ndef a() -> None: ...", "number", []),
        ("class a(b, frozen=True): ...", "name", []),
        ("class a(b, forbid_unknown_fields=True): ...", "name", ["class a(b, forbid_unknown_fields=False): ..."]),
    ],
)
def test_operators(line: str, operator: str, after: list[str]) -> None:
    made = source.mutants("blueprint/rule.py", f"{line}\n")
    assert sorted(each.after for each in made if each.operator == operator) == sorted(after)


def test_guards_and_cases_of_a_match_are_mutated() -> None:
    text = "match a:\n    case 1 if b:\n        c()\n    case _:\n        d()\n"
    made = source.mutants("blueprint/rule.py", text)
    assert {each.after for each in made if each.operator == "guard"} == {"case 1 :", "case 1 if not (b):"}
    assert len([each for each in made if each.operator == "match"]) == 2


def test_texts_that_machines_read_are_mutated() -> None:
    text = 'a = f("(assert)")\n'
    assert [each.after for each in source.mutants("blueprint/smtlib.py", text) if each.operator == "string"] == [
        'a = f("(ASSERT)")',
        'a = f("XX(assert)XX")',
    ]


def test_a_mutant_of_several_lines_keeps_its_place(tmp_path: Path) -> None:
    text = "def f() -> int:\n    return g(\n        1,\n        # a remark\n        2,\n    )\n"
    for each in source.mutants("blueprint/rule.py", text):
        compile(each.text, str(tmp_path), "exec")
        assert each.text.startswith("def f() -> int:\n    return ")


def test_the_same_mutants_come_in_the_same_order() -> None:
    made = {"exact": source.mutants("blueprint/exact.py", (ROOT / "blueprint" / "exact.py").read_text())}
    first, second = (core.shuffled(made)["exact"] for _ in range(2))
    assert first == second != made["exact"]
    assert {each.id for each in first} == {each.id for each in made["exact"]}
    assert len({each.id for each in first}) == len(first)
    assert json.dumps([each.id for each in first])
