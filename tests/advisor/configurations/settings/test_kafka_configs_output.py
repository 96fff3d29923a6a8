"""Output of `kafka-configs --describe`: whether a value belongs to one broker or to all of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import COPIES, TOPIC, assert_file

FROM_FILE = "  min.insync.replicas=2 sensitive=false synonyms={STATIC_BROKER_CONFIG:x=2}\n"
FROM_DEFAULT = "  min.insync.replicas=1 sensitive=false synonyms={DEFAULT_CONFIG:x=1}\n"
THROTTLED = "  leader.replication.throttled.rate=9 sensitive=false synonyms={DYNAMIC_BROKER_CONFIG:"
THROTTLED += "leader.replication.throttled.rate=9}\n"
RUNNING = "Dynamic configs for %s are:\n  min.insync.replicas=%d sensitive=false synonyms={"
RUNNING += "DYNAMIC_BROKER_CONFIG:min.insync.replicas=%d, STATIC_BROKER_CONFIG:"
RUNNING += "min.insync.replicas=%d, DEFAULT_CONFIG:min.insync.replicas=1}\n"
BROKER_1, BROKER_2 = (f"All configs for broker {number} are:\n" for number in (1, 2))


@pytest.mark.parametrize(("text", "code", "expected"), [
    (f"{BROKER_1}{FROM_FILE}{BROKER_2}{FROM_FILE}", 0, "YES"),
    (f"{BROKER_1}{FROM_FILE}{BROKER_2}{FROM_DEFAULT}", 1, "not set on every server"),
    (f"{BROKER_2}{FROM_DEFAULT}{BROKER_1}{FROM_FILE}", 1, "not set on every server"),
    (f"{BROKER_1}{FROM_FILE}{BROKER_2.replace('All', 'Dynamic')}", 0, "YES"),
    # a value of one running broker does not apply to others (describeResourceConfig, synonyms)
    (RUNNING % ("topic orders", 2, 2, 1), 1, "is set on one running broker"),
    (RUNNING % ("topic orders", 2, 2, 2), 0, "YES"),
    (RUNNING % ("broker 1", 2, 2, 1), 1, "is set on one running broker"),
    ("".join(RUNNING % (f"broker {number}", 2, 2, 1) for number in (1, 2, 3)), 0, "YES"),
    (RUNNING % ("broker 1", 2, 2, 1) + BROKER_2.replace("All", "Dynamic"), 1, "one running broker"),
    (RUNNING % ("topic orders", 1, 1, 2), 1, "min.insync.replicas: 1 -> 2"),
    (f"{BROKER_1}{FROM_FILE}{THROTTLED}", 0,
     "throttled.rate throttles replicas that are not in sync"),
    # no dynamic value is set, which is valid output
    ("Dynamic configs for topic orders are:\n", 1, "nothing is set on this topic"),
])  # fmt: skip
def test_the_values_of_each_broker_count(
    tmp_path: Path, text: str, code: int, expected: str
) -> None:
    settings = f"{COPIES} topic.replication.factor=3"
    assert_file(tmp_path / "c.txt", text, "", settings, code, expected)


@pytest.mark.parametrize(("copies", "expected"), [
    ("", r"factor=1 \(not stated, so Kafka's default\).*Before anything else: State topic\.repl"),
    ("topic.replication.factor=1", "factor=1: before.*Set min.insync.replicas to 1 at most"),
    ("broker.default.replication.factor=1", "Set min.insync.replicas to 1 at most"),
])  # fmt: skip
def test_a_missing_number_of_copies_is_reported(tmp_path: Path, copies: str, expected: str) -> None:
    """kafka-configs does not show copies. Before 3.7 a minimum above them refuses every message."""
    text = "Dynamic configs for topic orders are:\n  min.insync.replicas=2 sensitive=false\n"
    text = text.replace("false\n", "false synonyms={DYNAMIC_TOPIC_CONFIG:min.insync.replicas=2}\n")
    assert_file(tmp_path / "c.txt", text, "--kafka 3.6", f"{COPIES} {copies}", 1, expected)


SYNONYMS = (
    "sensitive=false synonyms={%sDYNAMIC_DEFAULT_BROKER_CONFIG:unclean.leader.election.enable=%s}"
)
ALL_BROKERS = (
    "Default configs for brokers in the cluster are:\n  unclean.leader.election.enable=%s "
)
ONE_TOPIC = "All configs for topic t are:\n  unclean.leader.election.enable=false "
TOPIC_VALUE = "DYNAMIC_TOPIC_CONFIG:unclean.leader.election.enable=false, "


@pytest.mark.parametrize(("text", "code"), [
    (ALL_BROKERS % "true" + SYNONYMS % ("", "true"), 1),
                                            (ALL_BROKERS % "false" + SYNONYMS % ("", "false"), 0),
    (ONE_TOPIC + SYNONYMS % (TOPIC_VALUE, "true"), 1),
                                            (ONE_TOPIC + SYNONYMS % (TOPIC_VALUE, "false"), 0),
    # a value of one broker does not apply to a controller
    (ONE_TOPIC + SYNONYMS % (TOPIC_VALUE.replace("TOPIC", "BROKER"), "true"), 1),
])  # fmt: skip
def test_the_cluster_default_counts_for_the_offsets_topic(
    tmp_path: Path, text: str, code: int
) -> None:
    """The topic's value does not matter: __consumer_offsets has the default of the cluster."""
    settings = (
        f"{TOPIC} topic.unclean.leader.election.enable=false application.restart=resumes "
        "application.commit=in-transaction application.processing.errors=retry "
        "application.offsets.topic.min.insync.replicas=2 consumer.enable.auto.commit=false "
        "consumer.auto.offset.reset=none consumer.isolation.level=read_committed "
        "producer.transactional.id=a"
    )
    expected = "in offsets-unclean-election" if code else "^YES: exactly-once"
    assert_file(tmp_path / "c.txt", text, "--want exactly-once", settings, code, expected)
