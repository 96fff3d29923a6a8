"""Settings of internal topics of Kafka, in the output of tools and in resources."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import STREAMS, TOPIC, C, assert_answer

NO_MINIMUM = C.replace("topic.min.insync.replicas=2 ", "")
"""Settings of a topic without a stated minimum."""
ONCE = (
    "producer.transactional.id=a consumer.isolation.level=read_committed "
    "consumer.auto.offset.reset=none application.restart=resumes "
    "application.commit=in-transaction consumer.enable.auto.commit=false"
)
OFFSETS, STATE = "__consumer_offsets", "__transaction_state"

CREATED = (
    "kafka-topics.sh --create --topic t --replication-factor 3 --config min.insync.replicas=2\n"
)


def dynamic(topic: str, minimum: int) -> str:
    value = f"min.insync.replicas={minimum}"
    return (
        f"Dynamic configs for topic {topic} are:\n"
        f"  {value} sensitive=false synonyms={{DYNAMIC_TOPIC_CONFIG:{value}}}\n"
    )


def cluster_default(minimum: int) -> str:
    value = f"min.insync.replicas={minimum}"
    return (
        "Default configs for brokers in the cluster are:\n"
        f"  {value} sensitive=false synonyms={{DYNAMIC_DEFAULT_BROKER_CONFIG:{value}}}\n"
    )


def listed(topic: str, copies: int, configs: str) -> str:
    return f"Topic: {topic}\tPartitionCount: 9\tReplicationFactor: {copies}\tConfigs: {configs}\n"


def altered(topic: str) -> str:
    configs = "--add-config min.insync.replicas=2"
    return f"kafka-configs.sh --alter --entity-type topics --entity-name {topic} {configs}\n"


def resource(topic: str, minimum: int) -> str:
    return (
        "---\napiVersion: kafka.strimzi.io/v1\nkind: KafkaTopic\nmetadata: {name: t}\nspec:\n"
        f"  topicName: {topic}\n  replicas: 3\n  config: {{min.insync.replicas: {minimum}}}\n"
    )


def terraform(topic: str, minimum: int) -> str:
    return (
        f'resource "kafka_topic" "{topic}" {{\n  name = "{topic}"\n  replication_factor = 3\n'
        f'  config = {{\n    "min.insync.replicas" = "{minimum}"\n  }}\n}}\n'
    )


PIPELINE_TOPIC = f"{listed('t', 3, 'min.insync.replicas=2')}"


@pytest.mark.parametrize("topic", [OFFSETS, STATE, "__share_group_state"])
@pytest.mark.parametrize(("name", "text"), [
    ("seen.txt", dynamic("%s", 2)),
    ("listed.txt", listed("%s", 3, "compression.type=producer,min.insync.replicas=2")),
    ("topics.sh", altered("%s")),
    ("topics.sh", CREATED.replace("topic t", "topic %s")),
    ("topic.yaml", resource("%s", 2)),
    ("topics.tf", terraform("%s", 2)),
])  # fmt: skip
def test_the_minimum_of_an_internal_topic_is_not_that_of_the_pipeline_topic(
    tmp_path: Path, topic: str, name: str, text: str
) -> None:
    file = tmp_path / name
    file.write_text(text.replace("%s", topic))
    assert_answer(str(file), NO_MINIMUM, 1, f"^NO.*of {topic} is (taken as|not taken)")


@pytest.mark.parametrize(("name", "text", "code"), [
    ("seen.txt", dynamic("t", 2) + dynamic(OFFSETS, 2), 0),
    ("seen.txt", dynamic(OFFSETS, 1) + dynamic("t", 2), 1),
    ("seen.txt", cluster_default(2), 0),
    ("seen.txt", cluster_default(1), 1),
    # the topic's value overrides the cluster default, in either order
    ("seen.txt", cluster_default(2) + dynamic(OFFSETS, 1), 1),
    ("seen.txt", dynamic(OFFSETS, 2) + cluster_default(1), 0),
    ("listed.txt", PIPELINE_TOPIC + listed(OFFSETS, 3, "min.insync.replicas=2"), 0),
    # a value that is not shown is Kafka's default
    ("listed.txt", PIPELINE_TOPIC + listed(OFFSETS, 3, "cleanup.policy=compact"), 1),
    ("topics.sh", CREATED + altered(OFFSETS), 0),
    ("topics.sh", CREATED, 1),
    ("topic.yaml", resource("t", 2) + resource(OFFSETS, 2), 0),
    ("topic.yaml", resource("t", 2) + resource(OFFSETS, 1), 1),
    ("topics.tf", terraform("t", 2) + terraform(OFFSETS, 2), 0),
    ("topics.tf", terraform(OFFSETS, 1) + terraform("t", 2), 1),
])  # fmt: skip
def test_the_minimum_of_the_offsets_topic_counts_for_exactly_once(
    tmp_path: Path, name: str, text: str, code: int
) -> None:
    file = tmp_path / name
    file.write_text(text)
    assert_answer(f"--want exactly-once {file}", f"{ONCE} {TOPIC}", code, "^NO" if code else "YES")


@pytest.mark.parametrize(("minimum", "code"), [(2, 0), (1, 1)])
def test_the_minimum_of_the_transaction_log_counts_for_exactly_once(
    tmp_path: Path, minimum: int, code: int
) -> None:
    file = tmp_path / "listed.txt"
    file.write_text(PIPELINE_TOPIC + listed(STATE, 3, f"min.insync.replicas={minimum}"))
    rest = f"{ONCE} application.offsets.topic.min.insync.replicas=2"
    assert_answer(f"--want exactly-once {file}", rest, code, "^NO" if code else "YES")


def test_unclean_elections_of_an_internal_topic_count(tmp_path: Path) -> None:
    file, unclean = tmp_path / "listed.txt", "unclean.leader.election.enable=true"
    file.write_text(PIPELINE_TOPIC + listed(OFFSETS, 3, f"min.insync.replicas=2,{unclean}"))
    assert_answer(f"--want exactly-once {file}", ONCE, 1, "^NO")


REMOTE_LOG = "__remote_log_metadata"
TIERED = "topic.remote.storage.enable=true"


@pytest.mark.parametrize(("topic", "configs", "settings", "code", "expected"), [
    (OFFSETS, "cleanup.policy=compact", "", 0, "YES"),
    (OFFSETS, "cleanup.policy=delete", "", 2, "deletes records older than its retention.ms"),
    (STATE, "cleanup.policy=[compact,delete]", "", 2, "deletes records older"),
    (REMOTE_LOG, "cleanup.policy=delete,retention.ms=-1", TIERED, 0, "YES"),
    (REMOTE_LOG, "cleanup.policy=delete,retention.ms=86400000", TIERED, 2,
     "forget where a segment is"),
    (REMOTE_LOG, "cleanup.policy=delete,retention.ms=86400000", "", 0, "YES"),
])  # fmt: skip
def test_internal_topics_must_not_delete_records_by_age(
    tmp_path: Path, topic: str, configs: str, settings: str, code: int, expected: str
) -> None:
    (tmp_path / "a.sh").write_text(
        f"kafka-configs.sh --alter --entity-type topics --entity-name {topic} "
        f"--add-config {configs}\n"
    )
    assert_answer(f"{tmp_path / 'a.sh'}", f"{C} {settings}", code, expected)


WANT = "--want exactly-once"
IN_RACKS = f"{TOPIC} {ONCE} application.offsets.topic.min.insync.replicas=2 application.racks=2"
IN_RACKS += " application.metadata.racks=3"
FOURTH = (
    "6 changes for exactly-once.*offsets.topic.replication.factor: 3 -> 4.*"
    "transaction.state.log.replication.factor: 3 -> 4"
)
TWO_COPIES = (
    "topic.replication.factor=2 topic.min.insync.replicas=1 broker.offsets.topic.replication."
)
TWO_COPIES += "factor=2 broker.transaction.state.log.replication.factor=2"
ONE_COPY = "topic.replication.factor=1 topic.min.insync.replicas=3"
STATE_STORE = "application.state=logged streams.processing.guarantee=exactly_once_v2"


@pytest.mark.parametrize(("options", "settings", "expected"), [
    ("--brokers 3", IN_RACKS,
     "3 changes for exactly-once.*offsets.topic.min.insync.replicas: 2 -> 3"),
    ("--brokers 6", IN_RACKS, FOURTH),
    # also without racks
    ("--brokers 4 --survive 2", f"{TOPIC} {ONCE}", FOURTH),
    ("--brokers 3 --survive 2", f"{TOPIC} {ONCE}",
     "Not possible: exactly-once, with 2 brokers lost for good, and writes that continue while 1 "
     "broker is away.*no broker may be away.*4 brokers: replication.factor=4 and "
     "min.insync.replicas=3"),
    ("--brokers 2", f"{TWO_COPIES} {ONCE}",
     "1 broker lost for good, and writes.*Nearest: 3 brokers"),
    ("--brokers 4 --survive 2", f"{TOPIC} {ONCE}", "^(?!.*Not possible)"),
    # also for Kafka Streams
    ("--brokers 6 --client streams", f"{STREAMS} {STATE_STORE} application.racks=2",
     "streams.replication.factor: 3 -> 4.*streams.topic.min.insync.replicas: 2 -> 3"),
    ("--brokers 4 --client streams --survive 2", f"{STREAMS} {STATE_STORE}",
     "streams.replication.factor: 3 -> 4.*streams.topic.min.insync.replicas: 2 -> 3"),
    # with a stated minimum
    ("--brokers 6", f"{ONE_COPY} {ONCE}", " topic.replication.factor: 1 -> 4"),
    ("--brokers 3", f"{ONE_COPY} {ONCE}", " topic.replication.factor: 1 -> 3"),
    ("--brokers 6", f"{TOPIC} {ONCE} broker.transaction.state.log.replication.factor=1 "
     "broker.transaction.state.log.min.isr=3", "state.log.replication.factor: 1 -> 4"),
    ("--brokers 6 --client streams",
     f"{TOPIC} {STATE_STORE} streams.replication.factor=1 streams.topic.min.insync.replicas=3",
     "streams.replication.factor: 1 -> 4"),
])  # fmt: skip
def test_a_spare_copy_is_recommended_where_there_are_enough_brokers(
    options: str, settings: str, expected: str
) -> None:
    assert_answer(f"{options} {WANT}", settings, 1, expected)
