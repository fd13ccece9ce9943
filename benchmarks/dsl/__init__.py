"""Languages, files, drafts and targets of `benchmarks.dsl_acceptance`."""
