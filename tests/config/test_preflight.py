"""An unusable data folder or database is reported in one line with the remedy, exit code 2."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.db import DatabaseError, OperationalError, connection

from config.preflight import cure
from tests.house.files import ROOT


def message_of(data: str | Path, *command: str) -> tuple[int, list[str]]:
    """Exit code and lines of a command on a data folder."""
    env = {**os.environ, "LAB_DATA_DIR": str(data)}
    done = subprocess.run(
        [sys.executable, ROOT / "manage.py", *command], env=env, capture_output=True, text=True,
        timeout=60, check=False,
    )  # fmt: skip
    return done.returncode, (done.stdout + done.stderr).strip().splitlines()


@pytest.mark.process
def test_a_data_folder_that_cannot_be_created_is_reported_with_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    code, lines = message_of(tmp_path / "file" / "data", "prune")
    assert code == 2
    assert len(lines) == 1
    assert "data folder" in lines[0]
    assert "LAB_DATA_DIR" in lines[0]


@pytest.mark.process
def test_a_damaged_database_is_reported_with_the_remedy_and_not_changed(tmp_path: Path) -> None:
    damaged = b"this was a database once " * 400
    (tmp_path / "lab.db").write_bytes(damaged)
    code, lines = message_of(tmp_path, "prune")
    assert code == 2
    assert len(lines) == 1
    assert f"The database {tmp_path / 'lab.db'} is damaged" in lines[0]
    assert "move it away" in lines[0]
    assert (tmp_path / "lab.db").read_bytes() == damaged


@pytest.mark.parametrize(
    ("vendor", "error", "words"),
    [
        ("sqlite", OperationalError("unable to open database file"), "cannot be used (unable to o"),
        ("sqlite", OperationalError("database or disk is full"), "its disk has room"),
        ("sqlite", OperationalError("no such table: labs_run"), "manage.py migrate"),
        ("sqlite", DatabaseError("database disk image is malformed"), "is damaged"),
        ("postgresql", OperationalError("connection\nrefused"), "does not answer (connection ref"),
        ("postgresql", OperationalError('relation "x" does not exist'), "manage.py migrate"),
    ],
)
def test_each_database_error_has_its_remedy(
    vendor: str, error: Exception, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "vendor", vendor)
    assert words in cure(error)
    assert "\n" not in cure(error)


def test_only_paths_below_the_data_folder_are_blamed_on_it(data_dir: Path) -> None:
    inside = PermissionError(13, "Permission denied", str(data_dir / "runs" / "x"))
    assert str(data_dir) in cure(inside)
    assert cure(PermissionError(13, "Permission denied", f"{data_dir}-beside")) == ""
    assert cure(FileNotFoundError("no name")) == ""
    assert cure(ValueError("no trouble of ours")) == ""


def test_the_cache_folder_has_a_remedy_of_its_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("LAB_CACHE_DIR", str(tmp_path))
    inside = PermissionError(13, "Permission denied", str(tmp_path / "jars"))
    assert "set LAB_CACHE_DIR to another folder" in cure(inside)
    assert cure(PermissionError(13, "Permission denied", f"{tmp_path}-beside")) == ""
