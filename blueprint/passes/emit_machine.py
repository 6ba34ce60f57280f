"""Concrete -> Machine for the reference targets."""

from __future__ import annotations

from typing import ClassVar

from blueprint.ir.common import Stage
from blueprint.ir.concrete import ConcretePlanIR
from blueprint.ir.machine import MachineIR
from blueprint.passes.emission import Emission
from blueprint.passes.protocol import PassContext, PassFacts


class EmitReferenceMachinePass:
    """Emit one instruction for each command of a concrete plan.

    There is one section for each queue, or one for the slots, with its instructions in issue order: the position in
    the section is the position in the queue, and one section stands behind another.

        base_0 = 0, base_{k+1} = base_k + length_k

    Memory operands are the bound offsets and sizes, dependencies are kept, and the entry point lists every section, so
    it reaches every instruction.

    A deterministic contract, no paper claim.
    """

    facts: ClassVar[PassFacts] = PassFacts(
        name="EmitReferenceMachinePass",
        revision=1,
        boundary=(Stage.CONCRETE, Stage.MACHINE),
        provenance=("deterministic contract of the reference emitter, no paper claim",),
        bindings=("target",),
        normal_form="one instruction a command, one section a queue or one for the slots, one entry point",
    )

    def run(self, ir: ConcretePlanIR, context: PassContext) -> MachineIR:
        """Emit the instructions."""
        del context
        return Emission(ir).snapshot()
