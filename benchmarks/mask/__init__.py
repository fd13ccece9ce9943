"""What `benchmarks.masks` measures, part by part."""
