"""The configuration of Kafka's Java clients from an arm's settings, and the use of librdkafka."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from labs.engine.plan.spec import Settings
from labs.engine.programs.java import JavaProgram
from labs.engine.scenarios import all_scenarios
from labs.engine.scenarios.steps import SHORT_SESSION
from labs.engine.workloads import BY_COMMIT, COPIER_WORKLOAD, JAVA, ArmContext, workload
from labs.engine.workloads.consume_process_sink import ConsumeProcessSink
from labs.engine.workloads.consume_transform_produce_java import (
    FormerCopier,
    JavaConsumeTransformProduce,
)
from labs.engine.workloads.produce_consume_java import JavaProduceConsume
from tests.engine.arms import arm

JAVA_CLIENTS = JavaProgram("ClientApplication", "4.3.1", ("java",), "jars")


def clients(folder: Path, java: JavaProgram = JAVA_CLIENTS, **stated: Any) -> JavaProduceConsume:
    settings = arm("described", **stated).settings
    return JavaProduceConsume(arm_context(folder, settings, java))


def arm_context(folder: Path, settings: Settings, java: JavaProgram | None) -> ArmContext:
    return ArmContext(
        settings, "127.0.0.1:1", "orders", 500, folder, folder, folder, folder, java_clients=java
    )


def client_command(command: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """The properties of the client that is started, and the other arguments of its command."""
    role, properties_file, *rest = command[command.index("ClientApplication") + 1 :]
    return read_properties(properties_file), [role, *rest]


def read_properties(name: str) -> dict[str, str]:
    return dict(line.split("=", 1) for line in Path(name).read_text("ascii").splitlines())


def producer(workload: JavaProduceConsume) -> tuple[dict[str, str], list[str]]:
    return client_command(workload.java_producer_config(workload.producer_config()).command)


def consumer(workload: JavaProduceConsume) -> tuple[dict[str, str], list[str]]:
    return client_command(workload.java_consumer_config(workload.consumer_config()).command)


def test_the_producer_has_the_teams_settings_without_transactions(tmp_path: Path) -> None:
    stated: dict[str, Any] = {"producer__acks": "1", "producer__transactional_id": "orders-1"}
    workload = clients(tmp_path, **stated, producer__enable_idempotence=False)
    properties, rest = producer(workload)
    assert rest == ["produce", "orders", "500", "plain", "forgets", "30000"]
    assert (properties["acks"], properties["enable.idempotence"]) == ("1", "false")
    assert (properties["retries"], properties["client.id"]) == ("2147483647", "producer-1")
    assert not {"transactional.id", "transaction.timeout.ms"} & properties.keys()
    (difference,) = (text for text in workload.differences if "is left out" in text)
    assert difference.startswith("producer transactional.id=orders-1")
    assert not workload.pinned, "Java's clients keep what the team has"
    assert set(workload.played_by.values()) == {
        f"a {role} with the Java client of Kafka 4.3.1" for role in ("producer", "consumer")
    }


def test_an_application_that_resends_does_so_with_java_clients(tmp_path: Path) -> None:
    workload = clients(tmp_path, application__resend="on-error")
    assert producer(workload)[1][4] == "resends"
    assert workload.java_producer_config(workload.producer_config()).resend


def test_records_of_a_compacted_topic_have_the_value_as_key(tmp_path: Path) -> None:
    assert producer(clients(tmp_path, topic__cleanup_policy="compact"))[1][3] == "keyed"


@pytest.mark.parametrize(
    ("commit", "auto_commit", "commit_argument", "auto_commit_property"),
    [
        ("auto", True, "client", "true"),
        ("auto", False, "client", "false"),  # an application that never commits
        ("after-processing", True, "after-processing", "false"),
        ("before-processing", False, "before-processing", "false"),
        ("in-transaction", False, "after-processing", "false"),
    ],
)
def test_the_group_commits_as_described_for_the_application(
    tmp_path: Path, commit: str, auto_commit: bool, commit_argument: str, auto_commit_property: str
) -> None:
    stated: dict[str, Any] = {
        "application__commit": commit, "consumer__enable_auto_commit": auto_commit,
    }  # fmt: skip
    workload = clients(tmp_path, **stated, consumer__session_timeout_ms=9000)
    properties, rest = consumer(workload)
    assert rest == ["read", "-", "orders", "-", commit_argument, "rewinds", "closes"]
    assert properties["enable.auto.commit"] == auto_commit_property
    assert (properties["session.timeout.ms"], properties["group.id"]) == ("9000", "app")
    assert (properties["isolation.level"], properties["auto.offset.reset"]) == (
        "read_uncommitted",
        "latest",
    )
    java = workload.java_consumer_config(workload.consumer_config())
    assert java.reports_commits == (commit_argument != "client")


def test_with_the_consumer_group_protocol_session_settings_are_left_out(tmp_path: Path) -> None:
    properties, _ = consumer(clients(tmp_path, consumer__group_protocol="consumer"))
    assert properties["group.protocol"] == "consumer"
    assert not {"heartbeat.interval.ms", "session.timeout.ms"} & properties.keys()
    assert consumer(clients(tmp_path))[0]["heartbeat.interval.ms"] == "3000"


def test_a_line_break_in_a_value_is_escaped_in_the_properties_file(tmp_path: Path) -> None:
    workload = clients(tmp_path)
    workload.arm.settings["producer"]["client.rack"] = "a\nacks=0\\"  # type: ignore[index]
    properties, _ = producer(workload)
    assert properties["client.rack"] == "a\\u000aacks=0\\u005c"
    assert properties["acks"] == "all"


def test_workloads_without_java_clients_refuse_them() -> None:
    settings = arm("described").settings
    names = {str(scenario.workload) for scenario in all_scenarios()} - {BY_COMMIT}
    assert workload("produce-consume", settings, java=True) is JavaProduceConsume
    for name in names - JAVA.keys():
        with pytest.raises(ValueError, match="has no Java clients"):
            workload(name, settings, java=True)


def test_if_the_workload_follows_from_the_commit_only_transactions_have_java_clients() -> None:
    in_transactions = arm("described", **IN_TRANSACTIONS).settings
    assert workload(BY_COMMIT, in_transactions, java=True) is JavaConsumeTransformProduce
    assert workload(BY_COMMIT, arm("described").settings, java=True) is ConsumeProcessSink


def test_java_clients_without_jars_are_refused(tmp_path: Path) -> None:
    context = arm_context(tmp_path, arm("described").settings, None)
    with pytest.raises(ValueError, match="need their jars"):
        JavaProduceConsume(context)


IN_TRANSACTIONS: dict[str, Any] = {
    "producer__transactional_id": "orders-1",
    "consumer__enable_auto_commit": False,
    "consumer__isolation_level": "read_committed",
    "application__commit": "in-transaction",
}


def transformer(folder: Path, **stated: Any) -> JavaConsumeTransformProduce:
    settings = arm("described", **stated).settings
    workload_class = workload("consume-transform-produce", settings, java=True)
    instance = workload_class(
        replace(arm_context(folder, settings, JAVA_CLIENTS), pinned=SHORT_SESSION)
    )
    assert isinstance(instance, JavaConsumeTransformProduce)
    return instance


def configuration(
    workload: JavaConsumeTransformProduce,
) -> tuple[dict[str, str], dict[str, str], list[str]]:
    """The properties of its consumer and its producer, and the other arguments."""
    consumer_properties, rest = client_command(
        workload.java_config(workload.consumer_config()).command
    )
    return consumer_properties, read_properties(rest[1]), [rest[0], *rest[2:]]


def test_the_transforming_application_has_the_teams_settings(tmp_path: Path) -> None:
    workload = transformer(tmp_path, **IN_TRANSACTIONS, producer__linger_ms=7)
    consumer_properties, producer_properties, rest = configuration(workload)
    assert rest == ["read", "orders", "orders-made", "in-transaction", "rewinds", "ends"]
    assert (producer_properties["transactional.id"], producer_properties["linger.ms"]) == (
        "orders-1",
        "7",
    )
    assert (consumer_properties["group.id"], consumer_properties["session.timeout.ms"]) == (
        "app",
        "3000",
    )
    assert (consumer_properties["isolation.level"], consumer_properties["enable.auto.commit"]) == (
        "read_committed",
        "false",
    )
    assert workload.java_config(workload.consumer_config()).reports_commits
    assert workload.played_by["consumer"].endswith("Java clients of Kafka 4.3.1")
    assert workload.played_by["producer"].startswith("librdkafka")
    assert any("filled by librdkafka" in difference for difference in workload.differences)


def test_a_transforming_application_with_auto_commit_has_no_transactions(tmp_path: Path) -> None:
    auto = {"application__commit": "auto", "application__processing_errors": "close"}
    workload = transformer(tmp_path, application__abort="continues", **auto)
    consumer_properties, producer_properties, rest = configuration(workload)
    assert rest[3:] == ["client", "continues", "closes"]
    assert consumer_properties["enable.auto.commit"] == "true"
    assert "transactional.id" not in producer_properties
    assert not workload.java_config(workload.consumer_config()).reports_commits


def test_a_requested_copier_is_replaced_by_the_labs_application_with_a_note(tmp_path: Path) -> None:
    settings = arm("described", **IN_TRANSACTIONS).settings
    assert workload("produce-consume", settings, True, True) is JavaProduceConsume
    assert workload(BY_COMMIT, settings, True, True) is FormerCopier
    copier = FormerCopier(arm_context(tmp_path, settings, JAVA_CLIENTS))
    assert copier.played_by["consumer"].startswith("an application with the Java clients")
    (text,) = (
        difference
        for difference in copier.differences
        if "TransactionalMessageCopier" in difference
    )
    assert "was requested: the application here is the lab's" in text
    for scenario in all_scenarios():
        assert not scenario.copier or scenario.workload in (BY_COMMIT, COPIER_WORKLOAD)
