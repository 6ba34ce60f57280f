"""Model facts and a strategy -> a request inside the laws' domain. What lies outside is refused, never rounded."""

from __future__ import annotations

import math
from collections.abc import Iterator

import msgspec

from blueprint.case import Workload, case_of
from blueprint.codec import VALUE_LIMIT
from blueprint.errors import DomainError, NotCoveredError
from blueprint.frontend.targets import TARGETS
from blueprint.ir.common import INT64_MAX, DType
from blueprint.ir.request import (
    Activation,
    Attention,
    Communication,
    Deployment,
    Inference,
    ModelFacts,
    Recompute,
    Request,
    Scope,
    Strategy,
    Target,
    TargetKind,
    Topology,
    Training,
    blocks_of,
    branches_of,
    neighbours_of,
    point_of,
)
from blueprint.words import plain

MAX_DEGREE = 65536
"""The largest parallel degree; the same bound stands in the type of a decoded request."""

SHOWN_DEGREES = 16
"""Degrees that would work, of which so many are named."""

DTYPES = (DType.FLOAT32, DType.FLOAT16, DType.BFLOAT16)
"""The element types of a model's weights and activations."""

MAX_BLOCKS = 384
"""Most blocks of a stack: one of inference takes 137 KiB of a bundle or more, and a bundle has 50 MiB at most."""

GROUP_LISTS = {Workload.TRAINING: 166, Workload.INFERENCE: 104}
"""Least lists of the group's ranks that the distributed tasks, values and portable tasks of one block have."""

EXCHANGES = (1, 2, 2, 3)
"""By ZeRO stage, collectives over the data-parallel ranks of one block of a stack; each is listed in both stages."""

GRADIENT_WIDTHS = (2, 4)
"""Bytes of one gradient element."""


def training_request(
    model: ModelFacts,
    *,
    sequence: int,
    batch: int = 1,
    microbatches: int = 1,
    dtype: DType = DType.BFLOAT16,
    tensor: int = 1,
    pipeline: int = 1,
    data: int = 1,
    recompute: Recompute = Recompute.NONE,
    communication: Communication = Communication.ALL_REDUCE,
    zero: int = 0,
    gradient_bytes: int | None = None,
    shard_checkpoint: bool = False,
    scope: Scope = Scope.BLOCK,
    stage: int = 0,
    device_memory: int | None = None,
    devices: int | None = None,
    target: TargetKind | None = None,
    emit: bool = False,
) -> Request:
    """The request for one training step, of one block or of all blocks of a pipeline stage.

    batch counts the sequences of one microbatch, sequence their tokens; gradient_bytes is the width of one gradient
    element, None for that of `dtype`; device_memory the bytes of one device, None for any size; devices how many there
    are, None for as many as ranks; target the kind of the reference target, and emit whether its instructions are asked
    for too.
    Raises what `check_domain` raises.
    """
    _require_dtype(dtype)
    request = Request(
        model=model,
        workload=Training(batch=batch, sequence=sequence, microbatches=microbatches, dtype=dtype),
        strategy=Strategy(
            tensor=tensor,
            pipeline=pipeline,
            data=data,
            recompute=recompute,
            communication=communication,
            zero=zero,
            gradient_bytes=_gradient_width(dtype) if gradient_bytes is None else gradient_bytes,
            shard_checkpoint=shard_checkpoint,
            scope=scope,
            stage=stage,
        ),
        target=target_of(target, emit=emit),
        deployment=msgspec.UNSET,
    )
    request = msgspec.structs.replace(request, deployment=deployment_of(request, devices, device_memory))
    check_domain(request)
    return request


