"""Every name in a report is explained, from one place each: a code without an explanation fails, and the reverse."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from blueprint import errors, examine
from blueprint.exit import exit_of_error
from blueprint.explanations.claims import CLAIMS
from blueprint.explanations.codes import CODES, GROUPS
from blueprint.explanations.entry import Entry
from blueprint.explanations.pages import nearest
from blueprint.law import Bound, Equation, Law, Maximum, MaximumLaw, MemoryLaw
from blueprint.outcome import Status
from blueprint.rule import TRAFFIC, Claim, PassRule, PrimitiveRule, Rule
from blueprint.rulebook import PACKAGE, load, shipped
from blueprint.verdict import Verdict
from tests.cli.conftest import ROOT, Run

BOOK = load(shipped("rules"))
LAWS = {law.id: law for _, law in BOOK.laws()}
FORMULAE = {rule.law for rule in BOOK.primitives.values() if rule.law}

# Codes in the source ------------------------------------------------------------------------------------------------

FINDERS = {"find", "_fault", "_bare"}
"""Functions that take a code first."""

PASSED_ON = {"error.code", "each.code", "fault.code", "faults[0].code", "plain(each.finding.code)", "code"}
"""Codes that stand elsewhere already."""

UNDECIDED = {verdict.value for verdict in Verdict} - {Status.PROVED.value}
MADE = {
    "f'claim.{status.value}'": {f"claim.{word}" for word in UNDECIDED},
    # A refuted law is named by its own id instead.
    "f'law.{status.value}'": {f"law.{word}" for word in UNDECIDED - {Status.REFUTED.value}},
    "f'claim.{check.claim.value}'": set[str](),
    "f'law.{check.id}'": set[str](),
}
"""Codes that are put together: those of single claims and laws are explained under their own names."""


def expressions(tree: ast.AST) -> Iterator[ast.expr]:
    """Every expression that is given as a code."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=function, args=arguments, keywords=keywords):
                yield from (each.value for each in keywords if each.arg == "code")
                name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
                owner = ast.unparse(function.value) if isinstance(function, ast.Attribute) else "self"
                if name in FINDERS and owner == "self" and arguments:
                    yield arguments[0]
            case ast.ClassDef(body=body):
                for line in body:
                    match line:
                        case ast.Assign(targets=[ast.Name(id="code")], value=value):
                            yield value


def codes_in(source: str) -> set[str]:
    """Every code that a source can give to a finding or an error. Raises ValueError for one that cannot be read off."""
    found: set[str] = set()
    for expression in expressions(ast.parse(source)):
        text = ast.unparse(expression)
        match expression:
            case ast.Constant(value=str() as code):
                found.add(code)
            case _ if text in MADE:
                found |= MADE[text]
            case _ if text not in PASSED_ON:
                raise ValueError(f"no code can be read off {text}")
    return found


def all_codes() -> set[str]:
    paths = [path for path in (ROOT / "blueprint").rglob("*.py") if path.parent.name != "explanations"]
    return set[str]().union(*(codes_in(path.read_text(encoding="utf-8")) for path in paths))


def test_every_code_has_an_explanation_and_every_explanation_a_code() -> None:
    found = all_codes()
    assert len(found) > 60
    assert sorted(found - CODES.keys()) == []
    assert sorted(CODES.keys() - found) == []


@pytest.mark.parametrize(
    ("source", "codes"),
    [
        ('Finding(code="a.b", message="")', {"a.b"}),
        ('self.find("a.c", "words", path)', {"a.c"}),
        ('text.find("a.d")', set()),
        ('yield _fault("lineage.x", "words", entity)', {"lineage.x"}),
        ('class AError(BError):\n    """Words."""\n\n    code = "a.e"', {"a.e"}),
        ('Finding(code=f"claim.{status.value}")', {"claim.refuted", "claim.unknown", "claim.vacuous"}),
        ("Finding(code=error.code)", set()),
    ],
)
def test_a_code_is_found_where_it_stands(source: str, codes: set[str]) -> None:
    assert codes_in(source) == codes


@pytest.mark.parametrize("source", ['Finding(code="a." + word)', 'self.find(f"stage.{name}", "words")'])
def test_a_code_that_cannot_be_read_off_is_noticed(source: str) -> None:
    with pytest.raises(ValueError, match="no code can be read off"):
        codes_in(source)


