"""A network and a target that are not there: what lies between daemon and verifier, and how quick it is."""
