"""Every format as its readers read it: official schemas, parsers of others, and counts that are worked out here."""

from __future__ import annotations

import io
import json as stdlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urlparse

import junitparser
import msgspec
import pytest
import xmlschema
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from sarif_kit.validate import validation_errors

from blueprint.cli.examining import unpainted
from blueprint.cli.formats import FORMATS, rendered
from blueprint.exit import exit_of
from blueprint.outcome import Finding, Outcome, Report, Status
from blueprint.report import github, junit, markdown, sarif
from blueprint.report.subjects import Examined, final_line, together
from tests.report import samples

XSD = xmlschema.XMLSchema(Path(__file__).parent / "schemas" / "junit-10.xsd")
MARKDOWN = MarkdownIt("commonmark").enable("table")

CASES = {name: [Examined(f"{name}.json", f"plans/{name}.json", report)] for name, report in samples.ALL.items()}
CASES["hostile"] = [Examined(samples.HOSTILE, samples.HOSTILE, samples.REFUTED)]
CASES["several"] = [each for case in list(CASES.values()) for each in case]
CASES["none"] = []

every_case = pytest.mark.parametrize("subjects", CASES.values(), ids=CASES)
foreign = st.text(alphabet=st.characters(codec=None, exclude_categories=()), max_size=200)


def _nothing(_code: str) -> None:
    return None


def _findings(subjects: Sequence[Examined]) -> list[tuple[Examined, Finding]]:
    return [(each, finding) for each in subjects for finding in each.report.diagnostics]


def _with(name: str, report: Report = samples.REFUTED) -> list[Examined]:
    """A report in which a name stands wherever a bundle can put one."""
    transition = report.transitions[0]
    relation = msgspec.structs.replace(transition.relations[0], names=(name,), sources=(name,), targets=(name,))
    changed = msgspec.structs.replace(transition, relations=(relation,))
    finding = Finding(code="claim.exact_work", message=name, path=f"training/distributed/{name}", relation=relation.id)
    subject = msgspec.structs.replace(report.subject, bindings={name: {name: name}})
    made = msgspec.structs.replace(report, transitions=(changed,), diagnostics=(finding,), subject=subject)
    return [Examined(name, name.replace("\0", ""), made)]


@pytest.mark.parametrize("form", FORMATS)
@every_case
def test_every_document_is_plain_ascii(subjects: list[Examined], form: str) -> None:
    document = rendered(form, subjects, unpainted, several=True, evidence=True)
    assert all(byte == 0x0A or 0x20 <= byte <= 0x7E for byte in document)


@pytest.mark.parametrize("form", FORMATS)
@given(name=foreign)
def test_no_name_reaches_a_document_raw(form: str, name: str) -> None:
    document = rendered(form, _with(name), unpainted, several=False, evidence=True)
    assert all(byte == 0x0A or 0x20 <= byte <= 0x7E for byte in document)


@pytest.mark.parametrize("form", FORMATS)
def test_what_was_checked_stands_in_every_document(form: str) -> None:
    document = rendered(form, CASES["several"], unpainted, several=True).decode()
    checked = final_line([each.report for each in CASES["several"]])
    if form == "json":
        assert [each["summary"] for each in stdlib.loads(document)["reports"]]
    elif form == "junit":
        assert all(final_line([each.report]) in document for each in CASES["several"] if not each.report.ok)
    else:
        assert checked in document


# SARIF --------------------------------------------------------------------------------------------------------------


def _sarif(subjects: Sequence[Examined]) -> dict[str, Any]:
    document: dict[str, Any] = stdlib.loads(rendered("sarif", subjects, unpainted, several=True))
    assert validation_errors(document) == []
    (run,) = document["runs"]
    return dict(run)


