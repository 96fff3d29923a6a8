"""The class paths and releases with which the lab's Java programs run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from labs.engine.distributions import distribution
from labs.engine.distributions.distribution import (
    LOCKS,
    Distribution,
    UnknownVersion,
    kafka_versions,
    nearest,
    parse_lock,
    tools_path,
)
from labs.engine.programs import java as module
from labs.engine.programs.java import JavaProgram, java_clients, kafka_streams

JAVA: Any = SimpleNamespace(path=Path("java"))


@pytest.fixture
def jars(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Replaces the installed jars with stand-ins."""

    def kafka(version: str, _progress: Any) -> Any:
        return SimpleNamespace(version=version, jars=[tmp_path / "kafka-clients-1.jar"])

    def install(name: str, _progress: Any) -> tuple[Path, ...]:
        return (tmp_path / f"{name}.jar",)

    monkeypatch.setattr(distribution, "kafka", kafka)
    monkeypatch.setattr(distribution, "install", install)
    monkeypatch.setattr(module, "has_archive", lambda *_: True)
    monkeypatch.setattr(module, "archive_options", lambda *_: ("-XX:SharedArchiveFile=a",))


@pytest.mark.parametrize(
    ("make_program", "name", "own_jars"),
    [(java_clients, "ClientApplication", []), (kafka_streams, "StreamsApplication", ["streams-"])],
)
@pytest.mark.usefixtures("jars")
def test_a_program_has_the_brokers_jars_first_and_uses_their_archive(
    make_program: Callable[..., JavaProgram], name: str, own_jars: list[str], tmp_path: Path
) -> None:
    program = make_program("4.3.1", JAVA)
    names = [Path(jar).name.rstrip("0123456789.jar") for jar in program.class_path.split(":")]
    assert names == ["kafka-clients-", *own_jars, "janino-", "commons-compiler-"]
    command = program.command(["produce", "orders"], tmp_path)
    assert "-XX:SharedArchiveFile=a" in command
    source, *arguments = command[-4:]
    assert arguments == [name, "produce", "orders"]
    assert "class Owner {" in Path(source).read_text()
    assert "SYSTEM_ERR" in (tmp_path / "java-log4j2.properties").read_text()


@pytest.mark.parametrize("version", ["4.4.0", "4.3", "", "../4.3.1"])
def test_a_release_without_a_lock_is_refused_and_the_available_ones_are_listed(
    version: str,
) -> None:
    with pytest.raises(UnknownVersion, match=r"these can: 4\.3\.1"):
        java_clients(version, JAVA)


def test_every_broker_release_has_a_streams_lock_with_one_jar() -> None:
    for version in kafka_versions():
        (jar,) = parse_lock((LOCKS / f"streams-{version}.txt").read_text())
        assert (jar.artifact, jar.version) == ("kafka-streams", version)


@pytest.mark.parametrize(
    ("line", "release"), [("4.3", "4.3.1"), ("3.9", "3.9.2"), ("4.4", "4.3.1"), ("2.8", "3.3.2")]
)
def test_a_line_without_a_release_uses_the_nearest_release(line: str, release: str) -> None:
    assert nearest(line, kafka_versions()) == release


@pytest.mark.usefixtures("jars")
def test_the_tools_have_a_separate_jar_since_4_0() -> None:
    for version in kafka_versions():
        kafka = Distribution(version, (Path("kafka.jar"),))
        tools_jars = tools_path(kafka).split(":")[1:]
        assert [Path(jar).stem for jar in tools_jars] == (
            [f"tools-{version}"] if version.startswith("4.") else []
        )
        assert (LOCKS / f"tools-{version}.txt").exists() == bool(tools_jars)
