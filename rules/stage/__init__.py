"""Model -> Distributed, what a whole pipeline stage has besides its blocks: its edges, and what its ranks exchange."""

RULES = ("entry", "entry_gradient", "exit", "exit_gradient", "gradient_sum", "parameter_exchange", "payload", "total")
