"""The optional dependencies of Draftwire, and the command that brings them: it is on no package index yet."""


def install_command(*extras: str) -> str:
    """How to install these extras, in words for people."""
    return f'pip install ".[{",".join(extras)}]" in a checkout of Draftwire'