def inference_request(
    model: ModelFacts,
    *,
    batch: int = 1,
    prompt: int,
    context: int,
    dtype: DType = DType.BFLOAT16,
    tensor: int = 1,
    pipeline: int = 1,
    scope: Scope = Scope.BLOCK,
    stage: int = 0,
    device_memory: int | None = None,
    devices: int | None = None,
    target: TargetKind | None = None,
    emit: bool = False,
    attention: Attention = Attention.UNFUSED,
) -> Request:
    """The request for two steps of generation: the whole prompt, and the last token of the context.

    batch counts sequences, prompt and context tokens of each; attention is the implementation of the attention core
    that the target runs; the rest is as in `training_request`.
    Raises what `check_domain` raises.
    """
    _require_dtype(dtype)
    request = Request(
        model=model,
        workload=Inference(batch=batch, prompt=prompt, context=context, dtype=dtype),
        strategy=Strategy(
            tensor=tensor,
            pipeline=pipeline,
            data=1,
            recompute=Recompute.NONE,
            communication=Communication.ALL_REDUCE,
            zero=0,
            gradient_bytes=_gradient_width(dtype),
            shard_checkpoint=False,
            scope=scope,
            stage=stage,
        ),
        target=target_of(target, emit=emit, attention=attention),
        deployment=msgspec.UNSET,
    )
    request = msgspec.structs.replace(request, deployment=deployment_of(request, devices, device_memory))
    check_domain(request)
    return request


def _gradient_width(dtype: DType) -> int:
    """Bytes of a gradient element where nothing else is asked for: those of the parameters."""
    return dtype.width


def target_of(
    kind: TargetKind | None, *, emit: bool, attention: Attention = Attention.UNFUSED
) -> Target | msgspec.UnsetType:
    """The reference target of a kind. Raises DomainError where something is asked of a target, and none is named."""
    if kind is not None:
        return msgspec.structs.replace(TARGETS[kind], emit=emit, attention=attention)
    if emit:
        raise DomainError("instructions are emitted for a target, and none is named", path="target")
    if attention is not Attention.UNFUSED:
        raise DomainError("an implementation is chosen when a target is bound, and none is named", path="target")
    return msgspec.UNSET


def deployment_of(request: Request, devices: int | None, memory: int | None) -> Deployment | msgspec.UnsetType:
    """Where the plan runs, if anything of it is said or a target needs it.

    By default there is one device a rank, and for a target one of each stage beside the group's.
    """
    placed = isinstance(request.target, Target)
    if not placed and devices is None and memory is None:
        return msgspec.UNSET
    needed = request.strategy.tensor + (len(neighbours_of(request.strategy)) if placed else 0)
    return Deployment(
        devices=needed if devices is None else devices,
        topology=Topology.ALL_TO_ALL,
        device_memory=msgspec.UNSET if memory is None else memory,
    )


def check_domain(request: Request) -> None:
    """Refuse a request outside the domain of the laws, built here or decoded.

    Raises DomainError with the dimension, its value and the degree; NotCoveredError for grouped-query attention.
    """
    _require_types(request)
    _require_divisible(request)
    _require_target(request)
    model, strategy = request.model, request.strategy
    if isinstance(request.workload, Inference):
        _require_inference(request.workload, strategy)
    if strategy.shard_checkpoint:
        raise NotCoveredError("a sharded checkpoint is not covered yet: no law says what it changes")
    if strategy.stage >= strategy.pipeline or (strategy.stage and strategy.scope is Scope.BLOCK):
        raise DomainError(
            f"pipeline stage {strategy.stage} does not exist: with p = {strategy.pipeline} a stack has 0 to p - 1,"
            " and a block has 0",
            path="strategy.stage",
        )
    _require_size(request)
    if strategy.zero >= 1 and strategy.data == 1:
        raise DomainError(
            f"ZeRO stage {strategy.zero} shards over the data-parallel group, but the data degree is D = 1",
            path="strategy.zero",
        )
    if model.key_value_heads != model.heads:
        raise NotCoveredError(
            f"grouped-query attention (key/value heads k = {model.key_value_heads}, heads h = {model.heads})"
            " has no law yet",
            path="model.key_value_heads",
        )


def _require_size(request: Request) -> None:
    """Refuse what makes no bundle that can be read, before any of it is made."""
    strategy = request.strategy
    blocks = blocks_of(request.model, strategy)
    if blocks > MAX_BLOCKS:
        raise DomainError(f"a stack of more than {MAX_BLOCKS} blocks makes no bundle that can be read")
    if (ranks := least_ranks(request)) > VALUE_LIMIT:
        raise DomainError(
            f"blocks = {blocks} with tensor degree t = {strategy.tensor} and data degree D = {strategy.data} list"
            f" {ranks} ranks or more, and a bundle with more than {VALUE_LIMIT} values cannot be read",
            path="strategy",
        )


