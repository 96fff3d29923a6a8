"""What Kafka's own clients are told, from an arm's settings, and what is left to librdkafka."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from labs.engine.plan.spec import Settings
from labs.engine.programs.tools import Tools
from labs.engine.scenarios import all_scenarios
from labs.engine.scenarios.steps import SHORT_SESSION
from labs.engine.workloads import AS_COMMITTED, COPIED, JAVA, Place, workload
from labs.engine.workloads.consume_process_sink import ConsumeProcessSink
from labs.engine.workloads.consume_transform_produce_copier import (
    CopierConsumeTransformProduce,
    InsteadOfCopier,
)
from labs.engine.workloads.consume_transform_produce_java import JavaConsumeTransformProduce
from labs.engine.workloads.produce_consume_java import JavaProduceConsume, instead_of_java
from tests.engine.arms import arm

TOOLS = Tools("4.3.1", ("java",), "jars")


def clients(folder: Path, tools: Tools = TOOLS, **stated: Any) -> JavaProduceConsume:
    settings = arm("described", **stated).settings
    return JavaProduceConsume(place(folder, settings, tools))


def place(folder: Path, settings: Settings, tools: Tools | None) -> Place:
    return Place(
        settings, "127.0.0.1:1", "orders", 500, folder, folder, folder, folder, tools=tools
    )


def producer(workload: JavaProduceConsume) -> list[str]:
    return list(workload.java_producer_config(workload.producer_config()).command)


def consumer(workload: JavaProduceConsume) -> list[str]:
    return list(workload.java_consumer_config(workload.consumer_config()).command)


def after(command: list[str], argument: str) -> str:
    return command[command.index(argument) + 1]


def in_file(command: list[str], argument: str = "--command-config") -> dict[str, str]:
    lines = Path(after(command, argument)).read_text("ascii").splitlines()
    return dict(line.split("=", 1) for line in lines)


def test_the_producer_has_the_teams_settings_and_not_the_tools_own(tmp_path: Path) -> None:
    stated: dict[str, Any] = {"producer__acks": "1", "producer__transactional_id": "orders-1"}
    workload = clients(tmp_path, **stated, producer__enable_idempotence=False)
    command = producer(workload)
    assert command[0] == "java"
    assert command[2:5] == ["-cp", "jars", "org.apache.kafka.tools.VerifiableProducer"]
    assert (after(command, "--topic"), after(command, "--throughput")) == ("orders", "500")
    assert "--repeating-keys" not in command
    file = in_file(command)
    assert (file["acks"], file["enable.idempotence"]) == ("1", "false")
    assert file["retries"] == "2147483647", "the tool's own would be 0"
    assert not {"transactional.id", "transaction.timeout.ms"} & file.keys()
    assert any(
        "transactional.id=orders-1 is left out" in difference for difference in workload.differs
    )


def test_a_compacted_topic_gets_the_value_as_key(tmp_path: Path) -> None:
    command = producer(clients(tmp_path, topic__cleanup_policy="compact"))
    assert after(command, "--repeating-keys") == str(2**31 - 1)


def test_the_consumer_is_told_by_arguments_what_the_tool_takes_from_nowhere_else(
    tmp_path: Path,
) -> None:
    workload = clients(tmp_path, consumer__session_timeout_ms=9000, application__commit="auto")
    command = consumer(workload)
    assert after(command, "--session-timeout") == "9000"
    assert after(command, "--reset-policy") == "latest"
    assert {"--enable-autocommit", "--verbose"} <= set(command)
    assert after(command, "--assignment-strategy").endswith("CooperativeStickyAssignor")
    file = in_file(command)
    assert file["isolation.level"] == "read_uncommitted"
    assert not {"session.timeout.ms", "enable.auto.commit", "auto.offset.reset"} & file.keys()
    assert not workload.java_consumer_config(workload.consumer_config()).tells_commits


def test_an_application_that_commits_is_a_tool_that_commits_and_tells(tmp_path: Path) -> None:
    workload = clients(tmp_path, application__commit="after-processing")
    assert "--enable-autocommit" not in consumer(workload)
    assert workload.java_consumer_config(workload.consumer_config()).tells_commits


def test_the_new_group_protocol_has_no_session_of_the_clients(tmp_path: Path) -> None:
    command = consumer(clients(tmp_path, consumer__group_protocol="consumer"))
    assert after(command, "--group-protocol") == "consumer"
    assert "heartbeat.interval.ms" not in in_file(command)
    assert in_file(consumer(clients(tmp_path)))["heartbeat.interval.ms"] == "3000"
    assert not {"--session-timeout", "--assignment-strategy"} & set(command)


def test_older_releases_have_another_word_for_their_file(tmp_path: Path) -> None:
    older = clients(tmp_path, replace(TOOLS, version="4.1.2"))
    assert in_file(producer(older), "--producer.config")["acks"] == "all"
    assert in_file(consumer(older), "--consumer.config")["max.poll.records"] == "500"


def test_nothing_that_was_described_can_end_a_line_of_the_file(tmp_path: Path) -> None:
    workload = clients(tmp_path)
    workload.place.settings["producer"]["client.rack"] = "a\nacks=0\\"  # type: ignore[index]
    file = Path(after(producer(workload), "--command-config")).read_text("ascii")
    assert "client.rack=a\\u000aacks=0\\u005c\n" in file
    assert [line for line in file.splitlines() if line.startswith("acks=")] == ["acks=all"]


@pytest.mark.parametrize(
    ("stated", "version", "roles"),
    [
        ({}, "4.3.1", set()),
        ({"application__resend": "on-error"}, "4.3.1", {"producer"}),
        ({"application__commit": "before-processing"}, "4.3.1", {"consumer"}),
        ({"application__commit": "auto", "consumer__enable_auto_commit": False}, "4.3.1",
         {"consumer"}),
        ({"application__commit": "after-processing", "consumer__enable_auto_commit": False},
         "4.3.1", set()),
        ({"consumer__group_protocol": "consumer"}, "3.9.2", {"consumer"}),
        ({"consumer__group_protocol": "consumer"}, "4.0.2", set()),
    ],
)  # fmt: skip
def test_what_a_tool_cannot_do_is_left_to_librdkafka_and_said(
    tmp_path: Path, stated: dict[str, Any], version: str, roles: set[str]
) -> None:
    why = instead_of_java(arm("described", **stated).settings, version)
    assert set(why) == roles
    workload = clients(tmp_path, replace(TOOLS, version=version), **stated)
    for role, name in workload.played_by.items():
        assert name.startswith("librdkafka" if role in roles else "Verifiable")
    lines = [difference for difference in workload.differs if "is librdkafka" in difference]
    assert [f"the {role} is librdkafka: {why[role]}" for role in sorted(roles)] == lines
    assert bool(workload.pinned) == bool(roles), "Java's clients keep what the team has"


def test_where_something_is_done_to_a_client_there_is_no_choice() -> None:
    settings = arm("described").settings
    names = {str(scenario.workload) for scenario in all_scenarios()} - {AS_COMMITTED}
    assert workload("produce-consume", settings, java=True) is JavaProduceConsume
    for name in names - JAVA.keys():
        with pytest.raises(ValueError, match="has no Java clients"):
            workload(name, settings, java=True)


def test_where_it_hangs_on_the_commit_who_commits_in_the_transaction_has_java() -> None:
    in_transactions = arm("described", **IN_TRANSACTIONS).settings
    assert workload(AS_COMMITTED, in_transactions, java=True) is JavaConsumeTransformProduce
    assert workload(AS_COMMITTED, arm("described").settings, java=True) is ConsumeProcessSink


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
    data = made(replace(place(folder, settings, TOOLS), pinned=SHORT_SESSION))
    assert isinstance(data, JavaConsumeTransformProduce)
    return data


def files(
    workload: JavaConsumeTransformProduce,
) -> tuple[dict[str, str], dict[str, str], list[str]]:
    """What its consumer and its producer are told, and the other arguments."""
    command = workload.java_config(workload.consumer_config()).command
    reads, writes, *rest = command[command.index("TransformerApplication") + 1 :]
    lines = [Path(name).read_text("ascii").splitlines() for name in (reads, writes)]
    one, two = (dict(line.split("=", 1) for line in file) for file in lines)
    return one, two, rest


def test_the_transforming_application_has_the_teams_settings(tmp_path: Path) -> None:
    workload = transformer(tmp_path, **IN_TRANSACTIONS, producer__linger_ms=7)
    reads, writes, rest = files(workload)
    assert rest == ["orders", "orders-made", "in-transaction", "rewinds", "ends"]
    assert (writes["transactional.id"], writes["linger.ms"]) == ("orders-1", "7")
    assert (reads["group.id"], reads["session.timeout.ms"]) == ("app", "3000")
    assert (reads["isolation.level"], reads["enable.auto.commit"]) == ("read_committed", "false")
    assert workload.java_config(workload.consumer_config()).tells_commits
    assert workload.played_by["consumer"].endswith("Java clients of Kafka 4.3.1")
    assert workload.played_by["producer"].startswith("librdkafka")
    assert any("filled by librdkafka" in difference for difference in workload.differs)
    source = (tmp_path / "TransformerApplication.java").read_text()
    assert "class Owner {" in source


def test_one_that_commits_by_its_client_leaves_that_to_it(tmp_path: Path) -> None:
    auto = {"application__commit": "auto", "application__processing_errors": "close"}
    workload = transformer(tmp_path, application__abort="continues", **auto)
    reads, writes, rest = files(workload)
    assert rest[2:] == ["client", "continues", "closes"]
    assert reads["enable.auto.commit"] == "true"
    assert "transactional.id" not in writes
    assert not workload.java_config(workload.consumer_config()).tells_commits


def copier(
    folder: Path,
    kind: type[JavaConsumeTransformProduce] = CopierConsumeTransformProduce,
    **stated: Any,
) -> JavaConsumeTransformProduce:
    settings = arm("described", **stated).settings
    made = workload("consume-transform-produce", settings, java=True, copier=True)
    assert made is kind
    return kind(replace(place(folder, settings, TOOLS), pinned=SHORT_SESSION))


def test_kafkas_copier_is_told_what_it_takes_and_the_rest_is_said(tmp_path: Path) -> None:
    stated: dict[str, Any] = {"consumer__max_poll_records": 50, "producer__linger_ms": 7}
    workload = copier(tmp_path, **IN_TRANSACTIONS, **stated, producer__transaction_timeout_ms=9_000)
    java = workload.java_config(workload.consumer_config())
    command = list(java.command)
    assert "org.apache.kafka.tools.TransactionalMessageCopier" in command
    assert after(command, "--input-topic") == "orders"
    assert after(command, "--output-topic") == "orders-made"
    assert after(command, "--transactional-id") == "orders-1"
    assert after(command, "--transaction-timeout") == "9000"
    assert after(command, "--transaction-size") == "50"
    assert {"--group-mode", "--use-group-metadata"} <= {*command}
    assert java.tells_commits
    assert workload.modules == {"consumer": "java_copier"}
    assert workload.played_by["consumer"] == "TransactionalMessageCopier of Kafka 4.3.1"
    assert not workload.pinned_readers, "nobody can shorten its session"
    left = [
        difference for difference in workload.differs if "is left out: Transactional" in difference
    ]
    assert "producer linger.ms=7 is left out: TransactionalMessageCopier has 5" in left
    assert not any("max.poll.records" in name or "acks" in name for name in left)
    logging = tmp_path / "TransactionalMessageCopier-log4j2.properties"
    assert "TransactionManager" in logging.read_text()


@pytest.mark.parametrize(
    ("setting", "value", "why"),
    [
        ("consumer__isolation_level", "read_uncommitted", "read_committed, always"),
        ("application__abort", "continues", "it reads its input again, always"),
        ("application__commit", "after-processing", "in transactions, always"),
        ("producer__transactional_id", "", "in transactions, always"),
    ],
)
def test_where_kafkas_copier_would_do_something_else_our_application_plays(
    tmp_path: Path, setting: str, value: str, why: str
) -> None:
    stated = {**IN_TRANSACTIONS, setting: value}
    given = {key: item for key, item in stated.items() if item != ""}
    workload = copier(tmp_path, InsteadOfCopier, **given)
    assert workload.modules == {"consumer": "java_transformer"}
    assert workload.played_by["consumer"].startswith("an application with the Java clients")
    assert workload.pinned_readers == SHORT_SESSION
    (text,) = (difference for difference in workload.differs if "was asked for" in difference)
    assert text.endswith(why)


def test_only_the_workload_between_two_topics_has_kafkas_copier() -> None:
    settings = arm("described", **IN_TRANSACTIONS).settings
    assert workload("produce-consume", settings, True, True) is JavaProduceConsume
    assert workload(AS_COMMITTED, settings, True, True) is CopierConsumeTransformProduce
    for scenario in all_scenarios():
        assert not scenario.copier or scenario.workload in (AS_COMMITTED, COPIED)
