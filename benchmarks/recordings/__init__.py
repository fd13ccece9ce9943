"""The pictures of the editors in the READMEs: `make recordings`, or `python -m benchmarks.recordings [EDITOR ...]`."""
