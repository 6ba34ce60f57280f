"""What one primitive does on one rank, over its operand sizes: the specification that work claims are checked with."""

RULES = (
    "linear",
    "batched_matmul",
    "layer_norm",
    "softmax",
    "gelu",
    "dropout",
    "residual",
    "fork",
    "all_reduce",
    "all_gather",
    "reduce_scatter",
    "optimizer",
    "send",
    "receive",
)
