"""Files of products that configure Kafka's clients by their own rules, which are not covered.

The names of settings come from the products' classes: WorkerConfig, DistributedConfig,
StandaloneConfig, ConnectorConfig, SourceConnectorConfig and MirrorConnectorConfig of Kafka;
KsqlConfig; SchemaRegistryConfig; DebeziumServer; KafkaConnectorOptions of Flink; reference.conf of
Alpakka and Pekko.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from advisor.intake.clients.known_settings import decides
from advisor.intake.text import IntakeError

_CONNECT_RULES = (
    "Kafka Connect. Connect configures the clients of its connectors by its own rules, and what "
    "they guarantee is not covered. Nothing of this file is read."
)
_OTHER_RULES = (
    "configures Kafka's clients by its own rules, and what they guarantee is not covered. "
    "Nothing of this file is read."
)
_CONNECT = re.compile(
    # a worker's
    r"(?:key|value|header)\.converter|plugin\.(?:path|discovery)"
    r"|(?:offset|config|status)\.storage\.(?:topic|partitions|replication\.factor|file\.filename)"
    r"|connect\.protocol|inter\.worker\..+|rest\.(?:advertised\..+|extension\.classes)"
    r"|connector\.client\.config\.override\.policy|exactly\.once\.source\.support"
    r"|offset\.flush\.(?:interval|timeout)\.ms|scheduled\.rebalance\.max\.delay\.ms"
    r"|worker\.(?:sync\.timeout|unsync\.backoff)\.ms|task\.shutdown\.graceful\.timeout\.ms"
    # a connector's
    r"|connector\.class|tasks\.max|(?:producer|consumer|admin)\.override\..+"
    r"|exactly\.once\.support|transaction\.boundary(?:\.interval\.ms)?|offsets\.storage\.topic"
    r"|errors\.(?:tolerance|deadletterqueue\..+|retry\.(?:timeout|delay\.max\.ms)|log\..+)"
    r"|(?:transforms|predicates)(?:\..+)?|topic\.creation\.(?:enable|groups|default\..+)"
)
_MIRRORS = re.compile(
    r"clusters|[\w.-]{1,100}->[\w.-]{1,100}\.[\w.-]{1,100}|(?:source|target)\.cluster\.[\w.-]{1,100}"
    r"|sync\.(?:group\.offsets|topic\.(?:configs|acls))\..+|refresh\.(?:topics|groups)\..+"
    r"|emit\.(?:checkpoints|heartbeats|offset-syncs)\..+|offset\.lag\.max"
    r"|(?:offset-syncs|checkpoints|heartbeats)\.topic\..+|replication\.policy\.(?:class|separator)"
    r"|(?:topics|groups|config\.properties)\.(?:exclude|blacklist)"
    r"|dedicated\.mode\.enable\.internal\.rest|[\w-]{1,60}\.exactly\.once\.source\.support"
)
_INCLUDED = re.compile(r"(?:required|file|url|classpath)\(|\"")
_TEMPLATE = re.compile(r"\{%|\{\{-?[ \t]*[\w.]")
_CODE = frozenset({
    "import", "from", "package", "namespace", "using", "use", "require", "const", "let", "var",
    "new", "func", "fn", "def", "class", "public", "export", "return", "async", "await",
})  # fmt: skip
"""Words at the start of lines of programs."""
_SECTION = re.compile(r"\[[\w. -]{1,60}\]")
_OTHERS: Mapping[str, re.Pattern[str]] = {
    "ksqlDB": re.compile(r"ksql\..+"),
    "the Schema Registry": re.compile(r"kafkastore\..+"),
    "Debezium": re.compile(r"(?:debezium|schema\.history\.internal|database\.history)\..+"),
    "Flink's connector": re.compile(
        r"scan\.startup\.mode|sink\.(?:delivery-guarantee|transactional-id-prefix)"
    ),
    "Alpakka": re.compile(r"akka\.kafka\..+"),
    "Pekko": re.compile(r"pekko\.kafka\..+"),
    "Camel": re.compile(r"camel\.(?:component|sink|source|kamelet)\..+"),
}


def is_foreign(key: str) -> bool:
    """Whether a setting of this name exists only in such a product."""
    return _refusal(key) is not None


def refuse(key: str, line: int, value: str = "") -> None:
    """Raises `IntakeError` for a setting of such a product, and for lines of other formats."""
    if refusal := _refusal(key):
        raise IntakeError(f"Line {line}: {refusal}")
    if _TEMPLATE.match(key) or (_TEMPLATE.search(value) and decides(key)):
        raise IntakeError(
            f"Line {line}: a template (Jinja, Helm) fills in this value. Give the file that it "
            "renders."
        )
    if key.startswith(("{", "}")) or value.endswith("{"):
        raise IntakeError(
            f"Line {line}: braces are not part of a properties file; this looks like HOCON, or "
            "YAML in braces. Give the settings of each client as properties."
        )
    if key in _CODE and value[:1] not in ("", "=", ":"):
        raise IntakeError(
            f"Line {line}: this looks like a program, which is not read as properties. Give the "
            "settings of each client, topic or broker that it makes as properties."
        )
    if key == "---" and line > 1:
        raise IntakeError(
            f"Line {line}: --- is not part of a properties file; another document begins here. "
            "Give each as a file of its own."
        )
    if key == "include" and _INCLUDED.match(value):
        raise IntakeError(
            f"Line {line}: include is not part of a properties file; this looks like HOCON. Give "
            "what both files state as properties."
        )
    if _SECTION.fullmatch(key):
        raise IntakeError(
            f"Line {line}: sections are not part of a properties file. Give each client's settings "
            "in a file of its own, without its section, and say which client reads them (--client "
            "librdkafka for confluent-kafka)."
        )


def _refusal(key: str) -> str | None:
    if _MIRRORS.fullmatch(key):
        pair = "a pair of clusters" if "->" in key else key
        return f"{pair} of MirrorMaker 2 belongs to {_CONNECT_RULES}"
    if _CONNECT.fullmatch(key):
        return f"{key} belongs to {_CONNECT_RULES}"
    names = (name for name, pattern in _OTHERS.items() if pattern.fullmatch(key))
    return next((f"{key} belongs to {name}, which {_OTHER_RULES}" for name in names), None)
