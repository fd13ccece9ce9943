"""What tests of any package ask for, and what holds for all of them: the machine may be as slow as it likes."""

from __future__ import annotations

import pytest
from hypothesis import settings

pytest.register_assert_rewrite("tests.fakes.dialect_reading")  # so that its assertions say what they compared

settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who asks for another candidate is told of all that are found, however long the machine takes for them."""
    monkeypatch.setattr("daemon.alternatives.PATIENCE_S", 60.0)
