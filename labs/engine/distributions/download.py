"""Downloads jars from a Maven repository; whoever asks holds them against their checksums."""

from __future__ import annotations

import base64
import os
import re
import shutil
import socket
import ssl
import zipfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from http.client import HTTPException, IncompleteRead
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.parse import SplitResult, quote, unquote, urlsplit
from urllib.request import Request, urlopen

from labs.engine.distributions.spark_java import pyspark_jars

Progress = Callable[[str], None]
Module = tuple[str, str, str]
"""Group, artifact, version."""

MEGABYTE = 10**6
MOST_MB = 150
"""Of the jars of a lock, in millions of bytes."""
ROOM_MB = 400
PATIENCE_S = 120.0
"""How long a repository may be silent before a download is given up."""

REPOSITORY = "LAB_MAVEN_REPOSITORY"
_SCHEMES = ("http", "https", "file")
# pyspark's copy of Ivy knows the address of the public repository; ours is free of addresses.
_OF_IVY = "org/apache/ivy/core/settings/repository.properties"
_PUBLIC = re.compile(r"^ivy\.ibiblio\.default\.artifact\.root *= *(\S+)", re.MULTILINE)


class DownloadFailed(Exception):
    """Something could not be fetched. Its first line says why and what to do, without an address.

    The lines after it say what was asked for, or are the words of the program that fetches.
    `cause` ends the sentence "could not be downloaded:"; it is empty where no repository was to
    blame.
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


def fetch(modules: Iterable[Module], into: Path, *, progress: Progress | None = None) -> None:
    """Fetches the jar of each module into a folder, as `artifact-version.jar`.

    They come from the Maven repository of LAB_MAVEN_REPOSITORY, whose address may hold a user and
    a password, or else from the public one. The proxy and the authorities are those of Python:
    HTTPS_PROXY, SSL_CERT_FILE. Raises `DownloadFailed`.
    """
    wanted = list(modules)
    repository = _repository()
    for number, (group, artifact, version) in enumerate(wanted, 1):
        name = f"{artifact}-{version}.jar"
        if progress:
            progress(f"downloading {name} ({number} of {len(wanted)})")
        path = f"{group.replace('.', '/')}/{artifact}/{version}/{name}"
        try:
            _save(_request(repository, path), into / name)
        except (OSError, HTTPException) as refused:
            raise _failed(refused, f"{group}:{artifact}:{version}") from refused


def _repository() -> SplitResult:
    """The address of the repository. Raises `DownloadFailed` where it is none."""
    with suppress(ValueError):
        address = urlsplit(os.environ.get(REPOSITORY) or _public_repository())
        _ = address.port  # raises where it is no number
        if address.scheme in _SCHEMES and (address.hostname or address.scheme == "file"):
            return address
    raise DownloadFailed(
        f"{REPOSITORY} is not the address of a Maven repository: https://…, http://… or "
        "file:///…, with the folder that holds org/, as in https://user:password@host/maven2/"
    )


def _public_repository() -> str:
    for jar in sorted(pyspark_jars().glob("ivy-*.jar")):
        with zipfile.ZipFile(jar) as archive:
            if known := _PUBLIC.search(archive.read(_OF_IVY).decode()):
                return known[1]
    raise DownloadFailed(
        f"pyspark does not name the public repository. Name one in {REPOSITORY}, "
        "or run `make setup`"
    )


def _request(repository: SplitResult, path: str) -> Request:
    """The request for a file. A redirect to another server does not carry the password there."""
    user, _, host = repository.netloc.rpartition("@")
    folder = repository._replace(netloc=host).geturl().rstrip("/")
    request = Request(f"{folder}/{quote(path)}")  # noqa: S310 - its scheme was looked at
    if user:
        token = base64.b64encode(unquote(user).encode()).decode()
        request.add_unredirected_header("Authorization", f"Basic {token}")
    return request


def _save(request: Request, file: Path) -> None:
    with urlopen(request, timeout=PATIENCE_S) as answer, file.open("wb") as jar:  # noqa: S310
        shutil.copyfileobj(answer, jar)
        stated = answer.headers.get("Content-Length")
        if stated and jar.tell() != int(stated):
            raise IncompleteRead(b"")


def _failed(refused: Exception, jar: str) -> DownloadFailed:
    cause = _cause(refused)
    unread = (
        " LAB_IVY_SETTINGS is set, but is no longer read for downloads."
        if os.environ.get("LAB_IVY_SETTINGS") and not os.environ.get(REPOSITORY)
        else ""
    )
    return DownloadFailed(
        f"The jars could not be downloaded: {cause}. Check the network and the proxy "
        f"(HTTPS_PROXY), or name your own Maven repository in {REPOSITORY}, "
        f"and try again.{unread}\nThe first that is missing: {jar}",
        cause,
    )


def _cause(refused: Exception) -> str:
    """Why a jar could not be fetched, without an address."""
    if isinstance(refused, HTTPError):
        return f"the repository answered “{refused.code} {refused.reason}”"
    reason = refused.reason if isinstance(refused, URLError) else refused
    match reason:
        case IncompleteRead():
            return "a download was cut before its end"
        case TimeoutError():
            return "the repository did not answer in time"
        case socket.gaierror():
            return "the name of the repository is not known here"
        case ssl.SSLCertVerificationError():
            return "the certificate of the repository is not trusted here"
        case FileNotFoundError():
            return "the repository does not have them"
        case OSError() if reason.strerror:
            return f"the repository cannot be reached ({reason.strerror})"
    return "the repository did not answer as one does"
