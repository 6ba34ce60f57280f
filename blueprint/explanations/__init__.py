"""What every name in a report means: rules and laws from the rulebook itself, claims and codes from one table each."""
