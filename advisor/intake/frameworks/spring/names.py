"""Spring Boot's names for the settings of Kafka's clients, and its conversion of their values.

Source: Spring Boot's KafkaProperties, and "Relaxed Binding", "Converting Durations",
"Converting Data Sizes" in its reference.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from advisor.catalog import Component
from advisor.intake.clients.placeholders import by_default
from advisor.intake.reading import Item, Reading
from advisor.intake.text import shown

_COMMON_NAMES: Mapping[str, str] = {
    "bootstrap-servers": "bootstrap.servers", "client-id": "client.id", "security": "", "ssl": "",
    "properties": "",
}  # fmt: skip
NAMES: Mapping[Component, Mapping[str, str]] = {
    Component.PRODUCER: {
        **_COMMON_NAMES, "acks": "acks", "retries": "retries", "batch-size": "batch.size",
        "transaction-id-prefix": "transactional.id", "buffer-memory": "buffer.memory",
        "compression-type": "compression.type", "key-serializer": "key.serializer",
        "value-serializer": "value.serializer",
    },
    Component.CONSUMER: {
        **_COMMON_NAMES, "auto-commit-interval": "auto.commit.interval.ms",
        "auto-offset-reset": "auto.offset.reset", "enable-auto-commit": "enable.auto.commit",
        "fetch-max-wait": "fetch.max.wait.ms", "fetch-min-size": "fetch.min.bytes",
        "group-id": "group.id", "heartbeat-interval": "heartbeat.interval.ms",
        "isolation-level": "isolation.level", "max-poll-records": "max.poll.records",
        "max-poll-interval": "max.poll.interval.ms", "key-deserializer": "key.deserializer",
        "value-deserializer": "value.deserializer",
    },
}  # fmt: skip
"""Kafka's names of the settings of each client, by Spring's names; empty for a group, and for a
setting that is not modelled."""

_CONTAINER_MODES = ("record", "batch", "time", "count", "count_time")
"""Modes in which the container commits what the listener has returned from, now or later."""
_MANUAL_MODES = ("manual", "manual_immediate")
ACK_MODE = "ack-mode"
"""The name of an item for a mode that leaves commits to the code. Listeners of other files are
compared with it."""
TRUE, FALSE = frozenset({"true", "on", "yes", "1"}), frozenset({"false", "off", "no", "0"})
"""The words for a switch (StringToBooleanConverter)."""
_TIME_UNITS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_SIZE_UNITS = {"B": 1, "KB": 1024, "MB": 1024**2, "GB": 1024**3}
_TIME = re.compile(r"(\d{1,18})(ms|s|m|h|d)", re.ASCII | re.IGNORECASE)
_ISO_DURATION = re.compile(
    r"\+?P(?=.)(?:(\d{1,9})D)?(?:T(?=.)(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})S)?)?",
    re.ASCII | re.IGNORECASE,
)
"""A duration as Java writes it, in whole seconds (DurationStyle.ISO8601)."""
_SIZE = re.compile(r"(\d{1,18})(B|KB|MB|GB)", re.ASCII)


def relaxed(name: str) -> str:
    """The form of a name that Spring compares: `batch-size`, `batchSize` and `batch_size` are
    equal."""
    return re.sub("[-_]", "", name).lower()


def is_true(text: str) -> bool:
    """Whether a switch is on."""
    return by_default(text).strip().lower() in TRUE


def value(name: str, text: str) -> str:
    """The value that the client gets after Spring has converted a duration, a size, a switch or a
    name."""
    if name == "enable.auto.commit" and text.strip().lower() in TRUE | FALSE:
        return "true" if is_true(text) else "false"
    if name == "isolation.level":
        levels = {relaxed(level): level for level in ("read_committed", "read_uncommitted")}
        return levels.get(relaxed(text.strip()), text)
    if name.endswith(".ms") and (time := _TIME.fullmatch(text)):
        return str(int(time[1]) * _TIME_UNITS[time[2].lower()])
    if name.endswith(".ms") and (parts := _ISO_DURATION.fullmatch(text)):
        units = (_TIME_UNITS[unit] for unit in ("d", "h", "m", "s"))
        return str(
            sum(int(part or 0) * unit for part, unit in zip(parts.groups(), units, strict=True))
        )
    if size := _SIZE.fullmatch(text):
        return str(int(size[1]) * _SIZE_UNITS[size[2]])
    return text


def ack_mode(reading: Reading, text: str, line: int) -> None:
    """Adds what a listener's container commits, and when (ContainerProperties.AckMode)."""
    plain = relaxed(text.strip())
    mode = next(
        (name for name in (*_CONTAINER_MODES, *_MANUAL_MODES) if relaxed(name) == plain), ""
    )
    if mode in _CONTAINER_MODES:
        reading.add_setting(Component.APPLICATION, "commit", "after-processing", line)
    elif mode in _MANUAL_MODES:
        reading.note(line, f"ack-mode {shown(text)}: only your code decides when it commits")
        reading.compared_items.append(Item(Component.APPLICATION, ACK_MODE, mode, line))
    else:
        modes = ", ".join((*_CONTAINER_MODES, *_MANUAL_MODES))
        words = f"ack-mode {shown(text)} is not one of {modes}: Spring does not start"
        reading.add_problem(Component.APPLICATION, "ack-mode", line, words)
