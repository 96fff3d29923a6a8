"""Variables that an image of Kafka turns into settings, and those that it ignores.

Bitnami's images read `KAFKA_CFG_…`, and a fixed list of names without CFG (libkafka.sh,
kafka_create_alias_environment_variables), which lacks min.insync.replicas. The images of Apache
Kafka and Confluent read `KAFKA_…`, and turn `KAFKA_CFG_…` into `cfg.…`, which is not a setting.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from advisor.catalog import Component, SettingError, kafka_line, kafka_versions
from advisor.catalog.versions import at_least
from advisor.intake.clients.other_brokers import OTHER_RULES
from advisor.intake.clients.placeholders import COMPOSE
from advisor.intake.formats.yaml_nodes import Leaf
from advisor.intake.reading import Reading
from advisor.intake.text import IntakeError

_IMAGE = re.compile(
    r"(?:.*/)?(?P<name>kafka|kafka-native|cp-kafka|cp-enterprise-kafka|cp-server):"
    r"(?:2\.1\d-|\d+\.\d+\.\d+-kafka-)?(?P<line>[2-9]\.\d+)\b.*"
)
"""Kafka's line may come after Scala's version, or after Strimzi's (`0.45.0-kafka-3.9.0`)."""
_DEBEZIUM = re.compile(r"(?:.*/)?debezium/kafka:(?P<line>\d+\.\d+)\b.*")
_DEBEZIUM_KAFKA_LINES = {
    "1.7": "2.8", "1.8": "3.0", "1.9": "3.2", "2.0": "3.3", "2.1": "3.3", "2.2": "3.4",
    "2.3": "3.4", "2.4": "3.5", "2.5": "3.6", "2.6": "3.7", "2.7": "3.7", "3.0": "3.9",
    "3.1": "3.9", "3.2": "4.0", "3.3": "4.1", "3.4": "4.1", "3.5": "4.2", "3.6": "4.3",
    "3.7": "4.3",
}  # fmt: skip
"""The line of Kafka in Debezium's image, which is tagged with Debezium's version
(debezium/container-images, kafka/…/Dockerfile)."""
_BITNAMI = re.compile(r"(?:.*/)?bitnami\w*/kafka(?:[:@].*)?")
_CONFLUENT_NAMES = r"cp-(?:enterprise-)?kafka|cp-server"
_APACHE = re.compile(r"(?:.*/)?apache/kafka(?:-native)?(?:[:@].*)?")
_IGNORED_VARIABLES = {
    "KAFKA_VERSION", "KAFKA_HEAP_OPTS", "KAFKA_LOG4J_OPTS", "KAFKA_OPTS", "KAFKA_JMX_OPTS",
    "KAFKA_JVM_PERFORMANCE_OPTS", "KAFKA_GC_LOG_OPTS", "KAFKA_LOG4J_ROOT_LOGLEVEL",
    "KAFKA_LOG4J_LOGGERS", "KAFKA_TOOLS_LOG4J_LOGLEVEL", "KAFKA_JMX_HOSTNAME",
}  # fmt: skip
"""Variables that Apache Kafka's image does not turn into settings (KafkaDockerWrapper.scala)."""
_EMPTY_FILE_IMAGE = re.compile(
    rf"(?:.*/)?(?:apache/kafka(?:-native)?|{_CONFLUENT_NAMES})(?:[:@].*)?"
)
_RELEASE_FILE_IMAGE = re.compile(r"(?:.*/)?(?:bitnami\w*|wurstmeister|debezium)/kafka(?:[:@].*)?")
_KAFKA_IMAGE = re.compile(rf"(?:.*/)?(?:kafka(?:-native)?|{_CONFLUENT_NAMES})(?:[:@].*)?")
BROKER_PREFIX = re.compile(r"^KAFKA_(?:CFG_)?")
"""The prefix of a setting's name in a variable."""

_CFG_PREFIX, _PREFIX = "KAFKA_CFG_", "KAFKA_"
_NAMES_WITHOUT_CFG = {
    "ADVERTISED_LISTENERS", "BROKER_ID", "NODE_ID", "CONTROLLER_QUORUM_VOTERS", "PROCESS_ROLES",
    "DEFAULT_REPLICATION_FACTOR", "DELETE_TOPIC_ENABLE", "INTER_BROKER_LISTENER_NAME", "LISTENERS",
    "LISTENER_SECURITY_PROTOCOL_MAP", "LOG_DIRS", "LOG_FLUSH_INTERVAL_MESSAGES",
    "LOG_FLUSH_INTERVAL_MS", "LOG_MESSAGE_FORMAT_VERSION", "LOG_RETENTION_BYTES",
    "LOG_RETENTION_HOURS", "LOG_SEGMENT_BYTES", "MESSAGE_MAX_BYTES", "NUM_IO_THREADS",
    "NUM_NETWORK_THREADS", "NUM_PARTITIONS", "NUM_RECOVERY_THREADS_PER_DATA_DIR",
    "OFFSETS_TOPIC_REPLICATION_FACTOR", "SOCKET_RECEIVE_BUFFER_BYTES", "SOCKET_REQUEST_MAX_BYTES",
    "SOCKET_SEND_BUFFER_BYTES", "SSL_ENDPOINT_IDENTIFICATION_ALGORITHM",
    "TRANSACTION_STATE_LOG_MIN_ISR", "TRANSACTION_STATE_LOG_REPLICATION_FACTOR",
    "ZOOKEEPER_CONNECT", "ZOOKEEPER_CONNECTION_TIMEOUT_MS",
}  # fmt: skip


def is_kafka(image: str) -> bool:
    """Whether an image is one of Apache Kafka, judged by its name."""
    return _KAFKA_IMAGE.fullmatch(image) is not None


