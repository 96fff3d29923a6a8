"""What a Kafka Streams application is told, from an arm's settings, and where its effects are."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow.parquet as pq
import pytest

from labs.engine.clients.deliveries import Deliveries
from labs.engine.clients.translate import Pinned
from labs.engine.programs.java import JavaProgram
from labs.engine.workloads import ArmContext, workload
from labs.engine.workloads.streams import StreamsTopology
from labs.engine.workloads.streams_state import StatefulTopology
from tests.engine.arms import arm

STREAMS = JavaProgram("StreamsApplication", "4.3.1", ("java",), "jars")
PINNED = {"session.timeout.ms": Pinned(3000, 45000, "a run is short")}


def clients(folder: Path, name: str = "streams", **stated: Any) -> StreamsTopology:
    settings = arm("described", streams__commit_interval_ms=20000, **stated).settings
    place = ArmContext(
        settings, "127.0.0.1:1", "orders", 500, folder, folder, folder, folder,
        pinned=PINNED, streams=STREAMS,
    )  # fmt: skip
    made = workload(name, settings)(place)
    assert isinstance(made, StreamsTopology)
    return made


def in_file(workload: StreamsTopology) -> dict[str, str]:
    file = next(
        name for name in workload.instance_config().command if name.endswith("-1.properties")
    )
    return dict(line.split("=", 1) for line in Path(file).read_text("ascii").splitlines())


def test_the_application_has_the_teams_settings_behind_their_prefixes(tmp_path: Path) -> None:
    workload = clients(tmp_path, producer__acks="1", consumer__max_poll_records=7)
    file = in_file(workload)
    assert file["processing.guarantee"] == "at_least_once"
    assert file["commit.interval.ms"] == "20000"
    assert (file["producer.acks"], file["consumer.max.poll.records"]) == ("1", "7")
    assert (file["application.id"], file["consumer.session.timeout.ms"]) == ("app", "3000")
    assert file["state.dir"] == str(tmp_path / "consumer-1")
    assert not {"consumer.isolation.level", "consumer.enable.auto.commit"} & file.keys()


def test_what_a_run_cannot_take_over_is_said(tmp_path: Path) -> None:
    own = "com.example.Drop"
    workload = clients(tmp_path, streams__production_exception_handler=own)
    assert "production.exception.handler" not in in_file(workload)
    assert any(own in difference for difference in workload.differences)
    assert any("readers is not stated" in difference for difference in workload.differences)
    assert not any("not run" in difference for difference in workload.differences)
    assert any("keeps no state here" in difference for difference in workload.differences)
    assert workload.played_by["consumer"] == "Kafka Streams 4.3.1"


@pytest.mark.parametrize(
    ("sink", "where"), [("topics", "-"), ("plain", "effects.txt"), ("idempotent", "effects.txt")]
)
def test_the_processor_talks_to_another_system_where_that_is_described(
    tmp_path: Path, sink: str, where: str
) -> None:
    command = clients(tmp_path, application__sink=sink).instance_config().command
    assert Path(command[-1]).name == where


@pytest.mark.parametrize(("sink", "times"), [("plain", [2, 1]), ("idempotent", [1, 1])])
def test_an_idempotent_system_knows_what_it_was_told_before(
    tmp_path: Path, sink: str, times: list[int]
) -> None:
    workload = clients(tmp_path, application__sink=sink)
    workload.system_file.write_text("7\n8\n7\n")
    workload.write_effects()
    rows = pq.read_table(tmp_path / "effects.parquet").sort_by("value").to_pydict()
    assert (rows["value"], rows["applied"]) == ([7, 8], times)


@pytest.mark.parametrize(
    ("stated", "brokers", "copies", "least"),
    [
        ({"streams__replication_factor": 3, "streams__topic_min_insync_replicas": 2}, 3, 3, 2),
        ({"streams__replication_factor": 3, "streams__topic_min_insync_replicas": 2}, 1, 1, 1),
        ({"streams__replication_factor": -1, "broker__default_replication_factor": 2}, 3, 2, 1),
        ({"streams__replication_factor": -1}, 3, 1, 1),
    ],
)
def test_a_changelog_has_the_copies_that_were_described_if_there_are_brokers(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, stated: dict[str, Any], brokers: int,
    copies: int, least: int,
) -> None:  # fmt: skip
    class Admin:
        """Stands for a cluster of so many."""

        def __init__(self, _bootstrap: str) -> None:
            self.brokers = range(brokers)

        def __enter__(self) -> Admin:
            return self

        def __exit__(self, *_: object) -> None: ...

        def list_topics(self, timeout: float) -> Admin:
            return self

    monkeypatch.setattr("labs.engine.workloads.streams_state.quiet_admin", Admin)
    workload = clients(tmp_path, "streams-state", **stated)
    file = in_file(workload)
    assert file["replication.factor"] == str(copies)
    assert file["topic.min.insync.replicas"] == str(least)
    assert not any("keeps no state" in difference for difference in workload.differences)
    assert not any("the output is read" in difference for difference in workload.differences)
    less = any(
        "replication.factor: 1 instead of 3" in difference for difference in workload.differences
    )
    assert less == (brokers == 1)


def test_what_the_state_does_not_count_is_lost_and_without_effect(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    workload = clients(tmp_path, "streams-state")
    assert isinstance(workload, StatefulTopology)
    for group, values in (("app", (7, 8, 8)), ("final", (9,))):
        handed = Deliveries(tmp_path, group, group, "read_committed")
        for offset, value in enumerate(values):
            handed.add_record("orders", 0, offset, value, 1)
        handed.close()
    kept = SimpleNamespace(latest={"kept": {"8": 2}})
    monkeypatch.setattr(workload, "client", lambda _role: kept)
    assert workload.read_effects()
    state = pq.read_table(tmp_path / "state.parquet").sort_by("key").to_pydict()
    assert (state["key"], state["expected"], state["actual"]) == (["7", "8"], [1, 1], [0, 2])
    effects = pq.read_table(tmp_path / "effects.parquet").to_pydict()
    assert (effects["value"], effects["applied"]) == ([8], [2])
