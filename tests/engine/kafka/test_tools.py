"""Which releases of Kafka's own clients can be run, and on which class path."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from labs.engine.distributions import distribution
from labs.engine.distributions.distribution import LOCKS, UnknownVersion, kafka_versions, parse_lock
from labs.engine.programs import tools as module
from labs.engine.programs.tools import tool_release, tool_versions, tools


def test_every_release_of_the_brokers_has_its_clients() -> None:
    assert tool_versions() == kafka_versions()
    assert tool_release("3.9") == "3.9.2"
    assert tool_release("4.3") == tool_versions()[0]
    for none in ("4.4", "3", "2.8", "", "4.3.1; rm"):
        assert tool_release(none) is None


@pytest.mark.parametrize("version", tool_versions())
def test_a_lock_has_the_tools_and_the_brokers_have_the_rest(version: str) -> None:
    of = [parse_lock((LOCKS / f"{name}-{version}.txt").read_text()) for name in ("kafka", "tools")]
    brokers, own = ({jar.artifact for jar in jars} for jars in of)
    assert own == {"kafka-tools"}
    assert {"kafka-clients", "argparse4j"} <= brokers


@pytest.fixture
def jars(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """Stands for what is installed: names of jars, of the brokers' release."""
    names = ["kafka-clients-1.jar"]

    def kafka(version: str, _progress: Any) -> Any:
        return SimpleNamespace(version=version, jars=[tmp_path / name for name in names])

    monkeypatch.setattr(distribution, "kafka", kafka)
    monkeypatch.setattr(
        distribution, "install", lambda name, _progress: (tmp_path / f"{name}.jar",)
    )
    monkeypatch.setattr(module, "has_archive", lambda *_: True)
    monkeypatch.setattr(module, "archive_options", lambda *_: ("-XX:SharedArchiveFile=a",))
    return names


JAVA: Any = SimpleNamespace(path=Path("java"))


def test_the_tools_stand_behind_the_brokers_jars_and_map_their_archive(
    jars: list[str], tmp_path: Path
) -> None:
    program = tools("4.3.1", JAVA)
    names = [Path(name).name.rstrip("0123456789.jar") for name in program.class_path.split(":")]
    assert names == ["kafka-clients-", "tools-", "janino-", "commons-compiler-"]
    assert "-XX:SharedArchiveFile=a" in program.java
    command = program.command(["produce", "orders"], tmp_path)
    source, *words = command[-4:]
    assert words == ["ClientApplication", "produce", "orders"]
    assert "class Owner {" in Path(source).read_text()


@pytest.mark.parametrize("version", ["4.4.0", "4.3", "", "../4.3.1"])
def test_a_release_without_a_lock_is_refused_with_those_that_have_one(version: str) -> None:
    with pytest.raises(UnknownVersion, match=r"these can: 4\.3\.1"):
        tools(version, JAVA)
