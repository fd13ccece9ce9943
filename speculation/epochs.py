"""Epochs: which history of edits and rejects a frame was made under.

Both ends raise the epoch, and may do so at the same moment: the daemon when the user edits the context, the
verifier (and the daemon on learning of it) when a draft token is rejected. To keep the two from ever
producing the same number for different histories, an epoch has two parts: the edit count, which only the
daemon raises, and the rejects since that edit, which follow from the verdicts.
"""

REJECT_BITS = 20
"""Low bits that count rejects since the last edit; the edit count stands above them."""

MAX_EPOCH = 2**52 - 1


def after_edit(epoch: int) -> int:
    """The epoch of the next CONTEXT: edit count + 1, no rejects yet."""
    return ((epoch >> REJECT_BITS) + 1) << REJECT_BITS


def after_reject(epoch: int) -> int:
    """The epoch both ends go to when a verdict rejects a draft token.

    Raises OverflowError after 2**20 - 1 rejects under one edit (an edit must come before that).
    """
    if (epoch + 1) & ((1 << REJECT_BITS) - 1) == 0:
        raise OverflowError("too many rejects since the last context edit")
    return epoch + 1


def same_edit(a: int, b: int) -> bool:
    """Whether two epochs belong to the same context edit."""
    return a >> REJECT_BITS == b >> REJECT_BITS
