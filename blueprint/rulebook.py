"""Load a folder of rules as one checked value. The engine never names a rule: it finds them by this value alone."""

from __future__ import annotations

import ast
import hashlib
import os
import sys
from contextlib import redirect_stdout
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from types import ModuleType

from blueprint.case import Workload
from blueprint.errors import InputError, RulebookError
from blueprint.files import read_bounded
from blueprint.ir.common import Stage
from blueprint.law import AnyLaw
from blueprint.rule import BoundaryRule, PassRule, PrimitiveRule, Rule
from blueprint.rulecheck import blamed, check_imports, check_rules, checked_rule
from blueprint.words import plain

PACKAGE = "blueprint.rules"
"""The one name under which a rules folder is loaded, wherever it lies."""

EXTENSION_FILE = "extension.py"
"""Where a folder that extends the shipped rules adds operations and passes."""

FILE_LIMIT = 1 << 20
"""Bytes of the largest rule file."""

FOLDER_LIMIT = 16 << 20
"""Bytes of all rule files together."""

FILES_LIMIT = 2000
"""Most files of a rulebook."""


@dataclass(frozen=True)
class Rulebook:
    """An ordered set of rules, with the digest of the files that they were read from."""

    revision: str
    digest: str
    rules: tuple[Rule, ...]
    sources: dict[str, str]
    """Rule id -> SHA-256 of the rule's own file."""
    extension_source: bytes = b""
    """The file in which an extension adds operations and passes; it is covered by the digest."""
    replaced: tuple[str, ...] = ()
    """Shipped rules in whose place this rulebook has others."""

    @property
    def primitives(self) -> dict[str, PrimitiveRule]:
        """The primitive rule of every primitive."""
        return {rule.primitive: rule for rule in self.rules if isinstance(rule, PrimitiveRule)}

    def pass_rules(self, boundary: tuple[Stage, Stage], workload: Workload) -> tuple[PassRule, ...]:
        """The rewrites of one boundary for a workload, in order."""
        rules = (rule for rule in self.rules if isinstance(rule, PassRule) and rule.workload in {None, workload})
        return tuple(rule for rule in rules if rule.boundary == boundary)

    def boundary_rules(self, boundary: tuple[Stage, Stage], workload: Workload) -> tuple[BoundaryRule, ...]:
        """The rules that speak of one boundary as a whole, for a workload."""
        rules = (rule for rule in self.rules if isinstance(rule, BoundaryRule) and rule.workload in {None, workload})
        return tuple(rule for rule in rules if boundary in rule.boundaries)

    def laws(self) -> tuple[tuple[PassRule | BoundaryRule, AnyLaw], ...]:
        """Every law with its rule, in order."""
        return tuple(
            (rule, law) for rule in self.rules if isinstance(rule, PassRule | BoundaryRule) for law in rule.laws
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

    A folder whose EXTENDS is "blueprint" holds further rules, and others in the place of those in REPLACES. Every file
    is read once: the bytes that are run are the bytes that are in the digest.
    """
    files = _read(folder)
    # One rulebook must not find another's modules.
    for name in [each for each in sys.modules if _is_rule_module(each)]:
        del sys.modules[name]
    # Standard output belongs to the command's document, whatever a rule prints.
    with redirect_stdout(sys.stderr), blamed("rules"):
        return _load(files)


def _is_rule_module(name: str) -> bool:
    return name == PACKAGE or name.startswith(f"{PACKAGE}.")


def _load(files: dict[str, bytes]) -> Rulebook:
    root = _run(PACKAGE, "__init__.py", files)
    extends = getattr(root, "EXTENDS", None)
    if extends not in {None, "blueprint"}:
        raise RulebookError('rules/__init__.py: EXTENDS may say "blueprint", and nothing else')
    revision = getattr(root, "REVISION", None)
    if not isinstance(revision, str) or not revision:
        raise RulebookError("rules/__init__.py: REVISION is no text")
    own, sources = _rules(root, files)
    if extends is None:
        check_rules(own)
        return Rulebook(revision, _digest(files), tuple(own), sources)
    replaces = _names(root, "REPLACES") if getattr(root, "REPLACES", ()) != () else ()
    base_files = _read(shipped("rules"))
    base_root = _run(PACKAGE, "__init__.py", base_files)
    base, base_sources = _rules(base_root, base_files)
    rules = _extended(base, own, replaces)
    check_rules(rules)
    everything = {f"blueprint/{name}": data for name, data in base_files.items()}
    everything |= {f"extension/{name}": data for name, data in files.items()}
    return Rulebook(
        revision=f"{base_root.REVISION}+{revision}",
        digest=_digest(everything),
        rules=tuple(rules),
        sources={**base_sources, **sources},
        extension_source=files.get(EXTENSION_FILE, b""),
        replaced=replaces,
    )


def _extended(base: list[Rule], own: list[Rule], replaces: tuple[str, ...]) -> list[Rule]:
    """The shipped rules, some of them replaced where they stand, and then the new ones."""
    known, named = {rule.id for rule in base}, {rule.id: rule for rule in own}
    for each in replaces:
        if each not in known or each not in named:
            raise RulebookError(f"REPLACES names {plain(each)}, which is not both a shipped rule and one of the folder")
    if clash := sorted((known & named.keys()) - set(replaces)):
        raise RulebookError(f"{clash[0]} is a shipped rule; name it in REPLACES to put another in its place")
    return [named.get(rule.id, rule) for rule in base] + [rule for rule in own if rule.id not in known]


def _rules(root: ModuleType, files: dict[str, bytes]) -> tuple[list[Rule], dict[str, str]]:
    """The rules that a folder lists, each checked by itself, and the digests of their files."""
    extends = getattr(root, "EXTENDS", None) is not None
    # An extension may bring passes alone.
    families = () if extends and not hasattr(root, "FAMILIES") else _names(root, "FAMILIES")
    listed = {"__init__.py", EXTENSION_FILE} if extends else {"__init__.py"}
    rules: list[Rule] = []
    sources: dict[str, str] = {}
    for family in families:
        listed.add(f"{family}/__init__.py")
        package = _run(f"{PACKAGE}.{family}", f"{family}/__init__.py", files)
        for stem in _names(package, "RULES"):
            name, identifier = f"{family}/{stem}.py", f"{family}.{stem}"
            listed.add(name)
            rule = getattr(_run(f"{PACKAGE}.{identifier}", name, files), "RULE", None)
            rules.append(checked_rule(rule, identifier))
            sources[identifier] = hashlib.sha256(files[name]).hexdigest()
    unlisted = sorted(files.keys() - listed)
    if EXTENSION_FILE in unlisted:
        raise RulebookError(f'rules/{EXTENSION_FILE} needs EXTENDS = "blueprint" in rules/__init__.py')
    if unlisted:
        raise RulebookError(f"rules/{plain(unlisted[0])} is in no list of FAMILIES and RULES")
    return rules, sources


def _read(folder: Path) -> dict[str, bytes]:
    """Relative path -> bytes of every Python file in the folder; far more than people write is refused."""
    if not os.path.isdir(folder):  # noqa: PTH112 -- unlike Path.is_dir, it raises nothing
        raise RulebookError("is no folder of rules that can be read", path=plain(folder))
    paths = list(islice(folder.rglob("*.py"), FILES_LIMIT + 1))
    if len(paths) > FILES_LIMIT:
        raise RulebookError(f"has more than {FILES_LIMIT} files", path=plain(folder))
    files: dict[str, bytes] = {}
    room = FOLDER_LIMIT
    for path in paths:
        try:
            data = read_bounded(path, min(FILE_LIMIT, room))
        except InputError as error:
            raise RulebookError(error.message, path=error.path) from None
        files[path.relative_to(folder).as_posix()] = data
        room -= len(data)
    return files


def _run(name: str, path: str, files: dict[str, bytes]) -> ModuleType:
    """Run one file as a module."""
    if path not in files:
        raise RulebookError(f"rules/{plain(path)} is missing")
    module = ModuleType(name)
    module.__file__ = path
    sys.modules[name] = module
    with blamed(f"rules/{plain(path)}"):
        tree = ast.parse(files[path], f"rules/{path}")
        check_imports(tree, f"rules/{path}")
        exec(compile(tree, f"rules/{path}", "exec", dont_inherit=True), module.__dict__)  # noqa: S102 -- rules are code
    return module


def _names(module: ModuleType, name: str) -> tuple[str, ...]:
    value = getattr(module, name, None)
    if not isinstance(value, tuple) or not value or not all(isinstance(each, str) for each in value):
        raise RulebookError(f"rules/{module.__file__}: {name} is no tuple of names")
    if len(set(value)) != len(value):
        raise RulebookError(f"rules/{module.__file__}: {name} has a name twice")
    return value


def _digest(files: dict[str, bytes]) -> str:
    """SHA-256 over the sorted relative paths and contents, lengths included."""
    total = hashlib.sha256()
    for name, data in sorted(files.items()):
        for part in (name.encode(), data):
            total.update(len(part).to_bytes(8, "big") + part)
    return total.hexdigest()
