"""What several tests of Poki share."""

from __future__ import annotations

import pytest
from small_subjects import subject

from errai.games.game import Subject


@pytest.fixture(scope="session")
def turn_spot() -> Subject:
    return subject("turn")
