"""Everything that `derive` can be asked, drawn: most of it in the laws' domain, some of it put outside on purpose.

Every dimension is a product of drawn factors, so that nothing has to be drawn again. The case of a strategy, on which
the shape of a derivation depends, is given.
"""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec
from hypothesis import strategies as st

from blueprint.case import Case, Workload
from blueprint.exit import ExitCode
from blueprint.frontend.config import load_model
from blueprint.frontend.models import BUILTIN
from blueprint.frontend.request import DTYPES, GRADIENT_WIDTHS, MAX_BLOCKS, inference_request, training_request
from blueprint.ir.common import DType
from blueprint.ir.request import Activation, Attention, ModelFacts, Request, Scope, TargetKind

FACTS, CONFIGURATION = "facts file", "configuration file"
"""Where facts come from that are not built in: a file in Blueprint's own form, or in GPT-2's."""

BLOCK, ALONE, FIRST, MIDDLE, LAST = "one block", "only stage", "first stage", "middle stage", "last stage"
"""What is derived: a block, or all blocks of a pipeline stage, with its place among the stages."""

STAGES_BEFORE_AND_AFTER: Final[Mapping[str, tuple[int, int]]] = {
    BLOCK: (0, 0), ALONE: (0, 0), FIRST: (0, 1), MIDDLE: (1, 1), LAST: (1, 0),
}  # fmt: skip
"""How many stages there are at least on both sides."""

ANY, ROOMY, TIGHT = "any", "roomy", "tight"
"""Device memory: not named, more than enough, or no byte more than the plan needs."""

DEGREES: Final = (2, 3, 4, 5, 6, 7, 8, 12, 16)
"""Tensor degrees, besides 1, which is a case of its own; the heads of built-in models take others too, such as 25."""

BLOCKS: Final = (1, 1, 1, 2, 2, 3)
"""Blocks of a stage, the cheap ones more often."""

MOST_BLOCKS = max(BLOCKS)

NAMES: Final = ("drawn", "~" * 64, """[/red] <b> %s {0} \\ | '"&""")
"""Names of models, that of a file among them."""


@dataclass(frozen=True)
class Ask:
    """One drawn request. `options` are the keyword arguments of the function that builds it, but for the memory.

    `breach` names what was put outside the domain; `perhaps` are the words of a refusal that is right as well.
    """

    case: Case
    place: str
    origin: str
    facts: ModelFacts
    options: Mapping[str, Any]
    memory: str = ANY
    breach: str = ""
    perhaps: str = ""

    @property
    def wanted(self) -> frozenset[ExitCode]:
        """The statuses with which `derive` may end."""
        if self.breach:
            return frozenset({BREACHES[self.breach].status})
        return frozenset({ExitCode.VERIFIED, ExitCode.INPUT} if self.perhaps else {ExitCode.VERIFIED})

    @property
    def says(self) -> str:
        """The words with which it may be refused."""
        return BREACHES[self.breach].says if self.breach else self.perhaps

    @property
    def needed(self) -> int:
        """How many devices the plan needs: the ranks, and for a target one of each stage beside the group's."""
        neighbours = sum(STAGES_BEFORE_AND_AFTER[self.place]) if self.options["target"] else 0
        return int(self.options["tensor"]) + neighbours

    def request(self, folder: Path, memory: int | None = None) -> Request:
        """The request, with the model read as `derive` reads it. Raises what refuses it."""
        build: Callable[..., Request] = inference_request if self.case.inference else training_request
        return build(self._model(folder), **self.options, device_memory=memory)

    def _model(self, folder: Path) -> ModelFacts:
        if self.origin in BUILTIN:
            return load_model(self.origin)
        path = folder / "model.json"
        path.write_text(json.dumps(self._document()), encoding="ascii")
        return load_model(str(path))

    def _document(self) -> Mapping[str, object]:
        facts = self.facts
        if self.origin == FACTS:
            return dict(msgspec.to_builtins(facts))
        return {
            "model_type": "gpt2",
            "n_embd": facts.hidden,
            "n_inner": facts.feedforward,
            "n_head": facts.heads,
            "n_layer": facts.layers,
            "vocab_size": facts.vocabulary,
            "n_positions": facts.positions,
        }

    def changed(self, **options: object) -> Ask:
        """The same with other options."""
        return dataclasses.replace(self, options={**self.options, **options})

    def of(self, **facts: int) -> Ask:
        """The same of a model with other facts, and therefore with another name."""
        other = msgspec.structs.replace(self.facts, name="other", **facts)
        return dataclasses.replace(self, facts=other, origin=FACTS)


