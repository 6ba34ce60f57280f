"""The mask that a dropout draws: one byte an element, drawn again where the dropout is recomputed."""

from blueprint.case import Workload
from blueprint.ir.common import LineageKind, Role
from blueprint.ir.model import OperationKind
from blueprint.rule import (
    MODEL_TO_DISTRIBUTED,
    Claim,
    Layout,
    PassRule,
    TensorTarget,
    ValueSource,
    Version,
    always,
    recomputed,
)

RULE = PassRule(
    id="training.dropout_mask",
    boundary=MODEL_TO_DISTRIBUTED,
    lineage=LineageKind.GENERATED,
    signature=ValueSource(
        roles=(Role.ACTIVATION,),
        producers=(OperationKind.ATTENTION_DROPOUT, OperationKind.OUTPUT_DROPOUT, OperationKind.MLP_DROPOUT),
    ),
    targets=(
        TensorTarget(Version.MASK, Role.MASK, Layout.STREAM, always),
        TensorTarget(Version.MASK_RECOMPUTED, Role.MASK, Layout.STREAM, recomputed),
    ),
    rewrite="a dropout's result -> the mask that made it",
    preserves=(Claim.SHARD_COVERAGE, Claim.LOGICAL_RANKS),
    introduces=(Claim.TENSOR_TYPE, Claim.ROLE),
    workload=Workload.TRAINING,
)
