"""A report as bytes for machines and as text for people. Rendering decides nothing."""
