"""The site is made from code, laws and proofs: what changes them changes its pages, and every link leads somewhere."""

from __future__ import annotations

import dataclasses
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from markdown import Markdown

from blueprint.exit import ExitCode
from blueprint.explanations.claims import CLAIMS
from blueprint.explanations.codes import CODES
from blueprint.passes.distribute_training import DistributeTransformerTrainingPass
from blueprint.rulebook import load, shipped
from tests.tools.site import __main__ as command
from tests.tools.site import links
from tests.tools.site.equations import ABSENT, Book
from tests.tools.site.formulas import Formulas, mathml
from tests.tools.site.hooks import _moved
from tests.tools.site.markup import escaped
from tests.tools.site.pages import differing, pages
from tests.tools.site.passes_page import _holds_structures, _rows, passes_page, promises

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "docs" / "site"

Change = Callable[[Path, Path], None]


def build(folder: Path, out: Path) -> subprocess.CompletedProcess[str]:
    """Build the site of a checkout as `make docs` does, and with every warning of Python an error."""
    words = [sys.executable, "-W", "error", "-m", "mkdocs", "build", "--strict", "--site-dir", str(out)]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site."""
    out = tmp_path_factory.mktemp("site")
    done = build(ROOT, out)
    assert (done.returncode, "WARNING" in done.stderr) == (0, False), done.stderr
    return out


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    """The generated pages as they should be."""
    return pages(Book(load(shipped("rules")), shipped("proofs")))


def html(site: Path, page: str) -> str:
    return (site / page).read_text(encoding="utf-8")


# The pages are those of the code, the laws and the proofs ------------------------------------------------------------


def test_the_pages_are_what_they_are_made_of(made: dict[str, str]) -> None:
    assert list(differing(made, SITE)) == [], "run: python -m tests.tools.site --write"


def test_every_rule_of_the_pages_is_proved_as_it_stands(made: dict[str, str]) -> None:
    assert [name for name, page in made.items() if ABSENT in page] == []


def replace(path: Path, old: str, new: str) -> None:
    """A change at the one place where it fits."""
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


def _coefficient(rules: Path, _: Path) -> None:
    replace(
        rules / "training" / "mlp.py",
        "t * W, lambda case: 4 * B * S * H * F)",
        "t * W, lambda case: 5 * B * S * H * F)",
    )


def _source(rules: Path, _: Path) -> None:
    replace(rules / "training" / "mlp.py", 'source="Shoeybi et al., Megatron-LM"', 'source="a guess"')


def _claims(rules: Path, _: Path) -> None:
    replace(rules / "training" / "mlp.py", "preserves=TRAFFIC_CLAIMS", "preserves=TRAFFIC_CLAIMS[:-1]")


def _verdict(_: Path, proofs: Path) -> None:
    path = proofs / "training" / "mlp" / "evidence.json"
    recorded = json.loads(path.read_text(encoding="utf-8"))
    for each in recorded["obligations"]:
        each["verdict"] = "unknown"
    path.write_text(json.dumps(recorded), encoding="utf-8")


def _proofs(_: Path, proofs: Path) -> None:
    shutil.rmtree(proofs / "training" / "mlp")


@pytest.mark.parametrize(
    ("change", "added"),
    [
        (_coefficient, (r"\$\$W t = 5 B F H S\$\$", ABSENT.strip())),
        (_source, (r"Rule `training\.mlp`\. Source: a guess\.", ABSENT.strip())),
        (_claims, (ABSENT.strip(),)),
        (_verdict, (r"\| general \| \d+ \| \d+ \| unknown \| .*",)),
        (_proofs, (ABSENT.strip(),)),
    ],
)
def test_a_change_changes_the_page(change: Change, added: tuple[str, ...], tmp_path: Path) -> None:
    ignored = shutil.ignore_patterns("__pycache__", "*.smt2")
    for folder in ("rules", "proofs"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=ignored)
    change(tmp_path / "rules", tmp_path / "proofs")
    page = passes_page(Book(load(tmp_path / "rules"), tmp_path / "proofs"))
    assert list(differing({"passes.md": page}, SITE)) == ["passes.md"]
    held = {*(SITE / "passes.md").read_text(encoding="utf-8").splitlines()}
    new = [line for line in page.splitlines() if line not in held]
    assert [each for each in added if not any(re.fullmatch(each, line) for line in new)] == []


def test_a_changed_fact_of_a_pass_changes_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    changed = dataclasses.replace(DistributeTransformerTrainingPass.facts, provenance=("nobody",), uses_seed=True)
    monkeypatch.setattr(DistributeTransformerTrainingPass, "facts", changed)
    page = passes_page(Book(load(shipped("rules")), shipped("proofs")))
    assert {"| provenance | nobody |", "| uses session seed | yes |"} <= {*page.splitlines()}


def test_a_contract_is_shown_with_all_its_fields(made: dict[str, str]) -> None:
    shown = set(re.findall(r"^\| ([a-z ]+) \|", made["passes.md"], re.MULTILINE))
    (contract,) = promises(load(shipped("rules")))[0].contracts.values()
    fields = [field for field in contract.__struct_fields__ if not _holds_structures(getattr(contract, field))]
    assert len(fields) > 12
    assert {field.replace("_", " ") for field in fields} <= shown
    apart = [getattr(contract, field) for field in contract.__struct_fields__ if field not in fields]
    assert all(f"-{each.id}}}" in made["passes.md"] for parts in apart for each in parts)


def test_a_new_field_of_a_contract_needs_no_other_change() -> None:
    class Longer(msgspec.Struct):
        name: str
        new_field: bool
        parts: tuple[msgspec.Struct, ...]

    one, other = (Longer("x", yes, (Longer("y", yes, ()),)) for yes in (True, False))
    assert _rows([one], {}) == [("name", "x"), ("new field", "yes")]
    assert _rows([one, other], {"x": "#x"}) == [("name", "[x](#x)"), ("new field", "yes or no")]


def test_the_seven_passes_are_shown_with_their_workloads() -> None:
    shown = {
        each.facts.name: [workload.value for workload in each.contracts] for each in promises(load(shipped("rules")))
    }
    assert shown == {
        "DistributeTransformerTrainingPass": ["training"],
        "DistributeTransformerInferencePass": ["inference"],
        "PlanTransformerTrainingPass": ["training"],
        "PlanTransformerInferencePass": ["inference"],
        "BindReferenceQueueTargetPass": ["training", "inference"],
        "BindReferenceSlotTargetPass": ["training", "inference"],
        "EmitReferenceMachinePass": ["training", "inference"],
    }


def test_pages_are_written_and_compared(
    made: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.settle(made, tmp_path, ["--write"]) == 0
    assert command.settle(made, tmp_path, []) == 0
    assert capsys.readouterr() == ("", "")
    replace(tmp_path / "laws.md", "\n# Laws\n", "\n# Guesses\n")
    (tmp_path / "codes.md").unlink()
    assert command.settle(made, tmp_path, []) == 1
    shown = capsys.readouterr()
    assert "-# Guesses\n+# Laws\n" in shown.out
    assert "+# Claims and codes\n" in shown.out
    assert "python -m tests.tools.site --write" in shown.err


# The built site -------------------------------------------------------------------------------------------------------


def test_every_rule_and_law_is_on_its_page(site: Path) -> None:
    rulebook = load(shipped("rules"))
    passes, laws = (set(re.findall(r'id="([^"]+)"', html(site, f"{page}.html"))) for page in ("passes", "laws"))
    primitives = {rule.id for rule in rulebook.primitives.values()}
    assert {law.id for _, law in rulebook.laws()} | primitives <= laws
    for each in promises(rulebook):
        stated = {
            f"{each.facts.name}-{name}" for name in (*(law.id for _, law in each.laws), *(r.id for r in each.rules))
        }
        assert stated <= passes
    assert {rule.id for rule in rulebook.rules} == primitives | {
        r.id for each in promises(rulebook) for r in each.rules
    }


@pytest.mark.parametrize("page", ["passes", "laws"])
def test_every_formula_is_mathematics(site: Path, made: dict[str, str], page: str) -> None:
    source, shown = made[f"{page}.md"], html(site, f"{page}.html")
    assert shown.count('display="block"') == source.count("$$") // 2 > 200
    assert "$" not in re.sub(r"<details.*?</details>", "", shown, flags=re.DOTALL)
    assert "merror" not in shown


def test_every_claim_code_command_and_status_is_explained(site: Path, made: dict[str, str]) -> None:
    places = set(re.findall(r'id="([^"]+)"', html(site, "codes.html")))
    assert {f"claim-{kind}" for kind in CLAIMS} | {f"code-{code}" for code in CODES} <= places
    commands = made["commands.md"]
    assert "| `--recompute` | `none|selective|full` | `none` | What is computed again. |" in commands
    assert all(f"\n| {code.value} | {code.name} | " in commands for code in ExitCode)
    for words in ("verify", "report", "derive training", "derive inference", "prove", "laws", "models", "explain"):
        helped = subprocess.run(
            [sys.executable, "-m", "blueprint", *words.split(), "--help"], capture_output=True, text=True, check=True
        ).stdout
        section = commands.partition(f"\n## blueprint {words} ")[2].partition("\n## ")[0]
        assert set(re.findall(r"--[a-z][a-z-]+", helped)) - {"--help"} == set(re.findall(r"--[a-z][a-z-]+", section))


def test_documents_from_elsewhere_are_pages(site: Path) -> None:
    assert "<h1" in html(site, "rules.html")
    decisions = html(site, "decisions/index.html")
    records = sorted((ROOT / "docs" / "adr").glob("[0-9]*.md"))
    assert len(records) > 10
    for path in records:
        assert f'href="{path.stem}.html"' in decisions
        assert (site / "decisions" / f"{path.stem}.html").is_file()
    assert "tests/docs/test_requirements.py" in html(site, "requirements.html")


def test_a_link_between_documents_becomes_one_between_pages() -> None:
    text = "[a](../../rules/README.md#x) [b](0001-a.md) [c](d.md) [e](https://x.y/z.md)"
    places = {"docs/adr/0002-b.md": "decisions/0002-b.md", "docs/adr/0001-a.md": "decisions/0001-a.md"}
    moved = _moved(text, "docs/adr/0002-b.md", places | {"rules/README.md": "rules.md"})
    assert moved == "[a](../rules.md#x) [b](0001-a.md) [c](d.md) [e](https://x.y/z.md)"


def test_every_link_of_the_site_leads_somewhere(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert links.main(site) == 0
    counted = re.fullmatch(
        r"(\d+) pages, (\d+) links inside the site \((\d+) to a place in a page\), (\d+) to elsewhere; 0 faults\n",
        capsys.readouterr().out,
    )
    assert counted is not None
    assert [int(each) > least for each, least in zip(counted.groups(), (20, 1500, 1000, 5), strict=True)] == [True] * 4


def test_a_page_with_a_style_from_elsewhere_is_noticed(site: Path) -> None:
    assert re.search(r"url\(\W*https?:|@import", "".join(path.read_text() for path in site.rglob("*.css"))) is None


# Checks that can fail -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("[x](nowhere.md)", "'nowhere.md', but the target is not found"),
        ("[x](laws.md#no-such-law)", "does not contain an anchor '#no-such-law'"),
        ("[x](/laws.html)", "absolute link '/laws.html'"),
        ("[x][blueprint.nothing]", "Could not find cross-reference target 'blueprint.nothing'"),
    ],
)
def test_a_broken_link_ends_the_build(line: str, words: str, tmp_path: Path) -> None:
    for name in ("mkdocs.yml", "blueprint", "tests"):
        (tmp_path / name).symlink_to(ROOT / name)
    shutil.copytree(SITE, tmp_path / "docs" / "site")
    with (tmp_path / "docs" / "site" / "index.md").open("a", encoding="utf-8") as page:
        page.write(f"\n{line}\n")
    done = build(tmp_path, tmp_path / "out")
    assert done.returncode == 1
    assert words in done.stderr
    assert "Aborted with 1 warnings in strict mode!" in done.stdout + done.stderr


GOOD = '<h1 id="top">A</h1><a href="b/c.html#here">c</a><a href="#top">up</a><a href="b/">b</a><a href="https://x.y/z">z</a>'


def small_site(folder: Path, body: str) -> Path:
    """Three pages."""
    (folder / "b").mkdir()
    (folder / "a.html").write_text(body, encoding="utf-8")
    (folder / "b" / "c.html").write_text('<p id="here"><a href="../a.html#top">a</a></p>', encoding="utf-8")
    (folder / "b" / "index.html").write_text('<p><a name="old"></a><a href="/a.html">a</a></p>', encoding="utf-8")
    return folder


def test_a_small_site_without_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert links.main(small_site(tmp_path, GOOD)) == 0
    counted = "3 pages, 5 links inside the site (3 to a place in a page), 1 to elsewhere; 0 faults\n"
    assert capsys.readouterr() == (counted, "")


@pytest.mark.parametrize(
    ("more", "fault"),
    [
        ('<a href="d.html">d</a>', "a.html links to d.html, and there is no d.html"),
        ('<a href="b/../../a.html">a</a>', "a.html links to b/../../a.html, and there is no ../a.html"),
        ('<a href="b/c.html#gone">c</a>', "a.html links to b/c.html#gone, and there is no such place in b/c.html"),
        ('<a href="#gone">up</a>', "a.html links to #gone, and there is no such place in a.html"),
        ('<img src="d.png">', "a.html links to d.png, and there is no d.png"),
        ('<script src="https://x.y/z.js"></script>', "a.html loads https://x.y/z.js from outside"),
        ('<link rel="stylesheet" href="//x.y/z.css">', "a.html loads //x.y/z.css from outside"),
    ],
)
def test_a_fault_of_a_site_is_named(more: str, fault: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert links.main(small_site(tmp_path, GOOD + more)) == 1
    assert capsys.readouterr().err == f"{fault}\n"


def test_a_site_without_pages_is_a_fault(tmp_path: Path) -> None:
    assert links.main(tmp_path) == 1


def test_make_docs_compares_builds_and_checks() -> None:
    recipe = (ROOT / "Makefile").read_text(encoding="utf-8").partition("\ndocs: $(STAMP) ")[2].partition("\n\n")[0]
    assert recipe.splitlines()[1:] == [
        "\t@$(PY) -m tests.tools.site",
        "\t@$(PY) -m mkdocs build --strict",
        "\t@$(PY) -m tests.tools.site.links build/site",
    ]


# Words and formulae ---------------------------------------------------------------------------------------------------


def rendered(text: str) -> str:
    return Markdown(extensions=["tables", Formulas()]).convert(text)


@pytest.mark.parametrize(
    "words", ["a*b*c", "_x_ x_y y_", "[a](b)", "p | q", "$.a and $.b", r"\* \$", "a < b & c", "x > y"]
)
def test_words_are_shown_as_they_stand(words: str) -> None:
    shown = rendered(f"{escaped(words)}")
    assert re.sub(r"</?p>", "", shown) == words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def test_code_among_words_is_code() -> None:
    assert rendered(escaped("a `x*y*z $q$` b_")) == "<p>a <code>x*y*z $q$</code> b_</p>"


def test_a_formula_is_an_element_of_mathematics() -> None:
    assert mathml("C_{act} t", "inline") == (
        '<math xmlns="http://www.w3.org/1998/Math/MathML" display="inline"><mrow>'
        "<msub><mi>C</mi><mrow><mtext>act</mtext></mrow></msub><mi>t</mi></mrow></math>"
    )
    assert "<mtext>bytes&#x000A0;read</mtext>" in mathml("bytes read = R", "block")
    assert "<mtext>" not in mathml(r"4 d \left(h + 2 k\right) \le e", "block")
    shown = rendered("If $a*b$ and *c*:\n\n$$x_{1} * y_{2}$$")
    assert shown.count("<math ") == 2
    assert 'display="block"' in shown
    assert "<em>c</em>" in shown
