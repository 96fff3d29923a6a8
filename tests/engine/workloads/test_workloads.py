"""What a workload tells its clients, from an arm's settings. No process is started."""

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
    place = ArmContext(
        settings, "127.0.0.1:1", TOPIC, 2000, folder, folder, folder, folder, SHORT_SESSION
    )
    return WORKLOADS[workload](place)


def test_every_scenario_names_a_workload_that_there_is() -> None:
    named = {scenario.workload for scenario in all_scenarios()}
    assert named == {*WORKLOADS, BY_COMMIT}


def test_processing_and_sink_are_the_applications(tmp_path: Path) -> None:
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


def test_what_a_scenario_pins_wins_and_is_said_beside_what_was_described(tmp_path: Path) -> None:
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


def test_what_a_scenario_sets_of_the_producer_goes_to_the_producer_alone(tmp_path: Path) -> None:
    scenario = find("partition-added")
    settings = arm("described").settings
    place = ArmContext(
        settings, "127.0.0.1:1", TOPIC, 2000, tmp_path, tmp_path, tmp_path, tmp_path,
        scenario.consumer_pins, scenario.producer_pins,
    )  # fmt: skip
    workload = WORKLOADS[scenario.workload](place)
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
def test_a_successor_sends_again_if_that_is_the_applications_habit(
    tmp_path: Path, stated: dict[str, str], again: Any
) -> None:
    workload = clients(tmp_path, **{f"application__{name}": word for name, word in stated.items()})
    assert (workload.producer_config().first, workload.producer_config().again) == (0, ())
    dead: Any = SimpleNamespace(latest={"next": 100, "unanswered": [7, 9]})
    workload.processes["producer"] = [dead]
    following = workload.producer_config()
    assert (following.name, following.part, following.first) == ("producer-1", "producer-2", 100)
    assert following.again == again


@pytest.mark.parametrize(
    ("stated", "resend", "stops"),
    [
        ({}, False, True),
        ({"resend": "on-error"}, True, True),
        ({"delivery_errors": "ignored", "resend": "on-error"}, False, False),
    ],
)
def test_a_failed_send_is_the_business_of_who_looks_at_it(
    tmp_path: Path, stated: dict[str, str], resend: bool, stops: bool
) -> None:
    settings = {f"application__{name}": word for name, word in stated.items()}
    heeding = clients(tmp_path, "produce-heeding", **settings)
    config = heeding.producer_config()
    assert (config.resend, config.stops) == (resend, stops)
    assert not clients(tmp_path, "produce-consume", **settings).producer_config().stops
    stopped: Any = SimpleNamespace(latest={"next": 9, "unanswered": [7], "stopped": "a send"})
    heeding.processes["producer"] = [stopped]
    assert heeding.producer_config().again == [7], (
        "it knows what failed, whatever a crash would leave"
    )


def test_who_waits_for_room_in_a_full_buffer_and_for_how_long(tmp_path: Path) -> None:
    def block_s(settings: Any) -> float | None:
        place = replace(clients(tmp_path).arm, settings=settings)
        return ProduceConsume(place).producer_config().block_s

    java = arm("described", producer__max_block_ms=1500).settings
    assert block_s(java) == 1.5
    plain: dict[str, Any] = {"producer": {}, "topic": {}}
    assert block_s(plain) is None
    assert block_s({**plain, "application": {"delivery.errors": "ignored"}}) == 0.0


def test_a_replay_is_older_than_what_is_kept(tmp_path: Path) -> None:
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


def test_messages_share_keys_where_the_log_is_compacted_for_it(tmp_path: Path) -> None:
    shared = clients(tmp_path, "shared-keys-sink").producer_config()
    assert (shared.keyed, shared.keys) == (True, 100)
    own = clients(tmp_path, topic__cleanup_policy="compact").producer_config()
    assert (own.keyed, own.keys) == (True, 0)


