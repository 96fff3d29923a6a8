"""The jars of a Kafka version and of Spark's Kafka connector: locked, verified and cached.

They are checked against their lock before any program uses them.

A version is supported if it has a lock file in `locks/`, with one `group:artifact:version sha256`
per line, in class-path order. `python -m labs.maintenance.lock` writes one.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from advisor.catalog import kafka_line
from advisor.catalog.versions import at_least
from labs.engine.base.cache import cache_dir, exclusive_lock, scratch_folder
from labs.engine.distributions import budget, download

LOCKS = Path(__file__).parent / "locks"
SPARK = "4.2.0"
"""The Spark version of the locked connector, which is that of the pinned pyspark."""

_RECORD = "verified.json"
"""The file next to the jars with the lock of their last check, and the `stat` of each jar then."""


class UnknownVersion(Exception):
    """There is no lock for this version; the message lists the versions that have one."""


class WrongChecksum(Exception):
    """A jar differs from the recorded one and was not installed."""


@dataclass(frozen=True, slots=True)
class Locked:
    """One line of a lock."""

    group: str
    artifact: str
    version: str
    sha256: str

    @property
    def file(self) -> str:
        return f"{self.artifact}-{self.version}.jar"


class Brokers(NamedTuple):
    """The brokers of a run: their release, and whether they use ZooKeeper or KRaft mode.

    `instead_of` are the described brokers, if they differ.
    """

    release: str
    zookeeper: bool
    instead_of: str | None


@dataclass(frozen=True, slots=True)
class Distribution:
    """A Kafka release that is ready to run: its jars in class-path order, all in one folder."""

    version: str
    jars: tuple[Path, ...]

    @property
    def class_path(self) -> str:
        return os.pathsep.join(str(jar) for jar in self.jars)


def kafka_versions() -> tuple[str, ...]:
    """Returns the Kafka releases that can run here in KRaft mode, newest first."""
    return _locked("kafka")


def zookeeper_versions() -> tuple[str, ...]:
    """Returns the Kafka releases whose brokers can run here with ZooKeeper, newest first.

    4.0 removed ZooKeeper (KIP-500); releases before 3.3 run only with it (KIP-833).
    """
    both = (version for version in kafka_versions() if not at_least(version, "4.0"))
    return (*both, *_locked("zookeeper"))


def all_versions() -> tuple[str, ...]:
    """Returns the Kafka releases whose brokers can run here in either mode, newest first."""
    return tuple(dict.fromkeys((*kafka_versions(), *zookeeper_versions())))


def patch_releases() -> tuple[str, ...]:
    """Returns the earlier patch releases of the offered lines, newest first.

    Only the time machine runs them, to find the release that changed a verdict.
    """
    offered = all_versions()
    lines = {_line(version) for version in offered}
    return tuple(v for v in _locked("past") if _line(v) in lines and v not in offered)


def earlier_releases(release: str) -> tuple[str, ...]:
    """Returns the earlier patch releases of a release's line, oldest first."""
    return tuple(v for v in reversed(patch_releases()) if _line(v) == _line(release))


def _line(release: str) -> str:
    """Returns the line of a release (`4.1.2` → `4.1`), even if the catalog does not have it."""
    return release.rpartition(".")[0]


def _locked(product: str) -> tuple[str, ...]:
    return _versions(product, LOCKS)


@cache  # one page calls it a hundred times
def _versions(product: str, locks: Path) -> tuple[str, ...]:
    names = (path.stem.removeprefix(f"{product}-") for path in locks.glob(f"{product}-*.txt"))
    versions = (stem for stem in names if re.fullmatch(r"[\d.]+", stem))  # not past-clients-3.1.0
    return tuple(sorted(versions, key=lambda v: [int(n) for n in v.split(".")], reverse=True))


def nearest(line: str, versions: Sequence[str]) -> str:
    """Returns the release of a line (`3.9` → `3.9.2`), or the nearest one.

    `versions` are releases, newest first.
    """
    same_line = (version for version in versions if kafka_line(version) == line)
    return next(same_line, versions[0] if at_least(line, kafka_line(versions[0])) else versions[-1])


def release(version: str, versions: Sequence[str] = ()) -> str:
    """Returns the release that runs here for a version or line (`3.9`, `3.9.1` → `3.9.2`).

    It is one of `versions`, by default those in KRaft mode. Settings and their semantics change
    with lines, not with patch releases. Raises `UnknownVersion`.
    """
    line = version.split(".")[:2]
    for offered in (versions := versions or kafka_versions()):
        if offered.split(".")[:2] == line:
            return offered
    raise _unknown(version, versions)


