"""Import of untrusted bytes: every step gives its verdict and a finding that names the place, and nothing is raised."""

from __future__ import annotations

import hashlib
import json
import string
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from blueprint import cli
from blueprint.bundle import fingerprint
from blueprint.codec import BUNDLE_LIMIT, VALUE_LIMIT
from blueprint.discharge import BRIEF_BUDGET
from blueprint.exit import ExitCode
from blueprint.ir.common import Stage
from blueprint.outcome import Outcome, Report
from blueprint.settings import DEFAULT_BUDGET
from blueprint.verification import verify, verify_without_replay
from tests.bundles.conftest import JOBS
from tests.reseal import STAGES, Draft, recorded

ROOT = Path(__file__).resolve().parents[2]
HOSTILE = ROOT / "tests" / "hostile"

Edit = Callable[[bytes], bytes]

DEEP = 100_000
PRINTABLE = set(string.printable) - set("\t\n\r\x0b\x0c")


def first(old: bytes, new: bytes) -> Edit:
    """The bytes with the first of these replaced."""

    def edit(data: bytes) -> bytes:
        assert old in data
        return data.replace(old, new, 1)

    return edit


def codes(report: Report) -> set[str]:
    return {finding.code for finding in report.diagnostics}


def words(report: Report) -> list[str]:
    """All text of the report's findings."""
    return [text for each in report.diagnostics for text in (each.code, each.message, each.path)]


def exit_code(path: Path) -> int:
    return cli.run(("--quiet", "verify", str(path), "--jobs", str(JOBS), "-o", str(path.with_suffix(".txt"))))


# Bytes that do not decode -------------------------------------------------------------------------------------------

WORK = b'"work":{"message_bytes":0'
WORK_PATH = "$.stages[1].snapshot.tasks[0].work"
BATCH, BATCH_PATH = b'"batch":3', "$.request.workload.batch"

