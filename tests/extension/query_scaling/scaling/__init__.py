"""Query scaling: its primitive, its tasks and tensors in training and in inference, and its laws."""

RULES = (
    "primitive",
    "training_tensor",
    "training_tasks",
    "inference_tensor",
    "inference_tasks",
    "rank_sum",
)
