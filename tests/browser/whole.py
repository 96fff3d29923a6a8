"""One whole house (web, worker, Redis) for the browser tests that run real experiments."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.stack.house import house

VERDICT_LIMIT_MS = 420_000
"""A run takes under a minute; a machine that does other things too may take longer."""


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a house that was started by `manage.py up` for this session."""
    with house(tmp_path_factory.mktemp("whole") / "data") as up:
        up.wait_until_ready()
        yield f"http://127.0.0.1:{up.port}"