def brokers_to_run(version: str, *, zookeeper: bool, staged: bool) -> Brokers:
    """Returns the brokers to run for a described version, with or without ZooKeeper.

    Brokers older than the first release in KRaft mode are assumed to use ZooKeeper. If a scenario
    cannot be `staged` with ZooKeeper, a release in KRaft mode replaces such brokers: that of their
    line, or the oldest one. The caller must report this. Raises `SettingError` for a version that
    the catalog does not have.
    """
    line, oldest = kafka_line(version), kafka_versions()[-1]
    has_kraft = at_least(line, kafka_line(oldest))
    if not zookeeper and has_kraft:
        return Brokers(release(line), zookeeper=False, instead_of=None)
    same_line = next(
        (version for version in zookeeper_versions() if kafka_line(version) == line), None
    )
    if staged and same_line:
        return Brokers(same_line, zookeeper=True, instead_of=None)
    nearest_here = release(line) if has_kraft else oldest
    return Brokers(nearest_here, zookeeper=False, instead_of=f"{line} with ZooKeeper")


def kafka(version: str = "4.3.1", progress: download.Progress | None = None) -> Distribution:
    """Returns this Kafka release; its jars are downloaded at the first call, verified by SHA-256.

    `progress` receives plain lines during a download. Raises `UnknownVersion`, `WrongChecksum` and
    `download.DownloadFailed`.
    """
    if version in kafka_versions():
        return Distribution(version, install(f"kafka-{version}", progress))
    if version in zookeeper_versions():
        return Distribution(version, install(f"zookeeper-{version}", progress))
    if version in patch_releases():
        return Distribution(version, install(f"past-{version}", progress))
    raise _unknown(version, all_versions())


def past(version: str, progress: download.Progress | None = None) -> Distribution:
    """Returns a release for an incident, downloaded and verified like `kafka`.

    It may be an offered release or one that only incidents use. Raises the errors of `kafka`.
    """
    return _for_incidents("past", version, progress)


def past_clients(version: str, progress: download.Progress | None = None) -> Distribution:
    """Returns the Java clients of a release for an incident; offered releases have more jars."""
    return _for_incidents("past-clients", version, progress)


def past_streams(version: str, progress: download.Progress | None = None) -> Distribution:
    """Returns Kafka Streams of a release for an incident.

    Without a lock `past-streams-…`, its jar follows the jars of an offered release, and there is no
    RocksDB for state on disk.
    """
    clients = _for_incidents("past-streams", version, progress)
    if _is_locked("past-streams", version):
        return clients
    return Distribution(version, (*clients.jars, *install(f"streams-{version}", progress)))


def tools_path(kafka: Distribution, progress: download.Progress | None = None) -> str:
    """Returns the class path of Kafka's command-line tools, which are a separate jar since 4.0."""
    if not at_least(kafka.version, "4.0"):
        return kafka.class_path
    return os.pathsep.join(
        [kafka.class_path, *map(str, install(f"tools-{kafka.version}", progress))]
    )


def _for_incidents(product: str, version: str, progress: download.Progress | None) -> Distribution:
    if _is_locked(product, version):
        return Distribution(version, install(f"{product}-{version}", progress))
    if version in kafka_versions():
        return kafka(version, progress)
    raise UnknownVersion(f"Kafka {version!r} is not locked for incidents.")


def _is_locked(product: str, version: str) -> bool:
    return (LOCKS / f"{product}-{version}.txt").exists()


def _unknown(version: str, versions: Sequence[str]) -> UnknownVersion:
    names = ", ".join(versions)
    return UnknownVersion(f"Kafka {version!r} cannot be run here; these can: {names}.")


def spark_connector(progress: download.Progress | None = None) -> tuple[Path, ...]:
    """Returns the jars for `spark.jars` with which Spark reads and writes Kafka.

    Only four jars of the connector are not part of pyspark. Raises the errors of `kafka`.
    """
    return install(f"spark-connector-{SPARK}", progress)


def install(name: str, progress: download.Progress | None = None) -> tuple[Path, ...]:
    """Returns the verified jars of the lock `name` in the cache.

    All are downloaded if one is absent or changed, and hashed again if one was touched. They stay
    in the cache until this process ends; jars that were not used for long may be deleted
    (`budget`).
    """
    text = (LOCKS / f"{name}.txt").read_text("utf-8")
    locked, stamp = parse_lock(text), hashlib.sha256(text.encode()).hexdigest()
    folder = cache_dir() / "jars" / name
    budget.hold(name)
    if not _untouched(folder, locked, stamp):
        with exclusive_lock(folder):
            # Another process may have fetched them while this one waited for the lock.
            if not _untouched(folder, locked, stamp) and not _as_recorded(folder, locked, stamp):
                if progress and folder.exists():
                    progress(f"{name}: not the jars that were recorded, fetching them again")
                _fetch(folder, locked, stamp, progress)
                for deleted in budget.enforce_limit(always_kept()):
                    if progress:
                        progress(str(deleted))
    return tuple(folder / jar.file for jar in locked)


def always_kept() -> frozenset[str]:
    """Returns the locks that every run needs, which `make up` downloads."""
    newest = (f"kafka-{version}" for version in kafka_versions()[:1])
    return frozenset({*newest, f"spark-connector-{SPARK}"})


