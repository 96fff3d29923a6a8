"""Downloads from Maven repositories by Apache Ivy, whose jar ships inside the pyspark package.

So Python and Java are all that a person needs: no Maven, no Docker.
"""

from __future__ import annotations

import importlib.util
import os
import re
import select
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, cast
from xml.sax.saxutils import quoteattr

from labs.engine.distributions.java import Java
from labs.engine.distributions.trust import network_options

Progress = Callable[[str], None]
Module = tuple[str, str, str]
"""Group, artifact, version."""

MEGABYTE = 10**6
MOST_MB = 150
"""Of the jars of a lock, in millions of bytes."""
ROOM_MB = 400
PATIENCE_S = 120.0
"""How long a repository may be silent before a download is given up."""

_CREDENTIALS = re.compile(r"//[^/\s@]+@")
# What Ivy prints (its BasicURLHandler and URLResource); with -verbose also what refuses it.
_ANSWERED = re.compile(r"(?:CLIENT|SERVER) ERROR: (.*?) url=")
_SILENT = "the repository is silent"
_CUT = "doesn't match expected Content Length"
_THROWN = re.compile(r"\((?:[\w$]+\.)+(\w+(?:Exception|Error))(?:: ([^()]*))?\)")
_PLAIN = {
    "UnknownHostException": "the name of the repository is not known here",
    "SSLHandshakeException": "the certificate of the repository is not trusted here",
}
"""What an exception means whose own words hold the address, or do not say it."""


class DownloadFailed(Exception):
    """Something could not be fetched. Its first line says why and what to do, without an address.

    The lines after it are the words of the program that fetches. `cause` ends the sentence "could
    not be downloaded:"; it is empty where no repository was to blame.
    """

    def __init__(self, message: str, cause: str = "") -> None:
        super().__init__(message)
        self.cause = cause


class NoRoom(DownloadFailed):
    """The disk is too full for a download, so none was begun; the message says what is needed."""


def ensure_room(near: Path) -> None:
    """Raises `NoRoom` where the disk of a folder cannot take the jars of a release.

    The folder need not exist yet. A release has `MOST_MB` at most, and is there twice for a moment.
    """
    place = next(folder for folder in (near, *near.parents) if folder.exists())
    free = shutil.disk_usage(place).free // MEGABYTE
    if free < ROOM_MB:
        raise NoRoom(
            f"Nothing was downloaded: the disk for downloads has {free:,} MB left, "
            f"and {ROOM_MB} MB are needed. Free some, or set LAB_CACHE_DIR to a larger disk"
        )


def ivy_jar() -> Path:
    """The Ivy jar of the installed pyspark. Raises `DownloadFailed` if pyspark is missing."""
    # find_spec does not run the package, whose import costs most of a second.
    spec = importlib.util.find_spec("pyspark")
    folders = spec.submodule_search_locations if spec else None
    jars = sorted(Path(folders[0]).glob("jars/ivy-*.jar")) if folders else []
    if not jars:
        raise DownloadFailed("pyspark, which holds Ivy, is not installed. Run `make setup`.")
    return jars[-1]


def fetch(
    java: Java,
    modules: Iterable[Module],
    into: Path,
    *,
    pattern: str = "[artifact]-[revision].[ext]",
    transitive: bool = False,
    progress: Progress | None = None,
) -> None:
    """Fetches each module's jar as `<into>/jars/<pattern>`; `into` is a temporary folder.

    Without `transitive` no POM is read: exactly these jars, from the repository named central.
    The operator's own mirror is an Ivy settings file named by LAB_IVY_SETTINGS.

    Raises `DownloadFailed`.
    """
    wanted = list(modules)
    (into / "ivy.xml").write_text(_ivy_xml(wanted, transitive), "utf-8")
    settings = Path(os.environ.get("LAB_IVY_SETTINGS") or into / "ivysettings.xml")
    if settings.parent == into:
        settings.write_text(_settings_xml(transitive), "utf-8")
    command: list[str | Path] = [
        java.path, *network_options(java), f"-Duser.home={into}",
        "-jar", ivy_jar(), "-verbose",
        "-settings", settings, "-cache", into / "cache", "-ivy", into / "ivy.xml",
        "-types", "jar", "bundle",
        "-retrieve", f"{into}/jars/{pattern}",
    ]  # fmt: skip
    lines, begun = [], 0
    with subprocess.Popen(
        command, cwd=into, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as ivy:  # fmt: skip
        for line in _printed(ivy, cast(IO[bytes], ivy.stdout)):
            lines.append(line.rstrip())
            if progress and line.startswith("downloading "):
                begun += 1
                name = line.split()[1].rpartition("/")[2]
                progress(f"downloading {name} ({begun} of {len(wanted)})")
    if ivy.returncode != 0:
        raise _failed(lines)


def _printed(ivy: subprocess.Popen[bytes], output: IO[bytes]) -> Iterator[str]:
    """The lines of Ivy's output. It is killed where it prints nothing for too long.

    Ivy prints a dot for each part of a jar, and waits for ever for a repository that is silent.
    """
    rest = b""
    while select.select([output], [], [], PATIENCE_S)[0]:
        part = os.read(output.fileno(), 65536)
        *whole, rest = (rest + part).split(b"\n")
        yield from (line.decode(errors="replace") for line in whole)
        if not part:
            return
    ivy.kill()
    yield _SILENT


def _failed(lines: list[str]) -> DownloadFailed:
    cause = _cause(lines)
    # Its own summary of what went wrong stands at the end, framed by colons and empty lines.
    words = "\n".join([line.strip(": \t") for line in lines if line.strip(": \t")][-12:])
    return DownloadFailed(
        f"The jars could not be downloaded: {cause}. Check the network and the proxy "
        "(HTTPS_PROXY), or name an Ivy settings file of your own repository in LAB_IVY_SETTINGS, "
        f"and try again.\nIvy says:\n{_CREDENTIALS.sub('//', words)}",
        cause,
    )


def _cause(lines: list[str]) -> str:
    """Why Ivy could not fetch the first jar that it missed, from what it printed."""
    for line in lines:
        if answered := _ANSWERED.search(line):
            return f"the repository answered “{answered[1]}”"
        if line == _SILENT:
            return "the repository did not answer in time"
        if _CUT in line:
            return "a download was cut before its end"
        if thrown := _THROWN.search(line):
            return _PLAIN.get(thrown[1]) or f"the repository cannot be reached ({thrown[2]})"
    return "the repository did not answer, or does not have them"


def _ivy_xml(modules: list[Module], transitive: bool) -> str:
    dependencies = "".join(
        f"<dependency org={quoteattr(group)} name={quoteattr(artifact)} rev={quoteattr(version)}"
        f' transitive="{str(transitive).lower()}" conf="default"/>'
        for group, artifact, version in modules
    )
    return (
        '<ivy-module version="2.0"><info organisation="delivery-lab" module="jars"/>'
        f"<dependencies>{dependencies}</dependencies></ivy-module>"
    )


def _settings_xml(use_poms: bool) -> str:
    # No checksum files are fetched: each jar is checked against the SHA-256 in our lock instead.
    return (
        '<ivysettings><property name="ivy.checksums" value=""/>'
        '<settings defaultResolver="central"/><resolvers>'
        f'<ibiblio name="central" m2compatible="true" usepoms="{str(use_poms).lower()}"/>'
        "</resolvers></ivysettings>"
    )
