"""The daemon's part in grammars: where they come from, and how a document's runs ask them.

Files: `store.py` and what it names. Asking: `legality.py` in the event loop, `follower.py` on the engine's thread.
What a grammar is, and how it is followed, is the package `grammars`.
"""
