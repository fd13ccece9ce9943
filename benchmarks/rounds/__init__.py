"""Recordings, and rules replayed on them, of `benchmarks.gamma`."""
