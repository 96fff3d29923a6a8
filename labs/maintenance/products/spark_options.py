"""The options of Spark's Kafka source and sink, and the values that they take.

The connector has no table of its options. It has a constant for the name of each, in small
letters, because an option's letters may be of either case; these are read from its jar. The
spelling of the name, its values and its default are only in Spark's documentation
(docs/streaming/structured-streaming-kafka-integration.md of Spark 4.2): `DOCUMENTED` repeats
those facts, and an option that is only in a jar is called undocumented.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from py4j.java_gateway import JavaGateway

from advisor.catalog.facts import Raw

SOURCE = "org.apache.spark.sql.kafka010.KafkaSourceProvider"
DOCUMENTATION = "Spark's structured-streaming-kafka-integration.md"

_OF_SOURCE: Mapping[str, Raw] = {
    "assign": {"type": "string"},
    "subscribe": {"type": "string"},
    "subscribePattern": {"type": "string"},
    "startingTimestamp": {"type": "string"},
    "startingOffsetsByTimestamp": {"type": "string"},
    "startingOffsets": {"type": "string", "default": "latest"},  # of a stream
    "endingTimestamp": {"type": "string"},
    "endingOffsetsByTimestamp": {"type": "string"},
    "endingOffsets": {"type": "string", "default": "latest"},
    "failOnDataLoss": {"type": "boolean", "default": True},
    "kafkaConsumer.pollTimeoutMs": {"type": "long", "default": 120000},
    "fetchOffset.numRetries": {"type": "int", "default": 3},
    "fetchOffset.retryIntervalMs": {"type": "long", "default": 10},
    "maxOffsetsPerTrigger": {"type": "long"},
    "minOffsetsPerTrigger": {"type": "long"},
    "maxTriggerDelay": {"type": "string", "default": "15m"},
    "minPartitions": {"type": "int"},
    "groupIdPrefix": {"type": "string", "default": "spark-kafka-source"},
    "startingOffsetsByTimestampStrategy": {
        "type": "string", "default": "error", "one_of": ["error", "latest"]
    },
}  # fmt: skip
DOCUMENTED: Mapping[str, Raw] = {
    **{name: {**facts, "client": "consumer"} for name, facts in _OF_SOURCE.items()},
    "includeHeaders": {"type": "boolean", "default": False},
    "topic": {"type": "string", "client": "producer"},
}

_VALUE = re.compile(r"[a-z]+(\.[a-z]+)?")
_ENDINGS = re.compile(r"_(OPTION_)?KEY$")


def settings(jvm: JavaGateway) -> dict[str, Raw]:
    """Every option of the connector that `jvm` has; Spark's own jars must be there, too."""
    return dict(option(constant, value) for constant, value in _constants(jvm).items())


def option(constant: str, value: str) -> tuple[str, Raw]:
    """An option's name and facts, from the constant that holds it in small letters."""
    for name, facts in DOCUMENTED.items():
        if name.lower() == value:
            return name, dict(facts)
    first, *others = _ENDINGS.sub("", constant).lower().split("_")
    spelled = first + "".join(word.capitalize() for word in others)
    named = spelled if spelled.lower() == value else value
    return named, {"type": "string", "undocumented": True}


def _constants(jvm: JavaGateway) -> dict[str, str]:
    """The constants of the connector that hold a name and nothing else, by their own names."""
    owner = jvm.jvm.java.lang.Class.forName(f"{SOURCE}$")
    fields = {str(field.getName()): field for field in owner.getDeclaredFields()}
    instance = fields["MODULE$"].get(None)
    results = {}
    for name, field in fields.items():
        if str(field.getType().getName()) == "java.lang.String":
            field.setAccessible(True)
            value = str(field.get(instance))
            if _VALUE.fullmatch(value):
                results[name.rpartition("$")[2]] = value
    return results
