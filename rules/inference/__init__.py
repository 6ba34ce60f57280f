"""Model -> Distributed, one block in one step of inference: tensors, then tasks, then the laws over all of them."""

RULES = (
    "activation_tensor",
    "parallel_exit_tensor",
    "kv_cache",
    "split_parameter",
    "whole_parameter",
    "normalization",
    "qkv_projection",
    "attention_matmul",
    "attention_softmax",
    "output_projection",
    "mlp",
    "mlp_activation",
    "residual",
    "tensor_collective",
    "attention_core",
    "cache_traffic",
    "prefill",
    "rank_sum",
    "total",
)
