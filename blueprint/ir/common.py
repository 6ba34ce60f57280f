"""What every stage shares: bounded scalar types, the header, lineage, and the closed vocabularies of the field."""

from __future__ import annotations

import enum
from typing import Annotated, Final

import msgspec

INT64_MAX = 2**63 - 1

Name = Annotated[str, msgspec.Meta(pattern=r"\A[a-z][a-z0-9_.]*\Z", max_length=64)]
"""A local name: lower-case ASCII, never evidence for a mapping."""

Digest = Annotated[str, msgspec.Meta(pattern=r"\A[0-9a-f]{64}\Z", min_length=64, max_length=64)]
"""A SHA-256 in lower-case hexadecimal."""

EntityId = Annotated[str, msgspec.Meta(pattern=r"\A[a-z]{1,16}:[0-9a-f]{64}\Z", max_length=81)]
"""`<kind>:` and a digest, recomputed by every reader."""

Text = Annotated[str, msgspec.Meta(max_length=256)]
"""Free text, only ever shown, escaped and cut."""

Count = Annotated[int, msgspec.Meta(ge=0, le=INT64_MAX)]
"""A whole number of operations, bytes or elements."""

Positive = Annotated[int, msgspec.Meta(ge=1, le=INT64_MAX)]
"""A dimension or a degree."""

Rank = Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]
"""A logical rank number."""


class Stage(enum.Enum):
    """The five positions of a derivation, in canonical order."""

    MODEL = "model"
    DISTRIBUTED = "distributed"
    PORTABLE = "portable"
    CONCRETE = "concrete"
    MACHINE = "machine"


class Branch(enum.Enum):
    """The chains of a derivation: one in training; in inference two, which share the model that stands on the first."""

    MAIN = ""
    PREFILL = "prefill"
    FINAL_DECODE = "final-decode"


SCHEMA_VERSIONS: Final = {
    Stage.MODEL: 1,
    Stage.DISTRIBUTED: 1,
    Stage.PORTABLE: 1,
    Stage.CONCRETE: 1,
    Stage.MACHINE: 1,
}
"""The version of each stage's schema that this tool writes and reads."""


class Role(enum.Enum):
    """What a value is for."""

    INPUT = "input"
    PARAMETER = "parameter"
    ACTIVATION = "activation"
    MASK = "mask"
    GRADIENT = "gradient"
    PARAMETER_GRADIENT = "parameter_gradient"
    UPDATED_PARAMETER = "updated_parameter"
    KV_CACHE = "kv_cache"


class DType(enum.Enum):
    """An element type; `width` gives its bytes."""

    FLOAT32 = "float32"
    FLOAT16 = "float16"
    BFLOAT16 = "bfloat16"
    UINT8 = "uint8"

    @property
    def width(self) -> int:
        """Bytes of one element."""
        return {DType.FLOAT32: 4, DType.FLOAT16: 2, DType.BFLOAT16: 2, DType.UINT8: 1}[self]


class Axis(enum.Enum):
    """The logical axes of a transformer block. A strategy splits axes, never positions."""

    BATCH = "batch"
    SEQUENCE = "sequence"
    QUERY = "query"
    KEY = "key"
    HIDDEN = "hidden"
    HEADS = "heads"
    KEY_VALUE_HEADS = "key_value_heads"
    HEAD_WIDTH = "head_width"
    FEEDFORWARD = "feedforward"


class Phase(enum.Enum):
    """The derivation phases of a training step, in canonical order. A step of inference has the first alone.

    A whole pipeline stage has two more: what crosses its edges, and its ranks' exchange of gradients and parameters.
    """

    FORWARD = "forward"
    RECOMPUTE = "recompute"
    RECOMMUNICATION = "recommunication"
    ACTIVATION_GRADIENT = "activation_gradient"
    WEIGHT_GRADIENT = "weight_gradient"
    OPTIMIZER = "optimizer"
    STAGE_BOUNDARY = "stage_boundary"
    SYNCHRONIZATION = "synchronization"


class Primitive(enum.StrEnum):
    """The units of work whose formulae stand in rules/primitives. A rulebook of another's may name more of them."""

    LINEAR = "linear"
    BATCHED_MATMUL = "batched_matmul"
    LAYER_NORM = "layer_norm"
    SOFTMAX = "softmax"
    GELU = "gelu"
    DROPOUT = "dropout"
    RESIDUAL = "residual"
    FORK = "fork"
    ALL_REDUCE = "all_reduce"
    ALL_GATHER = "all_gather"
    REDUCE_SCATTER = "reduce_scatter"
    OPTIMIZER = "optimizer"
    SEND = "send"
    RECEIVE = "receive"


class LineageKind(enum.Enum):
    """How a target came from its sources."""

    DERIVED = "derived"
    LOWERED = "lowered"
    GENERATED = "generated"


class Lineage(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which rule made an entity, from which entities of the parent snapshot, in order."""

    kind: LineageKind
    transform: Name
    sources: Annotated[tuple[EntityId, ...], msgspec.Meta(max_length=4096)]


class Header(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a snapshot says of itself: its stage, the version of that stage's schema, its parent's digest."""

    stage: Stage
    version: Positive
    parent: Digest
