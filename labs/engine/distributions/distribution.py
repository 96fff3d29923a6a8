"""The jars of a Kafka version and of Spark's Kafka connector: locked, verified, kept in a cache.

They are checked against their lock before anything is started from them.

A version is supported when it has a lock file in `locks/`: one `group:artifact:version sha256`
a line, in class-path order. `python -m labs.maintenance.lock` writes one.
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
"""The Spark whose connector is locked; the same as the pinned pyspark."""

_RECORD = "verified.json"
"""Next to the jars: the lock that they were checked against, and the `stat` of each then."""


class UnknownVersion(Exception):
    """There is no lock for this version; the message names those that have one."""


class WrongChecksum(Exception):
    """A jar is not the one that was recorded; it was not installed."""


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
    """Which brokers are run: their release, and whether with ZooKeeper or in KRaft mode.

    `instead_of` is what they stand for, where they are not those that were described.
    """

    release: str
    zookeeper: bool
    instead_of: str | None


@dataclass(frozen=True, slots=True)
class Distribution:
    """A Kafka release, ready to run: its jars in class-path order, all in one folder."""

    version: str
    jars: tuple[Path, ...]

    @property
    def class_path(self) -> str:
        return os.pathsep.join(str(jar) for jar in self.jars)


def kafka_versions() -> tuple[str, ...]:
    """The Kafka releases that can be run here in KRaft mode, newest first."""
    return _locked("kafka")


def zookeeper_versions() -> tuple[str, ...]:
    """The Kafka releases whose brokers can be run here with ZooKeeper, newest first.

    4.0 removed it (KIP-500); releases before 3.3 are only run with it (KIP-833).
    """
    both = (version for version in kafka_versions() if not at_least(version, "4.0"))
    return (*both, *_locked("zookeeper"))


def all_versions() -> tuple[str, ...]:
    """The Kafka releases whose brokers can be run here in some mode, newest first."""
    return tuple(dict.fromkeys((*kafka_versions(), *zookeeper_versions())))


def patch_releases() -> tuple[str, ...]:
    """The releases before an offered one in its line, newest first.

    Only the time machine runs them, to find the release that changed a verdict.
    """
    offered = all_versions()
    lines = {_line(version) for version in offered}
    return tuple(v for v in _locked("past") if _line(v) in lines and v not in offered)


def earlier_releases(release: str) -> tuple[str, ...]:
    """Those of the line of an offered release, oldest first."""
    return tuple(v for v in reversed(patch_releases()) if _line(v) == _line(release))


def _line(release: str) -> str:
    """`4.1.2` → `4.1`; also of a line that the catalog does not know."""
    return release.rpartition(".")[0]


def _locked(product: str) -> tuple[str, ...]:
    return _versions(product, LOCKS)


@cache  # a page asks a hundred times
def _versions(product: str, locks: Path) -> tuple[str, ...]:
    stems = (path.stem.removeprefix(f"{product}-") for path in locks.glob(f"{product}-*.txt"))
    versions = (stem for stem in stems if re.fullmatch(r"[\d.]+", stem))  # not past-clients-3.1.0
    return tuple(sorted(versions, key=lambda v: [int(n) for n in v.split(".")], reverse=True))


def nearest(line: str, known: Sequence[str]) -> str:
    """Of releases, newest first, that of a line (`3.9` → `3.9.2`), or the nearest one."""
    own = (version for version in known if kafka_line(version) == line)
    return next(own, known[0] if at_least(line, kafka_line(known[0])) else known[-1])


def release(version: str, known: Sequence[str] = ()) -> str:
    """The release that runs here for a version or a line of Kafka (`3.9`, `3.9.1` → `3.9.2`).

    It is one of those `known`, or of all in KRaft mode. Settings and what they mean change with
    lines, not with patch releases. Raises `UnknownVersion`.
    """
    line = version.split(".")[:2]
    for offered in (known := known or kafka_versions()):
        if offered.split(".")[:2] == line:
            return offered
    raise _unknown(version, known)


def brokers_to_run(version: str, *, zookeeper: bool, staged: bool) -> Brokers:
    """The brokers to run for those of a version, which may have ZooKeeper.

    Brokers before the oldest release in KRaft mode are taken to have it. Where a scenario is not
    `staged` with ZooKeeper, a release in KRaft mode stands for brokers that have it, their own or
    the oldest, and the caller has to say so. Raises `SettingError` for a version that the catalog
    does not know.
    """
    line, oldest = kafka_line(version), kafka_versions()[-1]
    is_here = at_least(line, kafka_line(oldest))
    if not zookeeper and is_here:
        return Brokers(release(line), zookeeper=False, instead_of=None)
    own = next((version for version in zookeeper_versions() if kafka_line(version) == line), None)
    if staged and own:
        return Brokers(own, zookeeper=True, instead_of=None)
    nearest_here = release(line) if is_here else oldest
    return Brokers(nearest_here, zookeeper=False, instead_of=f"{line} with ZooKeeper")


def kafka(version: str = "4.3.1", progress: download.Progress | None = None) -> Distribution:
    """The jars of this Kafka release, fetched at the first call and verified by SHA-256.

    `progress` is given plain lines while jars are downloaded. Raises `UnknownVersion`,
    `WrongChecksum`, `download.DownloadFailed`.
    """
    if version in kafka_versions():
        return Distribution(version, install(f"kafka-{version}", progress))
    if version in zookeeper_versions():
        return Distribution(version, install(f"zookeeper-{version}", progress))
    if version in patch_releases():
        return Distribution(version, install(f"past-{version}", progress))
    raise _unknown(version, all_versions())


def past(version: str, progress: download.Progress | None = None) -> Distribution:
    """The jars of a release that an incident runs, fetched and verified as `kafka` does.

    One that is offered is taken as it is; the others serve incidents alone. Raises as `kafka`.
    """
    return _for_incidents("past", version, progress)


def past_clients(version: str, progress: download.Progress | None = None) -> Distribution:
    """The same for the Java client jars alone; an offered release has more jars."""
    return _for_incidents("past-clients", version, progress)


def past_streams(version: str, progress: download.Progress | None = None) -> Distribution:
    """The same for Kafka Streams; without a lock its jar stands behind an offered release's.

    Only a lock of its own has RocksDB, which keeps state on disk.
    """
    clients = _for_incidents("past-streams", version, progress)
    if _is_locked("past-streams", version):
        return clients
    return Distribution(version, (*clients.jars, *install(f"streams-{version}", progress)))


def tools_path(kafka: Distribution, progress: download.Progress | None = None) -> str:
    """The class path of Kafka's own command-line tools, which have a jar of their own since 4.0."""
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


