"""Overlays stand beside the derivation: off until turned on, with their origin, and changing nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Decimal, localcontext
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.altered import Altered
from tests.browser.conftest import WRONG, Show


def test_an_overlay_is_off_until_it_is_turned_on(show: Show, training: Path) -> None:
    window = show(training, "#/stage/portable")
    box = window.page.get_by_role("checkbox")
    expect(box).not_to_be_checked()
    expect(window.page.locator(".bar")).to_have_count(0)
    box.check()
    expect(window.page.locator(".matrix .bar").first).to_be_visible()
    assert "ov=0" in window.address
    box.uncheck()
    expect(window.page.locator(".bar")).to_have_count(0)


def test_provider_revision_and_what_matched_are_always_said(show: Show, training: Path) -> None:
    overlay = Altered(training.read_text()).index["overlays"][0]
    window = show(training, "#/stage/portable")
    label = window.page.locator(".overlays label")
    for text in (overlay["provider"], overlay["revision"], f"{overlay['matched']} of {overlay['entities']} entities"):
        expect(label).to_contain_text(text)
    window.go("#/stage/distributed")
    expect(window.page.locator(".overlays")).to_have_count(0)


def test_entries_that_name_no_entity_are_counted(show: Show, training: Path, tmp_path: Path) -> None:
    altered = Altered(training.read_text())
    overlay = altered.index["overlays"][0]
    window = show(training, "#/stage/portable")
    expect(window.page.locator(".overlays label")).not_to_contain_text("entries")
    overlay["entries"] = overlay["matched"] + 1234
    file = tmp_path / "entries.html"
    file.write_text(altered.whole())
    label = show(file, "#/stage/portable").page.locator(".overlays label")
    expect(label).to_contain_text(f"by {overlay['matched']} of its {overlay['entries']:,} entries")


def test_a_value_stands_with_its_entity_exactly(show: Show, training: Path) -> None:
    altered = Altered(training.read_text())
    overlay = altered.index["overlays"][0]
    names = altered.rows(altered.stage("portable")["names"])
    at = next(at for at, row in enumerate(names) if row[1] == WRONG and row[2].startswith("task:"))
    (value,) = (row[1] for row in altered.rows(overlay["values"]) if row[0] == at)
    window = show(training, f"#/stage/portable/e/{at}?ov=0")
    shown = window.page.locator("aside .overlay-value")
    expect(shown).to_contain_text(f"{int(value):,}")
    expect(shown).to_contain_text(overlay["unit"])
    expect(shown).to_contain_text(overlay["provider"])


def test_rates_and_times_stand_as_other_quantities_do(show: Show, training: Path) -> None:
    """Grouped, with their unit, and in larger units beside it."""
    overlay = Altered(training.read_text()).index["overlays"][0]
    window = show(training, "#/stage/portable?ov=0&q=up_projection")
    label = window.page.locator(".overlays label")
    for end in ("low", "high"):
        value = int(overlay[end])
        expect(label).to_contain_text(f"{value:,} picoseconds {in_units(value, 'picoseconds')}")
    rates = {each["name"]: int(each["value"]) for each in overlay["rates"]}
    for counted, topic in (
        ("bfloat16 operations", "operations"),
        ("bytes of memory", "bytes in one second"),
        ("bytes of link", "bytes in one second"),
    ):
        expect(label).to_contain_text(f"{rates[counted]:,} {counted} {in_units(rates[counted], topic)}")
    assert re.search(r"[0-9]{4}", re.sub("data sheet, 2021", "", label.inner_text())) is None
    listed = window.texts("aside .entities small")
    assert listed
    assert all(re.fullmatch(r"[0-9,]+ picoseconds( (≈ )?[0-9,.]+ (ns|µs|ms|s))?", text) for text in listed)
    window.page.locator("aside [data-entry]:has(small)").first.click()
    expect(window.page.locator("aside .overlay-value")).to_contain_text(listed[0])


def test_the_overview_leads_to_the_stages_that_have_overlays(
    show: Show, training: Path, inference: Path, tmp_path: Path
) -> None:
    window = show(training)
    notice = window.page.locator("main .overlay-notice")
    expect(notice).to_contain_text("off until they are turned on: blueprint.roofline on PortablePlanIR")
    notice.get_by_role("link", name="PortablePlanIR").click()
    assert window.address == "#/stage/portable"
    expect(window.page.get_by_role("checkbox")).not_to_be_checked()
    expect(show(inference).page.locator(".overlay-notice")).to_have_count(0)
    altered = Altered(inference.read_text())
    one = Altered(training.read_text()).index["overlays"][0] | {"values": {"count": 0, "chunks": []}}
    places = [at for at, row in enumerate(altered.index["stages"]) if row["stage"] == "portable"]
    altered.index["overlays"] = [one | {"stage": at, "provider": name} for at in places for name in ("a", "b", "a")]
    file = tmp_path / "branches.html"
    file.write_text(altered.whole())
    branches = show(file).page.locator(".overlay-notice")
    expect(branches).to_contain_text("a, b on PortablePlanIR (prefill); a, b on PortablePlanIR (final-decode)")


def test_an_overlay_changes_no_structure(show: Show, training: Path) -> None:
    structure = """() => [
        document.querySelector(".edges-all").getAttribute("d").match(/M/g).length,
        ...[...document.querySelectorAll(".chip")].map((chip) => chip.getAttribute("aria-label")),
    ]"""
    window = show(training, "#/stage/portable")
    expect(window.page.locator(".edges-all")).to_have_attribute("d", re.compile("M"))
    before = window.page.evaluate(structure)
    window.page.get_by_role("checkbox").check()
    expect(window.page.locator(".matrix .bar").first).to_be_visible()
    window.rest()
    assert window.page.evaluate(structure) == before


def test_quantities_beyond_the_numbers_of_a_browser_keep_every_digit(
    show: Show, training: Path, tmp_path: Path
) -> None:
    altered = Altered(training.read_text())
    overlay = altered.index["overlays"][0]
    rows = altered.rows(overlay["values"])
    rows[0][1] = str(2**63 - 1)
    altered.put(overlay["values"], rows)
    stage = altered.stage("portable")
    entities = altered.rows(stage["entities"])
    fields = (("a.read_bytes", 2**63 - 1), ("b.read_bytes", 14 * 2**30), ("c.read_bytes", 14 * 2**30 + 1))
    entities[rows[0][0]]["fields"] += [{"name": name, "value": str(value)} for name, value in fields]
    altered.put(stage["entities"], entities)
    file = tmp_path / "great.html"
    file.write_text(altered.whole())
    window = show(file, f"#/stage/portable/e/{rows[0][0]}?ov=0")
    aside = window.page.locator("aside")
    expect(aside.locator(".overlay-value")).to_contain_text("9,223,372,036,854,775,807")
    table = aside.get_by_role("table", name="Fields")
    # What is rounded says so: an exact value in larger units stands without the sign.
    for text in (
        "9,223,372,036,854,775,807 ≈ 8.00 EiB",
        "15,032,385,536 14.00 GiB",
        "15,032,385,537 ≈ 14.00 GiB",
    ):
        expect(table).to_contain_text(text)


# Larger units --------------------------------------------------------------------------------------------------------

UNITS = {
    "bytes": (1024, ("KiB", "MiB", "GiB", "TiB", "PiB", "EiB")),
    "bytes in one second": (1000, ("kB", "MB", "GB", "TB", "PB", "EB")),
    "operations": (1000, ("k", "M", "G", "T", "P", "E", "Z")),
    "picoseconds": (1000, ("ns", "µs", "ms", "s")),
}
"""Step and units of each topic."""


def in_units(value: int, topic: str) -> str:
    """A quantity with two decimals, the half rounded up, in the first unit in which it does not come to the next."""
    step, units = UNITS[topic]
    if value < step:
        return ""
    with localcontext(prec=200):
        for power in range(1, len(units) + 1):
            exact = Decimal(value) / step**power
            shown = exact.quantize(Decimal("0.01"), ROUND_HALF_UP)
            if shown < step or power == len(units):
                break
    return f"{'' if shown == exact else '≈ '}{shown:,} {units[power - 1]}"


def at_the_edges(step: int, units: int) -> Iterator[int]:
    """Values about every unit, about where it is reached by rounding, and about the half of its hundredths."""
    for power in range(1, units + 1):
        unit = step**power
        for numerator in (200, 201, 203, 399, 400, 200 * step - 1):
            yield from (unit * numerator // 200 + off for off in (-1, 0, 1))
        yield from (unit - unit // (200 * step) + off for off in (-1, 0, 1))
    yield from (0, 1, step - 1, 953_998_639_104, 980_108_181_504, 994_994_999_999, 2**63 - 1, step ** (units + 1))
    yield from (999_994, 999_995, 999_996, 999_999, 1_048_570, 1_048_571, 1_048_575, 1_048_576)


def test_units_by_hand() -> None:
    """What is expected below is itself right where anybody can see it."""
    assert in_units(999_994, "operations") == "≈ 999.99 k"
    assert in_units(999_995, "operations") == in_units(999_996, "operations") == "≈ 1.00 M"
    assert in_units(953_998_639_104, "operations") == "≈ 954.00 G"
    assert in_units(980_108_181_504, "operations") == "≈ 980.11 G"
    assert in_units(1_005_000, "picoseconds") == "≈ 1.01 µs"
    assert in_units(1_048_570, "bytes") == "≈ 1,023.99 KiB"
    assert in_units(1_048_571, "bytes") == "≈ 1.00 MiB"
    assert in_units(999, "operations") == ""


@pytest.mark.parametrize("topic", UNITS)
def test_larger_units_are_rounded_and_say_so(topic: str, show: Show, training: Path, tmp_path: Path) -> None:
    step, units = UNITS[topic]
    values = sorted(set(at_the_edges(step, len(units))))
    altered = Altered(training.read_text())
    stage = altered.stage("portable")
    entities = altered.rows(stage["entities"])
    entities[0]["fields"] = [{"name": f"f{at}.{topic}", "value": str(value)} for at, value in enumerate(values)]
    altered.put(stage["entities"], entities)
    file = tmp_path / "units.html"
    file.write_text(altered.whole())
    window = show(file, "#/stage/portable/e/0")
    cells = window.texts("aside table:has(caption:text-is('Fields')) td")
    assert cells == [f"{value:,} {in_units(value, topic)}".strip() for value in values]
