"""Paths: the data folder, and sockets whose names are short enough for the kernel."""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import stat
import tempfile
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

_SOCKET_NAME_BYTES = 100
"""`sun_path` of unix(7) holds 108 bytes with the closing zero."""


def socket_path(data: Path, name: str) -> Path:
    """Returns the path of a Unix socket of a data folder; it is the same in every process.

    It is in the folder, unless its name is too long for the kernel: then it is in a private folder
    below the system's temporary one, whose name is a hash of the data folder.
    """
    path = data / name
    if len(os.fsencode(path)) <= _SOCKET_NAME_BYTES:
        return path
    return private_folder(_socket_folder(data)) / name


def remove_sockets(data: Path) -> None:
    """Removes the private folder of a data folder with a long name, with its content.

    No process may use that data folder any more.
    """
    shutil.rmtree(_socket_folder(data), ignore_errors=True)


def _socket_folder(data: Path) -> Path:
    mark = hashlib.sha256(os.fsencode(data)).hexdigest()[:12]
    return Path(tempfile.gettempdir()) / f"delivery-lab-{os.getuid()}-{mark}"


def private_folder(path: Path) -> Path:
    """Creates a folder that only this user can enter.

    Raises `ImproperlyConfigured` if another user made it, or if others may enter it.
    """
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    status = path.lstat()
    if status.st_uid != os.getuid() or stat.S_IMODE(status.st_mode) & 0o077:
        raise ImproperlyConfigured(f"{path} must belong to this user alone: remove it.")
    return path


def secret_key(path: Path) -> str:
    """Returns the key stored in `path` (mode 600), which is created at first use.

    Web and worker may both be first: the key is written to a draft that is then linked, so that
    there is exactly one key, and no process reads an incomplete one.
    """
    try:
        if not path.exists():
            _make_key(path)
        key = path.read_text().strip()
    except OSError as error:
        raise ImproperlyConfigured(
            f"The data folder {path.parent} cannot be used ({error.strerror}). Make it writable "
            "for this user, or set LAB_DATA_DIR to another folder."
        ) from error
    if len(key) < 50:
        raise ImproperlyConfigured(f"{path} contains no key. Remove it: a new one is made.")
    return key


def _make_key(path: Path) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=".secret-key-")  # mode 600
    try:
        with os.fdopen(handle, "w") as file:
            file.write(secrets.token_urlsafe(64))
        os.link(draft, path)
    except FileExistsError:
        pass  # another process linked its key first, and that one counts
    finally:
        Path(draft).unlink()
