"""The settings: what there is, how a file of them is read and checked, and what to do about a mistake in it."""