@every_case
def test_sarif_has_one_result_for_each_finding(subjects: list[Examined]) -> None:
    run = _sarif(subjects)
    found = _findings(subjects)
    assert len(run["results"]) == len(found)
    assert Counter(each["level"] for each in run["results"]) == Counter(
        "error" if finding.refutes else "warning" for _, finding in found
    )
    assert Counter(each["ruleId"] for each in run["results"]) == Counter(finding.code for _, finding in found)
    rules = [each["id"] for each in run["tool"]["driver"]["rules"]]
    assert len(set(rules)) == len(rules)
    assert all(rules[each["ruleIndex"]] == each["ruleId"] for each in run["results"])
    assert run["invocations"][0]["exitCode"] == int(exit_of(together([each.report for each in subjects])))
    assert run["properties"]["cut"] == 0


@every_case
def test_every_rule_and_every_place_is_what_code_scanning_asks(subjects: list[Examined]) -> None:
    """GitHub asks for words about every rule, and for a place in a file that is no empty URI."""
    run = _sarif(subjects)
    for rule in run["tool"]["driver"]["rules"]:
        assert all(rule[field]["text"] for field in ("shortDescription", "fullDescription", "help"))
    for result, (subject, _) in zip(
        run["results"], sorted(_findings(subjects), key=lambda each: not each[1].refutes), strict=True
    ):
        (location,) = result["locations"] or [{}]
        if subject.place:
            place = location["physicalLocation"]
            assert place["region"] == {"startLine": 1}
            assert re.fullmatch(r"[A-Za-z0-9._~%/-]+", place["artifactLocation"]["uri"])
        else:
            assert "physicalLocation" not in location


def test_a_verified_bundle_has_no_result() -> None:
    run = _sarif(CASES["verified"])
    assert run["results"] == []
    assert run["tool"]["driver"]["rules"] == []
    assert run["properties"]["verdict"] == "verified"


@pytest.mark.parametrize("verdict", [Outcome.REFUTED, Outcome.NOT_ESTABLISHED, Outcome.ERROR])
def test_what_is_not_verified_never_looks_clean(verdict: Outcome) -> None:
    bare = msgspec.structs.replace(samples.VERIFIED, verdict=verdict, diagnostics=())
    (result,) = _sarif([Examined("a.json", "a.json", bare)])["results"]
    assert result["level"] == ("error" if verdict is Outcome.REFUTED else "warning")


def test_a_claim_and_a_law_say_what_they_mean() -> None:
    rules = {each["id"]: each for each in _sarif(CASES["refuted"])["tool"]["driver"]["rules"]}
    assert rules["claim.exact_work"]["shortDescription"]["text"].startswith("A task's operations, bytes read")
    assert rules["claim.exact_work"]["help"]["text"].endswith("`blueprint explain claim.exact_work` says more.")
    assert rules["law.qkv-projection"]["shortDescription"]["text"] == "law qkv-projection: W_QKV = 6 B S H^2 / t"


def test_a_result_names_the_relation_with_its_sources_and_targets() -> None:
    first = _sarif(CASES["refuted"])["results"][0]
    assert first["properties"] == {"relation": "relation:1", "rule": "training.mlp"}
    sides = [each["message"]["text"] for each in first["relatedLocations"]]
    assert sides == ["target"] * 5 + ["source"]


def test_a_fingerprint_outlives_digests_and_values() -> None:
    """The same fault in the next bundle is the same alert."""
    other = msgspec.structs.replace(
        samples.REFUTED,
        subject=msgspec.structs.replace(samples.REFUTED.subject, bundle_sha256="b" * 64, derivation_digest="e" * 64),
        diagnostics=tuple(
            msgspec.structs.replace(each, message=f"{each.message} 8", relation="")
            for each in samples.REFUTED.diagnostics
        ),
    )
    before, after = (
        [
            each["partialFingerprints"]["blueprint/v1"]
            for each in _sarif([Examined("a.json", "a.json", report)])["results"]
        ]
        for report in (samples.REFUTED, other)
    )
    assert before == after
    assert len(set(before)) == len(before), "findings of one place are still several alerts"


