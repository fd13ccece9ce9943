"""From what is known of a suggestion to what an editor shows: shaping, waiting, merging.

The rules of change are the table in `merge.py`.
"""