def test_a_code_has_the_status_of_its_error() -> None:
    every = (kind for kind in vars(errors).values() if isinstance(kind, type))
    kinds = [kind for kind in every if issubclass(kind, errors.BlueprintError)]
    assert len(kinds) > 12
    for kind in kinds:
        assert CODES[kind.code].status == exit_of_error(kind("words")), kind


def test_a_finding_that_refutes_nothing_has_status_3() -> None:
    undecided = {f"{family}.{word}" for family in ("claim", "law") for word in ("unknown", "vacuous")}
    expected = {*examine._NOT_ESTABLISHED, *undecided, errors.NotEstablishedError.code, "nothing.found"}
    assert {code for code, entry in CODES.items() if entry.status == 3} == expected


# Claims and the words of entries ------------------------------------------------------------------------------------


def test_every_claim_has_an_explanation() -> None:
    assert list(CLAIMS) == [claim.value for claim in Claim]


def test_no_name_means_two_things() -> None:
    names = [*(rule.id for rule in BOOK.rules), *LAWS, *FORMULAE, TRAFFIC, *CLAIMS, *CODES]
    assert len(names) == len(set(names))
    assert len(CODES) == sum(len(group.entries) for group in GROUPS)


@pytest.mark.parametrize("name", [*CLAIMS, *CODES])
def test_an_entry_answers_every_question_in_plain_words(name: str) -> None:
    entry: Entry = CLAIMS.get(name) or CODES[name]
    words = [entry.what, entry.why, entry.example, entry.remedy]
    assert all(text and text.isascii() and len(text) < 200 for text in words)
    assert len(set(words)) == len(words)
    assert all(text.endswith((".", ":")) for text in (entry.what, entry.why))


# Pages --------------------------------------------------------------------------------------------------------------


def page(blueprint: Run, *arguments: str) -> str:
    done = blueprint("explain", *arguments)
    assert (done.code, done.err) == (0, "")
    return done.out.decode("ascii")


NAMES = ["digest.parent", "exact_work", "training.mlp", "mlp", "gemm", TRAFFIC, "capacity"]
OF_INFERENCE = ["effects", "inference.qkv_projection", "kv-cache", "workspace", "workspace-bound", "inference-capacity"]


@pytest.mark.parametrize("name", [*NAMES, *OF_INFERENCE])
def test_a_page_says_what_it_is_why_an_example_and_what_to_do(name: str, blueprint: Run) -> None:
    text = page(blueprint, name)
    assert text.startswith(f"{name}: ")
    for label in ("why: ", "an example that fails: ", "what to do: "):
        assert text.count(f"\n{label}") == 1


def test_a_code_in_full(blueprint: Run) -> None:
    entry = CODES["digest.parent"]
    assert page(blueprint, "digest.parent") == (
        "digest.parent: a code of a finding or an error (exit status 1)\n\n"
        f"{entry.what}\n\nwhy: {entry.why}\nan example that fails: {entry.example}\nwhat to do: {entry.remedy}\n"
    )


@pytest.mark.parametrize("rule", BOOK.rules, ids=lambda rule: rule.id)
def test_a_rule_is_explained_by_its_own_file(rule: Rule, blueprint: Run) -> None:
    text = page(blueprint, rule.id)
    document = sys.modules[f"{PACKAGE}.{rule.id}"].__doc__
    assert document is not None
    assert document.rstrip() in text
    if isinstance(rule, PrimitiveRule):
        assert f"source: {rule.source}\n" in text
        assert all(f"\n  {phase.value}: W = " in text for phase in rule.formulas)
        return
    assert all(f"\n  {claim.value} " in text for claim in rule.claims)
    assert all(f"\nlaw {law.id}: {law.statement}\n" in text for law in rule.laws)
    if isinstance(rule, PassRule):
        assert f"\nrewrite: {rule.rewrite}\n" in text
        assert text.partition("targets of one application:\n")[2].partition("\n\n")[0].count("\n") + 1 == len(
            rule.targets
        )


@pytest.mark.parametrize("law", LAWS)
def test_a_law_is_explained_by_the_rulebook(law: str, blueprint: Run) -> None:
    text = page(blueprint, law)
    stated = LAWS[law]
    assert stated.statement in text
    assert f"source: {stated.source}\n" in text
    wrong = getattr(stated, "wrong", ())
    assert text.count("false variants, which `blueprint prove` must refute:") == int(bool(wrong))
    for each in wrong:
        form = each.form if isinstance(each, Equation | Bound | Maximum) else each
        assert f"\n  {form}" in text
    if isinstance(stated, Law | MemoryLaw):
        assert all(f"\n  {equation.form}" in text for equation in stated.equations)
    if isinstance(stated, MaximumLaw):
        assert all(f"\n  {form.form}" in text for form in stated.forms)
        # Every arm of the largest is shown.
        assert text.count(" = max(") == len(stated.forms)


