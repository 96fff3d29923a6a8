"""The values that Spring Boot accepts for its settings. With any other value, the application does
not start.

Sources: KafkaProperties, RetryTopic (types of the fields); LenientObjectToEnumConverterFactory
(it compares letters and digits, and ignores case); StringToBooleanConverter; DurationStyle;
DataSize.parse; "Configuration Options" of the Kafka binder.
KafkaMessageListenerContainer.ListenerConsumer refuses a batch listener with AckMode.RECORD.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from advisor.catalog import Component
from advisor.catalog.nearest import nearest
from advisor.intake.clients.placeholders import by_default
from advisor.intake.formats.yaml_nodes import Leaf
from advisor.intake.frameworks.spring.names import FALSE, TRUE, relaxed
from advisor.intake.reading import Reading
from advisor.intake.text import shown

_SWITCH = (*sorted(TRUE), *sorted(FALSE))
_TIME, _SIZE, _WHOLE, _NUMBER = (
    "a time (500ms, 30s, PT1M)",
    "a size (16KB)",
    "a whole number",
    "a number",
)
_FORMS: Mapping[str, re.Pattern[str]] = {
    _TIME: re.compile(r"[+-]?\d+(?:ns|us|ms|s|m|h|d)?|[+-]?P[\dDTHMS.+-]+", re.IGNORECASE),
    _SIZE: re.compile(r"[+-]?\d+(?:[KMGT]?B)?"),
    _WHOLE: re.compile(r"[+-]?(?:\d+|0[xX][0-9a-fA-F]+)"),
    _NUMBER: re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[fFdD]?"),
}
_Type = str | tuple[str, ...]
_LISTENER_TYPES: Mapping[str, _Type] = {
    "type": ("single", "batch"),
    "async-acks": _SWITCH, "missing-topics-fatal": _SWITCH, "immediate-stop": _SWITCH,
    "auto-startup": _SWITCH, "log-container-config": _SWITCH, "observation-enabled": _SWITCH,
    "change-consumer-thread-name": _SWITCH,
    "concurrency": _WHOLE, "ack-count": _WHOLE, "no-poll-threshold": _NUMBER,
    "ack-time": _TIME, "poll-timeout": _TIME, "idle-between-polls": _TIME,
    "idle-event-interval": _TIME, "idle-partition-event-interval": _TIME, "monitor-interval": _TIME,
}  # fmt: skip
_SPRING_TYPES: Mapping[str, _Type] = {
    **{f"listener.{name}": kind for name, kind in _LISTENER_TYPES.items()},
    "consumer.isolation-level": ("read-uncommitted", "read-committed"),
    "consumer.enable-auto-commit": _SWITCH, "consumer.max-poll-records": _WHOLE,
    "consumer.auto-commit-interval": _TIME, "consumer.fetch-max-wait": _TIME,
    "consumer.heartbeat-interval": _TIME, "consumer.max-poll-interval": _TIME,
    "consumer.fetch-min-size": _SIZE,
    "producer.batch-size": _SIZE, "producer.buffer-memory": _SIZE, "producer.retries": _WHOLE,
    "retry.topic.enabled": _SWITCH, "retry.topic.attempts": _WHOLE,
    "retry.topic.delay": _TIME, "retry.topic.max-delay": _TIME, "retry.topic.multiplier": _NUMBER,
    "retry.topic.random-back-off": _SWITCH, "retry.topic.backoff.delay": _TIME,
    "retry.topic.backoff.max-delay": _TIME, "retry.topic.backoff.multiplier": _NUMBER,
    "retry.topic.backoff.random": _SWITCH,
    "admin.fail-fast": _SWITCH, "admin.auto-create": _SWITCH, "admin.modify-topic-configs": _SWITCH,
    "streams.auto-startup": _SWITCH, "streams.replication-factor": _WHOLE,
    "streams.state-store-cache-max-size": _SIZE, "streams.cleanup.on-startup": _SWITCH,
    "streams.cleanup.on-shutdown": _SWITCH, "template.observation-enabled": _SWITCH,
    "jaas.enabled": _SWITCH,
    "jaas.control-flag": ("required", "requisite", "sufficient", "optional"),
}  # fmt: skip
_BINDING_TYPES: Mapping[str, _Type] = {
    "consumer.start-offset": ("earliest", "latest"),
    "consumer.standard-headers": ("none", "id", "timestamp", "both"),
    "consumer.enable-dlq": _SWITCH, "consumer.reset-offsets": _SWITCH,
    "consumer.auto-commit-offset": _SWITCH, "consumer.auto-commit-on-error": _SWITCH,
    "consumer.auto-rebalance-enabled": _SWITCH, "consumer.ack-each-record": _SWITCH,
    "consumer.destination-is-pattern": _SWITCH, "consumer.tx-commit-recovered": _SWITCH,
    "consumer.batch-mode": _SWITCH, "consumer.max-attempts": _WHOLE,
    "consumer.concurrency": _WHOLE, "consumer.use-native-decoding": _SWITCH,
    "producer.sync": _SWITCH, "producer.use-topic-header": _SWITCH,
    "producer.allow-non-transactional": _SWITCH, "producer.error-channel-enabled": _SWITCH,
    "producer.use-native-encoding": _SWITCH,
    "producer.compression-type": ("none", "gzip", "snappy", "lz4", "zstd"),
}  # fmt: skip
_RELAXED_SPRING_TYPES = {relaxed(name): kind for name, kind in _SPRING_TYPES.items()}
_RELAXED_BINDING_TYPES = {relaxed(name): kind for name, kind in _BINDING_TYPES.items()}
_BINDING = re.compile(
    r"spring\.cloud\.stream\.(?:kafka\.)?(?:bindings\.[^.]+|default)\.(?P<name>(?:consumer|producer)\..+)"
)
_SPRING = "spring.kafka."
_TYPE, _MODE = f"{_SPRING}listener.type", f"{_SPRING}listener.ackmode"


def check_values(reading: Reading, leaves: Sequence[Leaf]) -> None:
    """Adds a problem for each value that Spring does not accept, with those that it does."""
    for leaf in leaves:
        name, text = ".".join(leaf.path), by_default(leaf.text).strip()
        type_ = _value_type(name)
        if type_ and text and "${" not in text and not _is_accepted(type_, text):
            reading.add_problem(Component.APPLICATION, name, leaf.line, _refusal(name, text, type_))
    _check_batch_mode(reading, leaves)


def _value_type(name: str) -> _Type | None:
    if name.startswith(_SPRING):
        return _RELAXED_SPRING_TYPES.get(relaxed(name.removeprefix(_SPRING)))
    match = _BINDING.fullmatch(name)
    return _RELAXED_BINDING_TYPES.get(relaxed(match["name"])) if match else None


def _is_accepted(type_: _Type, text: str) -> bool:
    if isinstance(type_, str):
        return _FORMS[type_].fullmatch(text) is not None
    return _plain(text) in map(_plain, type_)


def _plain(text: str) -> str:
    return "".join(char for char in text.lower() if char.isalnum())


def _refusal(name: str, text: str, type_: _Type) -> str:
    if isinstance(type_, str):
        return f"{name} is {type_}, and {shown(text)} is none: Spring does not start"
    near = nearest(text.lower(), frozenset(type_), cutoff=0.6)
    hint = f" ({near}, perhaps)" if near else ""
    accepted = "true or false" if type_ == _SWITCH else _either(type_)
    words = f"{name} is {accepted}, and {shown(text)} is neither{hint}"
    return f"{words}: Spring does not start"


def _either(words: Iterable[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} or {last}"


def _check_batch_mode(reading: Reading, leaves: Sequence[Leaf]) -> None:
    by_name = {relaxed(".".join(leaf.path)): leaf for leaf in leaves}
    type_, mode = by_name.get(_TYPE), by_name.get(_MODE)
    values = [_plain(by_default(leaf.text)) for leaf in (type_, mode) if leaf]
    if mode and values == ["batch", "record"]:
        words = "Cannot use AckMode.RECORD with a batch listener"
        reading.add_problem(Component.APPLICATION, "ack-mode", mode.line, words)
