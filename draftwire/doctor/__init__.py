"""`draftwire doctor`: each hop from the editor to the verifier, ok, or the reason and the fix. One module a hop."""
