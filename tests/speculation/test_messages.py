"""The messages themselves: type numbers are for ever, messages are values."""

import pytest

from speculation.messages import MESSAGE_TYPES, Draft, Ping, Welcome


def test_type_numbers_are_fixed() -> None:
    names = ["Hello", "Welcome", "Open", "Context", "Draft", "Verdict"]
    names += ["Cancel", "Resume", "Credit", "Adapter", "Error", "Ping", "Pong"]
    assert {number: kind.__name__ for number, kind in MESSAGE_TYPES.items()} == dict(enumerate(names, 1))


def test_messages_are_immutable_values() -> None:
    message = Ping(nonce=1)
    assert message == Ping(nonce=1)
    with pytest.raises(AttributeError):
        message.nonce = 2  # type: ignore[misc]


def test_defaults_are_not_shared() -> None:
    """A list default belongs to one message."""
    one, other = (Welcome(1, "t", "r", 2, 1, 1, 1, 1, 1) for _ in range(2))
    assert one.modes == ["match"]
    assert one.modes is not other.modes


def test_a_chain_without_distributions_is_the_plain_draft() -> None:
    draft = Draft(session=1, epoch=0, seq=1, base_pos=0, base_hash=0, ids=[1])
    assert (draft.parents, draft.q) == (None, None)