def test_a_message_is_no_link_and_has_no_placeholder() -> None:
    text = _sarif(_with("[click](https://example.org) {0}"))["results"][0]["message"]["text"]
    assert "](" not in text
    assert re.sub(r"\{\{|\}\}", "", text).count("{") == 0


@pytest.mark.parametrize("name", ["a b.json", "ä/[x].json", "100%.json", "a:b.json", "#?.json", "\udcff.json"])
def test_a_place_survives_as_a_uri(name: str) -> None:
    location = _sarif([Examined(name, name, samples.MALFORMED)])["artifacts"][0]["location"]
    assert location["uriBaseId"] == "%SRCROOT%"
    assert unquote(location["uri"], errors="surrogateescape") == name
    assert urlparse(location["uri"]).scheme == ""


def test_a_place_outside_the_working_folder_is_absolute() -> None:
    location = _sarif([Examined("a", "/other place/a.json", samples.MALFORMED)])["artifacts"][0]["location"]
    assert location == {"uri": "file:///other%20place/a.json"}


def test_more_than_code_scanning_keeps_is_cut_and_counted() -> None:
    open_ones = [Finding(code="claim.unknown", message=str(n), path=f"x{n}", refutes=False) for n in range(60)]
    false_ones = [Finding(code="digest.parent", message=str(n), path=f"y{n}") for n in range(sarif.RESULTS - 10)]
    report = msgspec.structs.replace(samples.REFUTED, diagnostics=(*open_ones, *false_ones))
    run = _sarif([Examined("a.json", "a.json", report)])
    levels = Counter(each["level"] for each in run["results"])
    assert levels == {"error": sarif.RESULTS - 10, "warning": 10}, "what refutes is kept first"
    assert run["properties"]["cut"] == 50
    told = [each["message"]["text"] for each in run["invocations"][0]["toolExecutionNotifications"]]
    assert f"50 more findings are left out: code scanning keeps {sarif.RESULTS} of a run" in told


# JUnit --------------------------------------------------------------------------------------------------------------


def _junit(subjects: Sequence[Examined]) -> list[junitparser.TestSuite]:
    document = junit.render(subjects)
    XSD.validate(io.StringIO(document))
    parsed = junitparser.JUnitXml.fromstring(document.encode("ascii"))
    suites = list(parsed)
    held = [case for suite in suites for case in suite]
    assert (parsed.tests, parsed.failures, parsed.errors) == (
        len(held),
        sum(isinstance(result, junitparser.Failure) for case in held for result in case.result),
        sum(isinstance(result, junitparser.Error) for case in held for result in case.result),
    )
    for suite in suites:
        results = [result for case in suite for result in case.result]
        assert suite.tests == len(list(suite))
        assert suite.failures == sum(isinstance(each, junitparser.Failure) for each in results)
        assert suite.errors == sum(isinstance(each, junitparser.Error) for each in results)
        assert suite.skipped == sum(isinstance(each, junitparser.Skipped) for each in results)
    return suites


@every_case
def test_junit_passes_only_what_is_verified(subjects: list[Examined]) -> None:
    suites = _junit(subjects)
    assert len(suites) == sum(1 + len(each.report.transitions) for each in subjects)
    bad = sum(suite.failures + suite.errors for suite in suites)
    assert (bad == 0) is all(each.report.ok for each in subjects)


