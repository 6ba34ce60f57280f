"""How a folder of rules becomes a rulebook: what of it is read, what is listed, and what the digest covers."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from blueprint import rulebook
from blueprint.errors import RulebookError
from blueprint.rulebook import PACKAGE, load, shipped

GELU = """from blueprint.ir.common import Phase, Primitive
from blueprint.rule import Formula, PrimitiveRule
from blueprint.symbols import E, e

RULE = PrimitiveRule(
    id="{id}",
    primitive=Primitive.GELU,
    operands={{"elements": E}},
    formulas={{Phase.FORWARD: Formula({count} * E, E * e, E * e)}},
    source="",
    definition="",
)
"""


@pytest.fixture(autouse=True)
def modules() -> Iterator[None]:
    """What a test loads is not there afterwards."""
    before = {name: module for name, module in sys.modules.items() if rulebook._is_rule_module(name)}
    yield
    for name in [each for each in sys.modules if rulebook._is_rule_module(each)]:
        del sys.modules[name]
    sys.modules.update(before)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Let rules that are no complete rulebook be one; gives the ids of those that were checked together."""
    checked: list[list[str]] = []

    def check(rules: Any) -> None:
        checked.append([rule.id for rule in rules])

    monkeypatch.setattr(rulebook, "check_rules", check)
    return checked


def folder_of(path: Path, *ids: str, head: str = 'REVISION = "1"', count: int = 8) -> Path:
    """A folder of primitives, each by family and name."""
    path.mkdir()
    families: dict[str, list[str]] = {}
    for each in ids:
        family, name = each.split(".")
        (path / family).mkdir(exist_ok=True)
        (path / family / f"{name}.py").write_text(GELU.format(id=each, count=count))
        families.setdefault(family, []).append(name)
        (path / family / "__init__.py").write_text(f"RULES = {tuple(families[family])}\n")
    listed = f"FAMILIES = {tuple(families)}\n" if families else ""
    (path / "__init__.py").write_text(f"{head}\n{listed}")
    return path


def extending(path: Path, *ids: str, more: str = "") -> Path:
    return folder_of(path, *ids, head=f'EXTENDS = "blueprint"\nREVISION = "7"\n{more}', count=9)


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small rulebook in the place of the shipped one."""
    path = folder_of(tmp_path / "base", "one.a", "one.b", "two.c")
    monkeypatch.setattr(rulebook, "shipped", lambda _: path)
    return path


def refusal(folder: Path) -> tuple[str, str]:
    with pytest.raises(RulebookError) as caught:
        load(folder)
    return caught.value.message, caught.value.path


# Where it lies ------------------------------------------------------------------------------------------------------


def test_what_is_shipped_lies_in_the_package_or_in_the_checkout_around_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder of that name beside an installed package is anybody's."""
    package = tmp_path / "blueprint"
    package.mkdir()
    monkeypatch.setattr(rulebook, "__file__", str(package / "rulebook.py"))
    (tmp_path / "rules").mkdir()
    with pytest.raises(RulebookError, match="neither in the package nor in a checkout"):
        shipped("rules")
    (tmp_path / "pyproject.toml").write_text("")
    assert shipped("rules") == tmp_path / "rules"
    with pytest.raises(RulebookError, match="the folder proofs is neither"):
        shipped("proofs")
    (package / "rules").mkdir()
    assert shipped("rules") == package / "rules"


def test_what_is_no_folder_is_refused_by_its_place(tmp_path: Path) -> None:
    (tmp_path / "file.py").write_text("")
    for path in (tmp_path / "nothing", tmp_path / "file.py", Path("\x00")):
        message, where = refusal(path)
        assert message == "is no folder of rules that can be read"
        assert where == str(path).replace("\x00", r"\x00")


@pytest.mark.usefixtures("small")
def test_a_complete_rulebook_is_its_own_files_and_nothing_else(tmp_path: Path) -> None:
    path = folder_of(tmp_path / "mine", "one.a", "two.b")
    book = load(path)
    assert (book.revision, [rule.id for rule in book.rules]) == ("1", ["one.a", "two.b"])
    assert (book.extension_source, book.replaced) == (b"", ())
    digests = [book.digest]
    for each in path.rglob("*.py"):
        each.write_text(f"{each.read_text()}# more\n")
        digests.append(load(path).digest)
    assert len(set(digests)) == 1 + 5
    assert all(len(each) == 64 for each in digests)
    files = {name: hashlib.sha256((path / f"{name.replace('.', '/')}.py").read_bytes()) for name in ("one.a", "two.b")}
    assert load(path).sources == {name: digest.hexdigest() for name, digest in files.items()}


