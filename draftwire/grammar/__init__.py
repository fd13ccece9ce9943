"""What `draftwire grammar`, `draftwire doctor` and the demo ask of grammars: found, tried, tested, asked, measured.

Each module answers one question with values; `draftwire/commands/grammar.py` prints them. Grammars are compiled in a
process of their own, as the daemon does it, so that a hostile file ends that process and not the command.
"""