@every_case
def test_junit_has_a_case_for_each_kind_and_law(subjects: list[Examined]) -> None:
    suites = iter(_junit(subjects))
    for each in subjects:
        assert [case.name for case in next(suites)] == ["verdict"]
        for transition in each.report.transitions:
            kinds = {claim.kind for relation in transition.relations for claim in relation.claims}
            laws = [f"law {law.id} ({law.form})" for law in transition.laws]
            names = [case.name for case in next(suites)]
            assert names[0] == "coverage"
            assert names[-1] == "replay"
            assert Counter(names[1:-1]) == Counter([*kinds, *laws])


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (Status.PROVED, None),
        (Status.CHECKED, None),
        (Status.REFUTED, junitparser.Failure),
        (Status.UNKNOWN, junitparser.Error),
        (Status.VACUOUS, junitparser.Error),
        (Status.NOT_RUN, junitparser.Skipped),
        (Status.NOT_APPLICABLE, junitparser.Skipped),
        (Status.DEFINITION, junitparser.Skipped),
    ],
)
def test_each_verdict_word_has_its_own_result(status: Status, kind: type | None) -> None:
    transition = samples.VERIFIED.transitions[0]
    changed = msgspec.structs.replace(transition, laws=(msgspec.structs.replace(transition.laws[0], status=status),))
    report = msgspec.structs.replace(samples.VERIFIED, transitions=(changed,))
    suites = _junit([Examined("a.json", "a.json", report)])
    (case,) = [case for case in suites[1] if case.name.startswith("law ")]
    assert [type(result) for result in case.result] == ([] if kind is None else [kind])


def test_a_kind_is_as_bad_as_its_worst_claim() -> None:
    transition = samples.VERIFIED.transitions[0]
    claim = transition.relations[0].claims[0]
    claims = tuple(
        msgspec.structs.replace(claim, status=each) for each in (Status.PROVED, Status.UNKNOWN, Status.REFUTED)
    )
    relation = msgspec.structs.replace(transition.relations[0], claims=claims)
    report = msgspec.structs.replace(
        samples.VERIFIED, transitions=(msgspec.structs.replace(transition, relations=(relation,)),)
    )
    (case,) = [case for case in _junit([Examined("a", "a", report)])[1] if case.name == "exact_work"]
    assert [(type(each), each.message) for each in case.result] == [
        (junitparser.Failure, "1 proved, 1 unknown, 1 refuted")
    ]


def test_a_finding_stands_in_the_case_that_it_is_about() -> None:
    suites = _junit(CASES["refuted"])
    bodies = {case.name: (case.result[0].text or "") for case in suites[1]}
    assert "should be 309" in bodies["law qkv-projection (classical)"]
    assert bodies["exact_work"].startswith("training/distributed/")
    assert bodies["role"] == ""
    whole = suites[0]
    assert next(iter(whole)).result[0].text.splitlines()[-2] == "and 6 more"


@given(foreign)
def test_no_name_breaks_the_xml(name: str) -> None:
    _junit(_with(name))


# GitHub -------------------------------------------------------------------------------------------------------------


class Annotation(NamedTuple):
    command: str
    properties: dict[str, str]
    message: str


def _unescaped(text: str, codes: dict[str, str]) -> str:
    """As a runner does: one code after the other, the percent sign last."""
    for code, character in codes.items():
        text = text.replace(code, character)
    return text


def _annotations(document: str) -> Iterator[Annotation]:
    """Every line as a runner parses it; one that is no command fails."""
    data = {"%0D": "\r", "%0A": "\n", "%25": "%"}
    for line in document.removesuffix("\n").split("\n"):
        head, mark, message = line.removeprefix("::").partition("::")
        assert line.startswith("::")
        assert mark
        command, _, listed = head.partition(" ")
        pairs = [each.partition("=") for each in listed.split(",")]
        properties = {key: _unescaped(value, {"%3A": ":", "%2C": ","} | data) for key, _, value in pairs}
        yield Annotation(command, properties, _unescaped(message, data))


@every_case
def test_annotations_give_the_totals_and_at_most_ten_of_each_level(subjects: list[Examined]) -> None:
    reports = [each.report for each in subjects]
    first, *rest = _annotations(github.render(subjects))
    assert first.properties == {"title": f"Blueprint: {together(reports).value.replace('_', ' ')}"}
    assert first.message.startswith(final_line(reports))
    counts = Counter(each.command for each in (first, *rest))
    assert counts["error"] <= 10
    assert counts["warning"] <= 10
    assert counts["notice"] == (1 if together(reports) is Outcome.VERIFIED else 0)
    found = Counter("error" if finding.refutes else "warning" for _, finding in _findings(subjects))
    shown = {level: min(number, github.SHOWN) for level, number in found.items()}
    assert Counter(each.command for each in rest) == shown
    cut = found.total() - sum(shown.values())
    assert (f"; {cut} of {found.total()} findings are not shown here" in first.message) is (cut > 0)


