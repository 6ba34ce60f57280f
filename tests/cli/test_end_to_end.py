"""The commands together: derive, verify, prove and list, in processes of their own."""

from __future__ import annotations

import copy
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from blueprint.report.json import schema
from tests.cli.conftest import ROOT, Done, Run

DEMO = (
    "derive training --model gpt3-175b --tensor 8 --pipeline 8 --data 8 --microbatch 1 --sequence 2048 "
    "--dtype bfloat16 --recompute selective --communication sequence-parallel"
).split()
SMALL = "derive training --model gpt2 --tensor 1 --microbatch 1 --sequence 64".split()

HOSTILE = sorted((ROOT / "tests" / "hostile").glob("*.json"))

Mutate = Callable[[dict[str, Any]], None]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("bundles")


@pytest.fixture(scope="module")
def bundle(folder: Path, process: Run) -> Path:
    path = folder / "demo.json"
    done = process(*DEMO, "-o", str(path))
    assert (done.code, done.out) == (0, b"")
    assert done.err.startswith(f"blueprint: derived {path.stat().st_size} bytes, sha256 ")
    return path


def _canonical(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


@pytest.fixture(scope="module")
def changed(bundle: Path, folder: Path) -> Callable[[str, Mutate], Path]:
    """A copy of the bundle with something changed, in canonical form."""
    original = json.loads(bundle.read_bytes())
    assert _canonical(original) == bundle.read_bytes()

    def change(name: str, mutate: Mutate) -> Path:
        value = copy.deepcopy(original)
        mutate(value)
        path = folder / f"{name}.json"
        path.write_bytes(_canonical(value))
        return path

    return change


def _more_work(value: dict[str, Any]) -> None:
    tasks = value["stages"][1]["snapshot"]["tasks"]
    task = next(each for each in tasks if each["work"]["operations"] == 2 * 2048 * 12288 * 4 * 12288 // 8)
    task["work"]["operations"] += 1


def _no_portable(value: dict[str, Any]) -> None:
    del value["stages"][2], value["transitions"][1]


@pytest.fixture(scope="module")
def tampered(changed: Callable[[str, Mutate], Path]) -> Path:
    return changed("tampered", _more_work)


@pytest.fixture(scope="module")
def cut(changed: Callable[[str, Mutate], Path]) -> Path:
    return changed("cut", _no_portable)


@pytest.fixture(scope="module")
def truncated(bundle: Path, folder: Path) -> Path:
    path = folder / "truncated.json"
    path.write_bytes(bundle.read_bytes()[:-1])
    return path


def _last_line(done: Done) -> str:
    return done.out.decode("ascii").splitlines()[-1]


def _document(done: Done) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(done.out)
    jsonschema.Draft202012Validator(schema()).validate(value)
    return value


# Derive -------------------------------------------------------------------------------------------------------------


def test_the_same_request_gives_the_same_bytes(bundle: Path, process: Run) -> None:
    done = process("-q", *DEMO)
    assert (done.code, done.err) == (0, "")
    assert done.out == bundle.read_bytes()


def test_a_bundle_goes_through_a_pipe(process: Run) -> None:
    derived = process(*SMALL)
    assert derived.code == 0
    done = process("verify", "-", stdin=derived.out)
    assert done.code == 0
    assert done.out.startswith(b"statement (-): this derivation follows from\n  model: name=gpt2 ")


def test_a_failing_derivation_leaves_what_was_there(process: Run, tmp_path: Path) -> None:
    path = tmp_path / "bundle.json"
    arguments = [*SMALL, "--pipeline", "7", "-o", str(path)]
    done = process(*arguments)
    assert (done.code, done.out, path.exists()) == (2, b"", False)
    assert done.err == (
        "blueprint: error: strategy: layers L = 12 is not divisible by pipeline degree p = 7;"
        " it may be 1, 2, 3, 4, 6, 12\n"
    )
    path.write_bytes(b"old")
    assert process(*arguments).code == 2
    assert path.read_bytes() == b"old"
    assert [each.name for each in tmp_path.iterdir()] == ["bundle.json"]


def test_a_model_file_is_accepted(process: Run, tmp_path: Path) -> None:
    facts = {"hidden": 64, "feedforward": 256, "heads": 4, "head_width": 16, "layers": 2, "vocabulary": 100}
    path = tmp_path / "model.json"
    path.write_text(json.dumps(facts | {"positions": 64, "name": "tiny tensor=64"}), encoding="ascii")
    arguments = ["--model", str(path), "--tensor", "2", "--microbatch", "1", "--sequence", "64"]
    derived = process("derive", "training", *arguments)
    assert derived.code == 0
    done = process("verify", "-", stdin=derived.out)
    assert done.code == 0
    assert b'\n  model: name="tiny tensor=64 (named by the bundle)" activation=gelu ' in done.out


# Verify -------------------------------------------------------------------------------------------------------------


def test_a_good_bundle_is_verified(bundle: Path, process: Run) -> None:
    done = process("verify", str(bundle))
    assert (done.code, done.err) == (0, "")
    text = done.out.decode("ascii")
    assert text.startswith(f"statement ({bundle}): this derivation follows from\n  model: name=gpt3-175b ")
    assert "\nverdict: verified\n" in text
    assert "NOT SHIPPED" not in text
    assert "relation_verified=NO" not in text
    assert _last_line(done).startswith("verified ")
    assert _last_line(done).endswith(" obligations; 0 refuted, 0 unknown")


def test_json_says_the_same_whatever_the_number_of_workers(bundle: Path, process: Run, tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    done = process("verify", str(bundle), "--jobs", "1", "--format", "json", "--report", f"json={path}")
    assert done.code == 0
    assert done.out == path.read_bytes()
    assert done.out == process("verify", str(bundle), "--jobs", "3", "--format", "json").out
    value = _document(done)
    assert value["verdict"] == "verified"
    assert {key: value["summary"]["by_status"][key] for key in ("refuted", "unknown")} == {
        "refuted": "0",
        "unknown": "0",
    }


def test_a_false_number_is_refuted_with_the_numbers_behind_it(tampered: Path, process: Run) -> None:
    done = process("verify", str(tampered))
    assert done.code == 1
    text = done.out.decode("ascii")
    assert "\nverdict: refuted\n" in text
    assert "found 309237645313, expected 309237645312" in text
    assert "H = 12288" in text
    assert _last_line(done).startswith("examined ")
    assert " 0 refuted" not in _last_line(done)


def test_a_truncated_bundle_is_malformed(truncated: Path, process: Run) -> None:
    done = process("verify", str(truncated))
    assert (done.code, done.err) == (2, "")
    assert b"\nverdict: malformed\n" in done.out
    assert _document(process("verify", str(truncated), "--format", "json"))["verdict"] == "malformed"


def test_a_missing_stage_is_not_success(cut: Path, process: Run) -> None:
    done = process("verify", str(cut))
    assert done.code == 3
    assert b"\nverdict: not established\n" in done.out
    assert b"\nstage portable: unavailable: missing from the bundle\n" in done.out


def test_the_worst_of_several_bundles_counts(
    bundle: Path, tampered: Path, truncated: Path, cut: Path, process: Run
) -> None:
    line = [str(path) for path in (bundle, cut, truncated, tampered)]
    done = process("verify", *line, "--format", "json")
    assert done.code == 1
    verdicts = [each["verdict"] for each in _document(done)["reports"]]
    assert verdicts == ["verified", "not_established", "malformed", "refuted"]
    words = ("verified", "not established: the request asks", "malformed: ", "refuted: claim exact_work of rule ")
    told = done.err.splitlines()
    assert told[0] == f"blueprint: {bundle}: verified"
    assert all(a.startswith(f"blueprint: {b}: {c}") for a, b, c in zip(told[:-1], line, words, strict=True))
    assert told[-1].startswith("blueprint: examined 4 bundles: 1 verified, 1 not established, 1 malformed, 1 refuted; ")
    assert process("verify", str(bundle), str(cut), str(truncated)).code == 2
    assert process("verify", str(cut), str(bundle)).code == 3


@pytest.mark.parametrize(
    ("expected", "code"),
    [
        (["model=gpt3-175b", "tensor=8", "sequence=2048", "recompute=selective", "scope=block"], 0),
        (["tensor=4"], 1),
        (["microbatch=1"], 0),
        (["microbatch=2"], 1),
        (["tensor=08"], 2),
        (["recompute=some"], 2),
        (["model=gpt2"], 1),
        (["model=gpt3-175b", "tenser=8"], 2),
    ],
)
def test_expectations_are_compared(expected: list[str], code: int, bundle: Path, process: Run) -> None:
    done = process("verify", str(bundle), *(f"--expect={each}" for each in expected))
    assert done.code == code
    assert (b"\n  expect: " in done.out) is (code == 1)
    assert done.err.startswith("blueprint: error: --expect: ") is (code == 2)


def test_a_foreign_rulebook_is_named_on_the_verdict_line(bundle: Path, process: Run, tmp_path: Path) -> None:
    rules = tmp_path / "rules"
    shutil.copytree(ROOT / "rules", rules, ignore=shutil.ignore_patterns("__pycache__"))
    done = process("verify", str(bundle), "--rules", str(rules))
    assert done.code == 0
    assert b"\nverdict: verified; rulebook: NOT SHIPPED " in done.out
    done = process("verify", str(bundle), "--rules", str(rules), "--format", "json")
    digest = _document(done)["tool"]["rules_digest"]
    assert done.err.splitlines()[-1] == f"blueprint: rulebook: NOT SHIPPED {digest}"
    missing = tmp_path / "missing"
    done = process("verify", str(bundle), "--rules", str(missing))
    assert (done.code, done.out) == (2, b"")
    assert (
        done.err
        == f"blueprint: error: {missing}: is no folder of rules that can be read, and no rulebook is installed\n"
    )


def test_a_further_solver_may_be_asked(process: Run) -> None:
    derived = process(*SMALL)
    assert process("verify", "-", "--cross-check", "cvc5", stdin=derived.out).code == 0


@pytest.mark.parametrize("path", HOSTILE, ids=lambda path: path.stem)
def test_hostile_bytes_are_one_clear_finding(path: Path, process: Run) -> None:
    done = process("verify", str(path))
    assert (done.code, done.err) == (2, "")
    text = done.out.decode("ascii")
    assert all(" " <= character <= "~" for line in text.split("\n") for character in line)
    assert "\nverdict: malformed\n" in text
    assert "\nfindings: 1\n" in text


def test_a_loop_of_links_is_malformed_too(process: Run, tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    done = process("verify", str(tmp_path / "loop"), "--format", "json")
    assert done.code == 2
    (finding,) = _document(done)["diagnostics"]
    assert finding["message"] == "cannot be read: Too many levels of symbolic links"


@pytest.mark.parametrize(("path", "words"), [("no such file", "No such file"), ("/dev/zero", "device")])
def test_what_is_no_file_is_malformed_too(path: str, words: str, process: Run) -> None:
    done = process("verify", path, "--format", "json")
    assert done.code == 2
    (finding,) = _document(done)["diagnostics"]
    assert finding["path"] == path
    assert words in finding["message"] or "directory" in finding["message"]


# Prove and laws -----------------------------------------------------------------------------------------------------


def test_proofs_are_recorded_and_then_compared(process: Run, tmp_path: Path) -> None:
    line = ["training.mlp", "--proofs", str(tmp_path / "proofs"), "--jobs", "2"]
    missing = process("prove", "--check", *line)
    assert missing.code in (1, 3)
    assert b"\nfindings: " in missing.out
    written = process("prove", *line)
    assert written.code == 0
    assert _last_line(written).endswith(", recorded; 0 refuted, 0 unknown")
    done = process("prove", "--check", *line)
    assert (done.code, done.err) == (0, "")
    text = done.out.decode("ascii")
    assert text.startswith("verdict: verified (")
    assert "\n  training.mlp  mlp  general  " in text
    assert "\nfalse variants of the laws: 2 of 2 refuted, as they must be\n" in text
    assert _last_line(done).startswith("proved 1 laws by ")
    assert _last_line(done).endswith(", compared with the recorded proofs; 0 refuted, 0 unknown")


def test_what_is_no_proof_is_not_deleted(process: Run, tmp_path: Path) -> None:
    line = ["prove", "primitives.gelu", "--proofs", str(tmp_path), "--jobs", "2"]
    home = tmp_path / "primitives" / "gelu"
    assert process(*line).code == 0
    before = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    assert process(*line).code == 0
    for place in ("notes.md", "negative/notes.md", "mine/a.txt"):
        foreign = home / place
        foreign.parent.mkdir(exist_ok=True)
        foreign.write_text("kept", encoding="ascii")
        done = process(*line)
        assert (done.code, done.out) == (2, b"")
        named = foreign.parent if place.startswith("mine") else foreign
        assert done.err == (
            f"blueprint: error: {named}: is no proof, and recording proofs would delete it; move it away\n"
        )
        assert foreign.read_text(encoding="ascii") == "kept"
        foreign.unlink()
    (home / "mine").rmdir()
    assert {path: path.read_bytes() for path in home.rglob("*") if path.is_file()} == before
    assert process(*line).code == 0


def test_proofs_of_another_rulebook_say_so_and_replace_nothing(process: Run, tmp_path: Path) -> None:
    rules = tmp_path / "rules"
    shutil.copytree(ROOT / "rules", rules, ignore=shutil.ignore_patterns("__pycache__"))
    line = ["prove", "primitives.gelu", "--rules", str(rules)]
    before = (ROOT / "proofs" / "expected.txt").read_bytes()
    assert process(*line).code == 0
    assert (rules / "proofs" / "primitives" / "gelu" / "evidence.json").is_file(), "they lie beside their rules"
    assert (ROOT / "proofs" / "expected.txt").read_bytes() == before
    recorded = ["--proofs", str(tmp_path / "proofs")]
    for rest in (recorded, ["--check", *recorded]):
        done = process(*line, *rest)
        assert done.code == 0
        assert b"); rulebook: NOT SHIPPED " in done.out.splitlines()[0]
    assert b"NOT SHIPPED" not in process("prove", "primitives.gelu", "--check", *recorded).out


def _copied_rules(folder: Path) -> Path:
    return Path(shutil.copytree(ROOT / "rules", folder / "rules", ignore=shutil.ignore_patterns("__pycache__")))


def test_a_false_law_is_refuted_with_both_sides_and_not_recorded(process: Run, tmp_path: Path) -> None:
    rules, proofs = _copied_rules(tmp_path), tmp_path / "proofs"
    mlp = rules / "training" / "mlp.py"
    mlp.write_text(mlp.read_text().replace("lambda case: 4 * B * S * H * F)", "lambda case: 5 * B * S * H * F)"))
    done = process("prove", "training.mlp", "--rules", str(rules), "--proofs", str(proofs))
    assert done.code == 1
    (finding,) = [line for line in done.out.decode().splitlines() if line.startswith("  law.theorem")]
    assert "is refuted: derived is (2*B*F_t*H*S + 2*B*F_t*H*S)*t = 4, the law has 5*B*F*H*S = 5, at " in finding
    assert finding.endswith("and in 95 others")
    assert not proofs.exists()


def test_laws_about_nobody_are_refuted_however_little_is_decided(process: Run, tmp_path: Path) -> None:
    """Every other rule is unchanged, and these two laws say that there are tasks where there are none."""
    rules, proofs = _copied_rules(tmp_path), tmp_path / "proofs"
    shutil.copytree(ROOT / "proofs", proofs)
    collective = rules / "training" / "tensor_collective.py"
    phases = "COMMUNICATION_PHASES = (Phase.FORWARD, Phase.RECOMMUNICATION, Phase.ACTIVATION_GRADIENT)"
    text = collective.read_text()
    assert phases in text
    collective.write_text(text.replace(phases, "COMMUNICATION_PHASES = (Phase.OPTIMIZER,)"))
    done = process("prove", "--rules", str(rules), "--proofs", str(proofs))
    assert done.code == 1
    assert b"law.group: training.tensor_collective/tp-payload (each): the group has 0 members, the law says" in done.out
    assert done.out.splitlines()[-1].startswith(b"examined ")


def test_only_what_changed_is_decided_again(process: Run, tmp_path: Path) -> None:
    rules, proofs = _copied_rules(tmp_path), tmp_path / "proofs"
    shutil.copytree(ROOT / "proofs", proofs)
    line = ["prove", "--rules", str(rules), "--proofs", str(proofs)]

    def decided(*more: str) -> list[str]:
        done = process(*line, *more)
        assert done.code == 0
        return [each.split()[0] for each in done.out.decode().splitlines() if "  proved" in each]

    assert decided() == []
    mlp = rules / "training" / "mlp.py"
    mlp.write_text(mlp.read_text() + "\n")
    assert decided() == ["training.mlp"]
    stored = next((proofs / "primitives" / "gelu").glob("*.smt2"))
    stored.write_bytes(stored.read_bytes() + b"\n")
    assert set(decided()) == {"primitives.gelu"}
    evidence = proofs / "planning" / "task" / "evidence.json"
    evidence.write_bytes(evidence.read_bytes().replace(b"z3 5", b"z3 4"))
    assert set(decided()) == {"planning.task"}
    assert decided("training.mlp") == ["training.mlp"], "a rule that is named is decided"


@pytest.mark.parametrize("place", ["--rules", "--proofs"])
def test_a_loop_of_links_is_no_folder(process: Run, tmp_path: Path, place: str) -> None:
    (tmp_path / "loop").symlink_to("loop")
    done = process("prove", "primitives.gelu", "--proofs", str(tmp_path / "x"), place, str(tmp_path / "loop"))
    assert (done.code, done.out) == (2, b"")
    assert done.err.count("\n") == 1
    assert "Traceback" not in done.err


def test_an_unknown_rule_is_refused(process: Run) -> None:
    done = process("prove", "--check", "training.nothing\x1b[2J")
    assert (done.code, done.out) == (2, b"")
    assert done.err.startswith("blueprint: error: no rule ")
    assert "\x1b" not in done.err


def test_laws_are_listed_in_every_format(process: Run) -> None:
    listed = process("laws", "--format", "json")
    assert listed.code == 0
    laws = json.loads(listed.out)["laws"]
    assert {"qkv-projection", "attention-matmul", "mlp", "work-conservation"} <= {law["id"] for law in laws}
    assert all(law["equations"] and law["source"] and law["statement"] for law in laws)
    for form, mark in (("text", "{} (rule "), ("markdown", "\n## {}\n"), ("latex", "% {} (rule ")):
        done = process("laws", "--format", form)
        assert (done.code, done.err) == (0, "")
        assert all(mark.format(law["id"]) in done.out.decode("ascii") for law in laws)
    assert b"  classical with k = h, H = d*h: W*t = 6*B*H^2*S\n" in process("laws").out


@pytest.mark.parametrize("leaving", ["SystemExit(0)", "typing.sys.modules['typer'].Exit(0)", "GeneratorExit"])
@pytest.mark.parametrize("command", ["verify", "prove"])
def test_a_rule_cannot_end_a_run_with_success(
    bundle: Path, process: Run, tmp_path: Path, command: str, leaving: str
) -> None:
    """A law's functions are called long after its file was loaded; what they raise is never a verdict."""
    rules = tmp_path / "rules"
    shutil.copytree(ROOT / "rules", rules, ignore=shutil.ignore_patterns("__pycache__"))
    mlp = rules / "training" / "mlp.py"
    text = mlp.read_text(encoding="utf-8")
    assert "members=count(2)" in text
    # Loading asks once for every case of training; what is raised then is a fault of the rulebook. This comes later.
    imports = "import itertools\nimport typing\nfrom blueprint.case import Workload, all_cases\n"
    calls = f"{imports}CALLS = itertools.count()\n\nMLP = "
    asked = "next(CALLS) < len(all_cases(Workload.TRAINING))"
    raising = f"members=lambda case: 2 if {asked} else (_ for _ in ()).throw({leaving})"
    text = text.replace("members=count(2)", raising).replace("\nMLP = ", f"\n{calls}")
    mlp.write_text(text, encoding="utf-8")
    subject = [str(bundle)] if command == "verify" else ["--proofs", str(tmp_path / "proofs"), "training.mlp"]
    assert process(command, *subject, "--rules", str(rules)).code == 4
