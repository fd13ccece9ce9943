"""Every figure we claim: `python -m benchmarks.NAME [--json]`. Results are in RESULTS.md, with their commands.

With --json a benchmark prints one object {"figures": ..., "baseline": ..., "machine": ...} on stdout; progress goes
to stderr. A folder holds what one or several benchmarks are made of. Machines are shared and noisy: compare ratios from
one run, not milliseconds from two.
"""
