"""On which class path our Java programs run, and with which releases."""

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
    """Stands for what is installed."""

    def kafka(version: str, _progress: Any) -> Any:
        return SimpleNamespace(version=version, jars=[tmp_path / "kafka-clients-1.jar"])

    def install(name: str, _progress: Any) -> tuple[Path, ...]:
        return (tmp_path / f"{name}.jar",)

    monkeypatch.setattr(distribution, "kafka", kafka)
    monkeypatch.setattr(distribution, "install", install)
    monkeypatch.setattr(module, "has_archive", lambda *_: True)
    monkeypatch.setattr(module, "archive_options", lambda *_: ("-XX:SharedArchiveFile=a",))


@pytest.mark.parametrize(
    ("made", "name", "own"),
    [(java_clients, "ClientApplication", []), (kafka_streams, "StreamsApplication", ["streams-"])],
)
@pytest.mark.usefixtures("jars")
def test_a_program_stands_behind_the_brokers_jars_and_maps_their_archive(
    made: Callable[..., JavaProgram], name: str, own: list[str], tmp_path: Path
) -> None:
    program = made("4.3.1", JAVA)
    names = [Path(jar).name.rstrip("0123456789.jar") for jar in program.class_path.split(":")]
    assert names == ["kafka-clients-", *own, "janino-", "commons-compiler-"]
    command = program.command(["produce", "orders"], tmp_path)
    assert "-XX:SharedArchiveFile=a" in command
    source, *words = command[-4:]
    assert words == [name, "produce", "orders"]
    assert "class Owner {" in Path(source).read_text()
    assert "SYSTEM_ERR" in (tmp_path / "java-log4j2.properties").read_text()


@pytest.mark.parametrize("version", ["4.4.0", "4.3", "", "../4.3.1"])
def test_a_release_without_a_lock_is_refused_with_those_that_have_one(version: str) -> None:
    with pytest.raises(UnknownVersion, match=r"these can: 4\.3\.1"):
        java_clients(version, JAVA)


def test_every_release_of_the_brokers_has_its_streams_and_no_database() -> None:
    for version in kafka_versions():
        (jar,) = parse_lock((LOCKS / f"streams-{version}.txt").read_text())
        assert (jar.artifact, jar.version) == ("kafka-streams", version)


@pytest.mark.parametrize(
    ("line", "release"), [("4.3", "4.3.1"), ("3.9", "3.9.2"), ("4.4", "4.3.1"), ("2.8", "3.3.2")]
)
def test_a_line_that_is_not_here_has_the_nearest_release_stand_for_it(
    line: str, release: str
) -> None:
    assert nearest(line, kafka_versions()) == release


@pytest.mark.usefixtures("jars")
def test_the_tools_have_a_jar_of_their_own_since_4_0() -> None:
    for version in kafka_versions():
        kafka = Distribution(version, (Path("kafka.jar"),))
        own = tools_path(kafka).split(":")[1:]
        assert [Path(jar).stem for jar in own] == (
            [f"tools-{version}"] if version.startswith("4.") else []
        )
        assert (LOCKS / f"tools-{version}.txt").exists() == bool(own)
