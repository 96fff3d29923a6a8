"""Checks data folder and database before a command begins; a problem is one line with its cure."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

UNUSABLE = 2
"""The exit code if nothing was done."""

_DAMAGED = ("not a database", "malformed")
_NO_TABLES = ("no such table", "does not exist")


@contextmanager
def readable_errors(argv: list[str]) -> Iterator[None]:
    """Ends with one line and exit code 2 if the cure is known; `--traceback` shows all."""
    from django.core.exceptions import ImproperlyConfigured
    from django.db import DatabaseError, InterfaceError

    try:
        yield
    except (DatabaseError, InterfaceError, ImproperlyConfigured, OSError) as error:
        text = cure(error)
        if not text or "--traceback" in argv:
            raise
        sys.stderr.write(f"{text}\n")
        sys.exit(UNUSABLE)


def cure(error: Exception) -> str:
    """Returns the cure of a database or data folder error in one line; empty for others."""
    from django.core.exceptions import ImproperlyConfigured
    from django.db import DatabaseError, InterfaceError

    if isinstance(error, ImproperlyConfigured):
        return str(error)
    if isinstance(error, DatabaseError | InterfaceError):
        return _database_cure(" ".join(str(error).split()))
    return _folder_cure(error) if isinstance(error, OSError) else ""


def _database_cure(text: str) -> str:
    from django.db import connection

    if any(words in text for words in _NO_TABLES):
        return f"The database is not set up ({text}). Run manage.py migrate, or make up"
    if connection.vendor != "sqlite":
        return f"The database does not answer ({text}). Check DATABASE_URL, and that it runs."
    name = connection.settings_dict["NAME"]
    if any(words in text for words in _DAMAGED):
        return (
            f"The database {name} is damaged ({text}). Restore it from a copy, or move it "
            "away: then make up creates an empty one. The ledgers below runs/ stay."
        )
    return (
        f"The database {name} cannot be used ({text}). Make its folder writable for this user "
        "and see that its disk has room, or set LAB_DATA_DIR to another folder."
    )


def _folder_cure(error: OSError) -> str:
    from django.conf import settings

    if not error.filename:
        return ""
    folder, name = str(settings.LAB_DATA_DIR), os.fsdecode(error.filename)
    if name != folder and not name.startswith(folder + os.sep):
        return _cache_cure(name, error)
    return (
        f"The data folder {folder} cannot be used ({error.strerror}: {name}). Make it writable for "
        "this user and see that its disk has room, or set LAB_DATA_DIR to another folder."
    )


def _cache_cure(name: str, error: OSError) -> str:
    """The cure if the cache folder, a file in it or a folder above it cannot be used."""
    from labs.engine.base.cache import cache_dir

    try:
        folder = str(cache_dir())
    except OSError as unusable:
        folder = str(unusable.filename)
    if f"{name}/".startswith(f"{folder}/"):
        return (
            f"The cache folder {folder} cannot be used ({error.strerror}: {name}). Make it "
            "writable for this user and see that its disk has room, or set LAB_CACHE_DIR to "
            "another folder."
        )
    return ""
