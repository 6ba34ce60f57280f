"""The canonical IR of the five stages."""
