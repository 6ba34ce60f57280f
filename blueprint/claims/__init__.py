"""What each claim asks: one function a claim kind and boundary, from a matched relation to facts."""
