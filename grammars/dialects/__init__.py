"""The dialects grammars are written in: one file reads one dialect into the form of `grammars/form.py`."""
