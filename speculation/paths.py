"""Path hashes: a 64-bit name for a sequence of token ids, extended token by token.

`base_hash`, `keep_hash` and `commit_hash` on the wire are these. A frame whose base hash is not on the
committed path is stale; it is dropped and counted. The hash guards against confusion, not against an
attacker.
"""

from collections.abc import Iterable, Sequence

EMPTY_PATH = 0x9E3779B97F4A7C15
_MASK = 2**64 - 1


def extend_hash(path_hash: int, token: int) -> int:
    """The hash of a path with one more token (the SplitMix64 finaliser over hash + token)."""
    z = (path_hash + (token + 1) * 0x9E3779B97F4A7C15) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)


def path_hash(tokens: Iterable[int], start: int = EMPTY_PATH) -> int:
    """The hash of a whole path, or of `start`'s path followed by `tokens`."""
    for token in tokens:
        start = extend_hash(start, token)
    return start


def common_length(a: Sequence[int], b: Sequence[int]) -> int:
    """How many leading ids are equal, by halving: comparing slices is far faster than comparing items."""
    low, high = 0, min(len(a), len(b))
    if list(a[:high]) == list(b[:high]):  # the usual case
        return high
    while low < high:
        middle = (low + high + 1) // 2
        if list(a[low:middle]) == list(b[low:middle]):
            low = middle
        else:
            high = middle - 1
    return low


class HashedPath:
    """A growing token sequence that knows the hash of each of its prefixes.

    `ids[i]` is the token at absolute position i; `hash_at(n)` is the hash of the first n tokens. Truncation
    and extension cost only the tokens that change.
    """

    __slots__ = ("_hashes", "ids")

    def __init__(self, ids: Iterable[int] = ()) -> None:
        self.ids: list[int] = []
        self._hashes: list[int] = [EMPTY_PATH]
        self.extend(ids)

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def hash(self) -> int:
        """The hash of the whole path."""
        return self._hashes[-1]

    def hash_at(self, length: int) -> int:
        """The hash of the first `length` tokens; IndexError if the path is shorter."""
        if not 0 <= length <= len(self.ids):
            raise IndexError(f"path has {len(self.ids)} tokens, not {length}")
        return self._hashes[length]

    def append(self, token: int) -> None:
        self.ids.append(token)
        self._hashes.append(extend_hash(self._hashes[-1], token))

    def extend(self, tokens: Iterable[int]) -> None:
        for token in tokens:
            self.append(token)

    def truncate(self, length: int) -> None:
        """Keep the first `length` tokens; IndexError if the path is shorter."""
        self.hash_at(length)
        del self.ids[length:]
        del self._hashes[length + 1 :]