# Limits -------------------------------------------------------------------------------------------------------------


def test_of_too_many_files_no_more_are_looked_for_than_tells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small: list[list[str]]
) -> None:
    path = folder_of(tmp_path / "mine", "one.a")
    monkeypatch.setattr(rulebook, "FILES_LIMIT", 3)
    assert [rule.id for rule in load(path).rules] == ["one.a"]
    assert small == [["one.a"]]
    monkeypatch.setattr(rulebook, "FILES_LIMIT", 2)
    assert refusal(path) == ("has more than 2 files", str(path))

    def endless(_: Path, __: str) -> Iterator[Path]:
        yield from sorted(path.glob("**/*.py"))
        pytest.fail("a fourth file is looked for")

    monkeypatch.setattr(Path, "rglob", endless)
    assert refusal(path) == ("has more than 2 files", str(path))


@pytest.mark.usefixtures("small")
def test_a_file_and_all_files_together_have_their_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder_of(tmp_path / "mine", "one.a", "one.b")
    sizes = [each.stat().st_size for each in path.rglob("*.py")]
    for name, most in (("FILE_LIMIT", max(sizes)), ("FOLDER_LIMIT", sum(sizes))):
        with monkeypatch.context() as patch:
            patch.setattr(rulebook, name, most)
            load(path)
            patch.setattr(rulebook, name, most - 1)
            message, where = refusal(path)
            assert "bytes" in message
            assert Path(where).parent in {path, path / "one"}


# What is listed -----------------------------------------------------------------------------------------------------


def test_a_complete_rulebook_is_checked_as_a_whole(tmp_path: Path) -> None:
    assert refusal(folder_of(tmp_path / "mine", "one.a"))[0] == "every projection of the plan needs exactly one law"


@pytest.mark.parametrize(
    ("head", "words"),
    [
        ("", "rules/__init__.py: REVISION is no text"),
        ('REVISION = ""', "rules/__init__.py: REVISION is no text"),
        ("REVISION = 1", "rules/__init__.py: REVISION is no text"),
        ('REVISION = "1"', "rules/__init__.py: FAMILIES is no tuple of names"),
        ('REVISION = "1"\nFAMILIES = ["one"]', "rules/__init__.py: FAMILIES is no tuple of names"),
        ('REVISION = "1"\nFAMILIES = ("one",)', "rules/one/__init__.py is missing"),
        ('REVISION = "1"\nFAMILIES = ("one", "one")', "rules/__init__.py: FAMILIES has a name twice"),
        ('REVISION = "1"\nEXTENDS = "other"', 'rules/__init__.py: EXTENDS may say "blueprint", and nothing else'),
    ],
)
def test_a_list_that_is_missing_is_named(tmp_path: Path, head: str, words: str) -> None:
    assert refusal(folder_of(tmp_path / "mine", head=head))[0] == words


@pytest.mark.usefixtures("small", "base")
def test_every_file_is_in_a_list_and_only_what_extends_has_an_extension(tmp_path: Path) -> None:
    complete, further = folder_of(tmp_path / "complete", "one.a"), extending(tmp_path / "further", "mine.a")
    for path in (complete, further):
        load(path)
        (path / "one").mkdir(exist_ok=True)
        (path / "one" / "helper.py").write_text("")
        assert refusal(path)[0] == "rules/one/helper.py is in no list of FAMILIES and RULES"
        (path / "one" / "helper.py").unlink()
        (path / "extension.py").write_text("")
    load(further)
    assert refusal(complete)[0] == 'rules/extension.py needs EXTENDS = "blueprint" in rules/__init__.py'


