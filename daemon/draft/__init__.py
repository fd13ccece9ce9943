"""The draft model on this machine: finding, loading and timing it, and the next token of a draft.

The seam is `engine.py`; `llama_engine.py` is behind it, `draft_worker.py` is the thread it runs on.
"""
