"""Every view has a link that survives a reload; what is not in the bundle is said not to be."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.altered import Altered
from tests.browser.conftest import WRONG, Show, Window

LINKS = (
    "#/",
    "#/stage/model",
    "#/stage/portable?view=short",
    "#/stage/portable?view=detail&ov=0",
    "#/stage/portable?ov=0",
    "#/stage/distributed?g=3",
    "#/stage/distributed?q=norm",
    "#/stage/concrete",
    "#/boundary/0",
    "#/boundary/1?form=detail",
    "#/boundary/2?rule=planning.task&card=1%3A1",
    "#/boundary/1/l/4",
    "#/evidence",
    "#/evidence/7",
    "#/search?q=norm",
)


def shown(window: Window) -> str:
    """What is shown."""
    expect(window.page.locator("main h1, main .notice").first).to_be_visible()
    return "\n".join(window.texts(":is(main h1, main .count, aside h2, .choice [aria-current], .chain [aria-current])"))


def test_a_link_shows_the_same_after_a_reload(show: Show, training: Path) -> None:
    window = show(training)
    for link in LINKS:
        window.go(link)
        before = shown(window)
        window.reload()
        assert shown(window) == before, link
        assert window.address == link
        expect(window.page.locator(".notice"), link).to_have_count(1 if "concrete" in link else 0)


def test_a_link_to_an_entity_is_settled_to_its_id_and_round_trips(show: Show, training: Path) -> None:
    altered = Altered(training.read_text())
    names = altered.rows(altered.stage("portable")["names"])
    at = next(at for at, row in enumerate(names) if row[1] == WRONG)
    window = show(training, f"#/stage/portable/e/{at}")
    heading = window.page.locator("aside h2")
    expect(heading).to_contain_text(names[at][0])
    assert window.address == f"#/stage/portable/e/{names[at][2].replace(':', '%3A')}"
    window.reload()
    expect(heading).to_contain_text(names[at][0])
    expect(window.page.locator(f".chip[data-group='{names[at][3]}']")).to_have_attribute("aria-pressed", "true")


def test_a_link_to_a_relation_is_settled_to_its_id_and_round_trips(show: Show, training: Path) -> None:
    altered = Altered(training.read_text())
    relation = altered.rows(altered.index["boundaries"][1]["relations"])[20]
    window = show(training, "#/boundary/1/r/20")
    identity = window.page.locator("aside details").filter(has_text="Raw mapping")
    expect(identity).to_contain_text(relation["id"])
    assert relation["id"].replace(":", "%3A") in window.address
    window.reload()
    expect(identity).to_contain_text(relation["id"])
    # Without the hint of its position it is found, too.
    window.go("#/")
    window.go(f"#/boundary/1/r/{relation['id']}")
    expect(identity).to_contain_text(relation["id"])
    expect(window.page.locator(".lowering tbody.open")).to_be_in_viewport()


UNKNOWN = (
    "#/stage/nowhere",
    "#/stage/distributed.prefill",
    "#/stage/portable?view=force",
    "#/stage/portable?g=100000",
    "#/stage/portable?g=0x1",
    "#/stage/portable?g=%20",
    "#/stage/portable?g=-0",
    "#/stage/portable?ov=99",
    "#/stage/portable?ov=-1",
    "#/stage/portable?ov=0x0",
    "#/stage/model?ov=0",
    "#/stage/portable/x/3",
    "#/stage/portable/__proto__/3",
    "#/stage/portable/e/-1",
    f"#/stage/portable/e/task:{'0' * 64}",
    "#/stage/portable/e/999999",
    "#/boundary/9",
    "#/boundary/-1",
    "#/boundary/1/r/999999",
    f"#/boundary/1/r/relation:{'0' * 64}",
    "#/boundary/1/l/9999",
    "#/boundary/1/x/1",
    "#/evidence/999999",
    "#/no/such/view",
    "#/%E0%A4%A",
)


def test_an_unknown_target_is_said_not_to_be_in_this_bundle(show: Show, training: Path) -> None:
    window = show(training)
    alert = window.page.get_by_role("alert")
    for link in UNKNOWN:
        window.go("#/")
        expect(alert).to_have_count(0)
        window.go(link)
        expect(alert, link).to_have_count(1)
        expect(alert, link).to_contain_text("Not in this bundle")


def test_back_and_forward_follow_what_was_opened(show: Show, training: Path) -> None:
    window = show(training)
    heading = window.page.locator("main h1")
    window.page.locator(".chain a[href='#/stage/distributed']").click()
    expect(heading).to_have_text("DistributedTaskIR")
    window.page.locator(".chain a[href='#/boundary/2']").click()
    expect(heading).to_contain_text("PlanTransformerTrainingPass")
    window.page.go_back()
    expect(heading).to_have_text("DistributedTaskIR")
    window.page.go_forward()
    expect(heading).to_contain_text("PlanTransformerTrainingPass")


@pytest.mark.parametrize(
    "restless",
    [
        "document.body.ariaBusy = 'true'",
        "setInterval(() => document.querySelector('main').append(String(performance.now())), 5)",
        "setInterval(() => { location.hash = `#/search?q=${performance.now()}` }, 5)",
    ],
)
def test_a_page_that_reads_or_changes_is_at_no_rest(
    restless: str, show: Show, training: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = show(training)
    window.page.evaluate(f"() => {{ {restless} }}")
    monkeypatch.setattr("tests.browser.conftest.PATIENCE", 500)
    with pytest.raises(AssertionError, match="no rest"):
        window.rest()