def least_ranks(request: Request) -> int:
    """How many ranks the snapshots of a request list at least: each is a value of the bundle that holds them."""
    case, strategy = case_of(request), request.strategy
    exchanged = 2 * EXCHANGES[strategy.zero] * strategy.data if case.data_parallel else 0
    block = GROUP_LISTS[case.workload] * strategy.tensor + exchanged
    return blocks_of(request.model, strategy) * block


def _require_inference(workload: Inference, strategy: Strategy) -> None:
    """What only a training step has is refused, and a prompt that its own context does not hold."""
    if workload.prompt > workload.context:
        raise DomainError(
            f"the prompt has {workload.prompt} tokens, more than the context c = {workload.context}",
            path="workload.prompt",
        )
    if strategy.recompute is not Recompute.NONE:
        raise DomainError("inference has no backward pass to compute anything again in", path="strategy.recompute")
    if strategy.communication is not Communication.ALL_REDUCE:
        raise DomainError("inference is covered with all-reduce only", path="strategy.communication")
    if strategy.zero:
        raise DomainError("ZeRO divides what only training has", path="strategy.zero")
    if strategy.gradient_bytes != _gradient_width(workload.dtype):
        raise DomainError("inference has no gradients to give another width", path="strategy.gradient_bytes")


def _require_target(request: Request) -> None:
    """A target is a known profile and has a deployment, which has a device for each rank of the group."""
    target, deployment, ranks = request.target, request.deployment, request.strategy.tensor
    if isinstance(target, Target):
        if target_of(target.kind, emit=target.emit, attention=target.attention) != target:
            known = ", ".join(each.name for each in TARGETS.values())
            raise NotCoveredError(
                f"the target {plain(target.name, 40)} is not known in this form; known are {known}", path="target"
            )
        if target.attention is not Attention.UNFUSED and isinstance(request.workload, Training):
            raise DomainError(
                "a training step keeps its scores for the backward pass; only inference fuses the attention core",
                path="target.attention",
            )
        if not isinstance(deployment, Deployment):
            raise DomainError("a target needs a deployment, which says how many devices there are", path="deployment")
    neighbours = len(neighbours_of(request.strategy)) if isinstance(target, Target) else 0
    if isinstance(deployment, Deployment) and deployment.devices < ranks + neighbours:
        beside = f", and {neighbours} of the stages beside it" if neighbours else ""
        raise DomainError(
            f"devices = {deployment.devices} are fewer than the ranks of the group, tensor degree t = {ranks}{beside}",
            path="deployment.devices",
        )


def _require_divisible(request: Request) -> None:
    """Every split of the strategy must be exact: h, k, F and S (or BSH) over t, L over p."""
    model, workload, strategy = request.model, request.workload, request.strategy
    tensor = ("tensor degree t", strategy.tensor)
    splits = [
        ("heads h", model.heads, *tensor),
        ("key/value heads k", model.key_value_heads, *tensor),
        ("feed-forward width F", model.feedforward, *tensor),
        ("layers L", model.layers, "pipeline degree p", strategy.pipeline),
    ]
    if isinstance(workload, Inference):
        for branch in branches_of(workload):
            batch, queries, _ = point_of(workload, branch)
            splits.append((f"activation elements b*q*H of {branch.value}", batch * queries * model.hidden, *tensor))
    elif strategy.communication is Communication.SEQUENCE_PARALLEL:
        splits.append(("sequence length S", workload.sequence, *tensor))
    else:
        elements = workload.batch * workload.sequence * model.hidden
        splits.append(("activation elements B*S*H", elements, *tensor))
    for dimension, size, axis, degree in splits:
        if size % degree:
            together = math.gcd(*(each for _, each, other, _ in splits if other == axis))
            raise DomainError(
                f"{dimension} = {size} is not divisible by {axis} = {degree}; it may be {_divisors(together)}",
                path="strategy",
            )


def _divisors(size: int) -> str:
    """The degrees that divide a size, in words; of many the least."""
    found = [str(degree) for degree in range(1, min(size, MAX_DEGREE) + 1) if size % degree == 0]
    return ", ".join(found[:SHOWN_DEGREES]) + (", ..." if len(found) > SHOWN_DEGREES else "")


