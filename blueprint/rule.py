"""The vocabulary in which a rule file is written. Rules are values: data that the engine reads, no hooks.

A pass rule states, as a function of source and bindings, the exact targets of one application: their kind, phase and
local name, what they read and write, and their sizes. Claims are the names of what is then asserted of a relation.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

import sympy

from blueprint.case import Case, Workload, all_cases, stage_cases
from blueprint.ir.common import LineageKind, Phase, Primitive, Role, Stage
from blueprint.ir.distributed import CollectiveKind, EffectKind, MeshAxis, Reduction, TaskKind
from blueprint.ir.model import OperationKind
from blueprint.ir.request import Recompute
from blueprint.law import AnyLaw

T = TypeVar("T")

When = Callable[[Case, "str | None"], bool]
"""Whether a target exists, by the case and by the kind of the operation (or of a value's producer)."""


class Claim(enum.Enum):
    """What a rule asserts of every one of its relations. Each kind has its own equations in claims/."""

    OPERATION_IDENTITY = "operation_identity"
    OPERAND_SIZES = "operand_sizes"
    EXACT_WORK = "exact_work"
    OPERAND_TRAFFIC = "operand_traffic"
    DATA_FLOW = "data_flow"
    LOGICAL_RANKS = "logical_ranks"
    COLLECTIVE_VOLUME = "collective_volume"
    TENSOR_TYPE = "tensor_type"
    ROLE = "role"
    SHARD_COVERAGE = "shard_coverage"
    RESOURCES = "resources"
    DEPENDENCY_TOPOLOGY = "dependency_topology"
    IMPLEMENTATION = "implementation"
    BUFFER_SIZE = "buffer_size"
    STORAGE = "storage"
    INTERFACE = "interface"
    MEMORY = "memory"
    EFFECTS = "effects"
    ALTERNATIVES = "alternatives"
    CHOSEN_WORKSPACE = "chosen_workspace"
    TASK_CATEGORY = "task_category"
    BUFFER_USES = "buffer_uses"
    PLACEMENT = "placement"
    BUFFER_BINDING = "buffer_binding"
    ALIGNMENT = "alignment"
    REGION_CAPACITY = "region_capacity"
    ISSUE_ORDER = "issue_order"
    WAITS = "waits"
    ROUTES = "routes"
    OPERANDS = "operands"
    ENTRY = "entry"


# Primitives --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Formula:
    """Operations and bytes of one primitive in one phase, over its operand symbols, on one rank.

    `reads` and `writes` say how often the traffic counts each tensor that a task reads and writes, in order: once
    where nothing is said, and 0 for what counts nothing. `reads` is None where the bytes are not those of tensors.
    """

    operations: sympy.Expr | int
    read_bytes: sympy.Expr | int
    write_bytes: sympy.Expr | int
    message_bytes: sympy.Expr | int = 0
    reads: tuple[int, ...] | None = ()
    writes: tuple[int, ...] = ()


def counted(times: Sequence[int], moved: Sequence[T]) -> list[tuple[int, T]]:
    """How often the traffic counts each of these, without those that it does not: once where nothing is said."""
    pairs = zip((*times, *(1 for _ in moved)), moved, strict=False)
    return [(often, each) for often, each in pairs if often]


@dataclass(frozen=True)
class PrimitiveRule:
    """One primitive: its operands by the name that tasks carry, and its formula in each phase that it has.

    `definition` says which coefficients are chosen rather than derived. `law` is the published
    name of the formula, if there is one, and `statement` that law in one line.
    """

    id: str
    primitive: str
    operands: dict[str, sympy.Symbol]
    formulas: dict[Phase, Formula]
    source: str
    definition: str = ""
    law: str = ""
    statement: str = ""


# Where a target's data comes from ----------------------------------------------------------------------------------


class Version(enum.Enum):
    """The versions in which the group holds one model value."""

    FORWARD = "forward"
    COMMUNICATED = "communicated"
    RECOMPUTED = "recomputed"
    DISCARDED = "discarded"
    RECOMMUNICATED = "recommunicated"
    MASK = "mask"
    MASK_RECOMPUTED = "mask_recomputed"
    GRADIENT = "gradient"
    CONTRIBUTION = "contribution"
    GRADIENT_COMMUNICATED = "gradient_communicated"
    UPDATED = "updated"
    GRADIENT_SUMMED = "gradient_summed"
    GRADIENT_REDUCED = "gradient_reduced"
    GATHERED = "gathered"
    REGATHERED = "regathered"
    UPDATED_GATHERED = "updated_gathered"
    CACHE = "cache"


class Slot(enum.Enum):
    """An argument of the source operation by its position, its result, or the source value itself."""

    FIRST = 0
    SECOND = 1
    THIRD = 2
    RESULT = -1
    SOURCE = -2


@dataclass(frozen=True)
class Ref:
    """The first version in `prefer` that exists of the value in `slot`; nothing where the operation lacks the slot.

    `contributions` stands for one tensor per consumer of the value instead.
    """

    slot: Slot
    prefer: tuple[Version, ...]
    contributions: bool = False


def used(slot: Slot) -> Ref:
    """What a forward consumer reads; a parameter that lies divided over the data-parallel ranks is gathered first."""
    return Ref(slot, (Version.COMMUNICATED, Version.GATHERED, Version.FORWARD))


def used_again(slot: Slot) -> Ref:
    """The parameter that a backward or recomputing consumer reads: gathered once more where it lies divided."""
    return Ref(slot, (Version.REGATHERED, Version.FORWARD))


def held(slot: Slot) -> Ref:
    """What a step of inference reads: the cache of all visible tokens where a value is kept in one."""
    return Ref(slot, (Version.COMMUNICATED, Version.CACHE, Version.FORWARD))


def saved(slot: Slot) -> Ref:
    """What a backward or recomputing consumer reads: the newest copy of the forward value."""
    prefer = (Version.RECOMMUNICATED, Version.RECOMPUTED, Version.COMMUNICATED, Version.FORWARD)
    return Ref(slot, prefer)


def version(slot: Slot, *prefer: Version) -> Ref:
    """The first of these versions that exists."""
    return Ref(slot, prefer)


def gradient(slot: Slot = Slot.RESULT) -> Ref:
    """The gradient that a backward task reads."""
    return Ref(slot, (Version.GRADIENT_COMMUNICATED, Version.GRADIENT))


def contribution(slot: Slot) -> Ref:
    """Where a consumer leaves its gradient of an argument: its own tensor if the value has several consumers."""
    return Ref(slot, (Version.CONTRIBUTION, Version.GRADIENT))


def contributions(slot: Slot) -> Ref:
    """The gradients that all consumers of a value left."""
    return Ref(slot, (Version.CONTRIBUTION,), contributions=True)


# Operand sizes -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Contraction:
    """Operands z, m, n, k of a matrix product, from the named axes that two arguments and the result share.

    n: axes of both arguments, not of the result; z: of both and the result; m and k: of one argument alone.
    """

    left: Slot
    right: Slot
    batched: bool


@dataclass(frozen=True)
class Elements:
    """Operand `elements`: all elements of a tensor on one rank; `width` its last axis if asked for."""

    of: Ref
    width: bool = False


@dataclass(frozen=True)
class Branches:
    """Operands of a fork: elements of the joined gradient on one rank, and how many consumers the value has."""

    of: Ref


@dataclass(frozen=True)
class Exchange:
    """Operands of a collective: elements of the full tensor, of one rank's shard, and the size of the group."""

    of: Slot


@dataclass(frozen=True)
class Parameters:
    """Operand `parameters`: all parameters of the rank, or its largest share of them when the optimizer is sharded."""


@dataclass(frozen=True)
class ParameterExchange:
    """Operands of a collective on all source parameters: their elements, the largest share of them, the group's size.

    Their gradients have a width of their own.
    """

    axis: MeshAxis
    gradients: bool


Operands = Contraction | Elements | Branches | Exchange | Parameters | ParameterExchange


# Targets -----------------------------------------------------------------------------------------------------------


class Layout(enum.Enum):
    """How a version of a value lies on the group, besides heads and feed-forward columns, which are always split."""

    STREAM = "stream"
    """The sequence is split under sequence parallelism."""
    GATHERED = "gathered"
    """The sequence is whole on every rank."""
    ADDENDS = "addends"
    """The sequence is whole, and ranks hold addends of the value."""
    SEQUENCE_ADDENDS = "sequence_addends"
    """Every axis is whole, and ranks hold addends where the sequence is split."""


@dataclass(frozen=True)
class TensorTarget:
    """One distributed value of a relation: `<model value>.<version>`, its role, layout and when it exists."""

    version: Version
    role: Role
    layout: Layout
    when: When


@dataclass(frozen=True)
class CollectiveTarget:
    """What a collective task exchanges, and along which axis of the mesh."""

    kind: CollectiveKind
    reduction: Reduction
    axis: MeshAxis = MeshAxis.TENSOR


@dataclass(frozen=True)
class EffectTarget:
    """What a task does to a cache, where the reference means one: it reads all rows, or appends those of its step."""

    kind: EffectKind
    of: Ref


@dataclass(frozen=True)
class TaskTarget:
    """One task of a relation: `<source>.<suffix>`, its data flow and operand sizes, and when it exists."""

    suffix: str
    kind: TaskKind
    phase: Phase
    primitive: str
    operands: Operands
    reads: tuple[Ref, ...]
    writes: tuple[Ref, ...]
    when: When
    collective: CollectiveTarget | None = None
    effects: tuple[EffectTarget, ...] = ()


@dataclass(frozen=True)
class CopiedTask:
    """A portable task that carries one distributed task over."""


@dataclass(frozen=True)
class CopiedBuffer:
    """A portable buffer that stores one distributed value."""


class Entity(enum.Enum):
    """What a plan bound to a target consists of, and what is emitted for it; a task and a buffer are the plan's own."""

    TASK = "task"
    BUFFER = "buffer"
    DEVICE = "device"
    REGION = "region"
    BINDING = "binding"
    COMMAND = "command"
    QUEUE = "queue"
    INSTRUCTION = "instruction"
    SECTION = "section"
    ENTRY = "entry"


@dataclass(frozen=True)
class Bound:
    """One entity of a concrete plan or of a machine's program; of what has no source, as many as the plan needs."""

    entity: Entity


Target = TensorTarget | TaskTarget | CopiedTask | CopiedBuffer | Bound


# Sources -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class OperationSource:
    """One operation of the model, of one of these kinds."""

    kinds: tuple[str, ...]


@dataclass(frozen=True)
class ValueSource:
    """One value of the model, of one of these roles, whose producer has one of these kinds (None: no producer).

    Without `producers` any will do. `split` asks for values with or without an axis that the group always divides; None
    means either. `consumers` is the least number of operations that read the value. `output` asks for an output of the
    model.
    """

    roles: tuple[Role, ...]
    producers: tuple[str | None, ...] | None
    split: bool | None = None
    consumers: int = 0
    output: bool = False


@dataclass(frozen=True)
class AllParameters:
    """All parameters of one block together, or the undivided ones, in canonical order: one relation a block."""

    whole: bool = False


@dataclass(frozen=True)
class EachTask:
    """One distributed task."""


@dataclass(frozen=True)
class EachValue:
    """One distributed value."""


@dataclass(frozen=True)
class Each:
    """One entity of a portable or concrete plan."""

    entity: Entity


@dataclass(frozen=True)
class AttentionCore:
    """The tasks of one attention core that a target runs as one, and the buffers between them that it never writes."""


@dataclass(frozen=True)
class Whole:
    """The plan and its bindings together: what they ask for has no source of its own."""


Source = OperationSource | ValueSource | AllParameters | EachTask | EachValue | Each | AttentionCore | Whole


# Rules -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PassRule:
    """One rewrite of a pass: source pattern -> exact targets, with what it preserves, introduces and forbids.

    Every entry of `preserves`, `introduces` and `forbids` is a claim that is executed on every relation. A rule without
    a `workload` holds for all; one of a `stage` speaks of what only a whole pipeline stage has.
    """

    id: str
    boundary: tuple[Stage, Stage]
    lineage: LineageKind
    signature: Source
    targets: tuple[Target, ...]
    rewrite: str
    preserves: tuple[Claim, ...]
    introduces: tuple[Claim, ...]
    forbids: tuple[Claim, ...] = ()
    laws: tuple[AnyLaw, ...] = ()
    workload: Workload | None = None
    stage: bool = False

    @property
    def claims(self) -> tuple[Claim, ...]:
        """Every claim of the rule, once, in order."""
        return tuple(dict.fromkeys((*self.preserves, *self.introduces, *self.forbids)))


@dataclass(frozen=True)
class BoundaryRule:
    """What is asserted of a boundary as a whole: laws over all its tasks, and claims about the snapshot itself.

    A rule without a `workload` holds for all; one of a `stage` speaks of what only a whole pipeline stage has.
    """

    id: str
    boundaries: tuple[tuple[Stage, Stage], ...]
    claims: tuple[Claim, ...]
    laws: tuple[AnyLaw, ...]
    workload: Workload | None = None
    stage: bool = False


Rule = PrimitiveRule | PassRule | BoundaryRule


def cases_of(rule: PassRule | BoundaryRule) -> tuple[Case, ...]:
    """The cases of the strategy that a rule's laws speak of."""
    return stage_cases(rule.workload) if rule.stage else all_cases(rule.workload)


MODEL_TO_DISTRIBUTED: Final = (Stage.MODEL, Stage.DISTRIBUTED)
DISTRIBUTED_TO_PORTABLE: Final = (Stage.DISTRIBUTED, Stage.PORTABLE)

PORTABLE_TO_CONCRETE: Final = (Stage.PORTABLE, Stage.CONCRETE)
CONCRETE_TO_MACHINE: Final = (Stage.CONCRETE, Stage.MACHINE)

ATTENTION_CORE: Final = (
    OperationKind.SCORES,
    OperationKind.SOFTMAX,
    OperationKind.ATTENTION_DROPOUT,
    OperationKind.CONTEXT,
)
"""What selective recompute computes again (Korthikanti et al.)."""

PARALLEL_ENTRY: Final = (OperationKind.ATTENTION_NORM, OperationKind.MLP_NORM)
"""Whose results enter the tensor-parallel region."""

PARALLEL_EXIT: Final = (OperationKind.OUTPUT_PROJECTION, OperationKind.DOWN_PROJECTION)
"""Whose results leave it."""

TASK_CLAIMS: Final = (
    Claim.OPERATION_IDENTITY,
    Claim.OPERAND_SIZES,
    Claim.EXACT_WORK,
    Claim.DATA_FLOW,
    Claim.LOGICAL_RANKS,
    Claim.EFFECTS,
)
"""What every task must satisfy; that it reads and appends no cache, where its rule names none, is one of them."""

TRAFFIC_CLAIMS: Final = (*TASK_CLAIMS, Claim.OPERAND_TRAFFIC)
"""What every task must satisfy whose bytes are those of its tensors: all but the optimizer and exchanges of a stage."""

TRAFFIC: Final = "operand-traffic"
"""The law that every primitive's formula is subject to."""

BOUNDARY_CLAIMS: Final = frozenset(
    {Claim.INTERFACE, Claim.MEMORY, Claim.ALTERNATIVES, Claim.ROUTES, Claim.CHOSEN_WORKSPACE}
)
"""What can be asked of a snapshot as a whole: memory and alternatives of plans, routes and workspace of bound ones."""

TENSOR_CLAIMS: Final = (Claim.TENSOR_TYPE, Claim.ROLE, Claim.SHARD_COVERAGE, Claim.LOGICAL_RANKS)
"""What every distributed value must satisfy."""


# When a target exists ----------------------------------------------------------------------------------------------


def always(case: Case, kind: str | None) -> bool:
    """In every case."""
    return True


def tensor_parallel(case: Case, kind: str | None) -> bool:
    """With more than one tensor-parallel rank."""
    return case.tensor_parallel


def sequence_parallel(case: Case, kind: str | None) -> bool:
    """With more than one tensor-parallel rank and a split sequence."""
    return case.tensor_parallel and case.sequence_parallel


def all_reducing(case: Case, kind: str | None) -> bool:
    """With more than one tensor-parallel rank and a whole sequence."""
    return case.tensor_parallel and not case.sequence_parallel


def recomputed(case: Case, kind: str | None) -> bool:
    """Under full recompute for every operation, under selective recompute for the attention core."""
    if case.recompute is Recompute.FULL:
        return kind is not None
    return case.recompute is Recompute.SELECTIVE and kind in ATTENTION_CORE


def discarded(case: Case, kind: str | None) -> bool:
    """What leaves a region that alone is recomputed: made again and dropped, because its forward copy is stored."""
    return case.recompute is Recompute.SELECTIVE and kind == ATTENTION_CORE[-1]


def data_parallel(case: Case, kind: str | None) -> bool:
    """In a whole pipeline stage with more than one data-parallel rank."""
    return case.data_parallel


def whole_parameters(case: Case, kind: str | None) -> bool:
    """There, where every rank holds all its gradients (ZeRO stage 0)."""
    return case.data_parallel and not case.sharded_optimizer


def divided_gradients(case: Case, kind: str | None) -> bool:
    """There, where the optimizer works on a share (ZeRO stages 1 to 3)."""
    return case.data_parallel and case.sharded_optimizer


def divided_update(case: Case, kind: str | None) -> bool:
    """There, where the updated shares are gathered into whole parameters (ZeRO stages 1 and 2)."""
    return case.data_parallel and case.sharded_optimizer and not case.sharded_parameters


def divided_parameters(case: Case, kind: str | None) -> bool:
    """There, where the parameters themselves lie divided (ZeRO stage 3)."""
    return case.data_parallel and case.sharded_parameters


def sums_whole_gradients(case: Case, kind: str | None) -> bool:
    """In a whole pipeline stage whose ranks see only their own tokens of undivided parameters."""
    return case.sums_whole_gradients


def receives(case: Case, kind: str | None) -> bool:
    """In a pipeline stage with one before it."""
    return case.receives


def sends(case: Case, kind: str | None) -> bool:
    """In a pipeline stage with one after it."""
    return case.sends


def made_again(case: Case, kind: str | None) -> bool:
    """Recomputed, and read in its new copy."""
    return recomputed(case, kind) and not discarded(case, kind)


def fully_recomputed(condition: When) -> When:
    """Where `condition` holds, under full recompute."""
    return lambda case, kind: case.recompute is Recompute.FULL and condition(case, kind)


def at_entry(condition: When) -> When:
    """Where `condition` holds, at a norm's result."""
    return lambda case, kind: kind in PARALLEL_ENTRY and condition(case, kind)


def at_exit(condition: When) -> When:
    """Where `condition` holds, at the result of a row-parallel projection."""
    return lambda case, kind: kind in PARALLEL_EXIT and condition(case, kind)


# Short forms for rule files -----------------------------------------------------------------------------------------


def compute(
    phase: Phase,
    primitive: str,
    operands: Operands,
    reads: tuple[Ref, ...],
    writes: tuple[Ref, ...],
    when: When = always,
    effects: tuple[EffectTarget, ...] = (),
) -> TaskTarget:
    """A local task, named after its phase."""
    return TaskTarget(phase.value, TaskKind.COMPUTE, phase, primitive, operands, reads, writes, when, effects=effects)


def collective(
    phase: Phase, kind: CollectiveKind, reduction: Reduction, read: Ref, write: Ref, when: When
) -> TaskTarget:
    """A collective on the source value, named after its phase."""
    return TaskTarget(
        suffix=f"collective.{phase.value}",
        kind=TaskKind.COLLECTIVE,
        phase=phase,
        primitive=Primitive(kind.value),
        operands=Exchange(Slot.SOURCE),
        reads=(read,),
        writes=(write,),
        when=when,
        collective=CollectiveTarget(kind, reduction),
    )
