"""What tools and resources say of Kafka's own topics, which are no topic of a pipeline."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import STREAMS, TOPIC, C, assert_answer

ALONE = C.replace("topic.min.insync.replicas=2 ", "")
"""A topic whose minimum nobody states."""
ONCE = (
    "producer.transactional.id=a consumer.isolation.level=read_committed "
    "consumer.auto.offset.reset=none application.restart=resumes "
    "application.commit=in-transaction consumer.enable.auto.commit=false"
)
OFFSETS, STATE = "__consumer_offsets", "__transaction_state"

CREATED = (
    "kafka-topics.sh --create --topic t --replication-factor 3 --config min.insync.replicas=2\n"
)


def seen(topic: str, least: int) -> str:
    value = f"min.insync.replicas={least}"
    return (
        f"Dynamic configs for topic {topic} are:\n"
        f"  {value} sensitive=false synonyms={{DYNAMIC_TOPIC_CONFIG:{value}}}\n"
    )


def for_all(least: int) -> str:
    value = f"min.insync.replicas={least}"
    return (
        "Default configs for brokers in the cluster are:\n"
        f"  {value} sensitive=false synonyms={{DYNAMIC_DEFAULT_BROKER_CONFIG:{value}}}\n"
    )


def listed(topic: str, copies: int, configs: str) -> str:
    return f"Topic: {topic}\tPartitionCount: 9\tReplicationFactor: {copies}\tConfigs: {configs}\n"


def altered(topic: str, least: int = 2) -> str:
    configs = f"--add-config min.insync.replicas={least}"
    return f"kafka-configs.sh --alter --entity-type topics --entity-name {topic} {configs}\n"


def resource(topic: str, least: int) -> str:
    return (
        "---\napiVersion: kafka.strimzi.io/v1\nkind: KafkaTopic\nmetadata: {name: t}\nspec:\n"
        f"  topicName: {topic}\n  replicas: 3\n  config: {{min.insync.replicas: {least}}}\n"
    )


def terraform(topic: str, least: int) -> str:
    return (
        f'resource "kafka_topic" "{topic}" {{\n  name = "{topic}"\n  replication_factor = 3\n'
        f'  config = {{\n    "min.insync.replicas" = "{least}"\n  }}\n}}\n'
    )


OWN = f"{listed('t', 3, 'min.insync.replicas=2')}"


@pytest.mark.parametrize("topic", [OFFSETS, STATE, "__share_group_state"])
@pytest.mark.parametrize(("name", "text"), [
    ("seen.txt", seen("%s", 2)),
    ("listed.txt", listed("%s", 3, "compression.type=producer,min.insync.replicas=2")),
    ("topics.sh", altered("%s")),
    ("topics.sh", CREATED.replace("topic t", "topic %s")),
    ("topic.yaml", resource("%s", 2)),
    ("topics.tf", terraform("%s", 2)),
])  # fmt: skip
def test_a_minimum_of_kafkas_own_topic_is_not_that_of_the_pipelines(
    tmp_path: Path, topic: str, name: str, text: str
) -> None:
    file = tmp_path / name
    file.write_text(text.replace("%s", topic))
    assert_answer(str(file), ALONE, 1, f"^NO.*of {topic} is (taken as|not taken)")


@pytest.mark.parametrize(("name", "text", "code"), [
    ("seen.txt", seen("t", 2) + seen(OFFSETS, 2), 0),
    ("seen.txt", seen(OFFSETS, 1) + seen("t", 2), 1),
    ("seen.txt", for_all(2), 0),
    ("seen.txt", for_all(1), 1),
    # its own goes before what the cluster keeps, wherever it stands
    ("seen.txt", for_all(2) + seen(OFFSETS, 1), 1),
    ("seen.txt", seen(OFFSETS, 2) + for_all(1), 0),
    ("listed.txt", OWN + listed(OFFSETS, 3, "min.insync.replicas=2"), 0),
    # what is not shown is Kafka's default
    ("listed.txt", OWN + listed(OFFSETS, 3, "cleanup.policy=compact"), 1),
    ("topics.sh", CREATED + altered(OFFSETS), 0),
    ("topics.sh", CREATED, 1),
    ("topic.yaml", resource("t", 2) + resource(OFFSETS, 2), 0),
    ("topic.yaml", resource("t", 2) + resource(OFFSETS, 1), 1),
    ("topics.tf", terraform("t", 2) + terraform(OFFSETS, 2), 0),
    ("topics.tf", terraform(OFFSETS, 1) + terraform("t", 2), 1),
])  # fmt: skip
def test_it_counts_for_exactly_once(tmp_path: Path, name: str, text: str, code: int) -> None:
    file = tmp_path / name
    file.write_text(text)
    assert_answer(f"--want exactly-once {file}", f"{ONCE} {TOPIC}", code, "^NO" if code else "YES")


@pytest.mark.parametrize(("least", "code"), [(2, 0), (1, 1)])
def test_so_does_that_of_the_transactions(tmp_path: Path, least: int, code: int) -> None:
    file = tmp_path / "listed.txt"
    file.write_text(OWN + listed(STATE, 3, f"min.insync.replicas={least}"))
    rest = f"{ONCE} application.offsets.topic.min.insync.replicas=2"
    assert_answer(f"--want exactly-once {file}", rest, code, "^NO" if code else "YES")


def test_an_unclean_election_of_one_counts(tmp_path: Path) -> None:
    file, unclean = tmp_path / "listed.txt", "unclean.leader.election.enable=true"
    file.write_text(OWN + listed(OFFSETS, 3, f"min.insync.replicas=2,{unclean}"))
    assert_answer(f"--want exactly-once {file}", ONCE, 1, "^NO")


PLACES = "__remote_log_metadata"
TIERED = "topic.remote.storage.enable=true"


@pytest.mark.parametrize(("topic", "configs", "settings", "code", "expected"), [
    (OFFSETS, "cleanup.policy=compact", "", 0, "YES"),
    (OFFSETS, "cleanup.policy=delete", "", 2, "deletes records older than its retention.ms"),
    (STATE, "cleanup.policy=[compact,delete]", "", 2, "deletes records older"),
    (PLACES, "cleanup.policy=delete,retention.ms=-1", TIERED, 0, "YES"),
    (PLACES, "cleanup.policy=delete,retention.ms=86400000", TIERED, 2, "forget where a segment is"),
    (PLACES, "cleanup.policy=delete,retention.ms=86400000", "", 0, "YES"),
])  # fmt: skip
def test_what_kafka_keeps_in_its_own_topics_is_not_deleted_by_age(
    tmp_path: Path, topic: str, configs: str, settings: str, code: int, expected: str
) -> None:
    (tmp_path / "a.sh").write_text(
        f"kafka-configs.sh --alter --entity-type topics --entity-name {topic} "
        f"--add-config {configs}\n"
    )
    assert_answer(f"{tmp_path / 'a.sh'}", f"{C} {settings}", code, expected)


WISH = "--want exactly-once"
IN_RACKS = f"{TOPIC} {ONCE} application.offsets.topic.min.insync.replicas=2 application.racks=2"
FOURTH = (
    "6 changes for exactly-once.*offsets.topic.replication.factor: 3 -> 4.*"
    "transaction.state.log.replication.factor: 3 -> 4"
)
PAIR = "topic.replication.factor=2 topic.min.insync.replicas=1 broker.offsets.topic.replication."
PAIR += "factor=2 broker.transaction.state.log.replication.factor=2"
ONE_COPY = "topic.replication.factor=1 topic.min.insync.replicas=3"
KEPT = "application.state=logged streams.processing.guarantee=exactly_once_v2"


@pytest.mark.parametrize(("options", "settings", "expected"), [
    ("--brokers 3", IN_RACKS,
     "3 changes for exactly-once.*offsets.topic.min.insync.replicas: 2 -> 3"),
    ("--brokers 6", IN_RACKS, FOURTH),
    # without racks as well
    ("--brokers 4 --survive 2", f"{TOPIC} {ONCE}", FOURTH),
    ("--brokers 3 --survive 2", f"{TOPIC} {ONCE}",
     "Not possible: exactly-once, with 2 brokers lost for good, and writes that continue while 1 "
     "broker is away.*no broker may be away.*4 brokers: replication.factor=4 and "
     "min.insync.replicas=3"),
    ("--brokers 2", f"{PAIR} {ONCE}", "1 broker lost for good, and writes.*Nearest: 3 brokers"),
    ("--brokers 4 --survive 2", f"{TOPIC} {ONCE}", "^(?!.*Not possible)"),
    # and those of Kafka Streams
    ("--brokers 6 --client streams", f"{STREAMS} {KEPT} application.racks=2",
     "streams.replication.factor: 3 -> 4.*streams.topic.min.insync.replicas: 2 -> 3"),
    ("--brokers 4 --client streams --survive 2", f"{STREAMS} {KEPT}",
     "streams.replication.factor: 3 -> 4.*streams.topic.min.insync.replicas: 2 -> 3"),
    # beside a minimum that is stated
    ("--brokers 6", f"{ONE_COPY} {ONCE}", " topic.replication.factor: 1 -> 4"),
    ("--brokers 3", f"{ONE_COPY} {ONCE}", " topic.replication.factor: 1 -> 3"),
    ("--brokers 6", f"{TOPIC} {ONCE} broker.transaction.state.log.replication.factor=1 "
     "broker.transaction.state.log.min.isr=3", "state.log.replication.factor: 1 -> 4"),
    ("--brokers 6 --client streams",
     f"{TOPIC} {KEPT} streams.replication.factor=1 streams.topic.min.insync.replicas=3",
     "streams.replication.factor: 1 -> 4"),
])  # fmt: skip
def test_a_minimum_of_all_copies_comes_with_a_copy_to_spare(
    options: str, settings: str, expected: str
) -> None:
    assert_answer(f"{options} {WISH}", settings, 1, expected)
