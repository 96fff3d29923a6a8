"""What every test gets: a data folder of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.test import override_settings

from config.places import socket_path


@pytest.fixture(autouse=True)
def data_dir(tmp_path: Path) -> Iterator[Path]:
    """No test writes into the data folder of the person who runs it."""
    data = tmp_path / "data"
    data.mkdir()
    with override_settings(
        LAB_DATA_DIR=data,
        LAB_RUNS_DIR=data / "runs",
        LAB_LOGS_DIR=data / "logs",
        LAB_JUDGE_SOCKET=socket_path(data, "judge.sock"),
        LAB_REDIS_SOCKET=socket_path(data, "redis.sock"),
    ):
        yield data