def _unknown(version: str, known: Sequence[str]) -> UnknownVersion:
    named = ", ".join(known)
    return UnknownVersion(f"Kafka {version!r} cannot be run here; these can: {named}.")


def spark_connector(progress: download.Progress | None = None) -> tuple[Path, ...]:
    """The jars to put on `spark.jars` so that Spark reads and writes Kafka.

    Of the connector's tree only four are not in pyspark already. Raises as `kafka`.
    """
    return install(f"spark-connector-{SPARK}", progress)


def install(name: str, progress: download.Progress | None = None) -> tuple[Path, ...]:
    """The jars of lock `name` in the cache, each the one that was recorded.

    They are fetched where one is absent or changed, and hashed again where one was touched. They
    stay there until this process ends; others that were not used for long may go (`budget`).
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
    """The locks without which nothing can be run, which `make up` fetches."""
    newest = (f"kafka-{version}" for version in kafka_versions()[:1])
    return frozenset({*newest, f"spark-connector-{SPARK}"})


def installed() -> tuple[str, ...]:
    """The locks whose jars were fetched."""
    folder = cache_dir() / "jars"
    return tuple(sorted(path.stem for path in LOCKS.glob("*.txt") if (folder / path.stem).is_dir()))


def changed(name: str, *, full: bool = False) -> list[str]:
    """The jars of a fetched lock that are absent, or not those that were recorded.

    Jars that were not touched since they were last hashed are taken as they are, unless `full`.
    Jars that are found changed are fetched again when they are next asked for.
    """
    text = (LOCKS / f"{name}.txt").read_text("utf-8")
    locked, stamp = parse_lock(text), hashlib.sha256(text.encode()).hexdigest()
    folder = cache_dir() / "jars" / name
    if not full and _untouched(folder, locked, stamp):
        return []
    wrong = [jar.file for jar in locked if _sum(folder / jar.file) != jar.sha256]
    if wrong:
        with suppress(OSError):
            (folder / _RECORD).unlink()
    return wrong


def parse_lock(text: str) -> tuple[Locked, ...]:
    """The lines of a lock; `#` begins a comment. Raises `ValueError` on a malformed line."""
    locked = []
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            match = re.fullmatch(r"([\w.-]+):([\w.-]+):([\w.-]+) ([0-9a-f]{64})", line.strip())
            if not match:
                raise ValueError(f"not a line of a lock: {line!r}")
            locked.append(Locked(*match.groups()))
    return tuple(locked)


def verify(locked: tuple[Locked, ...], folder: Path) -> None:
    """Holds each jar against its recorded SHA-256. Raises `WrongChecksum`."""
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
    """The SHA-256 of a file; None if the file does not exist or cannot be read."""
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
        fresh = temporary / "jars"
        fresh.mkdir()
        absent = [jar for jar in locked if not _copied(jar, folder.parent, fresh)]
        if absent:
            modules = ((jar.group, jar.artifact, jar.version) for jar in absent)
            download.fetch(modules, fresh, progress=progress)
        verify(locked, fresh)
        size = sum((fresh / jar.file).stat().st_size for jar in locked) // download.MEGABYTE
        if size > download.MOST_MB:
            raise download.DownloadFailed(
                f"The jars of {folder.name} have {size:,} MB, and a release may have "
                f"{download.MOST_MB} MB at most. None was kept"
            )
        if progress:
            progress(
                f"{len(locked)} jars of {folder.name}, {size} MB, are those that were recorded"
            )
        _record(fresh, locked, stamp)
        if folder.exists():
            shutil.rmtree(folder)
        fresh.replace(folder)


def _copied(jar: Locked, jars: Path, into: Path) -> bool:
    """Copies a jar that another lock has brought already; releases of a line share most of theirs.

    A copy, not a link: a link would change the `ctime` by which the other knows its own.
    """
    for other in jars.glob(f"*/{jar.file}"):
        if _sum(other) == jar.sha256:
            with suppress(OSError):
                shutil.copyfile(other, into / jar.file)
                return True
    return False


def _as_recorded(folder: Path, locked: tuple[Locked, ...], stamp: str) -> bool:
    """Hashes every jar; if all match the record, remembers their `stat`."""
    if any(_sum(folder / jar.file) != jar.sha256 for jar in locked):
        return False
    with suppress(OSError):  # a cache that we may only read: hashed again the next time
        _record(folder, locked, stamp)
    return True


def _record(folder: Path, locked: tuple[Locked, ...], stamp: str) -> None:
    seen = {jar.file: snapshot(folder / jar.file) for jar in locked}
    (folder / _RECORD).write_text(json.dumps({"lock": stamp, "seen": seen}))


def _untouched(folder: Path, locked: tuple[Locked, ...], stamp: str) -> bool:
    """Whether no jar changed since all of them were checked against this lock."""
    try:
        recorded = json.loads((folder / _RECORD).read_text())
        seen = {jar.file: snapshot(folder / jar.file) for jar in locked}
    except (OSError, ValueError):
        return False
    return bool(recorded == {"lock": stamp, "seen": seen})


def snapshot(path: Path) -> list[int]:
    # The ctime as well: the kernel sets it at every write, and it cannot be set back.
    status = path.stat()
    return [status.st_size, status.st_ino, status.st_mtime_ns, status.st_ctime_ns]
