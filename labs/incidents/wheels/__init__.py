"""Past releases of librdkafka, from the wheels of confluent-kafka.

A lock next to this file has the wheels of a release, one `file sha256` per line. pip fetches the
wheel for this Python at the first play. It is checked against its lock before each play, and
unpacked into the folder of the play. Nothing is installed.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import zipfile
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

from labs.engine.base.cache import cache_dir, exclusive_lock
from labs.engine.distributions.distribution import UnknownVersion, WrongChecksum
from labs.engine.distributions.download import DownloadFailed, ensure_room

LOCKS = Path(__file__).parent
PRODUCT = "confluent-kafka"
_LIMIT_S = 300.0


def installed() -> str:
    """Returns the release that Delivery Lab itself uses."""
    return version(PRODUCT)


def unpack(release: str, into: Path, progress: Callable[[str], None]) -> None:
    """Unpacks the modules of a release into a folder for PYTHONPATH.

    Raises `UnknownVersion`, `DownloadFailed`, `WrongChecksum`.
    """
    with zipfile.ZipFile(_wheel(release, locked(release), progress)) as wheel:
        wheel.extractall(into)


def locked(release: str) -> dict[str, str]:
    """Returns wheel → SHA-256. Raises `UnknownVersion`."""
    file = LOCKS / f"{PRODUCT}-{release}.txt"
    if not file.is_file():
        raise UnknownVersion(f"{PRODUCT} {release!r} is not locked for incidents.")
    rows = (line.split() for line in file.read_text("ascii").splitlines())
    return dict(rows)


def _wheel(release: str, sums: dict[str, str], progress: Callable[[str], None]) -> Path:
    folder = cache_dir() / "wheels" / f"{PRODUCT}-{release}"
    with exclusive_lock(folder):
        if not list(folder.glob("*.whl")):
            ensure_room(folder)
            progress(f"downloading {PRODUCT} {release}")
            _download(release, folder)
        [wheel] = folder.glob("*.whl")
        actual = hashlib.sha256(wheel.read_bytes()).hexdigest()
        if sums.get(wheel.name) != actual:
            wheel.unlink()
            raise WrongChecksum(
                f"{wheel.name} is not a recorded wheel and was not used: its SHA-256 is "
                f"{actual}. It was deleted; run the command again."
            )
    return wheel


def _download(release: str, folder: Path) -> None:
    """Downloads with pip, from the index that is configured on this machine."""
    command = [
        sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check",
        "--no-deps", "--only-binary", ":all:", "--dest", str(folder), f"{PRODUCT}=={release}",
    ]  # fmt: skip
    ran = subprocess.run(
        command, capture_output=True, text=True, errors="replace", timeout=_LIMIT_S, check=False
    )
    if ran.returncode != 0:
        lines = ran.stderr.strip().splitlines()[-3:]
        python = f"{sys.version_info.major}.{sys.version_info.minor}"
        cause = f"the package index did not answer, refused it, or has none for Python {python}"
        raise DownloadFailed(
            f"{PRODUCT} {release} could not be downloaded: {cause}. Check the network, or name "
            "another index in PIP_INDEX_URL, and try again.\npip says:\n" + "\n".join(lines),
            cause,
        )
