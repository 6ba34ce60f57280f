"""What is consistent and yet not what is asked for, and what is wrong in how a bundle is written down."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import msgspec

from blueprint.frontend.request import deployment_of, target_of
from blueprint.ir.common import DType, Stage
from blueprint.ir.request import (
    Attention,
    Communication,
    Deployment,
    Inference,
    Recompute,
    Request,
    Scope,
    Strategy,
    Target,
    TargetKind,
    Training,
)
from tests.bundles.stacks import good
from tests.bundles.test_false_bundles import be, other_way, plus, without_last
from tests.mutation.bundle_sites import (
    CONCRETE,
    DISTRIBUTED,
    MACHINE,
    MODEL,
    PORTABLE,
    Operators,
    Point,
    Site,
    put,
    shown,
)
from tests.reseal import KINDS, Draft, mapped, new_id

OPERATORS: Final = Operators()

# What is consistent, and yet not what is asked for --------------------------------------------------------------------


class Neighbour(NamedTuple):
    """A request beside another, and what must be said when its derivation is shown for the other."""

    words: str
    request: Request
    stage: Stage
    by: str


@OPERATORS.add("derivation of another request", most=64, whole=True)
def another_request(draft: Draft, request: Request) -> Iterator[Site]:
    """Everything is what the honest passes make of another request, under this one."""
    for other in neighbours(request):
        if other.stage not in shown(draft):
            continue

        def change(changed: Draft, shown_: Request = other.request) -> None:
            theirs, ours = Draft(good(shown_)), changed.data
            changed.digests = theirs.digests
            changed.data = {**theirs.data, "request": ours["request"]}
            # What the passes promise is what those of this request do.
            for records, fields in (("stages", ("label", "pass")), ("transitions", ("contract",))):
                for mine, other_ in zip(ours[records], theirs.data[records], strict=True):
                    other_.update({field: mine[field] for field in fields})

        yield Site(other.stage, other.words, other.by, change, other.words, carry=False)


def neighbours(request: Request) -> Iterator[Neighbour]:
    """Requests that differ in one thing, by which their derivation differs from this one."""
    replace = msgspec.structs.replace
    workload, strategy, model = request.workload, request.strategy, request.model
    yield Neighbour(
        "width", replace(request, model=replace(model, feedforward=model.feedforward + 4)), MODEL, "claim.interface"
    )
    yield Neighbour(
        "batch", replace(request, workload=replace(workload, batch=workload.batch + 1)), MODEL, "claim.tensor_type"
    )
    other = DType.FLOAT16 if workload.dtype is DType.BFLOAT16 else DType.BFLOAT16
    yield Neighbour("dtype", replace(request, workload=replace(workload, dtype=other)), MODEL, "claim.tensor_type")
    if strategy.scope is Scope.BLOCK:
        wider = _placed(replace(request, strategy=replace(strategy, tensor=4)))
        yield Neighbour("tensor degree", wider, DISTRIBUTED, "claim.shard_coverage")
        degree = replace(strategy, pipeline=3 - strategy.pipeline)
        yield Neighbour("pipeline degree", replace(request, strategy=degree), DISTRIBUTED, "claim.interface")
    if isinstance(workload, Inference):
        yield Neighbour(
            "prompt",
            replace(request, workload=replace(workload, prompt=workload.prompt - 1)),
            DISTRIBUTED,
            "claim.exact_work",
        )
        yield Neighbour(
            "context",
            replace(request, workload=replace(workload, context=workload.context + 1)),
            MODEL,
            "claim.tensor_type",
        )
    else:
        yield from _training_neighbours(request, workload, strategy)
    if isinstance(request.target, Target):
        yield from _bound_neighbours(request, request.target)


def _training_neighbours(request: Request, workload: Training, strategy: Strategy) -> Iterator[Neighbour]:
    replace = msgspec.structs.replace
    longer = replace(workload, sequence=workload.sequence + 2 * strategy.tensor)
    yield Neighbour("sequence", replace(request, workload=longer), MODEL, "claim.tensor_type")
    again, finding = (Recompute.NONE, "coverage.missing")
    if strategy.recompute is Recompute.NONE:
        again, finding = (Recompute.FULL, "coverage.unexpected")
    other = replace(strategy, recompute=again)
    yield Neighbour("recompute", replace(request, strategy=other), DISTRIBUTED, finding)
    split, reduce = Communication.SEQUENCE_PARALLEL, Communication.ALL_REDUCE
    exchanged = replace(strategy, communication=split if strategy.communication is reduce else reduce)
    yield Neighbour("communication", replace(request, strategy=exchanged), DISTRIBUTED, "claim.shard_coverage")
    data = replace(strategy, data=strategy.data + 1)
    yield Neighbour("data-parallel degree", replace(request, strategy=data), DISTRIBUTED, "claim.interface")
    zero = replace(strategy, zero=(strategy.zero + 1) % 4)
    whole = 0 in {strategy.zero, zero.zero}
    yield Neighbour(
        "ZeRO stage",
        replace(request, strategy=zero),
        DISTRIBUTED if whole else PORTABLE,
        "claim.operand_sizes" if whole else "claim.memory",
    )
    wide = replace(strategy, gradient_bytes=6 - strategy.gradient_bytes)
    yield Neighbour("gradient width", replace(request, strategy=wide), DISTRIBUTED, "claim.tensor_type")


def _bound_neighbours(request: Request, target: Target) -> Iterator[Neighbour]:
    kind = TargetKind.SLOT if target.kind is TargetKind.QUEUE else TargetKind.QUEUE
    bound = msgspec.structs.replace(request, target=target_of(kind, emit=target.emit, attention=target.attention))
    yield Neighbour("kind of target", bound, CONCRETE, "claim.interface")
    if isinstance(request.workload, Inference):
        attention = Attention.PAGED if target.attention is not Attention.PAGED else Attention.TILED
        fused = msgspec.structs.replace(request, target=target_of(target.kind, emit=target.emit, attention=attention))
        finding = "coverage.unexpected" if target.attention is Attention.UNFUSED else "claim.implementation"
        yield Neighbour("implementation of attention", fused, CONCRETE, finding)
    memory = request.deployment.device_memory if isinstance(request.deployment, Deployment) else msgspec.UNSET
    if isinstance(memory, int):
        larger = msgspec.structs.replace(request, deployment=deployment_of(request, None, memory + 1))
        yield Neighbour("device memory", larger, CONCRETE, "claim.region_capacity")


def _placed(request: Request) -> Request:
    """The request with as many devices as it has ranks."""
    if not isinstance(request.deployment, Deployment):
        return request
    memory = request.deployment.device_memory
    size = memory if isinstance(memory, int) else None
    return msgspec.structs.replace(request, deployment=deployment_of(request, None, size))


@OPERATORS.add("branches exchanged", whole=True)
def branches_exchanged(_draft: Draft, request: Request) -> Iterator[Site]:
    """Each branch of inference shows the other's step."""
    if isinstance(request.workload, Training):
        return

    def change(changed: Draft) -> None:
        records = changed.data["stages"][1:]
        half = len(records) // 2
        for one, other in zip(records[:half], records[half:], strict=True):
            one["snapshot"], other["snapshot"] = other["snapshot"], one["snapshot"]

    yield Site(DISTRIBUTED, "all stages", "claim.exact_work", change, carry=False)