def test_the_code_of_a_claim_or_a_law_leads_to_it(blueprint: Run) -> None:
    assert page(blueprint, "claim.exact_work") == page(blueprint, "exact_work")
    assert page(blueprint, "law.mlp") == page(blueprint, "mlp")
    assert page(blueprint, f"law.{TRAFFIC}") == page(blueprint, TRAFFIC)


def test_a_word_for_every_condition_that_has_one(blueprint: Run) -> None:
    assert "softmax in the phase recompute: under full recompute for every operation" in page(
        blueprint, "training.attention_softmax"
    )
    assert "all_reduce in the phase forward: in some strategies\n" in page(blueprint, "training.tensor_collective")


def test_the_list_has_every_name_in_its_group(blueprint: Run) -> None:
    text = page(blueprint)
    groups = {part.partition("\n")[0]: part for part in text.split("\n\n")}
    titles = list(groups)
    assert titles[0] == "`blueprint explain NAME` says more about each of these."
    assert titles[1].startswith("rules")
    assert all(f"\n  {rule.id} " in groups[titles[1]] for rule in BOOK.rules)
    assert all(f"\n  {law} " in groups[titles[2]] for law in (*LAWS, *FORMULAE, TRAFFIC))
    assert all(f"\n  {claim} " in groups[titles[3]] for claim in CLAIMS)
    for group in GROUPS:
        assert all(f"\n  {code} " in groups[f"codes: {group.title}"] for code in group.entries)


# Names that mean nothing --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("digest.parnt", "near it are digest.parent, "),
        ("qkv", "near it are training.qkv_projection, inference.qkv_projection, qkv-projection, "),
        ("claim.exact-work", "exact_work"),
        ("training.mpl", "near it are training.mlp"),
        ("zzzz", "`blueprint explain` lists them all"),
        ("", "`blueprint explain` lists them all"),
    ],
)
def test_an_unknown_name_is_refused_with_the_nearest(name: str, near: str, blueprint: Run) -> None:
    done = blueprint("explain", name)
    assert (done.code, done.out) == (2, b"")
    assert done.err.startswith(f'blueprint: error: no rule, law, claim or code is called "{name}"; ')
    assert near in done.err
    assert done.err.count("\n") == 1


def test_a_name_cannot_speak_to_the_terminal(blueprint: Run) -> None:
    done = blueprint("explain", "\x1b[2J" + "x" * 10_000)
    assert done.code == 2
    assert "\x1b" not in done.err
    assert len(done.err) < 400


def test_the_nearest_are_few() -> None:
    assert len(nearest("structure", CODES)) == 5
    assert nearest("ab", ["cab", "abc"]) == ["cab", "abc"]
    assert nearest("x", ["xenon", "axe"]) == []


# Another rulebook, and what is loaded --------------------------------------------------------------------------------


def test_another_rulebook_is_explained_in_its_own_words(blueprint: Run, tmp_path: Path) -> None:
    folder = tmp_path / "rules"
    shutil.copytree(ROOT / "rules", folder, ignore=shutil.ignore_patterns("__pycache__"))
    path = folder / "training" / "mlp.py"
    path.write_text(path.read_text(encoding="utf-8").replace("The two projections", "Both \x1bprojections", 1))
    text = page(blueprint, "training.mlp", "--rules", str(folder))
    assert "Both \\x1bprojections of the MLP" in text
    assert blueprint("explain", "training.mlp", "--rules", str(tmp_path / "nowhere")).code == 2
    assert blueprint("explain", "training.mlp", "--rules", "").code == 2


def test_help_has_an_example(blueprint: Run) -> None:
    done = blueprint("explain", "--help")
    assert (done.code, done.err) == (0, "")
    assert b"\n    blueprint explain digest.parent" in done.out
    assert b"\n  explain " in blueprint("--help").out


def test_a_code_is_explained_without_the_rulebook() -> None:
    script = (
        "import sys\nfrom blueprint.cli import run\n"
        "assert run(['explain', 'digest.parent']) == run(['explain', 'role']) == 0\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True, capture_output=True, text=True)
    assert not {"sympy", "z3", "blueprint.rulebook"} & set(done.stderr.split())
