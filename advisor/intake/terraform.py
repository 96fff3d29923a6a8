"""Terraform: the topic of one resource, `kafka_topic` or `confluent_kafka_topic`, and Amazon MSK.

Source: documentation of the providers Mongey/kafka and confluentinc/confluent. Only plain values
are read; what Terraform works out (`var.…`, `${…}`) is named.
"""

from __future__ import annotations

import re

from advisor.catalog import Component
from advisor.intake import terraform_msk
from advisor.intake.reading import Reader, Reading
from advisor.intake.text import IntakeError, shown

_RESOURCE = re.compile(
    r"^[ \t]*resource[ \t]+\"(?P<kind>kafka_topic|confluent_kafka_topic)\"", re.MULTILINE
)
_MANAGED = re.compile(
    r"^[ \t]*resource[ \t]+\"(?P<kind>(?:aiven_kafka|redpanda|ccloud_kafka|instaclustr_kafka|"
    r"upstash_kafka|digitalocean_database_kafka|yandex_mdb_kafka)\w*)\"",
    re.MULTILINE,
)
_PAIR = re.compile(
    r"[ \t]*\"?(?P<name>[A-Za-z][\w.]{0,80})\"?[ \t]*[=:]"
    r"[ \t]*(?P<value>\"[^\"]*\"|[^\s,#]+)[ \t]*(?:,[ \t]*)?(?:#.*|//.*)?"
)
_COPIES = "replication_factor"
_OWN = frozenset({"name", "topic_name", "partitions", "partitions_count", "rest_endpoint", "id"})
"""Arguments of the resources that are no settings of a topic."""


def read(text: str) -> Reading:
    """The topic's settings and copies. Raises `IntakeError`, also for a second topic."""
    reading = Reading()
    terraform_msk.take(reading, text)
    resources = list(_RESOURCE.finditer(text))
    if managed := _MANAGED.search(text):
        begins = text.count("\n", 0, managed.start()) + 1
        raise IntakeError(
            f"Line {begins}: {managed['kind']} is of a service whose brokers have settings that "
            "are not in this file, or that is not Apache Kafka. It is not read: state what "
            "kafka-topics.sh --describe and kafka-configs.sh --describe --all print."
        )
    if not resources and terraform_msk.RESOURCE.search(text):
        return reading
    if not resources:
        raise IntakeError("Line 1: there is no resource kafka_topic or confluent_kafka_topic here.")
    first = text.count("\n", 0, resources[0].start()) + 1
    if len(resources) > 1:
        second = text.count("\n", 0, resources[1].start()) + 1
        raise IntakeError(f"Line {second}: a second topic; one pipeline has one.")
    depth = 0
    for number, line in enumerate(text.splitlines()[first - 1 :], start=first):
        if depth and (pair := _PAIR.fullmatch(line)) and not pair["value"].startswith("{"):
            _take(reading, pair["name"], pair["value"], number)
        depth += line.count("{") - line.count("}")
        if depth <= 0 and number > first:
            break
    if resources[0]["kind"] == "confluent_kafka_topic":
        _of_confluent_cloud(reading, first)
    return reading


def _of_confluent_cloud(reading: Reading, line: int) -> None:
    """What no resource states: each topic has 3 copies, and a minimum of 2 unless it says another
    (Confluent Cloud documentation, Custom topic settings)."""
    stated = {item.name for item in reading.items}
    for name, value in (("replication.factor", "3"), ("min.insync.replicas", "2")):
        if name not in stated:
            reading.state(Component.TOPIC, name, value, line)
    reading.note(
        line, "a topic of Confluent Cloud has 3 copies, and min.insync.replicas=2 if unsaid"
    )


def _take(reading: Reading, name: str, value: str, line: int) -> None:
    if name in _OWN:
        return
    text = value.strip('"')
    if "${" in text or (not value.startswith('"') and not re.fullmatch(r"-?\d+|true|false", text)):
        reading.note(line, f"{shown(name)} is worked out by Terraform: not read")
        return
    setting = "replication.factor" if name == _COPIES else name
    if name == _COPIES or "." in name:
        reading.state(Component.TOPIC, setting, text, line)


def _likeness(text: str) -> float:
    patterns = (_RESOURCE, terraform_msk.RESOURCE, _MANAGED)
    return 0.97 if any(pattern.search(text) for pattern in patterns) else 0.0


READERS = (Reader("terraform", "Terraform (kafka_topic, Amazon MSK)", _likeness, read),)
