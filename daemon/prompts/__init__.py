"""What the models read: a place in a document -> token ids, and what other files stand before it.

Begin with `prompt.py` (one prompt) and `document_prompts.py` (all of one document).
"""
