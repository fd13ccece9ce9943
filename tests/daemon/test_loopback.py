"""Which hosts are this machine."""

from __future__ import annotations

import pytest

from daemon.loopback import is_loopback
from daemon.target.link_address import LinkSettings


def test_names_are_not_taken_for_loopback() -> None:
    assert not is_loopback("127.0.0.1.example.com")


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("ws://127.0.0.1:9", True),
        ("ws://127.0.0.2:9", True),
        ("ws://[::1]:9", True),
        ("ws://localhost:9", True),
        ("wss://verifier.example:9", False),
        ("wss://10.0.0.1", False),
    ],
)
def test_an_address_on_this_machine_is_known(url: str, expected: bool) -> None:
    assert LinkSettings(url).is_loopback is expected
