"""What a rulebook of another's may bring besides rules: operations of the block, and passes.

It stands as one value `EXTENSION` in the file `extension.py` of the rules folder. The bytes that are run are those that
the rulebook's digest covers.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final

from blueprint import symbols
from blueprint.case import Workload
from blueprint.errors import RulebookError
from blueprint.passes.protocol import DerivationPass, PassFacts
from blueprint.rule import OperationSource, PassRule, ValueSource
from blueprint.rulebook import EXTENSION_FILE, PACKAGE, Rulebook
from blueprint.rulecheck import blamed
from blueprint.words import plain
from blueprint.workload.extension import ElementwiseOperation
from blueprint.workload.primitives import PhaseWork
from blueprint.workload.symbolic import Symbolic

CLOSED: Final = frozenset(
    {
        *("attention_norm", "mlp_norm", "output_projection", "down_projection"),
        *("scores", "softmax", "attention_dropout"),
    }
)
"""Values behind which nothing can be put: they are communicated, or lie within what is run or made again as one."""

CACHED: Final = frozenset({"key_projection", "value_projection"})
"""Values that inference keeps in a cache, of which an operation would see all rows instead of the step's own."""


@dataclass(frozen=True)
class ExtensionPass:
    """A pass of an extension, in one workload or, by default, in both.

    From one stage to the next it stands in the place of the shipped pass; within a stage it runs when the stage is
    reached.
    """

    derivation_pass: DerivationPass[Any, Any]
    workload: Workload | None = None


@dataclass(frozen=True)
class Extension:
    """Operations that stand in every block of the workload that they name, and passes."""

    operations: tuple[ElementwiseOperation, ...] = ()
    passes: tuple[ExtensionPass, ...] = ()


PLAIN: Final = Extension()
"""What the shipped rulebook brings: nothing."""


def load_extension(rulebook: Rulebook) -> Extension:
    """The extension of a rulebook, checked as a value. Raises RulebookError for what does not fit."""
    if not rulebook.extension_source:
        return PLAIN
    module = ModuleType(f"{PACKAGE}.extension")
    module.__file__ = EXTENSION_FILE
    sys.modules[module.__name__] = module
    # Standard output belongs to the command's document, whatever the file prints.
    with redirect_stdout(sys.stderr), blamed(f"rules/{EXTENSION_FILE}"):
        tree = ast.parse(rulebook.extension_source, f"rules/{EXTENSION_FILE}")
        exec(compile(tree, f"rules/{EXTENSION_FILE}", "exec", dont_inherit=True), module.__dict__)  # noqa: S102 -- it is code
        return _checked(getattr(module, "EXTENSION", None), rulebook)


def _checked(extension: object, rulebook: Rulebook) -> Extension:
    if not isinstance(extension, Extension):
        raise RulebookError(f"rules/{EXTENSION_FILE} defines no EXTENSION")
    _require("operations", extension.operations, ElementwiseOperation)
    _require("passes", extension.passes, ExtensionPass)
    named = [(each.kind, each.workload) for each in extension.operations]
    if twice := [kind for (kind, _), count in Counter(named).items() if count > 1]:
        raise RulebookError(f"operation {plain(twice[0])} is given twice")
    for operation in extension.operations:
        _check_operation(operation, rulebook)
    _check_passes([each.derivation_pass for each in extension.passes])
    return extension


def _require(name: str, values: object, kind: type) -> None:
    if not isinstance(values, tuple) or not all(isinstance(each, kind) for each in values):
        raise RulebookError(f"rules/{EXTENSION_FILE}: {name} must be a tuple of {kind.__name__}")


def _check_operation(operation: ElementwiseOperation, rulebook: Rulebook) -> None:
    """A place behind which something can be put, a formula of its own, and rules that demand it."""
    where = f"operation {plain(operation.kind)}"
    _require("readers", operation.readers, str)
    if operation.source in CLOSED or (operation.workload is Workload.INFERENCE and operation.source in CACHED):
        raise RulebookError(f"{where}: nothing can be put behind {plain(operation.source)}")
    if operation.primitive not in rulebook.primitives:
        raise RulebookError(f"{where}: no rule states the formula of {plain(operation.primitive)}")
    _check_work(operation, where)
    rules = {rule.id: rule for rule in rulebook.rules if isinstance(rule, PassRule)}
    demanding, holding = rules.get(operation.rule), rules.get(operation.tensor_rule)
    for rule in (demanding, holding):
        if rule is not None and rule.workload not in {None, operation.workload}:
            raise RulebookError(f"{where}: {rule.id} is a rule of {rule.workload.value}, the operation is not")
    source = demanding.signature if demanding else None
    if not isinstance(source, OperationSource) or operation.kind not in source.kinds:
        raise RulebookError(f"{where}: {plain(operation.rule)} is no rule for operations of this kind")
    made = holding.signature if holding else None
    if not isinstance(made, ValueSource) or made.producers is None or operation.kind not in made.producers:
        raise RulebookError(f"{where}: {plain(operation.tensor_rule)} is no rule for the values that it makes")


def _check_work(operation: ElementwiseOperation, where: str) -> None:
    """The function runs with integers, as when deriving, and with symbols, as when proving."""
    for numbers in ((2, 2), (Symbolic(symbols.E), Symbolic(symbols.e))):
        with blamed(f"{where}: its work, which is made of numbers with + and * alone"):
            found = operation.work(*numbers)
        if not isinstance(found, PhaseWork):
            raise RulebookError(f"{where}: its work gives no PhaseWork")


def _check_passes(passes: Sequence[DerivationPass[Any, Any]]) -> None:
    for each in passes:
        if isinstance(each, type):
            raise RulebookError(f"{plain(each.__name__)} is a class; a pass is an instance of it")
        if not isinstance(getattr(each, "facts", None), PassFacts) or not callable(getattr(each, "run", None)):
            raise RulebookError(
                f"rules/{EXTENSION_FILE}: {plain(type(each).__name__)} is no pass: it needs facts and run"
            )
