"""The passes: small classes that carry a derivation into the IR of the next stage. No arithmetic stands here."""