def test_transactions_are_left_to_the_workload_that_has_them(tmp_path: Path) -> None:
    named = {"producer__transactional_id": "orders-1"}
    workload = clients(tmp_path, "transactions-sink", **named)
    assert workload.producer_config().client["transactional.id"] == "orders-1"
    assert workload.producer_config().client["transaction.timeout.ms"] == 60000
    outside = clients(tmp_path, **named)
    assert "transactional.id" not in outside.producer_config().client
    assert any(
        "transactional.id=orders-1 is left out" in difference for difference in outside.differences
    )
    without = clients(tmp_path, "transactions-sink").producer_config().client
    assert "transaction.timeout.ms" not in without


def test_an_automatic_commit_beside_the_applications_own_is_left_out_and_said(
    tmp_path: Path,
) -> None:
    workload = clients(
        tmp_path, application__commit="after-processing", consumer__enable_auto_commit=True
    )
    assert any(
        "enable.auto.commit=true is left out" in difference for difference in workload.differences
    )
    alone = clients(tmp_path, application__commit="auto")
    assert not any("enable.auto.commit" in difference for difference in alone.differences)


IN_TRANSACTION: dict[str, Any] = {
    "producer__transactional_id": "orders-1",
    "application__commit": "in-transaction",
}


@pytest.mark.parametrize("name", ["consume-process-commit", "consume-process-sink"])
def test_who_commits_in_a_transaction_has_a_topic_for_a_sink_where_the_reader_fails(
    name: str,
) -> None:
    database, topic = WORKLOADS["consume-process-sink"], WORKLOADS["consume-transform-produce"]
    chosen = topic if name == BY_COMMIT else database
    assert workload(name, arm("described", **IN_TRANSACTION).settings) is chosen
    assert workload(name, arm("described").settings) is database
    nameless = {"application": {"commit": "in-transaction"}, "producer": {}}  # as in Streams
    assert workload(name, nameless) is database


def test_a_transforming_application_has_the_described_producer_and_its_feed_no_transactions(
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


@pytest.mark.parametrize("named", [True, False])
def test_one_more_instance_has_a_name_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: bool
) -> None:
    workload = clients(tmp_path, "consume-transform-produce", **(IN_TRANSACTION if named else {}))
    started: list[Any] = []
    monkeypatch.setattr(workload, "start_client", lambda _role, config: started.append(config))
    workload.join()
    assert started[0].producer.get("transactional.id") == ("orders-1-consumer-1" if named else None)


def test_static_members_have_names_of_their_own_and_others_none(tmp_path: Path) -> None:
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


@pytest.mark.parametrize(("name", "owes"), [
    ("consume-process-sink", True), ("consume-transform-produce", True), ("produce-consume", False)
])  # fmt: skip
def test_a_group_that_is_slower_than_the_load_owes_effects_and_no_more(
    tmp_path: Path, name: str, owes: bool
) -> None:
    client = clients(tmp_path, name)
    member: Any = SimpleNamespace(
        killed=False, ask_to_stop=lambda: None, await_end=lambda _: {"behind": True}
    )
    client.processes["consumer"] = [member]
    with pytest.raises(Disturbed, match="slower than the load") if owes else nullcontext():
        client.stop_consumer()


def test_values_are_as_long_as_was_chosen(tmp_path: Path) -> None:
    workload = clients(tmp_path)
    assert workload.producer_config().value_bytes == 0
    longer = type(workload)(replace(workload.arm, value_bytes=500))
    assert longer.producer_config().value_bytes == 500


def test_a_reader_that_stands_for_a_query_says_that_spark_is_not_run(tmp_path: Path) -> None:
    text = " ".join(clients(tmp_path, "produce-consume", **SPARK).differences)
    assert "Spark itself is not run" in text
    assert "Spark itself is not run" not in " ".join(clients(tmp_path).differences)
    assert "Spark itself is not run" not in " ".join(
        clients(tmp_path, "spark-query", **SPARK).differences
    )
