"""Brokers that speak Kafka's protocol and are not Apache Kafka, by their addresses, or by the
settings of their topics.

Sources: the products' own pages on how Kafka's clients connect: Azure Event Hubs (port 9093 of the
namespace; Service Bus has other ports), Redpanda Cloud, WarpStream, Oracle's Streaming, Upstash;
and the topic properties of Redpanda and the settings of AutoMQ.
"""

from __future__ import annotations

import re

from advisor.intake.text import IntakeError, line_of

OTHER_RULES = (
    "speaks Kafka's protocol, but replicates and stores by its own rules, which are not "
    "covered. Nothing of this file is read."
)
_HOSTS = {
    "Azure Event Hubs": r"\.servicebus\.(?:windows\.net|chinacloudapi\.cn|usgovcloudapi\.net):9093",
    "Redpanda": r"\.cloud\.redpanda\.com:\d|(?<![\w.-])(?:redpanda\.[\w.]{1,60}|write\.caching)"
    r"[\"']?[ \t]*(?:[=:]|(?<=[ \t])\w)",
    "AutoMQ": r"(?<![\w.-])(?:elasticstream\.enable|s3\.wal\.path|autobalancer\.[\w.]{1,60})"
    r"[\"']?[ \t]*(?:[=:]|(?<=[ \t])\w)",
    "WarpStream": r"\.warpstream\.com:\d",
    "Oracle's Streaming": r"\.streaming\.[\w-]{1,40}\.oci\.oraclecloud\.com:\d",
    "Upstash": r"-kafka\.upstash\.io:\d",
}
_ANY = re.compile("|".join(f"({pattern})" for pattern in _HOSTS.values()), re.ASCII)
_COMMENTS = ("#", "!", "//", "--", "*")


def refuse_hosts(text: str) -> None:
    """Raises `IntakeError` for a line with the address or a setting of such brokers."""
    for match in _ANY.finditer(text):
        line = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        if not line.lstrip().startswith(_COMMENTS):
            number = line_of(text, match.start())
            product = [*_HOSTS][(match.lastindex or 1) - 1]
            raise IntakeError(f"Line {number}: {product} {OTHER_RULES}")
