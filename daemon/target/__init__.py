"""The way to the remote target: its part in a document's runs, the sessions and the websocket, what it has accepted.

Begin with `target_side.py`; the seam is `link.py`, behind it is `verifier_link.py`.
"""
