"""Archives of classes: made once, made again for newer jars, and never missed."""

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
def trained() -> list[Path]:
    """The folders in which an archive was made."""
    return []


@pytest.fixture
def train(trained: list[Path]) -> Train:
    def train(folder: Path) -> Path:
        trained.append(folder)
        (folder / "made").write_text("classes")
        return folder / "made"

    return train


def test_an_archive_is_made_once_and_again_for_newer_jars(
    java: Java, jar: Path, train: Train, trained: list[Path]
) -> None:
    archive = classes.archive("program", java, "a.jar")
    assert archive.options == ()
    for _ in range(2):
        archive.make([jar], train, ())
    assert archive.options == (f"-XX:SharedArchiveFile={archive.path}",)
    assert len(trained) == 1
    assert not trained[0].exists()
    newer = archive.path.stat().st_mtime + 1
    os.utime(jar, (newer, newer))
    archive.make([jar], train, ())
    assert len(trained) == 2


def test_another_java_and_another_class_path_have_other_archives(java: Java) -> None:
    newer = Java(java.path, "17.0.2", "PATH")
    pairs = [("a.jar", java), ("b.jar", java), ("a.jar", newer)]
    paths = {classes.archive("program", which, path).path for path, which in pairs}
    assert len(paths) == len(pairs)
    before = classes.archive("program", java, "a.jar")
    os.utime(java.path, (1, 1))  # the same version, built anew
    assert classes.archive("program", java, "a.jar") != before


@pytest.mark.parametrize("trouble", [OSError, subprocess.SubprocessError, KeyError])
def test_what_cannot_be_made_is_not_tried_again(
    java: Java, jar: Path, trouble: type[Exception]
) -> None:
    tried = []

    def fail(folder: Path) -> Path:
        tried.append(folder)
        raise trouble("no classes today")

    archive = classes.archive("program", java, "a.jar")
    for _ in range(2):
        archive.make([jar], fail, (KeyError,))
    assert archive.settled([jar])
    assert archive.options == ()
    assert len(tried) == 1
    a_day_ago = time.time() - 24 * 3600
    os.utime(archive.path.with_suffix(".failed"), (a_day_ago, a_day_ago))
    assert not archive.settled([jar])


def test_a_cache_that_cannot_be_written_to_stops_nobody(
    java: Java, jar: Path, train: Train, trained: list[Path]
) -> None:
    archive = classes.archive("program", java, "a.jar")
    archive.path.parent.write_text("a file, where the folder would be")
    archive.make([jar], train, ())
    assert (archive.options, trained) == ((), [])


def test_an_archive_in_a_folder_of_somebody_else_is_left_alone(
    java: Java, jar: Path, train: Train, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = classes.archive("program", java, "a.jar")
    archive.make([jar], train, ())
    monkeypatch.setattr(os, "access", lambda *_: False)  # a root who runs tests may read anything
    assert archive.options == ()


def test_no_archive_gives_spark_no_options(java: Java) -> None:
    assert archive_options(java) == ()


def test_spark_starts_where_no_cache_can_be(java: Java, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_CACHE_DIR", str(java.path / "below-a-file"))
    assert archive_options(java) == ()


def test_sparks_options_survive_spaces(
    tmp_path: Path, java: Java, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spark, "find_java", lambda: java)
    monkeypatch.setattr(spark, "archive_options", lambda _: ("-XX:SharedArchiveFile=/a b/c.jsa",))
    monkeypatch.setenv("SPARK_SUBMIT_OPTS", "-Dmine=1")
    options = spark.spark_environment(tmp_path / "a place")["SPARK_SUBMIT_OPTS"]
    assert options == (
        f'-Dmine=1 "-XX:SharedArchiveFile=/a b/c.jsa" "-Djava.io.tmpdir={tmp_path / "a place"}"'
    )


def test_a_jvm_that_hangs_is_told_in_few_words(
    java: Java, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    java.path.write_text("#!/bin/sh\nexec sleep 600\n")
    java.path.chmod(0o755)
    monkeypatch.setattr(classes, "DUMP_LIMIT_S", 0.2)
    with pytest.raises(OSError, match=r"^the JVM wrote none within 0\.2 s$"):
        classes.dump(java, tmp_path / "classes.txt", "a.jar:" * 1000)
