"""Brokers that use the message format, or the protocol, of an older Kafka.

A broker with ZooKeeper does so while its cluster is being upgraded, and for ever if the line stays
in its file. Sources: KIP-98, KIP-101 and KIP-724 (formats); KIP-279 with AbstractFetcherThread
(getOffsetTruncationState) of 2.8, LogValidator, KafkaApis (handleJoinGroupRequest) and
MetadataVersion (fetchRequestVersion) of 3.9.2 (protocols).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from advisor.catalog.model import Component, Problem
from advisor.catalog.versions import at_least

Texts = Mapping[str, str]

_PROTOCOL = "inter.broker.protocol.version"
_FORMATS = {
    Component.TOPIC: ("message.format.version",),
    Component.BROKER: ("log.message.format.version", _PROTOCOL),
}
_OLD_FORMAT = (
    "keeps messages in a format from before Kafka 0.11: brokers refuse what an idempotent producer "
    "sends (KIP-98, UNSUPPORTED_FOR_MESSAGE_FORMAT), and followers truncate without leader epochs, "
    "which may lose messages that were acknowledged with acks=all (KIP-101). That is not "
    "covered; leave the line out for the current format."
)
_OLD_PROTOCOL = (
    "uses the protocol of Kafka before 2.0: after two quick changes of the leader, followers may "
    "have other messages than the leader, which may lose messages that were acknowledged with "
    "acks=all (KIP-279). That is not covered; state the version of the brokers."
)
_FIRST_EPOCHS, _FIRST_ZSTD, _FIRST_STATIC = (2, 0), (2, 1), (2, 3)
_STATIC = "group.instance.id"
_NO_STATIC = "refuse a member with group.instance.id, so that nothing is read"
_NO_ZSTD = "refuse messages in zstd, so that none is written or copied"


def is_format(component: Component, name: str) -> bool:
    """Whether a setting decides the format in which messages are stored."""
    return name in _FORMATS.get(component, ())


def old_format(
    kafka: str, component: Component, texts: Texts, of_brokers: Texts
) -> Iterator[Problem]:
    """Yields the settings with a message format that the model does not cover.

    Brokers 3.0 and later only use the format if an inter.broker.protocol.version below 3.0 is
    stated, and those of 4.0 do not have the setting (KIP-724).
    """
    protocol = _version(of_brokers.get(_PROTOCOL, ""))
    if at_least(kafka, "4.0") or (at_least(kafka, "3.0") and not (protocol and protocol < (3, 0))):
        return
    for name in _FORMATS.get(component, ()):
        version = _version(texts.get(name, ""))
        if version and version < (0, 11):
            message = f"{name}={_dotted(version)} {_OLD_FORMAT}"
            yield Problem(component, name, message)


def old_protocol(
    kafka: str, component: Component, texts: Texts, of_brokers: Texts
) -> Iterator[Problem]:
    """Yields the settings that the protocol between the brokers does not support."""
    protocol = _version(of_brokers.get(_PROTOCOL, ""))
    if at_least(kafka, "4.0") or protocol is None:
        return
    if component is Component.BROKER and (0, 11) <= protocol < _FIRST_EPOCHS:
        yield Problem(component, _PROTOCOL, f"{_PROTOCOL}={_dotted(protocol)} {_OLD_PROTOCOL}")
    for name, text in texts.items():
        if name.endswith(_STATIC) and protocol < _FIRST_STATIC:
            yield _unsupported(component, name, protocol, _NO_STATIC)
        is_codec = name.endswith(("compression.type", "compression.codec"))
        if is_codec and text.strip().lower() == "zstd" and protocol < _FIRST_ZSTD:
            yield _unsupported(component, name, protocol, _NO_ZSTD)


def _unsupported(
    component: Component, name: str, protocol: tuple[int, ...], consequence: str
) -> Problem:
    message = f"{name}: brokers with {_PROTOCOL}={_dotted(protocol)} {consequence}. That is not "
    return Problem(component, name, f"{message}covered; state the version of the brokers.")


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


def _version(text: str) -> tuple[int, ...] | None:
    """Returns the line of a version such as `0.10.2-IV0`, or None."""
    parts = re.match(r"(\d{1,3})\.(\d{1,3})(?![\d])", text.strip(), re.ASCII)
    return tuple(int(part) for part in parts.groups()) if parts else None