# Outside the domain ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Breach:
    """A change that makes a good request one that is refused with this status, in a message with these words."""

    change: Callable[[Ask], Ask]
    says: str
    status: ExitCode = ExitCode.INPUT
    workload: Workload | None = None
    memory: int | None = None


BREACHES: Final[Mapping[str, Breach]] = {
    "heads": Breach(lambda ask: ask.changed(tensor=ask.facts.heads + 1), "heads h = "),
    "layers": Breach(lambda ask: ask.changed(pipeline=ask.facts.layers + 1), "layers L = "),
    "grouped queries": Breach(lambda ask: ask.of(key_value_heads=2 * ask.facts.heads), "grouped-query attention"),
    "shares of one": Breach(lambda ask: ask.changed(zero=1, data=1), "ZeRO stage 1", workload=Workload.TRAINING),
    "stage": Breach(lambda ask: ask.changed(stage=ask.options["pipeline"]), "does not exist"),
    "stage of a block": Breach(lambda ask: ask.changed(scope=Scope.BLOCK, stage=1), "pipeline stage 1 does not exist"),
    "many blocks": Breach(
        lambda ask: ask.of(layers=(MAX_BLOCKS + 1) * ask.options["pipeline"]).changed(scope=Scope.STACK, stage=0),
        "a stack of more than",
    ),
    "sharded checkpoint": Breach(
        lambda ask: ask.changed(shard_checkpoint=True), "sharded checkpoint", workload=Workload.TRAINING
    ),
    "gradient": Breach(lambda ask: ask.changed(gradient_bytes=3), "gradient bytes g = 3", workload=Workload.TRAINING),
    "element": Breach(lambda ask: ask.changed(dtype=DType.UINT8), "element type uint8"),
    "nothing": Breach(lambda ask: ask.changed(batch=0), "batch B = 0 is not from 1"),
    "long prompt": Breach(
        lambda ask: ask.changed(prompt=ask.options["context"] + 1), "the prompt has", workload=Workload.INFERENCE
    ),
    "no target": Breach(lambda ask: ask.changed(target=None, emit=True), "none is named"),
    "devices": Breach(lambda ask: ask.changed(devices=ask.options["tensor"] - 1), "devices = "),
    "memory": Breach(lambda ask: ask, "may be at most C_dev = 1 ", status=ExitCode.REFUTED, memory=1),
}
"""What puts a request outside the domain."""


def breached(ask: Ask, name: str) -> Ask:
    """The request, put outside the domain."""
    return dataclasses.replace(BREACHES[name].change(ask.changed(devices=None)), memory=ANY, breach=name)


# The domain -----------------------------------------------------------------------------------------------------------

INSIDE, EDGE = "inside", "edge"
"""What is drawn besides a breach: any good request, one in as little memory as it needs, or one with large numbers."""

SCORE_BYTES = 4
"""With so many bytes of scores for a token, a page table of the same tokens is no larger than they are."""

lengths = st.one_of(st.integers(1, 24), st.sampled_from((128, 1000, 2048, 4096)))


@st.composite
def asks(draw: st.DrawFn, case: Case, what: str = INSIDE) -> Ask:
    """Any request of a case; of one block, one that falls into it. `what` is one of the words above or a breach."""
    edges = (FIRST, MIDDLE, LAST) if case.receives else (ALONE if case.stack else BLOCK,)
    place = draw(st.sampled_from(edges))
    origin, facts, tensor, pipeline = draw(models(case, place))
    stage = {FIRST: 0, MIDDLE: draw(st.integers(1, max(1, pipeline - 2))), LAST: pipeline - 1}.get(place, 0)
    target = draw(st.sampled_from((None, None, *TargetKind)))
    batch, length = draw(amounts(case, facts, tensor))
    options: dict[str, Any] = {
        "batch": batch,
        "dtype": draw(st.sampled_from(DTYPES)),
        "tensor": tensor,
        "pipeline": pipeline,
        "scope": Scope.STACK if case.stack else Scope.BLOCK,
        "stage": stage,
        "target": target,
        "emit": target is not None and draw(st.booleans()),
    }
    if case.inference:
        attention = draw(st.sampled_from(Attention)) if target else Attention.UNFUSED
        options |= {"prompt": length, "context": length + draw(st.integers(0, 40)), "attention": attention}
    else:
        options |= {"sequence": length, **draw(training_options(case))}
    ask = Ask(case, place, origin, facts, options, TIGHT if what == TIGHT else draw(st.sampled_from((ANY, ROOMY))))
    ask = ask.changed(devices=draw(st.sampled_from((None, ask.needed, ask.needed + 3))))
    if what == EDGE:
        return draw(grown(ask))
    if options.get("attention") is Attention.PAGED and facts.heads // tensor * options["dtype"].width < SCORE_BYTES:
        ask = dataclasses.replace(ask, perhaps="attention.paged needs a workspace of")
    return breached(ask, what) if what in BREACHES else ask


