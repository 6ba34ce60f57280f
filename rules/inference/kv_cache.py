"""The keys or the values of all visible tokens, in one cache: a step appends its own rows and reads all.

The cache is one tensor of c rows. Before the step it holds the rows of c - q tokens, after it those of all.
"""

from blueprint.case import Workload
from blueprint.ir.common import LineageKind, Role
from blueprint.ir.model import OperationKind
from blueprint.rule import (
    MODEL_TO_DISTRIBUTED,
    TENSOR_CLAIMS,
    Layout,
    PassRule,
    TensorTarget,
    ValueSource,
    Version,
    always,
)

RULE = PassRule(
    id="inference.kv_cache",
    boundary=MODEL_TO_DISTRIBUTED,
    lineage=LineageKind.DERIVED,
    signature=ValueSource(
        roles=(Role.ACTIVATION,), producers=(OperationKind.KEY_PROJECTION, OperationKind.VALUE_PROJECTION)
    ),
    targets=(TensorTarget(Version.CACHE, Role.KV_CACHE, Layout.STREAM, always),),
    rewrite="keys or values -> one rank's heads of the cache of all visible tokens",
    preserves=TENSOR_CLAIMS,
    introduces=(),
    workload=Workload.INFERENCE,
)
