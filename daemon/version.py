"""The version of this installation."""

from importlib.metadata import PackageNotFoundError, version

try:
    VERSION = version("draftwire")
except PackageNotFoundError:  # run from a source tree that was never installed
    VERSION = "0+source"
