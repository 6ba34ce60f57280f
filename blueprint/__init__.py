"""Blueprint: machine-checked derivations of distributed model plans.

    >>> import blueprint
    >>> from blueprint.frontend.models import builtin
    >>> from blueprint.frontend.request import training_request
    >>> request = training_request(builtin("gpt2"), sequence=1024, tensor=2)
    >>> bundle = blueprint.derive(request)
    >>> report = blueprint.verify(bundle)
    >>> report.verdict.value
    'verified'
    >>> report.require().bundle_sha256 == report.subject.bundle_sha256
    True

`verify` takes bytes or a path and returns a report for any input; `derive` raises for a request outside the laws.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from blueprint.derivation import derive
    from blueprint.exit import ExitCode
    from blueprint.outcome import Outcome, Report, TransitionReport, VerifiedBundle
    from blueprint.passes.bind_queue import BindReferenceQueueTargetPass
    from blueprint.passes.bind_slot import BindReferenceSlotTargetPass
    from blueprint.passes.distribute_inference import DistributeTransformerInferencePass
    from blueprint.passes.distribute_training import DistributeTransformerTrainingPass
    from blueprint.passes.emit_machine import EmitReferenceMachinePass
    from blueprint.passes.plan_inference import PlanTransformerInferencePass
    from blueprint.passes.plan_training import PlanTransformerTrainingPass
    from blueprint.passes.protocol import DerivationPass, PassContext
    from blueprint.pipeline import DerivationTrace, PassManager
    from blueprint.proving import prove
    from blueprint.rule import PassRule
    from blueprint.verification import verify
    from blueprint.verifier import TransitionVerifier

__all__ = [
    "BindReferenceQueueTargetPass",
    "BindReferenceSlotTargetPass",
    "DerivationPass",
    "DerivationTrace",
    "DistributeTransformerInferencePass",
    "DistributeTransformerTrainingPass",
    "EmitReferenceMachinePass",
    "ExitCode",
    "Outcome",
    "PassContext",
    "PassManager",
    "PassRule",
    "PlanTransformerInferencePass",
    "PlanTransformerTrainingPass",
    "Report",
    "TransitionReport",
    "TransitionVerifier",
    "VerifiedBundle",
    "derive",
    "prove",
    "verify",
]

# Where each public name lives. Names are loaded on first use, so that importing the package costs nothing.
_HOMES = {
    "BindReferenceQueueTargetPass": "blueprint.passes.bind_queue",
    "BindReferenceSlotTargetPass": "blueprint.passes.bind_slot",
    "DerivationPass": "blueprint.passes.protocol",
    "DerivationTrace": "blueprint.pipeline",
    "DistributeTransformerInferencePass": "blueprint.passes.distribute_inference",
    "DistributeTransformerTrainingPass": "blueprint.passes.distribute_training",
    "EmitReferenceMachinePass": "blueprint.passes.emit_machine",
    "ExitCode": "blueprint.exit",
    "Outcome": "blueprint.outcome",
    "PassContext": "blueprint.passes.protocol",
    "PassManager": "blueprint.pipeline",
    "PassRule": "blueprint.rule",
    "PlanTransformerInferencePass": "blueprint.passes.plan_inference",
    "PlanTransformerTrainingPass": "blueprint.passes.plan_training",
    "Report": "blueprint.outcome",
    "TransitionReport": "blueprint.outcome",
    "TransitionVerifier": "blueprint.verifier",
    "VerifiedBundle": "blueprint.outcome",
    "derive": "blueprint.derivation",
    "prove": "blueprint.proving",
    "verify": "blueprint.verification",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'blueprint' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    """The public names too, though most are not loaded yet."""
    return sorted({*globals(), *__all__})
