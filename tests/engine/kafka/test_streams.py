"""Which releases of Kafka Streams can be run, and on which class path."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from labs.engine.distributions import distribution
from labs.engine.distributions.distribution import LOCKS, kafka_versions, parse_lock
from labs.engine.programs import streams as module
from labs.engine.programs.streams import streams, streams_release, streams_versions


def test_every_release_of_the_brokers_has_its_streams_and_no_database() -> None:
    assert streams_versions() == kafka_versions()
    for version in streams_versions():
        (jar,) = parse_lock((LOCKS / f"streams-{version}.txt").read_text())
        assert (jar.artifact, jar.version) == ("kafka-streams", version)


@pytest.mark.parametrize(
    ("line", "release"), [("4.3", "4.3.1"), ("3.9", "3.9.2"), ("4.4", "4.3.1"), ("2.8", "3.3.2")]
)
def test_a_line_that_is_not_here_has_the_nearest_release_stand_for_it(
    line: str, release: str
) -> None:
    assert streams_release(line) == release


def test_the_application_stands_behind_the_brokers_jars_with_its_compiler(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def kafka(version: str, _progress: Any) -> Any:
        return SimpleNamespace(version=version, jars=[tmp_path / "kafka-clients-1.jar"])

    monkeypatch.setattr(distribution, "kafka", kafka)
    monkeypatch.setattr(distribution, "install", lambda name, _: (tmp_path / f"{name}.jar",))
    monkeypatch.setattr(module, "has_archive", lambda *_: True)
    monkeypatch.setattr(module, "archive_options", lambda *_: ("-XX:SharedArchiveFile=a",))
    java: Any = SimpleNamespace(path=Path("java"))
    program = streams("4.3.1", java)
    names = [Path(name).name.rstrip("0123456789.jar") for name in program.class_path.split(":")]
    assert names[:2] == ["kafka-clients-", "streams-"]
    assert names[2:] == ["janino-", "commons-compiler-"]
    command = program.command(["a.properties", "in"], tmp_path)
    assert "-XX:SharedArchiveFile=a" in command
    assert command[-3:] == ("StreamsApplication", "a.properties", "in")
    assert "SYSTEM_ERR" in (tmp_path / "java-log4j2.properties").read_text()