@OPERATORS.add("device too small", whole=True)
def device_too_small(draft: Draft, request: Request) -> Iterator[Site]:
    """The plan needs one byte more than the device has."""
    if not isinstance(request.deployment, Deployment) or not isinstance(request.deployment.device_memory, int):
        return
    facts = draft.snapshot(PORTABLE)["memory"]
    training = facts["kind"] == "training"
    counted = set(facts) - {"kind", "parameters", *(() if training else ("boundary",))}
    needed = sum(facts[fact] for fact in counted)
    law = "law.capacity" if training else "law.inference-capacity"

    def change(changed: Draft) -> None:
        changed.data["request"]["deployment"]["device_memory"] = needed - 1
        for record in changed.data["stages"]:
            for region in record["snapshot"].get("regions", ()):
                region["capacity"] = needed - 1

    yield Site(PORTABLE, "device memory", law, change, carry=False)


# How it is written down -----------------------------------------------------------------------------------------------


@OPERATORS.add("wrong contract", point=Point.RECORD, whole=True)
def contracts(draft: Draft, _request: Request) -> Iterator[Site]:
    """A pass promises something else: its name, its revision, fewer rules, claims or laws."""
    for at, record in enumerate(draft.data["transitions"]):
        contract = record["contract"]

        def owner(changed: Draft, place: int = at) -> Any:
            return changed.data["transitions"][place]["contract"]

        for field, new in (
            ("name", be("AnotherPass")),
            ("revision", plus(1)),
            ("deterministic", other_way),
            ("rules", without_last),
            ("rules.0.preserves", be(["role"])),
            ("rules.0.source", be("0" * 64)),
            ("boundary_rules", without_last),
            *((("boundary_rules.0.laws", be(["another"])),) if contract["boundary_rules"] else ()),
        ):
            if field != "boundary_rules" or contract["boundary_rules"]:
                stage = Stage(record["stage"])
                yield Site(stage, f"{record['branch']} {field}", "contract", put(owner, field, new), field)


