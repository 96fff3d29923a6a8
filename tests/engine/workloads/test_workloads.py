"""The configuration of a workload's clients from an arm's settings. No process is started."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from labs.calibration.cases import SPARK
from labs.engine.base.wait import Disturbed
from labs.engine.run import result
from labs.engine.scenarios import all_scenarios, find
from labs.engine.scenarios.model import TOPIC
from labs.engine.scenarios.steps import SHORT_SESSION
from labs.engine.workloads import BY_COMMIT, WORKLOADS, ArmContext, ProduceConsume, workload
from tests.engine.arms import arm


def clients(folder: Path, workload: str = "consume-process-sink", **stated: Any) -> ProduceConsume:
    settings = arm("described", **stated).settings
    context = ArmContext(
        settings, "127.0.0.1:1", TOPIC, 2000, folder, folder, folder, folder, SHORT_SESSION
    )
    return WORKLOADS[workload](context)


def test_every_scenario_names_an_existing_workload() -> None:
    names = {scenario.workload for scenario in all_scenarios()}
    assert names == {*WORKLOADS, BY_COMMIT}


def test_processing_and_sink_follow_the_described_application(tmp_path: Path) -> None:
    plain = clients(tmp_path).consumer_config()
    assert (plain.sink_style, plain.asynchronous) == ("plain", False)
    other = clients(
        tmp_path, application__sink="idempotent", application__processing="asynchronous"
    ).consumer_config()
    assert (other.sink_style, other.asynchronous, other.as_done) == ("idempotent", True, True)
    tracked = clients(tmp_path, application__commit_order="in-order").consumer_config()
    assert not tracked.as_done
    assert other.sink == plain.sink == str(tmp_path / "sink.sqlite")
    assert clients(tmp_path, "produce-consume").consumer_config().sink is None


def test_a_pinned_setting_overrides_the_described_one_and_both_are_reported(tmp_path: Path) -> None:
    stated: dict[str, Any] = {
        "consumer__session_timeout_ms": 20000,
        "consumer__max_poll_interval_ms": 4000,
    }
    client = clients(tmp_path, **stated).consumer_config().client
    assert (client["session.timeout.ms"], client["heartbeat.interval.ms"]) == (3000, 500)
    assert client["max.poll.interval.ms"] == 4000, "allowed, because the session is shorter"
    rows = result.shortened({}, arm("described", **stated).settings, {"consumer": SHORT_SESSION})
    (session,) = [row for row in rows if row["setting"] == "consumer session.timeout.ms"]
    assert (session["lab"], session["product"], session["described"]) == (3000, 45000, 20000)


def test_producer_pins_of_a_scenario_apply_to_the_producer_alone(tmp_path: Path) -> None:
    scenario = find("partition-added")
    settings = arm("described").settings
    context = ArmContext(
        settings, "127.0.0.1:1", TOPIC, 2000, tmp_path, tmp_path, tmp_path, tmp_path,
        scenario.consumer_pins, scenario.producer_pins,
    )  # fmt: skip
    workload = WORKLOADS[scenario.workload](context)
    name = "topic.metadata.refresh.interval.ms"
    assert (workload.producer_config().client[name], workload.consumer_config().client[name]) == (
        500,
        1000,
    )
    rows = result.shortened({}, settings, {"producer": scenario.producer_pins})
    assert {"setting": f"producer {name}", "lab": 500, "product": 300_000} == {
        key: value for key, value in rows[-1].items() if key != "why"
    }


@pytest.mark.parametrize(
    ("stated", "again"),
    [
        ({}, ()),
        ({"restart": "forgets"}, ()),
        ({"restart": "resumes"}, [7, 9]),
        ({"resend": "on-error"}, [7, 9]),
        ({"resend": "on-error", "restart": "forgets"}, ()),
    ],
)
def test_a_successor_resends_unanswered_values_if_the_application_does(
    tmp_path: Path, stated: dict[str, str], again: Any
) -> None:
    workload = clients(
        tmp_path, **{f"application__{name}": value for name, value in stated.items()}
    )
    assert (workload.producer_config().first, workload.producer_config().again) == (0, ())
    dead: Any = SimpleNamespace(latest={"next": 100, "unanswered": [7, 9]})
    workload.processes["producer"] = [dead]
    successor = workload.producer_config()
    assert (successor.name, successor.part, successor.first) == ("producer-1", "producer-2", 100)
    assert successor.again == again


@pytest.mark.parametrize(
    ("stated", "resend", "stops"),
    [
        ({}, False, True),
        ({"resend": "on-error"}, True, True),
        ({"delivery_errors": "ignored", "resend": "on-error"}, False, False),
    ],
)
def test_only_an_application_that_checks_delivery_errors_acts_on_a_failed_send(
    tmp_path: Path, stated: dict[str, str], resend: bool, stops: bool
) -> None:
    settings = {f"application__{name}": value for name, value in stated.items()}
    heeding = clients(tmp_path, "produce-heeding", **settings)
    config = heeding.producer_config()
    assert (config.resend, config.stops) == (resend, stops)
    assert not clients(tmp_path, "produce-consume", **settings).producer_config().stops
    stopped: Any = SimpleNamespace(latest={"next": 9, "unanswered": [7], "stopped": "a send"})
    heeding.processes["producer"] = [stopped]
    assert heeding.producer_config().again == [7], (
        "it knows what failed, whatever a crash would leave"
    )


def test_a_send_into_a_full_buffer_blocks_as_long_as_in_the_teams_client(tmp_path: Path) -> None:
    def block_s(settings: Any) -> float | None:
        context = replace(clients(tmp_path).arm, settings=settings)
        return ProduceConsume(context).producer_config().block_s

    java = arm("described", producer__max_block_ms=1500).settings
    assert block_s(java) == 1.5
    plain: dict[str, Any] = {"producer": {}, "topic": {}}
    assert block_s(plain) is None
    assert block_s({**plain, "application": {"delivery.errors": "ignored"}}) == 0.0


def test_replayed_records_are_older_than_the_retention(tmp_path: Path) -> None:
    replayed: dict[str, Any] = {"application__timestamps": "from-source"}
    day_ms = 86_400_000

    def age_ms(**stated: Any) -> int:
        return clients(tmp_path, "replay-sink", **stated).producer_config().age_ms

    assert age_ms() == 0
    assert age_ms(**replayed, topic__retention_ms=1000) == day_ms + 1000
    assert age_ms(**replayed, topic__retention_ms=-1) > 365 * day_ms
    assert clients(tmp_path, **replayed).producer_config().age_ms == 0, (
        "only where it is the failure"
    )


def test_messages_share_keys_only_in_the_shared_keys_workload(tmp_path: Path) -> None:
    shared = clients(tmp_path, "shared-keys-sink").producer_config()
    assert (shared.keyed, shared.keys) == (True, 100)
    own = clients(tmp_path, topic__cleanup_policy="compact").producer_config()
    assert (own.keyed, own.keys) == (True, 0)


def test_only_the_transactions_workload_sends_in_transactions(tmp_path: Path) -> None:
    transactional = {"producer__transactional_id": "orders-1"}
    workload = clients(tmp_path, "transactions-sink", **transactional)
    assert workload.producer_config().client["transactional.id"] == "orders-1"
    assert workload.producer_config().client["transaction.timeout.ms"] == 60000
    outside = clients(tmp_path, **transactional)
    assert "transactional.id" not in outside.producer_config().client
    assert any(
        "transactional.id=orders-1 is left out" in difference for difference in outside.differences
    )
    without = clients(tmp_path, "transactions-sink").producer_config().client
    assert "transaction.timeout.ms" not in without


def test_auto_commit_is_left_out_with_a_note_if_the_application_commits(
    tmp_path: Path,
) -> None:
    workload = clients(
        tmp_path, application__commit="after-processing", consumer__enable_auto_commit=True
    )
    assert any(
        "enable.auto.commit=true is left out" in difference for difference in workload.differences
    )
    auto_only = clients(tmp_path, application__commit="auto")
    assert not any("enable.auto.commit" in difference for difference in auto_only.differences)


IN_TRANSACTION: dict[str, Any] = {
    "producer__transactional_id": "orders-1",
    "application__commit": "in-transaction",
}


@pytest.mark.parametrize("name", ["consume-process-commit", "consume-process-sink"])
def test_an_application_that_commits_in_transactions_has_a_topic_as_sink(
    name: str,
) -> None:
    database, topic = WORKLOADS["consume-process-sink"], WORKLOADS["consume-transform-produce"]
    chosen = topic if name == BY_COMMIT else database
    assert workload(name, arm("described", **IN_TRANSACTION).settings) is chosen
    assert workload(name, arm("described").settings) is database
    nameless = {"application": {"commit": "in-transaction"}, "producer": {}}  # as in Streams
    assert workload(name, nameless) is database


def test_only_the_transforming_application_has_transactions_not_the_producer_of_its_input(
    tmp_path: Path,
) -> None:
    workload = clients(tmp_path, "consume-transform-produce", **IN_TRANSACTION)
    instance: Any = workload.consumer_config()
    assert instance.producer["transactional.id"] == "orders-1"
    assert (instance.in_transaction, instance.rewinds, instance.sink) == (True, True, None)
    assert "transactional.id" not in workload.producer_config().client
    assert any("another producer fills" in difference for difference in workload.differences)
    assert not any("transactional.id" in difference for difference in workload.differences)
    assert len(set(workload.differences)) == len(workload.differences)


@pytest.mark.parametrize("is_transactional", [True, False])
def test_another_instance_has_its_own_transactional_id(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_transactional: bool
) -> None:
    workload = clients(
        tmp_path, "consume-transform-produce", **(IN_TRANSACTION if is_transactional else {})
    )
    started: list[Any] = []
    monkeypatch.setattr(workload, "start_client", lambda _role, config: started.append(config))
    workload.join()
    assert started[0].producer.get("transactional.id") == (
        "orders-1-consumer-1" if is_transactional else None
    )


def test_only_static_members_have_group_instance_ids_and_each_its_own(tmp_path: Path) -> None:
    static = clients(tmp_path, "static-members-sink", consumer__group_instance_id="reader-1")
    first = static.consumer_config()
    static.processes["consumer"] = [SimpleNamespace()]  # type: ignore[list-item]
    second = static.consumer_config()
    assert first.client["group.instance.id"] == "reader-1"
    assert second.client["group.instance.id"] == f"reader-1-{second.name}"
    assert second.name != first.name
    assert (
        "group.instance.id" not in clients(tmp_path, "static-members-sink").consumer_config().client
    )
    other = clients(tmp_path, consumer__group_instance_id="reader-1")
    assert "group.instance.id" not in other.consumer_config().client


@pytest.mark.parametrize(("name", "is_disturbed"), [
    ("consume-process-sink", True), ("consume-transform-produce", True), ("produce-consume", False)
])  # fmt: skip
def test_a_group_slower_than_the_load_disturbs_only_runs_that_count_effects(
    tmp_path: Path, name: str, is_disturbed: bool
) -> None:
    client = clients(tmp_path, name)
    member: Any = SimpleNamespace(
        killed=False, ask_to_stop=lambda: None, await_end=lambda _: {"behind": True}
    )
    client.processes["consumer"] = [member]
    with pytest.raises(Disturbed, match="slower than the load") if is_disturbed else nullcontext():
        client.stop_consumer()


def test_values_have_the_chosen_length(tmp_path: Path) -> None:
    workload = clients(tmp_path)
    assert workload.producer_config().value_bytes == 0
    longer = type(workload)(replace(workload.arm, value_bytes=500))
    assert longer.producer_config().value_bytes == 500


def test_a_consumer_that_stands_for_a_spark_query_is_reported(tmp_path: Path) -> None:
    text = " ".join(clients(tmp_path, "produce-consume", **SPARK).differences)
    assert "Spark itself is not run" in text
    assert "Spark itself is not run" not in " ".join(clients(tmp_path).differences)
    assert "Spark itself is not run" not in " ".join(
        clients(tmp_path, "spark-query", **SPARK).differences
    )