def _require_types(request: Request) -> None:
    """Exact types and ranges. msgspec checks them when it decodes, but not when Python code builds a structure."""
    for path, words, value, low, high in _numbers(request):
        # bool is a subclass of int in Python, and a foreign integer type may overflow.
        if type(value) is not int:
            raise DomainError(f"{words} = {plain(value, 40)} is not a whole number", path=path)
        if not low <= value <= high:
            raise DomainError(f"{words} = {plain(value, 40)} is not from {low} to {high}", path=path)
    _require_dtype(request.workload.dtype)
    strategy = request.strategy
    if strategy.gradient_bytes not in GRADIENT_WIDTHS:
        raise DomainError(f"gradient bytes g = {strategy.gradient_bytes} is not 2 or 4", path="strategy.gradient_bytes")
    choices: tuple[tuple[str, object, type], ...] = (
        ("model.biases", request.model.biases, bool),
        ("model.activation", request.model.activation, Activation),
        ("strategy.recompute", strategy.recompute, Recompute),
        ("strategy.communication", strategy.communication, Communication),
        ("strategy.shard_checkpoint", strategy.shard_checkpoint, bool),
        ("strategy.scope", strategy.scope, Scope),
    )
    for path, value, kind in (*choices, *_choices_of_target(request)):
        if not isinstance(value, kind):
            raise DomainError(f"{plain(value, 40)} is not a {kind.__name__}", path=path)


def _choices_of_target(request: Request) -> Iterator[tuple[str, object, type]]:
    """(path, value, type) of what target and deployment choose."""
    if request.target is not msgspec.UNSET:
        yield "target", request.target, Target
        yield "target.kind", getattr(request.target, "kind", None), TargetKind
        yield "target.emit", getattr(request.target, "emit", None), bool
    if request.deployment is not msgspec.UNSET:
        yield "deployment", request.deployment, Deployment
        yield "deployment.topology", getattr(request.deployment, "topology", None), Topology


def _numbers(request: Request) -> Iterator[tuple[str, str, object, int, int]]:
    """(path, words, value, least, greatest) of every number in the request."""
    model, workload, strategy = request.model, request.workload, request.strategy
    yield "model.hidden", "hidden width H", model.hidden, 1, INT64_MAX
    yield "model.feedforward", "feed-forward width F", model.feedforward, 1, INT64_MAX
    yield "model.heads", "heads h", model.heads, 1, INT64_MAX
    yield "model.key_value_heads", "key/value heads k", model.key_value_heads, 1, INT64_MAX
    yield "model.head_width", "head width d", model.head_width, 1, INT64_MAX
    yield "model.layers", "layers L", model.layers, 1, INT64_MAX
    yield "model.vocabulary", "vocabulary V", model.vocabulary, 1, INT64_MAX
    yield "model.positions", "positions", model.positions, 1, INT64_MAX
    yield "workload.batch", "batch B", workload.batch, 1, INT64_MAX
    if isinstance(workload, Training):
        yield "workload.sequence", "sequence length S", workload.sequence, 1, INT64_MAX
        yield "workload.microbatches", "microbatches", workload.microbatches, 1, INT64_MAX
    else:
        yield "workload.prompt", "prompt tokens", workload.prompt, 1, INT64_MAX
        yield "workload.context", "context tokens c", workload.context, 1, INT64_MAX
    yield "strategy.tensor", "tensor degree t", strategy.tensor, 1, MAX_DEGREE
    yield "strategy.pipeline", "pipeline degree p", strategy.pipeline, 1, MAX_DEGREE
    yield "strategy.data", "data degree D", strategy.data, 1, MAX_DEGREE
    yield "strategy.zero", "ZeRO stage", strategy.zero, 0, 3
    yield "strategy.stage", "pipeline stage", strategy.stage, 0, MAX_DEGREE - 1
    if request.deployment is not msgspec.UNSET:
        yield "deployment.devices", "devices", getattr(request.deployment, "devices", None), 1, INT64_MAX
        memory = getattr(request.deployment, "device_memory", None)
        if memory is not msgspec.UNSET:
            yield "deployment.device_memory", "device memory", memory, 1, INT64_MAX
    yield "strategy.gradient_bytes", "gradient bytes g", strategy.gradient_bytes, 2, 4


def _require_dtype(dtype: object) -> None:
    """Refuse element types that no model has."""
    if dtype not in DTYPES:
        shown = dtype.value if isinstance(dtype, DType) else plain(dtype, 40)
        names = ", ".join(allowed.value for allowed in DTYPES)
        raise DomainError(f"element type {shown} is not one of {names}", path="workload.dtype")