@every_case
def test_an_annotation_names_its_bundle(subjects: list[Examined]) -> None:
    for each in list(_annotations(github.render(subjects)))[1:]:
        assert set(each.properties) in ({"file", "line", "title"}, {"title"})
        assert each.properties["title"].startswith("Blueprint ")


@given(foreign)
def test_no_name_is_a_command_or_a_property_of_its_own(name: str) -> None:
    annotations = list(_annotations(github.render(_with(name))))
    assert [each.command for each in annotations] == ["error", "error"]
    assert all(set(each.properties) <= {"file", "line", "title"} for each in annotations)


def test_escapes_are_the_documented_ones() -> None:
    finding = Finding(code="a,b:c%", message="100% :: a,b:c %0A", path="")
    report = msgspec.structs.replace(samples.MALFORMED, diagnostics=(finding,))
    line = github.render([Examined("x", "a:b,c%.json", report)]).splitlines()[1]
    assert line == ("::error file=a%3Ab%2Cc%25.json,line=1,title=Blueprint a%2Cb%3Ac%25::100%25 :: a,b:c %250A")


# Markdown -----------------------------------------------------------------------------------------------------------

STRUCTURE = {
    *("heading_open", "heading_close", "paragraph_open", "paragraph_close", "inline"),
    *(f"{part}_{side}" for part in ("table", "thead", "tbody", "tr", "th", "td") for side in ("open", "close")),
}
INLINE = {"text", "code_inline", "strong_open", "strong_close"}


def _tokens(document: str) -> list[Token]:
    """The document as parsed; anything but headings, paragraphs, tables and code fails."""
    tokens = MARKDOWN.parse(document)
    assert {each.type for each in tokens} <= STRUCTURE
    assert {child.type for each in tokens for child in each.children or ()} <= INLINE
    return tokens


def _rows(document: str) -> dict[tuple[str, ...], int]:
    """The head of every table with how many rows those of that head have; every row as long as its head."""
    found: Counter[tuple[str, ...]] = Counter()
    head: list[str] = []
    cells, inside = 0, False
    for token in _tokens(document):
        match token.type:
            case "thead_open":
                head, inside = [], True
            case "thead_close":
                inside = False
            case "inline" if inside:
                head.append(token.content)
            case "tr_open":
                cells = 0
            case "td_open":
                cells += 1
            case "tr_close" if cells:
                assert cells == len(head)
                found[tuple(head)] += 1
    return found


@every_case
def test_markdown_shows_every_finding_and_every_relation(subjects: list[Examined]) -> None:
    rows = _rows(markdown.render(subjects, evidence=True))
    assert rows.get(("code", "place", "finding"), 0) == len(_findings(subjects))
    relations = sum(len(each.relations) for one in subjects for each in one.report.transitions)
    assert rows.get(("relation", "rule", "cardinality", "entities", "claims and their obligations"), 0) == relations
    laws = sum(len(each.laws) for one in subjects for each in one.report.transitions)
    assert rows.get(("law", "form", "members", "status", "theorem", "statement"), 0) == laws


@every_case
def test_markdown_begins_with_the_verdict(subjects: list[Examined]) -> None:
    lines = markdown.render(subjects).splitlines()
    assert lines[0] == f"# Blueprint: {together([each.report for each in subjects]).value.replace('_', ' ')}"
    assert lines[2] == final_line([each.report for each in subjects])


@given(foreign)
def test_no_name_is_markup(name: str) -> None:
    """No link, no HTML, no emphasis, no further cell: whatever stands in a name is code."""
    _rows(markdown.render(_with(name), evidence=True))


