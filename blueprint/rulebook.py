"""Load a folder of rules as one checked value. The engine never names a rule: it finds them by this value alone."""

from __future__ import annotations

import hashlib
import importlib.util
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from blueprint.errors import RulebookError
from blueprint.ir.common import Primitive, Stage
from blueprint.law import Law, ProjectionLaw
from blueprint.rule import BoundaryRule, PassRule, PrimitiveRule, Rule
from blueprint.words import plain

PACKAGE = "blueprint.rules"
"""The one name under which a rules folder is loaded, wherever it lies."""

_ID = re.compile(r"\A[a-z][a-z0-9_]{0,31}\.[a-z][a-z0-9_]{0,31}\Z")


@dataclass(frozen=True)
class Rulebook:
    """An ordered set of rules, with the digest of the files that they were read from."""

    revision: str
    digest: str
    rules: tuple[Rule, ...]
    sources: dict[str, str]
    """Rule id -> SHA-256 of the rule's own file."""

    @property
    def primitives(self) -> dict[Primitive, PrimitiveRule]:
        """The primitive rule of every primitive."""
        return {rule.primitive: rule for rule in self.rules if isinstance(rule, PrimitiveRule)}

    def pass_rules(self, boundary: tuple[Stage, Stage]) -> tuple[PassRule, ...]:
        """The rewrites of one boundary, in order."""
        return tuple(rule for rule in self.rules if isinstance(rule, PassRule) and rule.boundary == boundary)

    def boundary_rules(self, boundary: tuple[Stage, Stage]) -> tuple[BoundaryRule, ...]:
        """The rules that speak of one boundary as a whole."""
        return tuple(rule for rule in self.rules if isinstance(rule, BoundaryRule) and boundary in rule.boundaries)

    def laws(self) -> tuple[tuple[str, Law | ProjectionLaw], ...]:
        """Every law with the id of its rule, in order."""
        return tuple(
            (rule.id, law) for rule in self.rules if isinstance(rule, PassRule | BoundaryRule) for law in rule.laws
        )


def shipped(folder: str) -> Path:
    """The folder `rules` or `proofs`: inside the installed package, else in the checkout around it."""
    package = Path(__file__).parent
    if (package / folder).is_dir():
        return package / folder
    checkout = package.parent
    if (checkout / "pyproject.toml").is_file() and (checkout / folder).is_dir():
        return checkout / folder
    raise RulebookError(f"the folder {folder} is neither in the package nor in a checkout around it")


def load(folder: Path) -> Rulebook:
    """Load and check a rules folder. Raises RulebookError where a file, an id or a list does not fit."""
    root = _import(PACKAGE, folder / "__init__.py")
    rules: list[Rule] = []
    sources: dict[str, str] = {}
    for family in _names(root, "FAMILIES"):
        package = _import(f"{PACKAGE}.{family}", folder / family / "__init__.py")
        stems = _names(package, "RULES")
        present = {path.stem for path in (folder / family).glob("*.py")} - {"__init__"}
        if set(stems) != present:
            odd = ", ".join(sorted(set(stems) ^ present))
            raise RulebookError(f"rules/{family}: RULES and the folder differ in {plain(odd)}")
        for stem in stems:
            path = folder / family / f"{stem}.py"
            rule = getattr(_import(f"{PACKAGE}.{family}.{stem}", path), "RULE", None)
            rules.append(_checked(rule, f"{family}.{stem}"))
            sources[f"{family}.{stem}"] = hashlib.sha256(path.read_bytes()).hexdigest()
    book = Rulebook(str(root.REVISION), _folder_digest(folder), tuple(rules), sources)
    _check_book(book)
    return book


def _names(module: ModuleType, name: str) -> tuple[str, ...]:
    value = getattr(module, name, None)
    if not isinstance(value, tuple) or not value or len(set(value)) != len(value):
        raise RulebookError(f"{module.__name__}: {name} is no tuple of distinct names")
    return value


def _import(name: str, path: Path) -> ModuleType:
    if not path.is_file():
        raise RulebookError(f"{plain(path)} is missing")
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise RulebookError(f"{plain(path)} cannot be loaded")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _checked(rule: object, identifier: str) -> Rule:
    if not isinstance(rule, PrimitiveRule | PassRule | BoundaryRule):
        raise RulebookError(f"{identifier}: the file defines no RULE")
    if rule.id != identifier or not _ID.match(identifier):
        raise RulebookError(f"{identifier}: the rule calls itself {plain(rule.id)}")
    if isinstance(rule, PassRule) and not (rule.targets and rule.claims):
        raise RulebookError(f"{identifier}: a pass rule needs targets and claims")
    if isinstance(rule, PrimitiveRule) and not rule.formulas:
        raise RulebookError(f"{identifier}: a primitive needs a formula")
    if isinstance(rule, BoundaryRule) and not (rule.laws or rule.claims):
        raise RulebookError(f"{identifier}: a boundary rule needs laws or claims")
    return rule


def _check_book(book: Rulebook) -> None:
    laws = [law.id for _, law in book.laws()]
    if len(set(laws)) != len(laws):
        raise RulebookError("two laws have the same id")
    primitives = [rule.primitive for rule in book.rules if isinstance(rule, PrimitiveRule)]
    if len(set(primitives)) != len(primitives):
        raise RulebookError("a primitive has two rules")
    for _, law in book.laws():
        if isinstance(law, Law) and not law.equations:
            raise RulebookError(f"law {law.id} has no equation")


def _folder_digest(folder: Path) -> str:
    """SHA-256 over the sorted relative paths and contents of the folder's Python files, lengths included."""
    total = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        name, data = path.relative_to(folder).as_posix().encode(), path.read_bytes()
        for part in (name, data):
            total.update(len(part).to_bytes(8, "big") + part)
    return total.hexdigest()
