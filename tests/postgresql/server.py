"""A temporary PostgreSQL server, reached through a socket in its own folder."""

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
"""PostgreSQL's own programs. Those on the PATH are Debian's wrappers for its own clusters."""

_LIMIT_S = 60


def missing_requirements() -> str:
    """The reason why no server can be started here; empty if one can."""
    return "" if (PROGRAMS / "initdb").exists() else "postgresql: not installed"


@contextmanager
def serving() -> Iterator[str]:
    """Runs a server and yields its `DATABASE_URL`. It ends with the block, or with this process."""
    folder = Path(tempfile.mkdtemp(prefix="delivery-lab-postgresql-"))
    data = folder / "data"
    try:
        initdb = ["initdb", "-D", str(data), "-U", "lab", "-A", "trust", "-E", "UTF8"]
        subprocess.run(_command(folder, initdb), check=True, stdout=subprocess.DEVNULL)
        # Nothing has to survive a power failure.
        server_settings = ("listen_addresses=", f"unix_socket_directories={folder}", "fsync=off")
        lines = [word for name in server_settings for word in ("-c", name)]
        server = spawn(_command(folder, ["postgres", "-D", str(data), *lines]), log=folder / "log")
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


def _command(folder: Path, words: list[str]) -> list[str]:
    """The command for a program of PostgreSQL; root runs it as another user, as it requires."""
    program = [str(PROGRAMS / words[0]), *words[1:]]
    if os.geteuid() != 0:
        return program
    shutil.chown(folder, "postgres")
    # A change of user clears the parent-death signal, so setpriv sets it again.
    user = ("--reuid=postgres", "--regid=postgres", "--clear-groups", "--pdeathsig=KILL")
    return ["setpriv", *user, "--", *program]