def is_apache(image: str) -> bool:
    """Whether an image is the one that the Apache Kafka project publishes."""
    return _APACHE.fullmatch(image) is not None


def starts_with_its_file(image: str, variables: Iterable[str]) -> bool:
    """Whether these variables hold no setting for Apache Kafka's image, which then starts with the
    file of its release (KafkaDockerWrapper.scala, prepareServerConfigs)."""
    return (
        is_apache(image)
        and {name for name in variables if name.startswith(_PREFIX)} <= _IGNORED_VARIABLES
    )


_RELEASE_FILE = {
    "offsets.topic.replication.factor": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
}
"""Settings in server.properties of Kafka's releases that differ from the defaults (2.8 to 4.3)."""


def state_image_file(
    reading: Reading, image: str, variables: Iterable[str], line: int, process: str
) -> None:
    """States the settings of the file in an image that the broker's variables do not state.

    The images of Bitnami (libkafka.sh, kafka_initialize), wurstmeister (start-kafka.sh) and
    Debezium (docker-entrypoint.sh) fill in the file of Kafka's release. Those of Apache Kafka
    (KafkaDockerWrapper.scala) and Confluent start from an empty file where a variable is set. The
    file of other images is not known; the file of the release is assumed: it guarantees less.
    """
    is_release_file = _RELEASE_FILE_IMAGE.fullmatch(image) or starts_with_its_file(image, variables)
    if _EMPTY_FILE_IMAGE.fullmatch(image) and not is_release_file:
        return
    stated = {
        item.name for item in reading.items
        if item.component is Component.BROKER and item.process == process
    }  # fmt: skip
    missing = {name: text for name, text in _RELEASE_FILE.items() if name not in stated}
    for name, text in missing.items():
        reading.add_setting(Component.BROKER, name, text, line, process=process)
    if missing:
        whose = "this image fills in" if is_release_file else "this image may fill in"
        listed = ", ".join(f"{name}={text}" for name, text in missing.items())
        reading.note(line, f"{whose} the server.properties of Kafka's release: {listed} there")


_OTHER_BROKERS = {
    "redpanda": "Redpanda",
    "automq": "AutoMQ",
    "warpstream_agent": "WarpStream",
    "warpstream-agent": "WarpStream",
    "bufstream": "Bufstream",
    "eventhubs-emulator": "Azure Event Hubs",
}
"""Brokers that speak Kafka's protocol and are not Apache Kafka, by the name of their image."""
_IMAGE_NAME = re.compile(r"(?:.*/)?(?P<name>[\w.-]+?)(?::[\w.-]*)?(?:@.*)?")


def refuse_other_brokers(image: str, line: int) -> None:
    """Raises `IntakeError` for an image of brokers that are not Apache Kafka."""
    match = _IMAGE_NAME.fullmatch(image)
    product = _OTHER_BROKERS.get(match["name"]) if match else None
    if product:
        raise IntakeError(f"Line {line}: {product} {OTHER_RULES}")


def skip_reason(image: str, variable: str) -> str:
    """The reason why an image ignores a variable with this name; empty if it reads it."""
    if variable.startswith(_CFG_PREFIX):
        if _EMPTY_FILE_IMAGE.fullmatch(image):
            return f"this image does not read {_CFG_PREFIX}…"
        return ""
    name = variable.removeprefix(_PREFIX)
    if name == variable or name in _NAMES_WITHOUT_CFG or not _BITNAMI.fullmatch(image):
        return ""
    return f"Bitnami's image reads {_CFG_PREFIX}{name} instead, so this is not read"


def setting_name(variable: str) -> str:
    """The name of the setting that a variable sets: KAFKA_A_B is a.b, and KAFKA_A__B is a_b."""
    name = BROKER_PREFIX.sub("", variable, count=1).lower()
    return name.replace("___", "-").replace("__", "\0").replace("_", ".").replace("\0", "_")


def with_defaults(text: str) -> str:
    """A text with the default values of compose's placeholders filled in."""
    return COMPOSE.sub(r"\2", text)


def kafka_line_of_image(reading: Reading, leaf: Leaf) -> str | None:
    """The line of Kafka in an image of brokers, empty if unknown; None for any other image."""
    if tag := _DEBEZIUM.fullmatch(with_defaults(leaf.text)):
        return _debezium_kafka_line(reading, tag["line"], leaf.line)
    tag = _IMAGE.fullmatch(with_defaults(leaf.text))
    if tag is None:
        return None
    line = _confluent_kafka_line(tag["line"]) if tag["name"].startswith("cp-") else tag["line"]
    try:
        return kafka_line(line)
    except SettingError:
        oldest = kafka_versions()[-1]
        if at_least(line, oldest):
            reading.note(leaf.line, f"the image's Kafka {line} is not known here and is not used")
            return ""
        words = f"the image's Kafka {line} is older than those known here: {oldest} is used"
        reading.note(leaf.line, words)
        return oldest


def _debezium_kafka_line(reading: Reading, version: str, line: int) -> str:
    """The line of Kafka in the image of a version of Debezium; empty if unknown."""
    kafka = _DEBEZIUM_KAFKA_LINES.get(version, "")
    words = f"has Kafka {kafka}" if kafka else "has a Kafka that is not known here and is not used"
    reading.note(line, f"the image of Debezium {version} {words}")
    return kafka


def _confluent_kafka_line(line: str) -> str:
    """The line of Kafka in a version of Confluent Platform: 4.0 in 8.0, 2.8 in 6.2, 2.5 in 5.5."""
    major, minor = (int(part) for part in line.split("."))
    return f"2.{minor + 6 * (major == 6)}" if major in (5, 6) else f"{major - 4}.{minor}"
