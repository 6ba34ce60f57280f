"""The structural derivations: what a pass computes, as functions over integers or symbolic numbers."""
