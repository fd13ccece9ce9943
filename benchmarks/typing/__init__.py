"""The typist, the editor, the stage and the tally of `benchmarks.keystrokes`."""
