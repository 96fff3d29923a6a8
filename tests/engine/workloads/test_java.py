"""What Kafka's Java clients are told, from an arm's settings, and what is left to librdkafka."""

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
    return JavaProduceConsume(place(folder, settings, java))


def place(folder: Path, settings: Settings, java: JavaProgram | None) -> ArmContext:
    return ArmContext(
        settings, "127.0.0.1:1", "orders", 500, folder, folder, folder, folder, java_clients=java
    )


def client_command(command: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """The properties of the client that is started, and the other words of its command."""
    role, file, *rest = command[command.index("ClientApplication") + 1 :]
    return in_file(file), [role, *rest]


def in_file(name: str) -> dict[str, str]:
    return dict(line.split("=", 1) for line in Path(name).read_text("ascii").splitlines())


def producer(workload: JavaProduceConsume) -> tuple[dict[str, str], list[str]]:
    return client_command(workload.java_producer_config(workload.producer_config()).command)


def consumer(workload: JavaProduceConsume) -> tuple[dict[str, str], list[str]]:
    return client_command(workload.java_consumer_config(workload.consumer_config()).command)


def test_the_producer_has_the_teams_settings_and_no_others(tmp_path: Path) -> None:
    stated: dict[str, Any] = {"producer__acks": "1", "producer__transactional_id": "orders-1"}
    workload = clients(tmp_path, **stated, producer__enable_idempotence=False)
    file, rest = producer(workload)
    assert rest == ["produce", "orders", "500", "plain", "forgets", "30000"]
    assert (file["acks"], file["enable.idempotence"]) == ("1", "false")
    assert (file["retries"], file["client.id"]) == ("2147483647", "producer-1")
    assert not {"transactional.id", "transaction.timeout.ms"} & file.keys()
    (left,) = (text for text in workload.differences if "is left out" in text)
    assert left.startswith("producer transactional.id=orders-1")
    assert not workload.pinned, "Java's clients keep what the team has"
    assert set(workload.played_by.values()) == {
        f"a {role} with the Java client of Kafka 4.3.1" for role in ("producer", "consumer")
    }


def test_an_application_that_sends_again_is_one_here_too(tmp_path: Path) -> None:
    workload = clients(tmp_path, application__resend="on-error")
    assert producer(workload)[1][4] == "resends"
    assert workload.java_producer_config(workload.producer_config()).resend


def test_a_compacted_topic_gets_the_value_as_key(tmp_path: Path) -> None:
    assert producer(clients(tmp_path, topic__cleanup_policy="compact"))[1][3] == "keyed"


@pytest.mark.parametrize(
    ("commit", "enabled", "words", "in_properties"),
    [
        ("auto", True, "client", "true"),
        ("auto", False, "client", "false"),  # who commits never
        ("after-processing", True, "after-processing", "false"),
        ("before-processing", False, "before-processing", "false"),
        ("in-transaction", False, "after-processing", "false"),
    ],
)
def test_the_group_commits_as_the_application_does(
    tmp_path: Path, commit: str, enabled: bool, words: str, in_properties: str
) -> None:
    stated: dict[str, Any] = {
        "application__commit": commit, "consumer__enable_auto_commit": enabled,
    }  # fmt: skip
    workload = clients(tmp_path, **stated, consumer__session_timeout_ms=9000)
    file, rest = consumer(workload)
    assert rest == ["read", "-", "orders", "-", words, "rewinds", "closes"]
    assert file["enable.auto.commit"] == in_properties
    assert (file["session.timeout.ms"], file["group.id"]) == ("9000", "app")
    assert (file["isolation.level"], file["auto.offset.reset"]) == ("read_uncommitted", "latest")
    java = workload.java_consumer_config(workload.consumer_config())
    assert java.reports_commits == (words != "client")


def test_the_new_group_protocol_has_no_session_of_the_clients(tmp_path: Path) -> None:
    file, _ = consumer(clients(tmp_path, consumer__group_protocol="consumer"))
    assert file["group.protocol"] == "consumer"
    assert not {"heartbeat.interval.ms", "session.timeout.ms"} & file.keys()
    assert consumer(clients(tmp_path))[0]["heartbeat.interval.ms"] == "3000"


def test_nothing_that_was_described_can_end_a_line_of_the_file(tmp_path: Path) -> None:
    workload = clients(tmp_path)
    workload.arm.settings["producer"]["client.rack"] = "a\nacks=0\\"  # type: ignore[index]
    file, _ = producer(workload)
    assert file["client.rack"] == "a\\u000aacks=0\\u005c"
    assert file["acks"] == "all"


def test_where_something_is_done_to_a_client_there_is_no_choice() -> None:
    settings = arm("described").settings
    names = {str(scenario.workload) for scenario in all_scenarios()} - {BY_COMMIT}
    assert workload("produce-consume", settings, java=True) is JavaProduceConsume
    for name in names - JAVA.keys():
        with pytest.raises(ValueError, match="has no Java clients"):
            workload(name, settings, java=True)


def test_where_it_hangs_on_the_commit_who_commits_in_the_transaction_has_java() -> None:
    in_transactions = arm("described", **IN_TRANSACTIONS).settings
    assert workload(BY_COMMIT, in_transactions, java=True) is JavaConsumeTransformProduce
    assert workload(BY_COMMIT, arm("described").settings, java=True) is ConsumeProcessSink


def test_java_clients_without_their_jars_are_refused(tmp_path: Path) -> None:
    without = place(tmp_path, arm("described").settings, None)
    with pytest.raises(ValueError, match="need their jars"):
        JavaProduceConsume(without)


IN_TRANSACTIONS: dict[str, Any] = {
    "producer__transactional_id": "orders-1",
    "consumer__enable_auto_commit": False,
    "consumer__isolation_level": "read_committed",
    "application__commit": "in-transaction",
}


def transformer(folder: Path, **stated: Any) -> JavaConsumeTransformProduce:
    settings = arm("described", **stated).settings
    made = workload("consume-transform-produce", settings, java=True)
    data = made(replace(place(folder, settings, JAVA_CLIENTS), pinned=SHORT_SESSION))
    assert isinstance(data, JavaConsumeTransformProduce)
    return data


def files(
    workload: JavaConsumeTransformProduce,
) -> tuple[dict[str, str], dict[str, str], list[str]]:
    """What its consumer and its producer are told, and the other arguments."""
    reads, rest = client_command(workload.java_config(workload.consumer_config()).command)
    return reads, in_file(rest[1]), [rest[0], *rest[2:]]


def test_the_transforming_application_has_the_teams_settings(tmp_path: Path) -> None:
    workload = transformer(tmp_path, **IN_TRANSACTIONS, producer__linger_ms=7)
    reads, writes, rest = files(workload)
    assert rest == ["read", "orders", "orders-made", "in-transaction", "rewinds", "ends"]
    assert (writes["transactional.id"], writes["linger.ms"]) == ("orders-1", "7")
    assert (reads["group.id"], reads["session.timeout.ms"]) == ("app", "3000")
    assert (reads["isolation.level"], reads["enable.auto.commit"]) == ("read_committed", "false")
    assert workload.java_config(workload.consumer_config()).reports_commits
    assert workload.played_by["consumer"].endswith("Java clients of Kafka 4.3.1")
    assert workload.played_by["producer"].startswith("librdkafka")
    assert any("filled by librdkafka" in difference for difference in workload.differences)


def test_one_that_commits_by_its_client_leaves_that_to_it(tmp_path: Path) -> None:
    auto = {"application__commit": "auto", "application__processing_errors": "close"}
    workload = transformer(tmp_path, application__abort="continues", **auto)
    reads, writes, rest = files(workload)
    assert rest[3:] == ["client", "continues", "closes"]
    assert reads["enable.auto.commit"] == "true"
    assert "transactional.id" not in writes
    assert not workload.java_config(workload.consumer_config()).reports_commits


def test_who_asks_for_kafkas_copier_is_told_who_plays(tmp_path: Path) -> None:
    settings = arm("described", **IN_TRANSACTIONS).settings
    assert workload("produce-consume", settings, True, True) is JavaProduceConsume
    assert workload(BY_COMMIT, settings, True, True) is FormerCopier
    plays = FormerCopier(place(tmp_path, settings, JAVA_CLIENTS))
    assert plays.played_by["consumer"].startswith("an application with the Java clients")
    (text,) = (each for each in plays.differences if "TransactionalMessageCopier" in each)
    assert "was requested: the application here is the lab's" in text
    for scenario in all_scenarios():
        assert not scenario.copier or scenario.workload in (BY_COMMIT, COPIER_WORKLOAD)
