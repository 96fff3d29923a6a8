"""Downloads jars from a Maven repository; callers verify their checksums."""

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
"""The maximum size of the jars of a lock, in millions of bytes."""
ROOM_MB = 400
PATIENCE_S = 120.0
"""How long a repository may send nothing before a download is given up."""

REPOSITORY = "LAB_MAVEN_REPOSITORY"
_SCHEMES = ("http", "https", "file")
# pyspark's copy of Ivy contains the address of the public repository; our code has no addresses.
_IVY_PROPERTIES = "org/apache/ivy/core/settings/repository.properties"
_PUBLIC = re.compile(r"^ivy\.ibiblio\.default\.artifact\.root *= *(\S+)", re.MULTILINE)


class DownloadFailed(Exception):
    """A download failed. The first line says why and what to do, without an address.

    The following lines say what was requested. `cause` completes the sentence "could not be
    downloaded:"; it is empty if no repository caused the failure.
    """

    def __init__(self, message: str, cause: str = "") -> None:
        super().__init__(message)
        self.cause = cause


class NoRoom(DownloadFailed):
    """The disk is too full for a download, so none was started; the message says what is needed."""


def ensure_room(near: Path) -> None:
    """Raises `NoRoom` if the disk of a folder has no room for the jars of a release.

    The folder may not exist yet. A release has at most `MOST_MB`, and briefly exists twice.
    """
    place = next(folder for folder in (near, *near.parents) if folder.exists())
    free = shutil.disk_usage(place).free // MEGABYTE
    if free < ROOM_MB:
        raise NoRoom(
            f"Nothing was downloaded: the disk for downloads has {free:,} MB left, "
            f"and {ROOM_MB} MB are needed. Free some, or set LAB_CACHE_DIR to a larger disk"
        )


def fetch(modules: Iterable[Module], into: Path, *, progress: Progress | None = None) -> None:
    """Downloads the jar of each module into a folder, as `artifact-version.jar`.

    The Maven repository is LAB_MAVEN_REPOSITORY, whose address may contain a user and a password,
    or the public one. Proxy and certificate authorities are those of Python: HTTPS_PROXY,
    SSL_CERT_FILE. Raises `DownloadFailed`.
    """
    module_list = list(modules)
    repository = _repository()
    for number, (group, artifact, version) in enumerate(module_list, 1):
        name = f"{artifact}-{version}.jar"
        if progress:
            progress(f"downloading {name} ({number} of {len(module_list)})")
        path = f"{group.replace('.', '/')}/{artifact}/{version}/{name}"
        try:
            _save(_request(repository, path), into / name)
        except (OSError, HTTPException) as error:
            raise _failed(error, f"{group}:{artifact}:{version}") from error


def _repository() -> SplitResult:
    """Returns the address of the repository. Raises `DownloadFailed` if it is not valid."""
    with suppress(ValueError):
        address = urlsplit(os.environ.get(REPOSITORY) or _public_repository())
        _ = address.port  # raises if it is not a number
        if address.scheme in _SCHEMES and (address.hostname or address.scheme == "file"):
            return address
    raise DownloadFailed(
        f"{REPOSITORY} is not the address of a Maven repository: https://…, http://… or "
        "file:///…, with the folder that holds org/, as in https://user:password@host/maven2/"
    )


def _public_repository() -> str:
    for jar in sorted(pyspark_jars().glob("ivy-*.jar")):
        with zipfile.ZipFile(jar) as archive:
            if match := _PUBLIC.search(archive.read(_IVY_PROPERTIES).decode()):
                return match[1]
    raise DownloadFailed(
        f"pyspark does not name the public repository. Name one in {REPOSITORY}, "
        "or run `make setup`"
    )


def _request(repository: SplitResult, path: str) -> Request:
    """Returns the request for a file. A redirect to another server does not send the password."""
    user, _, host = repository.netloc.rpartition("@")
    folder = repository._replace(netloc=host).geturl().rstrip("/")
    request = Request(f"{folder}/{quote(path)}")  # noqa: S310 - its scheme was checked
    if user:
        token = base64.b64encode(unquote(user).encode()).decode()
        request.add_unredirected_header("Authorization", f"Basic {token}")
    return request


def _save(request: Request, file: Path) -> None:
    with urlopen(request, timeout=PATIENCE_S) as response, file.open("wb") as jar:  # noqa: S310
        shutil.copyfileobj(response, jar)
        stated = response.headers.get("Content-Length")
        if stated and jar.tell() != int(stated):
            raise IncompleteRead(b"")


def _failed(error: Exception, jar: str) -> DownloadFailed:
    cause = _cause(error)
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


def _cause(error: Exception) -> str:
    """Returns why a jar could not be downloaded, without an address."""
    if isinstance(error, HTTPError):
        return f"the repository answered “{error.code} {error.reason}”"
    reason = error.reason if isinstance(error, URLError) else error
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
    return "the repository did not respond like a Maven repository"
