"""The options of Spark's Kafka source and sink, with their types and defaults.

The connector has no table of its options. It has a constant with the name of each, in lower case,
because names are case-insensitive; these are read from its jar. The spelling of a name, its values
and its default are only in Spark's documentation
(docs/streaming/structured-streaming-kafka-integration.md of Spark 4.2). `DOCUMENTED` repeats these
facts; an option that is only in a jar is marked as undocumented.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from py4j.java_gateway import JavaGateway

from advisor.catalog.facts import Raw

SOURCE = "org.apache.spark.sql.kafka010.KafkaSourceProvider"
DOCUMENTATION = "Spark's structured-streaming-kafka-integration.md"

_SOURCE_OPTIONS: Mapping[str, Raw] = {
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
    **{name: {**facts, "client": "consumer"} for name, facts in _SOURCE_OPTIONS.items()},
    "includeHeaders": {"type": "boolean", "default": False},
    "topic": {"type": "string", "client": "producer"},
}

_VALUE = re.compile(r"[a-z]+(\.[a-z]+)?")
_SUFFIX = re.compile(r"_(OPTION_)?KEY$")


def settings(jvm: JavaGateway) -> dict[str, Raw]:
    """The facts of every option of the connector in `jvm`, which also needs Spark's own jars."""
    return dict(option(constant, value) for constant, value in _constants(jvm).items())


def option(constant: str, value: str) -> tuple[str, Raw]:
    """An option's name and facts, from the constant that holds its name in lower case."""
    for name, facts in DOCUMENTED.items():
        if name.lower() == value:
            return name, dict(facts)
    first, *others = _SUFFIX.sub("", constant).lower().split("_")
    spelled = first + "".join(word.capitalize() for word in others)
    name_of_option = spelled if spelled.lower() == value else value
    return name_of_option, {"type": "string", "undocumented": True}


def _constants(jvm: JavaGateway) -> dict[str, str]:
    """The constants of the connector whose value looks like an option, by the constant's name."""
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