def test_one_rulebook_finds_no_module_of_another(tmp_path: Path, small: list[list[str]]) -> None:
    load(folder_of(tmp_path / "first", "one.a", "one.b"))
    names = {PACKAGE, *(f"{PACKAGE}.{each}" for each in ("one", "one.a", "one.b", "two", "two.c"))}
    assert names & set(sys.modules) == {each for each in names if "two" not in each}
    load(folder_of(tmp_path / "second", "two.c"))
    assert names & set(sys.modules) == {PACKAGE, f"{PACKAGE}.two", f"{PACKAGE}.two.c"}
    assert small == [["one.a", "one.b"], ["two.c"]]
    (tmp_path / "empty").mkdir()
    assert refusal(tmp_path / "empty")[0] == "rules/__init__.py is missing"
    assert not names & set(sys.modules)


@pytest.mark.usefixtures("small")
def test_a_rule_file_may_define_what_looks_itself_up(tmp_path: Path) -> None:
    path = folder_of(tmp_path / "mine", "one.a")
    file = path / "one" / "a.py"
    shape = "import dataclasses\n\n\n@dataclasses.dataclass\nclass Shape:\n    width: int = 8\n\n\n"
    file.write_text(f"{shape}{file.read_text()}".replace("8 * E", "Shape().width * E"))
    (rule,) = load(path).primitives.values()
    assert rule.id == "one.a"
    module: Any = sys.modules[f"{PACKAGE}.one.a"]
    assert (module.RULE is rule, module.__file__, module.Shape.__module__) == (True, "one/a.py", module.__name__)


@pytest.mark.usefixtures("small")
def test_what_a_rule_prints_is_no_part_of_a_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    load(folder_of(tmp_path / "mine", "one.a", head='REVISION = "1"\nprint("loaded")'))
    assert capsys.readouterr() == ("", "loaded\n")


# What extends -------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("base")
def test_shipped_rules_come_first_and_replaced_ones_where_they_stood(tmp_path: Path, small: list[list[str]]) -> None:
    mine = extending(tmp_path / "mine", "one.b", "mine.x", more='REPLACES = ("one.b",)')
    book = load(mine)
    assert [rule.id for rule in book.rules] == ["one.a", "one.b", "two.c", "mine.x"]
    assert small == [["one.a", "one.b", "two.c", "mine.x"]]
    assert (book.revision, book.replaced) == ("1+7", ("one.b",))
    own = hashlib.sha256((mine / "one" / "b.py").read_bytes()).hexdigest()
    assert (book.sources["one.b"], book.sources["mine.x"] == own) == (own, False)
    assert set(book.sources) == {"one.a", "one.b", "two.c", "mine.x"}
    assert load(extending(tmp_path / "other", "mine.x")).replaced == ()


@pytest.mark.usefixtures("base", "small")
def test_only_what_is_shipped_and_in_the_folder_is_replaced(tmp_path: Path) -> None:
    words = "which is not both a shipped rule and one of the folder"
    for number, name in enumerate(("mine.x", "one.a", "no.where")):
        mine = extending(tmp_path / str(number), "mine.x", more=f'REPLACES = ("{name}",)')
        assert refusal(mine)[0] == f"REPLACES names {name}, {words}"
    clash = extending(tmp_path / "clash", "one.a")
    assert refusal(clash)[0] == "one.a is a shipped rule; name it in REPLACES to put another in its place"


@pytest.mark.usefixtures("small")
def test_the_digest_covers_the_shipped_files_and_those_of_the_folder_apart(tmp_path: Path, base: Path) -> None:
    mine = extending(tmp_path / "mine", "mine.x")
    digests = [load(mine).digest, load(base).digest]
    for path in (*base.rglob("*.py"), *mine.rglob("*.py")):
        path.write_text(f"{path.read_text()}# more\n")
        digests.append(load(mine).digest)
    assert len(set(digests)) == len(digests) == 2 + 6 + 3


def test_the_digest_tells_names_from_contents_and_one_file_from_another() -> None:
    parts = (b"a", b"b", b"ab", b"", b"a" * 8)
    folders = [{"one.py": left, "two.py": right} for left, right in permutations(parts, 2)]
    folders += [{"one.py": each} for each in parts] + [{"one.pya": b""}, {"one.py": b"two.py"}, {}]
    assert len({rulebook._digest(each) for each in folders}) == len(folders)
    assert rulebook._digest({"b": b"1", "a": b"2"}) == rulebook._digest({"a": b"2", "b": b"1"})