@OPERATORS.add("forged report", point=Point.RECORD, whole=True)
def reports(draft: Draft, _request: Request) -> Iterator[Site]:
    """A recorded report says something else than this run finds."""
    for at, record in enumerate(draft.data["transitions"]):

        def owner(changed: Draft, place: int = at) -> Any:
            return changed.data["transitions"][place]["report"]

        for field, new in (
            ("relation_verified", other_way),
            ("obligations", without_last),
            ("claims", be({})),
            ("cardinality", be({})),
            ("coverage.missing", plus(1)),
            ("coverage.target", plus(1)),
            *((("laws.0.status", be("refuted")), ("laws.0.members", plus(1))) if record["report"]["laws"] else ()),
            *((("laws", without_last),) if record["report"]["laws"] else ()),
        ):
            stage = Stage(record["stage"])
            yield Site(stage, f"{record['branch']} {field}", "report.mismatch", put(owner, field, new), field)


@OPERATORS.add("wrong digest", point=Point.RECORD, whole=True)
def digests(draft: Draft, _request: Request) -> Iterator[Site]:
    """A digest is another: of the request, of the session, of a parent, of a transition, of the rulebook."""
    other = be("0" * 64)
    data = lambda changed: changed.data  # noqa: E731
    for field, by in (
        ("request_digest", "digest.request"),
        ("fingerprint", "digest.session"),
        ("rulebook.digest", "rulebook.digest"),
        ("transitions.0.source", "digest.transition"),
        ("transitions.0.target", "digest.transition"),
        *((f"stages.{at}.snapshot.header.parent", "digest.parent") for at in range(len(draft.data["stages"]))),
    ):
        yield Site(MODEL, field, by, put(data, field, other), by, carry=False, raw=True)


@OPERATORS.add("wrong id", point=Point.RECORD)
def identifiers(draft: Draft, _request: Request) -> Iterator[Site]:
    """An entity has an id that is not that of its content, and everything that refers to it goes along."""
    for stage in shown(draft):
        for label, kind in KINDS[stage].items():
            for entity in draft.entities(stage, label):

                def change(changed: Draft, where: tuple[str, str] = (entity["id"], new_id(kind, "another"))) -> None:
                    changed.data["stages"] = mapped(changed.data["stages"], dict([where]))

                place = f"{label}/{entity['name']}"
                yield Site(stage, place, "structure.id", change, f"{stage.value} {label}", carry=False, raw=True)


@OPERATORS.add("wrong header, label or pass", point=Point.RECORD, whole=True)
def labels(draft: Draft, _request: Request) -> Iterator[Site]:
    """A stage says that it is of another version, or is called or made otherwise."""
    data = lambda changed: changed.data  # noqa: E731
    for at, record in enumerate(draft.data["stages"]):
        stage = Stage(record["stage"])
        for field, new, by in (
            ("snapshot.header.version", plus(1), "structure.version"),
            ("label", be("causal, INT4"), "stage.label"),
            ("pass", be("backend"), "stage.pass"),
        ):
            yield Site(
                stage, f"{record['branch']} {field}", by, put(data, f"stages.{at}.{field}", new), by, carry=False
            )


@OPERATORS.add("missing stage", point=Point.MISSING, whole=True)
def missing_stages(draft: Draft, _request: Request) -> Iterator[Site]:
    """The last stages of the bundle are not there."""
    last = draft.data["stages"][-1]["branch"]
    for count in range(1, len(shown(draft)) - 1):

        def change(changed: Draft, left_out_: int = count) -> None:
            for records in ("stages", "transitions"):
                changed.data[records] = changed.data[records][:-left_out_]

        stage = Stage(draft.data["stages"][-count]["stage"])
        yield Site(stage, f"{last} {count} less", "stage.missing", change, str(count), carry=False)


@OPERATORS.add("forbidden field", point=Point.FORM)
def forbidden_fields(draft: Draft, _request: Request) -> Iterator[Site]:
    """An entity says what its stage must not hold: a device, an address, a time, a cost."""
    extra = {MODEL: "rank", DISTRIBUTED: "device", PORTABLE: "address", CONCRETE: "duration", MACHINE: "cost"}
    for stage in shown(draft):
        for label in KINDS[stage]:
            for entity in draft.entities(stage, label):

                def change(changed: Draft, where: tuple[Stage, str, str] = (stage, label, entity["name"])) -> None:
                    changed.entity(*where)[extra[where[0]]] = 1

                place = f"{label}/{entity['name']}"
                yield Site(stage, place, "codec.decode", change, f"{stage.value} {label}", carry=False)
