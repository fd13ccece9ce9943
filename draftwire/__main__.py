"""`python -m draftwire`: the command, where it is not on the PATH."""

from draftwire.cli import main

if __name__ == "__main__":
    main()
