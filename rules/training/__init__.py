"""Model -> Distributed, one training block: tensors first, then tasks, then the laws that close the world."""

RULES = (
    "activation_tensor",
    "parallel_entry_tensor",
    "parallel_exit_tensor",
    "dropout_mask",
    "split_parameter",
    "whole_parameter",
    "normalization",
    "qkv_projection",
    "attention_matmul",
    "attention_softmax",
    "attention_dropout",
    "output_projection",
    "mlp",
    "mlp_activation",
    "block_dropout",
    "residual",
    "fork",
    "tensor_collective",
    "optimizer",
    "total",
)
