"""Blueprint: machine-checked derivations of distributed model plans."""
