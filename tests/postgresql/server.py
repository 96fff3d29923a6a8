"""A PostgreSQL of our own, reached by a socket in a folder of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from labs.engine.base.processes import end, spawn
from labs.engine.base.wait import until

PROGRAMS = max(Path("/usr/lib/postgresql").glob("*/bin"), default=Path("/usr/bin"))
"""PostgreSQL's own programs: those of this name on the PATH are Debian's, for its own clusters."""

_LIMIT_S = 60


def why_not() -> str:
    """Why none can be started here; empty if one can."""
    return "" if (PROGRAMS / "initdb").exists() else "postgresql: not installed"


@contextmanager
def serving() -> Iterator[str]:
    """Its address as `DATABASE_URL` takes it. It ends with the block, or when we die."""
    folder = Path(tempfile.mkdtemp(prefix="delivery-lab-postgresql-"))
    data = folder / "data"
    try:
        made = ["initdb", "-D", str(data), "-U", "lab", "-A", "trust", "-E", "UTF8"]
        subprocess.run(_ours(folder, made), check=True, stdout=subprocess.DEVNULL)
        # Nothing has to outlast a power cut.
        stated = ("listen_addresses=", f"unix_socket_directories={folder}", "fsync=off")
        lines = [word for name in stated for word in ("-c", name)]
        server = spawn(_ours(folder, ["postgres", "-D", str(data), *lines]), log=folder / "log")
        try:
            names = [str(PROGRAMS / "pg_isready"), "-q", "-h", str(folder), "-d", "postgres"]
            until(
                lambda: subprocess.call(names) == 0, _LIMIT_S,
                f"PostgreSQL does not answer: {folder / 'log'}", every_s=0.2,
            )  # fmt: skip
            yield f"postgres://lab@{quote(str(folder), safe='')}/lab"
        finally:
            end(server, 20)
    finally:
        shutil.rmtree(folder)


def _ours(folder: Path, words: list[str]) -> list[str]:
    """Its program and arguments; as root by another user, since PostgreSQL refuses root."""
    program = [str(PROGRAMS / words[0]), *words[1:]]
    if os.geteuid() != 0:
        return program
    shutil.chown(folder, "postgres")
    # The kernel forgets at a change of user by whose death a process shall end.
    user = ("--reuid=postgres", "--regid=postgres", "--clear-groups", "--pdeathsig=KILL")
    return ["setpriv", *user, "--", *program]