@st.composite
def models(draw: st.DrawFn, case: Case, place: str) -> tuple[str, ModelFacts, int, int]:
    """Origin and facts of a model, and tensor and pipeline degree that divide it. Built-in models have biases."""
    builtin = tuple(BUILTIN) if place != ALONE else ()  # all of whose blocks would take long
    origin = draw(st.sampled_from((*[FACTS] * 8, *[CONFIGURATION] * 4, *builtin))) if case.biases else FACTS
    stages = 1 + sum(STAGES_BEFORE_AND_AFTER[place])
    if origin in BUILTIN:
        facts = BUILTIN[origin]
        degrees = [each for each in _divisors(math.gcd(facts.heads, facts.feedforward)) if 1 < each <= 64]
        splits = [each for each in _divisors(facts.layers) if each >= stages]
        if case.stack:
            splits = [each for each in splits if facts.layers // each <= MOST_BLOCKS]
        tensor = draw(st.sampled_from(degrees)) if case.tensor_parallel else 1
        return origin, facts, tensor, draw(st.sampled_from(splits))
    tensor = draw(st.sampled_from(DEGREES)) if case.tensor_parallel else 1
    pipeline = 1 if place == ALONE else draw(st.integers(stages, 8))
    heads, width, hidden = tensor * draw(st.integers(1, 3)), draw(st.integers(1, 12)), draw(st.integers(1, 60))
    hidden = draw(st.sampled_from((heads * width, hidden, tensor * hidden)))
    if origin == CONFIGURATION:
        hidden = heads * width
    wide = draw(st.sampled_from((4 * hidden, tensor * draw(st.integers(1, 60)))))
    facts = ModelFacts(
        name=draw(st.sampled_from(NAMES)),
        hidden=hidden,
        feedforward=wide if wide % tensor == 0 else tensor * wide,
        heads=heads,
        key_value_heads=heads,
        head_width=width,
        layers=pipeline * draw(st.sampled_from(BLOCKS)),
        vocabulary=draw(st.integers(1, 60_000)),
        positions=draw(st.integers(1, 10_000)),
        biases=case.biases,
        activation=Activation.GELU,
    )
    return origin, facts, tensor, pipeline


@st.composite
def amounts(draw: st.DrawFn, case: Case, facts: ModelFacts, tensor: int) -> tuple[int, int]:
    """B and S. Where H does not take up the tensor degree, one of them does; a last step has one token, and only B."""
    batch, length = draw(st.integers(1, 6)), draw(lengths)
    if case.sequence_parallel:
        return batch, length * tensor
    if facts.hidden % tensor == 0:
        return batch, length
    wide = case.inference or draw(st.booleans())
    return (batch * tensor, length) if wide else (batch, length * tensor)


@st.composite
def training_options(draw: st.DrawFn, case: Case) -> dict[str, Any]:
    """What only training has. A block's derivation does not look at D; only ZeRO asks for several."""
    several = case.data_parallel or case.sharded_optimizer
    single = case.stack and not several
    return {
        "recompute": case.recompute,
        "communication": case.communication,
        "zero": case.zero,
        "data": 1 if single else draw(st.integers(2 if several else 1, 16)),
        "microbatches": draw(st.sampled_from((1, 2, 7))),
        "gradient_bytes": draw(st.sampled_from((None, *GRADIENT_WIDTHS))),
    }


@st.composite
def grown(draw: st.DrawFn, ask: Ask) -> Ask:
    """The request with a number that is so large that what follows from it may not be held in 64 bits."""
    factor = 2 ** draw(st.integers(16, 40))
    edge = dataclasses.replace(ask, perhaps="the limit of 2^63 - 1")
    if ask.case.inference:
        edge = edge.changed(attention=Attention.UNFUSED)  # which has no other reason to be refused
    names = [each for each in ("batch", "sequence", "microbatches", "context") if each in ask.options]
    name = draw(st.sampled_from((*names, "vocabulary")))
    if name == "vocabulary":
        return edge.of(vocabulary=ask.facts.vocabulary * factor)
    return edge.changed(**{name: ask.options[name] * factor})


def _divisors(number: int) -> list[int]:
    return [each for each in range(1, number + 1) if number % each == 0]