def installed() -> tuple[str, ...]:
    """Returns the locks whose jars are in the cache."""
    folder = cache_dir() / "jars"
    return tuple(sorted(path.stem for path in LOCKS.glob("*.txt") if (folder / path.stem).is_dir()))


def changed(name: str, *, full: bool = False) -> list[str]:
    """Returns the jars of an installed lock that are absent or differ from the recorded ones.

    Jars that were not touched since their last check are not hashed, unless `full`. Changed jars
    are downloaded again at their next use.
    """
    text = (LOCKS / f"{name}.txt").read_text("utf-8")
    locked, stamp = parse_lock(text), hashlib.sha256(text.encode()).hexdigest()
    folder = cache_dir() / "jars" / name
    if not full and _untouched(folder, locked, stamp):
        return []
    changed_jars = [jar.file for jar in locked if _sum(folder / jar.file) != jar.sha256]
    if changed_jars:
        with suppress(OSError):
            (folder / _RECORD).unlink()
    return changed_jars


def parse_lock(text: str) -> tuple[Locked, ...]:
    """Returns the lines of a lock; `#` begins a comment. Raises `ValueError` if malformed."""
    locked = []
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            match = re.fullmatch(r"([\w.-]+):([\w.-]+):([\w.-]+) ([0-9a-f]{64})", line.strip())
            if not match:
                raise ValueError(f"not a line of a lock: {line!r}")
            locked.append(Locked(*match.groups()))
    return tuple(locked)


def verify(locked: tuple[Locked, ...], folder: Path) -> None:
    """Checks each jar against its recorded SHA-256.

    Raises `WrongChecksum`, and `download.DownloadFailed` if a jar is absent.
    """
    for jar in locked:
        actual = _sum(folder / jar.file)
        if actual is None:
            raise download.DownloadFailed(f"{jar.file} was not downloaded; run the command again.")
        if actual != jar.sha256:
            raise WrongChecksum(
                f"{jar.file} is not the jar that was recorded and was not installed: its SHA-256 "
                f"is {actual}, {jar.sha256} was expected. Something between here and the "
                "repository changed it: try another network, or name a repository you trust "
                "in LAB_MAVEN_REPOSITORY."
            )


def _sum(path: Path) -> str | None:
    """Returns the SHA-256 of a file; None if it does not exist or cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None


def _fetch(
    folder: Path, locked: tuple[Locked, ...], stamp: str, progress: download.Progress | None
) -> None:
    download.ensure_room(folder)
    with scratch_folder(folder) as temporary:
        downloaded = temporary / "jars"
        downloaded.mkdir()
        absent = [jar for jar in locked if not _copied(jar, folder.parent, downloaded)]
        if absent:
            modules = ((jar.group, jar.artifact, jar.version) for jar in absent)
            download.fetch(modules, downloaded, progress=progress)
        verify(locked, downloaded)
        size = sum((downloaded / jar.file).stat().st_size for jar in locked) // download.MEGABYTE
        if size > download.MOST_MB:
            raise download.DownloadFailed(
                f"The jars of {folder.name} have {size:,} MB, and a release may have "
                f"{download.MOST_MB} MB at most. None was kept"
            )
        if progress:
            progress(
                f"{len(locked)} jars of {folder.name}, {size} MB, are those that were recorded"
            )
        _record(downloaded, locked, stamp)
        if folder.exists():
            shutil.rmtree(folder)
        downloaded.replace(folder)


def _copied(jar: Locked, jars: Path, into: Path) -> bool:
    """Copies a jar that another lock already has, since releases share most jars; whether it did.

    It is not a link, because a link would change the `ctime` that the other lock has recorded.
    """
    for other in jars.glob(f"*/{jar.file}"):
        if _sum(other) == jar.sha256:
            with suppress(OSError):
                shutil.copyfile(other, into / jar.file)
                return True
    return False


def _as_recorded(folder: Path, locked: tuple[Locked, ...], stamp: str) -> bool:
    """Hashes every jar; returns whether all match, and then records their `stat`."""
    if any(_sum(folder / jar.file) != jar.sha256 for jar in locked):
        return False
    with suppress(OSError):  # a read-only cache: hashed again the next time
        _record(folder, locked, stamp)
    return True


def _record(folder: Path, locked: tuple[Locked, ...], stamp: str) -> None:
    stats = {jar.file: snapshot(folder / jar.file) for jar in locked}
    (folder / _RECORD).write_text(json.dumps({"lock": stamp, "seen": stats}))


def _untouched(folder: Path, locked: tuple[Locked, ...], stamp: str) -> bool:
    """Whether no jar changed since all of them were checked against this lock."""
    try:
        recorded = json.loads((folder / _RECORD).read_text())
        stats = {jar.file: snapshot(folder / jar.file) for jar in locked}
    except (OSError, ValueError):
        return False
    return bool(recorded == {"lock": stamp, "seen": stats})


def snapshot(path: Path) -> list[int]:
    # Includes the ctime: the kernel sets it at every write, and it cannot be reset.
    status = path.stat()
    return [status.st_size, status.st_ino, status.st_mtime_ns, status.st_ctime_ns]
