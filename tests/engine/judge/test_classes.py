"""Class data archives are created once, again for newer jars, and are never required."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from labs.engine.distributions import classes
from labs.engine.distributions.java import Java
from labs.engine.judge import spark
from labs.engine.judge.classes import archive_options

Train = Callable[[Path], Path]


@pytest.fixture
def java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Java:
    monkeypatch.setenv("LAB_CACHE_DIR", str(tmp_path / "cache"))
    program = tmp_path / "java"
    program.write_text("")
    return Java(program, "17.0.1", "PATH")


@pytest.fixture
def jar(tmp_path: Path) -> Path:
    jar = tmp_path / "a.jar"
    jar.write_text("")
    os.utime(jar, (1, 1))
    return jar


@pytest.fixture
def archive_folders() -> list[Path]:
    """The folders in which an archive was created."""
    return []


@pytest.fixture
def train(archive_folders: list[Path]) -> Train:
    def train(folder: Path) -> Path:
        archive_folders.append(folder)
        (folder / "made").write_text("classes")
        return folder / "made"

    return train


def test_an_archive_is_created_once_and_again_for_newer_jars(
    java: Java, jar: Path, train: Train, archive_folders: list[Path]
) -> None:
    archive = classes.archive("program", java, "a.jar")
    assert archive.options == ()
    for _ in range(2):
        archive.make([jar], train, ())
    assert archive.options == (f"-XX:SharedArchiveFile={archive.path}",)
    assert len(archive_folders) == 1
    assert not archive_folders[0].exists()
    newer = archive.path.stat().st_mtime + 1
    os.utime(jar, (newer, newer))
    archive.make([jar], train, ())
    assert len(archive_folders) == 2


def test_each_java_and_class_path_has_its_own_archive(java: Java) -> None:
    newer = Java(java.path, "17.0.2", "PATH")
    pairs = [("a.jar", java), ("b.jar", java), ("a.jar", newer)]
    paths = {classes.archive("program", runtime, path).path for path, runtime in pairs}
    assert len(paths) == len(pairs)
    before = classes.archive("program", java, "a.jar")
    os.utime(java.path, (1, 1))  # the same version, built again
    assert classes.archive("program", java, "a.jar") != before


@pytest.mark.parametrize("error_type", [OSError, subprocess.SubprocessError, KeyError])
def test_a_failed_archive_is_not_tried_again_for_a_day(
    java: Java, jar: Path, error_type: type[Exception]
) -> None:
    attempts = []

    def fail(folder: Path) -> Path:
        attempts.append(folder)
        raise error_type("no classes today")

    archive = classes.archive("program", java, "a.jar")
    for _ in range(2):
        archive.make([jar], fail, (KeyError,))
    assert archive.settled([jar])
    assert archive.options == ()
    assert len(attempts) == 1
    a_day_ago = time.time() - 24 * 3600
    os.utime(archive.path.with_suffix(".failed"), (a_day_ago, a_day_ago))
    assert not archive.settled([jar])


def test_with_an_unwritable_cache_there_is_no_archive_and_no_error(
    java: Java, jar: Path, train: Train, archive_folders: list[Path]
) -> None:
    archive = classes.archive("program", java, "a.jar")
    archive.path.parent.write_text("a file, where the folder would be")
    archive.make([jar], train, ())
    assert (archive.options, archive_folders) == ((), [])


def test_an_archive_in_a_folder_of_another_user_is_not_used(
    java: Java, jar: Path, train: Train, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = classes.archive("program", java, "a.jar")
    archive.make([jar], train, ())
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may read everything
    assert archive.options == ()


def test_without_an_archive_spark_gets_no_options(java: Java) -> None:
    assert archive_options(java) == ()


def test_without_a_usable_cache_spark_gets_no_options(
    java: Java, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAB_CACHE_DIR", str(java.path / "below-a-file"))
    assert archive_options(java) == ()


def test_spark_options_with_spaces_are_quoted(
    tmp_path: Path, java: Java, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spark, "find_java", lambda: java)
    monkeypatch.setattr(spark, "archive_options", lambda _: ("-XX:SharedArchiveFile=/a b/c.jsa",))
    monkeypatch.setenv("SPARK_SUBMIT_OPTS", "-Dmine=1")
    options = spark.spark_environment(tmp_path / "a place")["SPARK_SUBMIT_OPTS"]
    assert options == (
        f'-Dmine=1 "-XX:SharedArchiveFile=/a b/c.jsa" "-Djava.io.tmpdir={tmp_path / "a place"}"'
    )


def test_a_jvm_that_hangs_is_reported_in_one_short_line(
    java: Java, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    java.path.write_text("#!/bin/sh\nexec sleep 600\n")
    java.path.chmod(0o755)
    monkeypatch.setattr(classes, "DUMP_LIMIT_S", 0.2)
    with pytest.raises(OSError, match=r"^the JVM wrote none within 0\.2 s$"):
        classes.dump(java, tmp_path / "classes.txt", "a.jar:" * 1000)