MALFORMED: dict[str, tuple[Edit, str, str]] = {
    "nothing": (lambda _: b"", "codec.decode", "$"),
    "one byte": (lambda data: data[:1], "codec.decode", "$"),
    "half": (lambda data: data[: len(data) // 2], "codec.decode", "$"),
    "all but the last byte": (lambda data: data[:-1], "codec.decode", "$"),
    "words": (lambda _: b"verified", "codec.decode", "$"),
    "null bytes": (lambda _: bytes(64), "codec.decode", "$"),
    "a list": (lambda _: b"[]", "codec.decode", "$"),
    "an empty object": (lambda _: b"{}", "codec.decode", "$"),
    "another schema": (first(b"bundle.v0", b"bundle.v9"), "codec.decode", "$.schema"),
    "byte-order mark": (lambda data: b"\xef\xbb\xbf" + data, "codec.decode", "$"),
    "UTF-16": (lambda data: data.decode().encode("utf-16"), "codec.decode", "$"),
    "line end after": (lambda data: data + b"\n", "codec.canonical", "$"),
    "space before": (lambda data: b" " + data, "codec.canonical", "$"),
    "null byte after": (lambda data: data + b"\x00", "codec.decode", "$"),
    "two bundles": (lambda data: data + data, "codec.decode", "$"),
    "indented": (lambda data: json.dumps(json.loads(data), indent=1, sort_keys=True).encode(), "codec.canonical", "$"),
    "keys out of order": (lambda data: _compact(dict(reversed(json.loads(data).items()))), "codec.canonical", "$"),
    "repeated key": (first(b'"zero":0', b'"zero":3,"zero":0'), "codec.canonical", "$"),
    "repeated key inside": (first(WORK, b'"work":{"message_bytes":1,"message_bytes":0'), "codec.canonical", "$"),
    "repeated key, escaped": (first(b'"zero":0', b'"z\\u0065ro":3,"zero":0'), "codec.canonical", "$"),
    "unknown field": (first(b'{"fingerprint"', b'{"comment":"","fingerprint"'), "codec.decode", "$"),
    "unknown field inside": (first(WORK, b'"work":{"comment":"","message_bytes":0'), "codec.decode", WORK_PATH),
    "missing field": (first(BATCH + b",", b""), "codec.decode", "$.request.workload"),
    "null": (first(BATCH, b'"batch":null'), "codec.decode", BATCH_PATH),
    "text for a number": (first(BATCH, b'"batch":"3"'), "codec.decode", BATCH_PATH),
    "truth for a number": (first(BATCH, b'"batch":true'), "codec.decode", BATCH_PATH),
    "number for truth": (first(b'"biases":false', b'"biases":0'), "codec.decode", "$.request.model.biases"),
    "list for an object": (first(WORK, b'"work":[0'), "codec.decode", WORK_PATH),
    "float": (first(BATCH, b'"batch":3.5'), "codec.decode", BATCH_PATH),
    "whole float": (first(WORK, WORK + b".0"), "codec.decode", f"{WORK_PATH}.message_bytes"),
    "exponent": (first(BATCH, b'"batch":3e0'), "codec.decode", BATCH_PATH),
    "not a number": (first(BATCH, b'"batch":NaN'), "codec.decode", "$"),
    "infinity": (first(BATCH, b'"batch":Infinity'), "codec.decode", "$"),
    "minus zero": (first(b'"zero":0', b'"zero":-0'), "codec.canonical", "$"),
    "negative": (first(BATCH, b'"batch":-3'), "codec.decode", BATCH_PATH),
    "zero for a size": (first(BATCH, b'"batch":0'), "codec.decode", BATCH_PATH),
    "leading zero": (first(BATCH, b'"batch":03'), "codec.decode", "$"),
    "plus sign": (first(BATCH, b'"batch":+3'), "codec.decode", "$"),
    "2^63": (first(BATCH, b'"batch":9223372036854775808'), "codec.decode", BATCH_PATH),
    "10^40": (first(BATCH, b'"batch":1' + b"0" * 40), "codec.decode", BATCH_PATH),
    "5,000 digits": (first(BATCH, b'"batch":' + b"9" * 5000), "codec.decode", BATCH_PATH),
    "a word of no vocabulary": (first(b'"selective"', b'"sometimes"'), "codec.decode", "$.request.strategy.recompute"),
    "a stage of no schema": (first(b'"blueprint.model"', b'"blueprint.moon"'), "codec.decode",
                             "$.stages[0].snapshot.schema"),
    "a look-alike in a name": (first(b'"name":"scores.forward"', '"name":"sc\u043eres.forward"'.encode()),
                               "codec.decode", "$.stages[1].snapshot.tasks[6].name"),
    "a line end in a name": (first(b'"name":"scores.forward"', b'"name":"scores.forward\\n"'), "codec.decode",
                             "$.stages[1].snapshot.tasks[6].name"),
    "capitals in an id": (first(b'"id":"task:', b'"id":"Task:'), "codec.decode", "$.stages[1].snapshot.tasks[0].id"),
    "an id that is too long": (first(b'"id":"task:', b'"id":"task:00'), "codec.decode",
                               "$.stages[1].snapshot.tasks[0].id"),
    "a label that is too long": (first(b'"label":"', b'"label":"' + b"x" * 257), "codec.decode", "$.stages[0].label"),
    "escaped letter": (first(b'"tiny"', b'"t\\u0069ny"'), "codec.canonical", "$"),
    "escaped slash": (first(b'"tiny"', b'"tiny\\/"'), "codec.canonical", "$"),
    "lone surrogate": (first(b'"tiny"', b'"\\ud800"'), "codec.decode", "$"),
    "broken UTF-8": (first(b'"tiny"', b'"\xc3("'), "codec.decode", "$"),
    "line end in text": (first(b'"tiny"', b'"ti\nny"'), "codec.decode", "$"),
    "deep lists": (lambda _: b"[" * DEEP, "codec.decode", "$"),
    "deep objects": (lambda _: b'{"request":' * DEEP, "codec.decode", "$.request"),
    "deep lists inside": (first(b'"tiny"', b"[" * DEEP + b"]" * DEEP), "codec.decode", "$.request.model.name"),
    "deep lists in an unknown field": (first(b'{"fingerprint"', b'{"a":' + b"[" * DEEP + b"]" * DEEP
                                             + b',"fingerprint"'), "codec.decode", "$"),
    "too many values": (lambda _: b"[" + b"0," * (VALUE_LIMIT + 1) + b"0]", "codec.limit", ""),
    "too many bytes": (lambda data: data + b" " * BUNDLE_LIMIT, "codec.limit", ""),
}  # fmt: skip


def _compact(plain: object) -> bytes:
    return json.dumps(plain, separators=(",", ":"), ensure_ascii=False).encode()


@pytest.mark.parametrize("name", MALFORMED)
def test_bytes_that_are_no_canonical_bundle_are_malformed(name: str, tiny: bytes) -> None:
    edit, code, path = MALFORMED[name]
    data = edit(tiny)
    assert data != tiny
    report = verify(data, jobs=JOBS)
    assert report.verdict is Outcome.MALFORMED
    (finding,) = report.diagnostics
    assert (finding.code, finding.path) == (code, path)
    assert finding.message
    assert all(set(text) <= PRINTABLE for text in words(report))
    assert report.transitions == ()
    assert report.obligations == ()
    assert report.subject.bundle_sha256 == (hashlib.sha256(data).hexdigest() if data else "")
    with pytest.raises(Exception, match="malformed"):
        report.require()


def test_the_bundle_that_is_broken_here_is_good(tiny: bytes, tmp_path: Path) -> None:
    assert verify(tiny, jobs=JOBS).verdict is Outcome.VERIFIED
    path = tmp_path / "good.json"
    path.write_bytes(tiny)
    assert exit_code(path) == ExitCode.VERIFIED


def test_without_replay_everything_is_decided_and_nothing_is_verified(tiny: bytes) -> None:
    report = verify_without_replay(tiny, jobs=JOBS, budget=DEFAULT_BUDGET - 1)
    assert report.verdict is Outcome.NOT_ESTABLISHED
    assert all(each.relation_verified and each.canonical_conformant is None for each in report.transitions[1:])
    assert {int(each.budget) for each in report.obligations} <= {DEFAULT_BUDGET - 1, BRIEF_BUDGET}
    assert codes(report) == {"replay.off"}


def test_every_cut_is_malformed(tiny: bytes) -> None:
    for stop in range(0, len(tiny), len(tiny) // 200):
        assert verify(tiny[:stop], jobs=JOBS).verdict is Outcome.MALFORMED, stop


def test_a_larger_file_than_the_limit_is_refused_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "large.json"
    with path.open("wb") as stream:
        stream.truncate(BUNDLE_LIMIT + 1)  # a hole: nothing is written
    report = verify(path, jobs=JOBS)
    assert report.verdict is Outcome.MALFORMED
    (finding,) = report.diagnostics
    assert finding.code == "codec.limit"
    assert "large.json" in finding.path
    assert exit_code(path) == ExitCode.INPUT


def test_what_is_no_file_is_refused_by_its_name(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing.json", Path("/dev/null"), "\x00", "\x1b[2J"):
        report = verify(path, jobs=JOBS)
        assert report.verdict is Outcome.MALFORMED
        (finding,) = report.diagnostics
        assert finding.code == "input"
        assert finding.path
        assert all(set(text) <= PRINTABLE for text in words(report))


@pytest.mark.parametrize("path", sorted(HOSTILE.glob("*.json")), ids=lambda path: path.stem)
def test_a_hostile_sample_is_refused_in_one_clear_line(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    report = verify(path, jobs=JOBS)
    assert report.verdict is Outcome.MALFORMED
    (finding,) = report.diagnostics
    assert finding.code.startswith("codec.")
    assert finding.path == "$"
    assert all(set(text) <= PRINTABLE and len(text) <= 400 for text in words(report))
    assert verify(path.read_bytes(), jobs=JOBS) == report
    assert cli.run(("--quiet", "verify", str(path), "-o", "report.txt")) == ExitCode.INPUT
    assert set((tmp_path / "report.txt").read_text(encoding="ascii")) <= PRINTABLE | {"\n"}
    assert [each.name for each in tmp_path.iterdir()] == ["report.txt"], "no text of the sample was run"


def test_all_hostile_samples_are_there() -> None:
    assert len(list(HOSTILE.glob("*.json"))) == 15


def test_hostile_words_where_words_may_stand_are_shown_escaped(tiny: bytes, tmp_path: Path) -> None:
    """Free text of a sound bundle: it is verified, and what is shown of it is plain."""
    names = ("33_terminal_codes", "34_rich_markup", "35_html_and_csv", "38_code_strings")
    terminal, *others = (next(iter(json.loads((HOSTILE / f"{name}.json").read_bytes()).values())) for name in names)
    draft = Draft(tiny)
    draft.request["model"]["name"] = terminal + "".join(others)
    draft.derive_again(Stage.MODEL)
    path = tmp_path / "words.json"
    path.write_bytes(draft.sealed())
    report = verify(path, jobs=JOBS)
    assert report.verdict is Outcome.VERIFIED
    shown = report.subject.bindings["model"]["name"]
    assert shown.startswith("\\x1b[2J")
    assert shown.endswith("(named by the bundle)")
    assert set(shown) <= PRINTABLE
    assert exit_code(path) == ExitCode.VERIFIED
    assert set(path.with_suffix(".txt").read_text(encoding="ascii")) <= PRINTABLE | {"\n"}


# Bytes that decode --------------------------------------------------------------------------------------------------


def test_one_tampered_byte_is_never_verified(tiny: bytes) -> None:
    """Letters and digits, changed into others at places all over the file."""
    change = bytes.maketrans(b"0123456789abcdefghijklmnopqrstuvwxyz", b"1234567890bcdefabcdefghijklmnopqrstu")
    places = [place for place in range(7, len(tiny), len(tiny) // 24) if tiny[place : place + 1].isalnum()]
    assert len(places) >= 15
    for place in places:
        data = tiny[:place] + tiny[place : place + 1].translate(change) + tiny[place + 1 :]
        report = verify(data, jobs=JOBS)
        assert report.verdict in {Outcome.MALFORMED, Outcome.REFUTED}, (place, tiny[place - 40 : place + 20])
        assert report.diagnostics


def cut_after(stage: Stage, data: bytes) -> Draft:
    draft = Draft(data)
    count = STAGES.index(stage) + 1
    draft.data["stages"] = draft.data["stages"][:count]
    draft.data["transitions"] = draft.data["transitions"][: count - 1]
    return draft


@pytest.mark.parametrize("stage", [Stage.MODEL, Stage.DISTRIBUTED])
def test_a_derivation_cut_after_a_stage_is_not_established(stage: Stage, tiny: bytes, tmp_path: Path) -> None:
    draft = cut_after(stage, tiny)
    report = verify(draft.raw(), jobs=JOBS)
    assert report.verdict is Outcome.NOT_ESTABLISHED
    assert codes(report) == {"stage.missing", "nothing.established"}
    missing = [each.value for each in STAGES[STAGES.index(stage) + 1 : STAGES.index(Stage.PORTABLE) + 1]]
    assert [each.path for each in report.diagnostics if each.code == "stage.missing"] == missing
    rows = {row.stage: row.unavailable for row in report.subject.stages}
    assert all(rows[name] == "missing from the bundle" for name in missing)
    path = tmp_path / "cut.json"
    path.write_bytes(draft.raw())
    assert exit_code(path) == ExitCode.NOT_ESTABLISHED


def test_a_bundle_of_nothing_is_not_established(tiny: bytes, tmp_path: Path) -> None:
    draft = Draft(tiny)
    draft.data["stages"] = draft.data["transitions"] = []
    report = verify(draft.raw(), jobs=JOBS)
    assert report.verdict is Outcome.NOT_ESTABLISHED
    assert codes(report) == {"stage.missing", "nothing.established"}
    path = tmp_path / "nothing.json"
    path.write_bytes(draft.raw())
    assert exit_code(path) == ExitCode.NOT_ESTABLISHED


def test_a_false_bundle_is_refuted_however_little_of_it_is_shown(tiny: bytes) -> None:
    draft = cut_after(Stage.DISTRIBUTED, tiny)
    draft.entity(Stage.DISTRIBUTED, "tasks", "scores.forward")["work"]["operations"] += 1
    report = verify(draft.sealed(), jobs=JOBS)
    assert report.verdict is Outcome.REFUTED
    assert {"claim.exact_work", "stage.missing"} <= codes(report)


def stages_reordered(draft: Draft) -> None:
    draft.data["stages"][1:] = draft.data["stages"][:0:-1]


def stage_left_out(draft: Draft) -> None:
    del draft.data["stages"][1]


def stage_twice(draft: Draft) -> None:
    draft.data["stages"].append(draft.data["stages"][2])


def stage_after_the_last(draft: Draft) -> None:
    draft.data["stages"].append({**draft.data["stages"][2], "stage": "concrete"})


def sixty_four_stages(draft: Draft) -> None:
    draft.data["stages"] = (draft.data["stages"] * 22)[:64]


def stage_on_a_branch(draft: Draft) -> None:
    draft.data["stages"][2]["branch"] = "prefill"


def stage_named_another(draft: Draft) -> None:
    draft.data["stages"][2]["stage"] = "distributed"


def snapshot_of_another_stage(draft: Draft) -> None:
    draft.data["stages"][2]["snapshot"] = draft.data["stages"][1]["snapshot"]


def snapshot_of_another_stage_by_another_name(draft: Draft) -> None:
    header = {**draft.snapshot(Stage.DISTRIBUTED)["header"], "stage": "portable"}
    draft.data["stages"][2]["snapshot"] = {**draft.snapshot(Stage.DISTRIBUTED), "header": header}


def another_version(draft: Draft) -> None:
    draft.snapshot(Stage.PORTABLE)["header"]["version"] = 2


def another_pass(draft: Draft) -> None:
    draft.data["stages"][1] |= {"pass": "PlanTransformerTrainingPass"}


def transition_twice(draft: Draft) -> None:
    draft.data["transitions"].append(draft.data["transitions"][1])


def transition_left_out(draft: Draft) -> None:
    del draft.data["transitions"][0]


def transitions_reordered(draft: Draft) -> None:
    draft.data["transitions"].reverse()


def transition_of_another_branch(draft: Draft) -> None:
    draft.data["transitions"][1]["branch"] = "prefill"


def transition_from_another(draft: Draft) -> None:
    draft.data["transitions"][1]["source"] = draft.data["transitions"][0]["source"]


def parent_of_another(draft: Draft) -> None:
    draft.snapshot(Stage.PORTABLE)["header"]["parent"] = "0" * 64


def request_digest_forged(draft: Draft) -> None:
    draft.data["request_digest"] = "0" * 64


def request_exchanged(draft: Draft) -> None:
    draft.request["workload"]["microbatches"] = 2


def fingerprint_forged(draft: Draft) -> None:
    draft.data["fingerprint"] = "0" * 64


def rulebook_exchanged(draft: Draft) -> None:
    """The revision that is installed here, with other rules in it; the session is sealed again."""
    data = draft.data
    data["rulebook"]["digest"] = "0" * 64
    data["fingerprint"] = fingerprint(data["request_digest"], data["rulebook"]["digest"])


def contract_weakened(draft: Draft) -> None:
    draft.transition(Stage.DISTRIBUTED)["contract"]["rules"][6]["preserves"] = ["role"]


def overlay_elsewhere(draft: Draft) -> None:
    draft.data["overlays"] = [{"snapshot": "0" * 64, "provider": "", "revision": "", "unit": "ps", "entries": []}]


def overlay_on_nothing(draft: Draft) -> None:
    """The overlay addresses the plan, its entry an entity of the stage before it."""
    entry = {"entity": draft.entity(Stage.DISTRIBUTED, "tasks", "optimizer")["id"], "value": 1}
    target = draft.transition(Stage.PORTABLE)["target"]
    draft.data["overlays"] = [{"snapshot": target, "provider": "", "revision": "", "unit": "ps", "entries": [entry]}]


def overlay_twice_on_one(draft: Draft) -> None:
    entry = {"entity": draft.entity(Stage.PORTABLE, "tasks", "optimizer")["id"], "value": 1}
    target = draft.transition(Stage.PORTABLE)["target"]
    overlay = {
        "snapshot": target,
        "provider": "",
        "revision": "",
        "unit": "ps",
        "entries": [entry, {**entry, "value": 2}],
    }
    draft.data["overlays"] = [overlay]


def report_of_more_claims(draft: Draft) -> None:
    draft.transition(Stage.PORTABLE)["report"]["claims"]["exact_work"] += 1


def report_of_other_obligations(draft: Draft) -> None:
    draft.transition(Stage.DISTRIBUTED)["report"]["obligations"][0] = "0" * 64


REFUTED = [
    (stages_reordered, "stage.order", "stages[1]"),
    (stage_left_out, "stage.order", "stages[1]"),
    (stage_twice, "stage.order", "stages[3]"),
    (stage_after_the_last, "stage.schema", "stages[3]"),
    (sixty_four_stages, "stage.order", "stages[3]"),
    (stage_on_a_branch, "stage.order", "stages[2]"),
    (stage_named_another, "stage.schema", "stages[2]"),
    (snapshot_of_another_stage, "stage.schema", "stages[2]"),
    (snapshot_of_another_stage_by_another_name, "stage.schema", "stages[2]"),
    (another_version, "structure.version", "portable/header"),
    (another_pass, "stage.pass", "stages[1].pass"),
    (transition_twice, "stage.adjacency", "transitions"),
    (transition_left_out, "stage.adjacency", "transitions"),
    (transitions_reordered, "stage.adjacency", "transitions"),
    (transition_of_another_branch, "stage.adjacency", "transitions"),
    (transition_from_another, "digest.transition", "transitions[1]"),
    (parent_of_another, "digest.parent", "portable"),
    (request_digest_forged, "digest.request", "request_digest"),
    (request_exchanged, "digest.request", "request_digest"),
    (fingerprint_forged, "digest.session", "fingerprint"),
    (rulebook_exchanged, "rulebook.digest", "rulebook.digest"),
    (contract_weakened, "contract", "transitions[0].contract"),
    (overlay_elsewhere, "overlay.digest", "overlays[0]"),
    (overlay_on_nothing, "overlay.entity", "overlays[0]"),
    (overlay_twice_on_one, "overlay.repeated", "overlays[0]"),
    (report_of_more_claims, "report.mismatch", "transitions[1].report"),
    (report_of_other_obligations, "report.mismatch", "transitions[0].report"),
]


@pytest.mark.parametrize(("change", "code", "path"), REFUTED, ids=[change.__name__ for change, _, _ in REFUTED])
def test_a_step_refutes_what_it_checks(change: Callable[[Draft], None], code: str, path: str, tiny: bytes) -> None:
    draft = Draft(tiny)
    change(draft)
    data = draft.raw()
    assert data != tiny
    report = verify(data, jobs=JOBS)
    assert report.verdict is Outcome.REFUTED
    assert (code, path) in {(each.code, each.path) for each in report.diagnostics}
    assert all(set(text) <= PRINTABLE for text in words(report))


def foreign(draft: Draft) -> None:
    """A revision that is not installed here, sealed by those who have it."""
    draft.data["rulebook"] = {"revision": "2031.4", "digest": "1" * 64}
    draft.seal()


def test_a_foreign_rulebook_revision_is_not_established(tiny: bytes, tmp_path: Path) -> None:
    draft = Draft(tiny)
    foreign(draft)
    report = verify(draft.raw(), jobs=JOBS)
    assert report.verdict is Outcome.NOT_ESTABLISHED
    (finding,) = report.diagnostics
    assert (finding.code, finding.path) == ("rulebook.revision", "rulebook.revision")
    assert "2031.4" in finding.message
    path = tmp_path / "foreign.json"
    path.write_bytes(draft.raw())
    assert exit_code(path) == ExitCode.NOT_ESTABLISHED


def test_a_foreign_revision_hides_no_falsehood(tiny: bytes) -> None:
    draft = Draft(tiny)
    draft.entity(Stage.PORTABLE, "tasks", "scores.forward")["work"]["operations"] += 1
    foreign(draft)
    report = verify(draft.raw(), jobs=JOBS)
    assert report.verdict is Outcome.REFUTED
    assert {"rulebook.revision", "claim.exact_work"} <= codes(report)


def test_a_false_bundle_with_an_honest_record_is_refuted(tiny: bytes) -> None:
    draft = Draft(tiny)
    draft.entity(Stage.PORTABLE, "tasks", "scores.forward")["work"]["operations"] += 1
    data = draft.sealed()
    report = verify(recorded(data, verify(data, jobs=JOBS)), jobs=JOBS)
    assert report.verdict is Outcome.REFUTED
    assert "report.mismatch" not in codes(report)


def test_a_record_that_says_refuted_does_not_refute_a_good_bundle_silently(tiny: bytes) -> None:
    draft = Draft(tiny)
    draft.transition(Stage.PORTABLE)["report"]["relation_verified"] = False
    report = verify(draft.raw(), jobs=JOBS)
    assert report.verdict is Outcome.REFUTED
    assert codes(report) == {"report.mismatch"}


def test_an_overlay_changes_nothing_but_the_bytes(tiny: bytes) -> None:
    draft = Draft(tiny)
    entries = [{"entity": each["id"], "value": 7} for each in draft.entities(Stage.PORTABLE, "tasks")]
    target = draft.transition(Stage.PORTABLE)["target"]
    overlay = {"snapshot": target, "provider": "clock", "revision": "3", "unit": "ps", "entries": entries}
    draft.data["overlays"] = [overlay]
    plain, laid = verify(tiny, jobs=JOBS), verify(draft.raw(), jobs=JOBS)
    assert laid.verdict is Outcome.VERIFIED
    assert laid.transitions == plain.transitions
    assert laid.subject.derivation_digest == plain.subject.derivation_digest
    assert laid.subject.bundle_sha256 != plain.subject.bundle_sha256


# Without asserts -----------------------------------------------------------------------------------------------------

SCRIPT = """
import sys
from pathlib import Path
from blueprint.verification import verify
assert False, "asserts are off"
for name in sys.argv[1:]:
    report = verify(Path(name), jobs=1)
    print(report.verdict.value, report.diagnostics[0].code if report.diagnostics else "-")
"""


def test_verdicts_do_not_rest_on_assert_statements(tiny: bytes, tmp_path: Path) -> None:
    false = Draft(tiny)
    false.entity(Stage.DISTRIBUTED, "tasks", "scores.forward")["work"]["operations"] += 1
    false.derive_again(Stage.PORTABLE)
    twice = Draft(tiny)
    transition_twice(twice)
    inputs = {
        "good": (tiny, "verified -"),
        "false": (false.sealed(), "refuted claim.exact_work"),
        "twice": (twice.raw(), "refuted stage.adjacency"),
        "cut": (cut_after(Stage.MODEL, tiny).raw(), "not_established stage.missing"),
        "key": (first(b'"zero":0', b'"zero":3,"zero":0')(tiny), "malformed codec.canonical"),
        "deep": (b"[" * DEEP, "malformed codec.decode"),
    }
    for name, (data, _) in inputs.items():
        (tmp_path / name).write_bytes(data)
    command = [sys.executable, "-O", "-c", SCRIPT, *(str(tmp_path / name) for name in inputs)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout.splitlines() == [expected for _, expected in inputs.values()]
    assert done.returncode == 0
