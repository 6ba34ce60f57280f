"""The page as a file: equal bytes, one policy, complete chunks, inert names, and the verdict without scripts."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec

from blueprint.explorer import chunks
from blueprint.explorer.chunks import Chunks
from blueprint.explorer.explore import explorer_page
from blueprint.ir.common import Stage
from blueprint.ir.request import TargetKind
from blueprint.outcome import Finding, Outcome
from blueprint.verification import verify
from tests.bundles.stacks import WITH_BIASES, training_stage_request
from tests.explorer.conftest import Explored, bound, derived, explored
from tests.explorer.pages import Page
from tests.reseal import Draft

ROOT = Path(__file__).resolve().parents[2]

LARGEST_EXACT = 2**53

HOSTILE = "</script><!--<script>alert(1)</script>\u202e\u2028\u200b<img src=x onerror=alert(1)>\x07\"'&__proto__"


def numbers(value: Any) -> list[int]:
    """Every number in JSON data."""
    if isinstance(value, dict):
        return [each for entry in value.values() for each in numbers(entry)]
    if isinstance(value, list):
        return [each for entry in value for each in numbers(entry)]
    assert not isinstance(value, float)
    return [value] if isinstance(value, int) and not isinstance(value, bool) else []


def texts(value: Any) -> list[str]:
    """Every string in JSON data, keys included."""
    if isinstance(value, dict):
        return [*value, *(each for entry in value.values() for each in texts(entry))]
    if isinstance(value, list):
        return [each for entry in value for each in texts(entry)]
    return [value] if isinstance(value, str) else []


def everything(page: Page) -> list[Any]:
    """Index and chunks as data."""
    return [page.index, *map(json.loads, page.chunk_texts.values())]


def lists_of(value: Any) -> list[dict[str, Any]]:
    """Every list of rows that stands in chunks."""
    if isinstance(value, dict) and set(value) == {"count", "chunks"}:
        return [value]
    entries = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [each for entry in entries for each in lists_of(entry)]


def test_two_pages_of_one_bundle_are_equal(five: Explored) -> None:
    again = verify(five.data)
    assert explorer_page(five.data, again) == five.page.data


def test_a_page_is_the_same_whatever_the_seed_of_hashes(training: Explored, tmp_path: Path) -> None:
    bundle = tmp_path / "bundle.json"
    bundle.write_bytes(training.data)
    pages = []
    for seed in ("1", "2"):
        page = tmp_path / f"{seed}.html"
        command = [sys.executable, "-m", "blueprint", "--quiet", "explore", str(bundle), "-o", str(page)]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        assert subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode == 0
        pages.append(page.read_bytes())
    assert pages[0] == pages[1] == training.page.data


def test_the_policy_comes_first_and_allows_one_script_and_one_style(training: Explored) -> None:
    page = training.page
    head = page.data.partition(b"<head>")[2]
    assert head.lstrip().startswith(b'<meta http-equiv="Content-Security-Policy" ')
    # A browser looks for the encoding in the first 1,024 bytes.
    assert b'<meta charset="utf-8">' in page.data[:1024]
    (policy,) = [
        each.attributes["content"]
        for each in page.elements
        if each.attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    (script,) = [each.text for each in page.elements if each.tag == "script" and "type" not in each.attributes]
    (style,) = [each.text for each in page.elements if each.tag == "style"]

    def hashed(text: str) -> str:
        return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()

    assert policy == (
        f"default-src 'none'; script-src 'sha256-{hashed(script)}'; style-src 'sha256-{hashed(style)}'; img-src data:;"
        " connect-src 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script';"
        " trusted-types 'none'"
    )


def test_the_page_has_nothing_that_asks_for_anything(five: Explored) -> None:
    tags = {each.tag for each in five.page.elements}
    assert not tags & {"link", "img", "iframe", "object", "embed", "form", "base", "video", "audio", "a"}
    for element in five.page.elements:
        assert not {"src", "href", "style", "srcset", "action"} & set(element.attributes)
        assert not [name for name in element.attributes if name.startswith("on")]


def test_every_list_is_complete_and_every_chunk_has_its_digest(five: Explored) -> None:
    page = five.page
    lists = lists_of(page.index)
    assert len(lists) > 20
    for each in lists:
        page.rows(each)
    named = [chunk["id"] for each in lists for chunk in each["chunks"]]
    assert sorted(named) == sorted(page.chunk_texts)


def test_a_chunk_is_bounded_in_rows_and_in_bytes() -> None:
    held = Chunks()
    by_rows = held.listed(list(range(1001)), 500)
    assert [(each.start, each.count) for each in by_rows.chunks] == [(0, 500), (500, 500), (1000, 1)]
    row = "x" * 1000
    by_bytes = held.listed([row] * 2000, 10_000)
    assert by_bytes.count == sum(each.count for each in by_bytes.chunks) == 2000
    assert [each.count for each in by_bytes.chunks[:-1]] == [chunks.BYTES // (len(row) + 3)] * (
        len(by_bytes.chunks) - 1
    )
    assert held.listed([], 10) == by_rows.__class__(count=0, chunks=())


def test_no_number_is_beyond_what_a_browser_reads_exactly(five: Explored) -> None:
    found = [each for data in everything(five.page) for each in numbers(data)]
    assert found
    assert max(found) < LARGEST_EXACT
    assert min(found) >= -1
    # The quantities are there, as strings: some memory of the plan is above a million bytes.
    assert any(re.fullmatch("[0-9]{5,}", each) for each in texts(five.page.index))


def test_a_quantity_beyond_that_survives_as_digits(training: Explored) -> None:
    draft = Draft(training.data)
    draft.entity(Stage.PORTABLE, "tasks", "optimizer")["work"]["operations"] = LARGEST_EXACT + 1
    data = draft.sealed()
    page = Page(explorer_page(data, verify(data)))
    assert max(each for found in everything(page) for each in numbers(found)) < LARGEST_EXACT
    rows = page.rows(page.stage("portable")["entities"])
    (optimizer,) = [each for each in rows if each["name"] == "optimizer"]
    assert {"name": "work.operations", "value": str(LARGEST_EXACT + 1)} in optimizer["fields"]


def test_hostile_names_are_inert_and_shown_as_escapes(training: Explored) -> None:
    draft = Draft(training.data)
    draft.request["model"]["name"] = HOSTILE
    draft.data["rulebook"]["revision"] = HOSTILE
    for record in draft.data["stages"]:
        record["label"] = record["pass"] = HOSTILE
    for record in draft.data["transitions"]:
        record["contract"]["name"] = record["contract"]["rules"][0]["rewrite"] = HOSTILE
        record["contract"]["rules"][0]["id"] = record["contract"]["mutation"] = HOSTILE
    draft.derive_again(Stage.MODEL)
    data = draft.sealed()
    report = verify(data)
    page = Page(explorer_page(data, report))
    plain = Page(training.page.data)
    ours = {each.tag for each in plain.elements} | {"ol", "li", "code", "bdi"}
    assert {each.tag for each in page.elements} <= ours
    scripts = [each for each in page.elements if each.tag == "script"]
    assert len(scripts) == 2 + len(page.chunk_texts)
    assert page.data.count(b"</script") == len(scripts)
    assert b"<!--" not in page.data.partition(b"<body>")[2].rpartition(b"<script>")[0]
    shown = [each for found in everything(page) for each in texts(found)]
    assert [each for each in shown if "alert(1)" in each]
    odd = re.compile("[^ -~\u2192]")
    assert not [each for each in shown if odd.search(each)]
    assert [each for each in shown if "\\u202e" in each]


def test_the_verdict_and_the_counts_stand_there_without_scripts(training: Explored) -> None:
    page = training.page
    assert page.elements[0].tag == "html"
    assert page.elements[0].attributes["lang"] == "en"
    (title,) = [each.text for each in page.elements if each.tag == "title"]
    assert title == "verified: tiny (named by the bundle), training"
    (heading,) = [each for each in page.elements if each.tag == "h1"]
    assert (heading.text, heading.attributes["data-word"]) == (title, "verified")
    cells = [each.text for each in page.elements if each.tag in {"th", "td"}]
    proved = cells[cells.index("proved") + 1]
    assert proved == training.report.summary.by_status["proved"]
    assert [each for each in page.elements if each.tag == "noscript"]
    # The statement stands before the counts.
    order = [each.text.strip() or each.tag for each in page.elements if each.tag in {"h1", "h2", "table"}]
    assert order == [title, "model", "workload", "strategy", "target", "deployment", "scope", "table"]


def test_findings_stand_there_without_scripts_and_the_rest_is_counted(training: Explored) -> None:
    findings = tuple(
        Finding(code="claim.exact_work", message=f"<b>{number}</b>", path="portable/x<y") for number in range(23)
    )
    report = msgspec.structs.replace(training.report, verdict=Outcome.REFUTED, diagnostics=findings)
    page = Page(explorer_page(training.data, report))
    listed = [each.text for each in page.elements if each.tag == "li"]
    assert len(listed) == 20
    assert listed[0] == " at : <b>0</b>"
    assert next(each.text for each in page.elements if each.tag == "bdi") == "portable/x<y"
    assert [each.text for each in page.elements if each.text == "and 3 more"]
    assert page.index["findings_total"] == 23
    assert len(page.index["findings"]) == 23


def test_the_index_does_not_grow_with_the_blocks(five: Explored) -> None:
    """But for the lists of chunks, and for numbers with more digits."""
    model = msgspec.structs.replace(WITH_BIASES, layers=18)
    request = bound(training_stage_request(model=model), TargetKind.QUEUE)
    many = explored(derived(request)).page.index
    for few, more in zip(five.page.index["stages"], many["stages"], strict=True):
        assert len(few["groups"]) == len(more["groups"])
        assert [each["name"] for each in few["groups"]] == [each["name"] for each in more["groups"]]
        assert sum(each["count"] for each in more["groups"]) > 2 * sum(each["count"] for each in few["groups"])