@given(st.text(alphabet="`|\\ a", max_size=12))
def test_no_name_ends_its_code(name: str) -> None:
    shown = markdown.code(name)
    (inline,) = [each for each in MARKDOWN.parse(f"| x |\n| --- |\n| {shown} |\n") if each.content.startswith(shown)]
    assert [child.type for child in inline.children or ()] == ["text" if shown == "-" else "code_inline"]


def test_a_refuted_claim_has_everything_that_finds_the_fault() -> None:
    document = markdown.render(CASES["refuted"])
    (row,) = [line for line in document.splitlines() if line.startswith("| `up_projection.forward.operations`")]
    assert row == (
        "| `up_projection.forward.operations` | `7` | `309` | `2*B*S*H*F/t` | `B = 1, F/t = 6144, H = 12288, S = 2048` "
        "| `exact_work` | `training.mlp` | `qkv-projection: W_QKV = 6 B S H^2 / t` | `1` |"
    )


@pytest.mark.parametrize("limit", [3_000, 5_000, 10_000, 50_000, markdown.LIMIT])
def test_markdown_stays_below_its_limit_and_counts_what_it_leaves_out(limit: int) -> None:
    findings = tuple(Finding(code="digest.parent", message="x" * 400, path=f"p{number}") for number in range(4000))
    relation = samples.VERIFIED.transitions[0].relations[0]
    transition = msgspec.structs.replace(samples.REFUTED.transitions[0], relations=(relation,) * 5000)
    report = msgspec.structs.replace(samples.REFUTED, diagnostics=findings, transitions=(transition,))
    document = markdown.render([Examined("a.json", "a.json", report)], evidence=True, limit=limit)
    assert len(document) < limit
    rows = _rows(document)
    left = {what: int(number) for number, what in re.findall(r"^(\d+) ([a-z ]+) are left out", document, re.MULTILINE)}
    assert rows.get(("code", "place", "finding"), 0) + left.get("findings", 0) == 4000
    shown = rows.get(("relation", "rule", "cardinality", "entities", "claims and their obligations"), 0)
    assert shown + left.get("relations", 0) == 5000
    assert left


def test_the_bad_bundle_stands_before_the_good_ones() -> None:
    document = markdown.render(
        [Examined("good.json", "", samples.VERIFIED)] * 3 + [Examined("bad.json", "", samples.REFUTED)]
    )
    assert document.index("## `bad.json`: refuted") < document.index("## `good.json`: verified")


def test_nothing_that_a_bundle_names_is_a_command_to_a_runner() -> None:
    named = "##[set-output name=verdict]verified"
    bindings = {"model": {"name": named}}
    subject = msgspec.structs.replace(samples.REFUTED.subject, bindings=bindings)
    finding = Finding(code="claim.role", message=named, path=named)
    report = msgspec.structs.replace(samples.REFUTED, subject=subject, diagnostics=(finding, finding))
    subjects = [Examined(named, named, report)]
    documents = [rendered(form, subjects, unpainted, several=False).decode() for form in FORMATS]
    assert not any("##[" in each for each in documents)
    assert all("set-output" in each for each in documents)


def test_a_bundle_in_which_everything_is_wrong_leaves_room_for_the_others() -> None:
    finding = Finding(code="claim.role", message="m" * 400, path="distributed/x")
    crowded = msgspec.structs.replace(samples.REFUTED, diagnostics=(finding,) * 5_000)
    pages = markdown.render([Examined("a", "a", crowded), Examined("b", "b", samples.REFUTED)])
    assert pages.count("| `claim.role` | `distributed/x` |") == markdown.ROWS
    assert f"{5_000 - markdown.ROWS} findings are left out" in pages
    assert "## `b`: refuted" in pages


def test_nothing_stands_under_the_heading_of_another_bundle() -> None:
    subjects = [Examined(name, name, samples.REFUTED) for name in ("a", "b")]
    whole = markdown.render(subjects)
    for limit in range(2_200, len(whole), 97):
        page = markdown.render(subjects, limit=limit)
        assert ("## `b`" in page) or "The bindings could not" not in page.partition("## `a`")[2].partition("###")[2]
        assert "are left out" in page or page == whole
