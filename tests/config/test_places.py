"""The secret key and the sockets."""

from __future__ import annotations

import socket
import stat
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.exceptions import ImproperlyConfigured

from config.places import private_folder, remove_sockets, secret_key, socket_path


def test_the_key_is_created_once_and_only_its_owner_can_read_it(tmp_path):
    path = tmp_path / "new" / "secret-key"
    key = secret_key(path)
    assert len(key) > 50
    assert secret_key(path) == key
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [file.name for file in path.parent.iterdir()] == ["secret-key"]


def test_concurrent_first_starts_get_the_same_key(tmp_path):
    with ThreadPoolExecutor(16) as pool:
        keys = set(pool.map(lambda _: secret_key(tmp_path / "secret-key"), range(64)))
    assert len(keys) == 1


def test_a_truncated_key_is_refused(tmp_path):
    (tmp_path / "secret-key").write_text("short")
    with pytest.raises(ImproperlyConfigured, match="secret-key"):
        secret_key(tmp_path / "secret-key")


def test_a_socket_is_in_its_folder_if_the_path_is_short_enough(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    short = tmp_path.parent.parent
    assert socket_path(short, "x.sock") == short / "x.sock"


def test_a_long_folder_name_gets_a_short_socket_path_that_can_be_bound(tmp_path):
    long_folder = tmp_path / ("d" * 120)
    path = socket_path(long_folder, "x.sock")
    assert path == socket_path(long_folder, "x.sock")
    assert path != socket_path(long_folder / "other", "x.sock")
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(path))
    for folder in (long_folder, long_folder / "other", long_folder):
        remove_sockets(folder)
    assert not path.parent.exists()


def test_a_folder_that_others_can_enter_is_refused(tmp_path):
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o755)
    with pytest.raises(ImproperlyConfigured, match="this user alone"):
        private_folder(tmp_path / "open")
