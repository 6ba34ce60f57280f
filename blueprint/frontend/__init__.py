"""From a model and a strategy to a request: what the user says, checked and made exact."""
