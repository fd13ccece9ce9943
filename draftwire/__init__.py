"""The command `draftwire`: composes the other packages, and is the only one that may know both ends."""
