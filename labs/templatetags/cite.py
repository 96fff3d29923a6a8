"""Renders a source as a link, if it has an address."""

from __future__ import annotations

import re

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from labs.templatetags.labs_tags import tickets

register = template.Library()

_KAFKA = "https://kafka.apache.org/43"
_RDKAFKA = "https://github.com/confluentinc/librdkafka"
_SPARK = "https://spark.apache.org/docs/latest"
_CLIENTS = f"{_KAFKA}/javadoc/org/apache/kafka/clients"
_STREAMING = (
    "apis-on-dataframes-and-datasets|performance-tips|real-time-mode|ss-migration-guide"
    "|structured-streaming-kafka-integration"
)
_ADDRESSES = [
    (re.compile(pattern), address)
    for pattern, address in (
        (r"ProducerConfig\b(?!\.\w)", f"{_KAFKA}/configuration/producer-configs/"),
        (r"ConsumerConfig\b(?!\.\w)", f"{_KAFKA}/configuration/consumer-configs/"),
        (r"(?:Kafka )?TopicConfig\b", f"{_KAFKA}/configuration/topic-configs/"),
        (r"Kafka (?:GroupCoordinator|TransactionLog)Config\b",
         f"{_KAFKA}/configuration/broker-configs/"),
        (r"Kafka StreamsConfig\b", f"{_KAFKA}/configuration/kafka-streams-configs/"),
        (r"Kafka ConfigDef\b", f"{_KAFKA}/configuration/"),
        (r"Kafka design\.md", f"{_KAFKA}/design/design/"),
        (r"Kafka upgrade\.md", f"{_KAFKA}/getting-started/upgrade/"),
        (r"Kafka (?:4\.\d )?operations/([a-z-]+)\.md", rf"{_KAFKA}/operations/\1/"),
        (r"Kafka(Consumer|Producer) javadoc", None),
        (r"librdkafka ((?:CONFIGURATION|INTRODUCTION)\.md)", rf"{_RDKAFKA}/blob/master/\1"),
        (r"librdkafka issue (\d+)", rf"{_RDKAFKA}/issues/\1"),
        (r"([\w-]+/[\w-]+)#(\d+)", r"https://github.com/\1/issues/\2"),
        (rf"Spark ({_STREAMING})\.md", rf"{_SPARK}/streaming/\1.html"),
        (r"Spark ((?:structured-streaming-programming-guide|configuration))\.md",
         rf"{_SPARK}/\1.html"),
        (r"Spring for Apache Kafka(?: reference)?", "https://docs.spring.io/spring-kafka/reference/"),
        (r"SmallRye Reactive Messaging", "https://smallrye.io/smallrye-reactive-messaging/"),
    )
]  # fmt: skip
"""The beginning of a source → its address; None for javadoc, whose address has the class."""


@register.filter
def cited(source: str) -> SafeString:
    """Renders `Kafka design.md, Replication` as a link and the rest; tickets are links, too."""
    for pattern, address in _ADDRESSES:
        if match := pattern.match(source):
            return format_html(
                '<a href="{}">{}</a>{}',
                _address(match, address), match[0], tickets(source[match.end() :]),
            )  # fmt: skip
    return tickets(source)


def _address(match: re.Match[str], address: str | None) -> str:
    if address is None:
        return f"{_CLIENTS}/{match[1].lower()}/Kafka{match[1]}.html"
    return match.expand(address)
