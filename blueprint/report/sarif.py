"""SARIF 2.1.0: every finding that refutes or leaves something open, for code scanning. What is proved is not listed.

Fingerprints are made of codes and places, never of digests or values, so that an alert stays one alert from run to run.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote

from blueprint import codec
from blueprint.exit import exit_of
from blueprint.outcome import Finding, Outcome, RelationRow, Report
from blueprint.report.subjects import Examined, final_line, together, words_of
from blueprint.words import plain

SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

RESULTS: Final = 5000
"""Most results of a run: GitHub takes more and keeps no more."""

RELATED: Final = 20
"""Most sources and targets that stand beside one result."""

_SENTENCE: Final = 2000


@dataclass(frozen=True)
class Meaning:
    """What a code means: in one sentence, why it matters, and what to do."""

    what: str
    why: str
    remedy: str


Explain = Callable[[str], Meaning | None]
"""The meaning of a code, if there is one."""


def render(subjects: Sequence[Examined], explain: Explain) -> bytes:
    """One run about all subjects, in canonical JSON."""
    reports = [each.report for each in subjects]
    found = [(each, finding) for each in subjects for finding in _findings(each.report)]
    # What refutes comes first, so that nothing worse is cut than what is kept.
    found.sort(key=lambda pair: not pair[1].refutes)
    kept, cut = found[:RESULTS], len(found) - len(found[:RESULTS])
    codes = list(dict.fromkeys(finding.code for _, finding in kept))
    run = {
        "tool": {"driver": _driver(reports, codes, explain)},
        "invocations": [_invocation(reports, cut)],
        "artifacts": [_artifact(each) for each in subjects if each.place],
        "results": list(_results(kept, codes)),
        "columnKind": "unicodeCodePoints",
        "properties": {"verdict": together(reports).value, "checked": final_line(reports), "cut": cut},
    }
    document = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return codec.encode(document) + b"\n"


def _findings(report: Report) -> Sequence[Finding]:
    """The findings; a report that has none and is not verified still has its verdict."""
    if report.diagnostics or report.ok:
        return report.diagnostics
    refutes = report.verdict is Outcome.REFUTED
    return (Finding(code="nothing.established", message="nothing was established", path="", refutes=refutes),)


def _driver(reports: Sequence[Report], codes: Sequence[str], explain: Explain) -> dict[str, Any]:
    """The tool: all reports of a run are of one."""
    tools = list(dict.fromkeys(report.tool for report in reports if report.tool.rules_digest))
    version = next((report.tool.version for report in reports), "")
    properties = {
        "rulebooks": [
            {"revision": plain(tool.rulebook_revision), "digest": plain(tool.rules_digest), "shipped": tool.shipped}
            for tool in tools
        ],
        "solvers": sorted({plain(solver) for tool in tools for solver in tool.solvers}),
    }
    return {
        "name": "Blueprint",
        "version": plain(version),
        "rules": [_rule(code, reports, explain) for code in codes],
        "properties": properties,
    }


def _rule(code: str, reports: Sequence[Report], explain: Explain) -> dict[str, Any]:
    meaning = explain(code) or _of_law(code, reports) or Meaning(code, "", "")
    more = f"`blueprint explain {plain(code)}` says more."
    why = " ".join(each for each in (meaning.what, meaning.why) if each)
    return {
        "id": plain(code),
        "shortDescription": {"text": _message(meaning.what)},
        "fullDescription": {"text": _message(why)},
        "help": {"text": _message(" ".join(each for each in (meaning.remedy, more) if each))},
        "defaultConfiguration": {"level": "error"},
    }


def _of_law(code: str, reports: Sequence[Report]) -> Meaning | None:
    """A law says itself what it is."""
    for report in reports:
        for transition in report.transitions:
            for law in transition.laws:
                if code == f"law.{law.id}":
                    return Meaning(f"law {law.id}: {law.statement}", "", "")
    return None


def _invocation(reports: Sequence[Report], cut: int) -> dict[str, Any]:
    verdict = together(reports)
    ran = verdict not in {Outcome.MALFORMED, Outcome.ERROR}
    notes = [f"verdict: {words_of(verdict)}; {final_line(reports)}"]
    if cut:
        notes.append(f"{cut} more findings are left out: code scanning keeps {RESULTS} of a run")
    return {
        "executionSuccessful": ran,
        "exitCode": int(exit_of(verdict)),
        "toolExecutionNotifications": [{"level": "note", "message": {"text": _message(note)}} for note in notes],
    }


def _artifact(subject: Examined) -> dict[str, Any]:
    statement = {
        plain(section): {plain(key): plain(value) for key, value in values.items()}
        for section, values in subject.report.subject.bindings.items()
    }
    artifact: dict[str, Any] = {
        "location": _location(subject.place),
        "mimeType": "application/json",
        "roles": ["analysisTarget"],
        "properties": {"verdict": subject.report.verdict.value, "statement": statement},
    }
    if subject.report.subject.bundle_sha256:
        artifact["hashes"] = {"sha-256": plain(subject.report.subject.bundle_sha256)}
    return artifact


def _results(found: Sequence[tuple[Examined, Finding]], codes: Sequence[str]) -> Iterator[dict[str, Any]]:
    seen: Counter[tuple[str, str, str]] = Counter()
    positions = {code: position for position, code in enumerate(codes)}
    # Looked up once: a report may hold many relations and many findings.
    relations = {
        id(subject): {relation.id: relation for each in subject.report.transitions for relation in each.relations}
        for subject, _ in found
    }
    for subject, finding in found:
        identity = (subject.place, finding.code, finding.path)
        seen[identity] += 1
        relation = relations[id(subject)].get(finding.relation)
        yield _result(subject, finding, positions[finding.code], seen[identity], relation)


def _result(
    subject: Examined, finding: Finding, rule: int, occurrence: int, relation: RelationRow | None
) -> dict[str, Any]:
    where = f"{finding.path}: " if finding.path else ""
    identity = "\0".join((subject.place, finding.code, finding.path, str(occurrence)))
    location: dict[str, Any] = {}
    if subject.place:
        # A bundle is one line of JSON.
        location["physicalLocation"] = {"artifactLocation": _location(subject.place), "region": {"startLine": 1}}
    if finding.path:
        location["logicalLocations"] = [_entity(finding.path)]
    result: dict[str, Any] = {
        "ruleId": plain(finding.code),
        "ruleIndex": rule,
        # Of the kind `fail` either way: the schema allows no warning of the kind `open`.
        "level": "error" if finding.refutes else "warning",
        "message": {"text": _message(f"{where}{finding.message}")},
        "locations": [location] if location else [],
        "partialFingerprints": {
            "blueprint/v1": hashlib.sha256(identity.encode("utf-8", "backslashreplace")).hexdigest()
        },
    }
    if relation is not None:
        result["relatedLocations"] = list(_related(relation))
        result["properties"] = {"relation": plain(relation.id), "rule": plain(relation.transform)}
    return result


def _related(relation: RelationRow) -> Iterator[dict[str, Any]]:
    """The targets of a relation by name, then its sources by id."""
    places = [("target", name) for name in relation.names] + [("source", source) for source in relation.sources]
    for number, (side, name) in enumerate(places[:RELATED]):
        yield {"id": number, "message": {"text": side}, "logicalLocations": [_entity(name)]}


def _entity(path: str) -> dict[str, str]:
    return {"fullyQualifiedName": plain(path, 240), "kind": "element"}


def _location(place: str) -> dict[str, str]:
    """A place as a URI: relative to the root of the sources, or absolute."""
    if place.startswith("/"):
        return {"uri": "file://" + quote(place, errors="surrogateescape")}
    # A colon in the first segment would be read as the end of a scheme.
    return {"uri": quote(place, safe="/", errors="surrogateescape"), "uriBaseId": "%SRCROOT%"}


def _message(text: str) -> str:
    """Plain text without what SARIF reads as a link or a placeholder in it."""
    shown = plain(text, _SENTENCE).replace("{", "{{").replace("}", "}}")
    return shown.replace("](", "] (") or "-"
