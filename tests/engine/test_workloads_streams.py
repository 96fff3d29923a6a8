"""What a Kafka Streams application is told, from an arm's settings, and where its effects are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from labs.engine.clients.translate import Pinned
from labs.engine.kafka.streams import Streams
from labs.engine.workloads import Place, workload
from labs.engine.workloads.streams import StreamsTopology
from tests.engine.arms import arm

STREAMS = Streams("4.3.1", ("java",), "jars")
PINNED = {"session.timeout.ms": Pinned(3000, 45000, "a run is short")}


def clients(folder: Path, name: str = "streams", **stated: Any) -> StreamsTopology:
    settings = arm("described", streams__commit_interval_ms=20000, **stated).settings
    place = Place(
        settings, "127.0.0.1:1", "orders", 500, folder, folder, folder, folder,
        pinned=PINNED, streams=STREAMS,
    )  # fmt: skip
    made = workload(name, settings)(place)
    assert isinstance(made, StreamsTopology)
    return made


def in_file(told: StreamsTopology) -> dict[str, str]:
    file = next(each for each in told._instance().command if each.endswith("-1.properties"))
    return dict(line.split("=", 1) for line in Path(file).read_text("ascii").splitlines())


def test_the_application_has_the_teams_settings_behind_their_prefixes(tmp_path: Path) -> None:
    told = clients(tmp_path, producer__acks="1", consumer__max_poll_records=7)
    file = in_file(told)
    assert file["processing.guarantee"] == "at_least_once"
    assert file["commit.interval.ms"] == "20000"
    assert (file["producer.acks"], file["consumer.max.poll.records"]) == ("1", "7")
    assert (file["application.id"], file["consumer.session.timeout.ms"]) == ("app", "3000")
    assert file["state.dir"] == str(tmp_path / "consumer-1")
    assert not {"consumer.isolation.level", "consumer.enable.auto.commit"} & file.keys()


def test_what_a_run_cannot_take_over_is_said(tmp_path: Path) -> None:
    own = "com.example.Drop"
    told = clients(tmp_path, streams__production_exception_handler=own)
    assert "production.exception.handler" not in in_file(told)
    assert any(own in said for said in told.differs)
    assert any("readers is not stated" in said for said in told.differs)
    assert not any("not run" in said for said in told.differs)
    assert told.played_by["consumer"] == "Kafka Streams 4.3.1"


@pytest.mark.parametrize(
    ("sink", "where"), [("topics", "-"), ("plain", "effects.txt"), ("idempotent", "effects.txt")]
)
def test_the_processor_talks_to_another_system_where_that_is_described(
    tmp_path: Path, sink: str, where: str
) -> None:
    command = clients(tmp_path, application__sink=sink)._instance().command
    assert Path(command[-1]).name == where


@pytest.mark.parametrize(("sink", "times"), [("plain", [2, 1]), ("idempotent", [1, 1])])
def test_an_idempotent_system_knows_what_it_was_told_before(
    tmp_path: Path, sink: str, times: list[int]
) -> None:
    told = clients(tmp_path, application__sink=sink)
    told._system.write_text("7\n8\n7\n")
    told._write_effects()
    rows = pq.read_table(tmp_path / "effects.parquet").sort_by("value").to_pydict()
    assert (rows["value"], rows["applied"]) == ([7, 8], times)
