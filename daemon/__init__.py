"""The completion daemon: one process per user, many editors.

Read `daemon/completion.py` first: it tells the path of one keystroke from the edit to the ghost text. The daemon
knows documents, the draft model and the link to a verifier. It does not know LSP (that is `lsp_bridge`) and never
imports torch or the verifier.
"""
