"""Load a folder of rules as one checked value. The engine never names a rule: it finds them by this value alone."""

from __future__ import annotations

import hashlib
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from blueprint.errors import RulebookError
from blueprint.ir.common import Primitive, Stage
from blueprint.law import Law, Projection, ProjectionLaw
from blueprint.rule import DISTRIBUTED_TO_PORTABLE, BoundaryRule, Claim, PassRule, PrimitiveRule, Rule
from blueprint.words import plain

PACKAGE = "blueprint.rules"
"""The one name under which a rules folder is loaded, wherever it lies."""

_LAW = re.compile(r"\A[a-z][a-z0-9]*(-[a-z0-9]+)*\Z")
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
    """Load and check a rules folder. Raises RulebookError where a file, an id or a list does not fit.

    Every file is read once: the bytes that are run are the bytes that are in the digest.
    """
    # One rulebook must not find another's modules.
    for name in [each for each in sys.modules if _is_rule_module(each)]:
        del sys.modules[name]
    return _load(_read(folder))


def _is_rule_module(name: str) -> bool:
    return name == PACKAGE or name.startswith(f"{PACKAGE}.")


def _load(files: dict[str, bytes]) -> Rulebook:
    root = _run(PACKAGE, "__init__.py", files)
    families = _names(root, "FAMILIES")
    listed = {"__init__.py"}
    rules: list[Rule] = []
    sources: dict[str, str] = {}
    for family in families:
        listed.add(f"{family}/__init__.py")
        package = _run(f"{PACKAGE}.{family}", f"{family}/__init__.py", files)
        for stem in _names(package, "RULES"):
            name, identifier = f"{family}/{stem}.py", f"{family}.{stem}"
            listed.add(name)
            rule = getattr(_run(f"{PACKAGE}.{identifier}", name, files), "RULE", None)
            rules.append(_checked(rule, identifier))
            sources[identifier] = hashlib.sha256(files[name]).hexdigest()
    unlisted = sorted(files.keys() - listed)
    if unlisted:
        raise RulebookError(f"rules/{plain(unlisted[0])} is in no list of FAMILIES and RULES")
    revision = getattr(root, "REVISION", None)
    if not isinstance(revision, str) or not revision:
        raise RulebookError("rules/__init__.py: REVISION is no text")
    book = Rulebook(revision, _digest(files), tuple(rules), sources)
    _check_book(book)
    return book


def _read(folder: Path) -> dict[str, bytes]:
    """Relative path -> bytes of every Python file in the folder."""
    try:
        paths = [path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths if path.suffix == ".py"}
    except OSError as error:
        raise RulebookError(f"the rules cannot be read: {plain(error)}") from None


def _run(name: str, path: str, files: dict[str, bytes]) -> ModuleType:
    """Run one file as a module. Whatever it raises, leaving the program included, is a fault of the rulebook."""
    if path not in files:
        raise RulebookError(f"rules/{plain(path)} is missing")
    module = ModuleType(name)
    module.__file__ = path
    sys.modules[name] = module
    try:
        exec(compile(files[path], f"rules/{path}", "exec", dont_inherit=True), module.__dict__)  # noqa: S102 -- rules are code
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise RulebookError(f"rules/{plain(path)}: {type(error).__name__}: {plain(error)}") from error
    return module


def _names(module: ModuleType, name: str) -> tuple[str, ...]:
    value = getattr(module, name, None)
    if not isinstance(value, tuple) or not value or not all(isinstance(each, str) for each in value):
        raise RulebookError(f"{module.__name__}: {name} is no tuple of names")
    if len(set(value)) != len(value):
        raise RulebookError(f"{module.__name__}: {name} has a name twice")
    return value


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
    if isinstance(rule, BoundaryRule) and set(rule.claims) - {Claim.INTERFACE}:
        raise RulebookError(f"{identifier}: of a boundary as a whole, only the claim interface can be asked")
    if isinstance(rule, PassRule) and rule.boundary != DISTRIBUTED_TO_PORTABLE:
        for law in rule.laws:
            if isinstance(law, ProjectionLaw):
                raise RulebookError(f"{identifier}: law {plain(law.id)} projects, which only planning does")
    return rule


def _check_book(book: Rulebook) -> None:
    laws = [law for _, law in book.laws()]
    if len({law.id for law in laws}) != len(laws):
        raise RulebookError("two laws have the same id")
    for law in laws:
        _check_law(law)
    primitives = [rule.primitive for rule in book.rules if isinstance(rule, PrimitiveRule)]
    projections = [law.projection.value for law in laws if isinstance(law, ProjectionLaw)]
    if sorted(projections) != sorted(each.value for each in Projection):
        raise RulebookError("every projection of the plan needs exactly one law")
    if sorted(each.value for each in primitives) != sorted(each.value for each in Primitive):
        raise RulebookError("every primitive needs exactly one rule")


def _check_law(law: Law | ProjectionLaw) -> None:
    if not _LAW.match(law.id):
        raise RulebookError(f"law {plain(law.id)!r}: an id is lower-case words joined by hyphens")
    if not law.wrong:
        raise RulebookError(f"law {law.id} has no false variant")
    if isinstance(law, ProjectionLaw):
        if not law.outputs:
            raise RulebookError(f"law {law.id} states nothing")
        return
    forms = [equation.form for equation in (*law.equations, *law.wrong)]
    if not law.equations or len(set(forms)) != len(forms):
        raise RulebookError(f"law {law.id} needs equations with distinct forms")


def _digest(files: dict[str, bytes]) -> str:
    """SHA-256 over the sorted relative paths and contents, lengths included."""
    total = hashlib.sha256()
    for name, data in sorted(files.items()):
        for part in (name.encode(), data):
            total.update(len(part).to_bytes(8, "big") + part)
    return total.hexdigest()
