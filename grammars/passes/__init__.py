"""Rewritings of a grammar, each a function from one form to the next; `grammars/compiler.py` says in which order."""
