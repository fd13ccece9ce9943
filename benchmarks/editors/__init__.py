"""The two real editors as children: for their tests, and for `benchmarks.editor_latency` with what it is made of."""
