"""The configuration of a Kafka Streams application from an arm's settings, and its effects."""

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
    context = ArmContext(
        settings, "127.0.0.1:1", "orders", 500, folder, folder, folder, folder,
        pinned=PINNED, streams=STREAMS,
    )  # fmt: skip
    instance = workload(name, settings)(context)
    assert isinstance(instance, StreamsTopology)
    return instance


def properties_of(workload: StreamsTopology) -> dict[str, str]:
    properties_file = next(
        name for name in workload.instance_config().command if name.endswith("-1.properties")
    )
    return dict(
        line.split("=", 1) for line in Path(properties_file).read_text("ascii").splitlines()
    )


def test_the_application_has_the_teams_settings_with_prefixes(tmp_path: Path) -> None:
    workload = clients(tmp_path, producer__acks="1", consumer__max_poll_records=7)
    properties = properties_of(workload)
    assert properties["processing.guarantee"] == "at_least_once"
    assert properties["commit.interval.ms"] == "20000"
    assert (properties["producer.acks"], properties["consumer.max.poll.records"]) == ("1", "7")
    assert (properties["application.id"], properties["consumer.session.timeout.ms"]) == (
        "app",
        "3000",
    )
    assert properties["state.dir"] == str(tmp_path / "consumer-1")
    assert not {"consumer.isolation.level", "consumer.enable.auto.commit"} & properties.keys()


def test_settings_that_a_run_cannot_use_are_reported(tmp_path: Path) -> None:
    handler = "com.example.Drop"
    workload = clients(tmp_path, streams__production_exception_handler=handler)
    assert "production.exception.handler" not in properties_of(workload)
    assert any(handler in difference for difference in workload.differences)
    assert any("readers is not stated" in difference for difference in workload.differences)
    assert not any("not run" in difference for difference in workload.differences)
    assert any("keeps no state here" in difference for difference in workload.differences)
    assert workload.played_by["consumer"] == "Kafka Streams 4.3.1"


@pytest.mark.parametrize(
    ("sink", "file_name"),
    [("topics", "-"), ("plain", "effects.txt"), ("idempotent", "effects.txt")],
)
def test_the_processor_writes_to_a_file_if_the_sink_is_another_system(
    tmp_path: Path, sink: str, file_name: str
) -> None:
    command = clients(tmp_path, application__sink=sink).instance_config().command
    assert Path(command[-1]).name == file_name


@pytest.mark.parametrize(("sink", "applied"), [("plain", [2, 1]), ("idempotent", [1, 1])])
def test_an_idempotent_system_applies_each_value_once(
    tmp_path: Path, sink: str, applied: list[int]
) -> None:
    workload = clients(tmp_path, application__sink=sink)
    workload.system_file.write_text("7\n8\n7\n")
    workload.write_effects()
    rows = pq.read_table(tmp_path / "effects.parquet").sort_by("value").to_pydict()
    assert (rows["value"], rows["applied"]) == ([7, 8], applied)


@pytest.mark.parametrize(
    ("stated", "brokers", "copies", "min_isr"),
    [
        ({"streams__replication_factor": 3, "streams__topic_min_insync_replicas": 2}, 3, 3, 2),
        ({"streams__replication_factor": 3, "streams__topic_min_insync_replicas": 2}, 1, 1, 1),
        ({"streams__replication_factor": -1, "broker__default_replication_factor": 2}, 3, 2, 1),
        ({"streams__replication_factor": -1}, 3, 1, 1),
    ],
)
def test_a_changelog_has_the_described_copies_if_there_are_enough_brokers(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, stated: dict[str, Any], brokers: int,
    copies: int, min_isr: int,
) -> None:  # fmt: skip
    class Admin:
        """Stands in for a cluster with this number of brokers."""

        def __init__(self, _bootstrap: str) -> None:
            self.brokers = range(brokers)

        def __enter__(self) -> Admin:
            return self

        def __exit__(self, *_: object) -> None: ...

        def list_topics(self, timeout: float) -> Admin:
            return self

    monkeypatch.setattr("labs.engine.workloads.streams_state.quiet_admin", Admin)
    workload = clients(tmp_path, "streams-state", **stated)
    properties = properties_of(workload)
    assert properties["replication.factor"] == str(copies)
    assert properties["topic.min.insync.replicas"] == str(min_isr)
    assert not any("keeps no state" in difference for difference in workload.differences)
    assert not any("the output is read" in difference for difference in workload.differences)
    is_reduced = any(
        "replication.factor: 1 instead of 3" in difference for difference in workload.differences
    )
    assert is_reduced == (brokers == 1)


def test_a_message_missing_from_the_state_is_lost_state_and_has_no_effect(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    workload = clients(tmp_path, "streams-state")
    assert isinstance(workload, StatefulTopology)
    for group, values in (("app", (7, 8, 8)), ("final", (9,))):
        deliveries = Deliveries(tmp_path, group, group, "read_committed")
        for offset, value in enumerate(values):
            deliveries.add_record("orders", 0, offset, value, 1)
        deliveries.close()
    client = SimpleNamespace(latest={"kept": {"8": 2}})
    monkeypatch.setattr(workload, "client", lambda _role: client)
    assert workload.read_effects()
    state = pq.read_table(tmp_path / "state.parquet").sort_by("key").to_pydict()
    assert (state["key"], state["expected"], state["actual"]) == (["7", "8"], [1, 1], [0, 2])
    effects = pq.read_table(tmp_path / "effects.parquet").to_pydict()
    assert (effects["value"], effects["applied"]) == ([8], [2])
