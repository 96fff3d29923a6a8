"""What brokers do that keep to an older Kafka's format of messages, or speak its protocol.

A broker with ZooKeeper does so while its cluster is upgraded, and for ever where the line stays.
Sources: KIP-98, KIP-101 and KIP-724 (formats); KIP-279 with AbstractFetcherThread
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
    "which may lose what acks=all was told (KIP-101). That is not advised on; leave the line out "
    "for the format of today."
)
_OLD_PROTOCOL = (
    "speaks the protocol of Kafka before 2.0: after two quick changes of the leader, followers may "
    "keep other messages than it has, which may lose what acks=all was told (KIP-279). That is not "
    "advised on; state the version of the brokers."
)
_FIRST_EPOCHS, _FIRST_ZSTD, _FIRST_STATIC = (2, 0), (2, 1), (2, 3)
_STATIC = "group.instance.id"
_NO_STATIC = "refuse a member with group.instance.id, so that nothing is read"
_NO_ZSTD = "refuse messages in zstd, so that none is written or copied"


def is_format(component: Component, name: str) -> bool:
    """Whether a setting says in which format messages are kept."""
    return name in _FORMATS.get(component, ())


def old_format(
    kafka: str, component: Component, texts: Texts, of_brokers: Texts
) -> Iterator[Problem]:
    """What of these settings keeps messages in a format that the model does not cover.

    Brokers of 3.0 and later heed a format only with an inter.broker.protocol.version below 3.0,
    which has to be stated, and those of 4.0 know none (KIP-724).
    """
    spoken = _version(of_brokers.get(_PROTOCOL, ""))
    if at_least(kafka, "4.0") or (at_least(kafka, "3.0") and not (spoken and spoken < (3, 0))):
        return
    for name in _FORMATS.get(component, ()):
        version = _version(texts.get(name, ""))
        if version and version < (0, 11):
            words = f"{name}={_say(version)} {_OLD_FORMAT}"
            yield Problem(component, name, words)


def old_protocol(
    kafka: str, component: Component, texts: Texts, of_brokers: Texts
) -> Iterator[Problem]:
    """What of these settings does not go with the protocol that brokers speak among each other."""
    spoken = _version(of_brokers.get(_PROTOCOL, ""))
    if at_least(kafka, "4.0") or spoken is None:
        return
    if component is Component.BROKER and (0, 11) <= spoken < _FIRST_EPOCHS:
        yield Problem(component, _PROTOCOL, f"{_PROTOCOL}={_say(spoken)} {_OLD_PROTOCOL}")
    for name, text in texts.items():
        if name.endswith(_STATIC) and spoken < _FIRST_STATIC:
            yield _unsupported(component, name, spoken, _NO_STATIC)
        is_codec = name.endswith(("compression.type", "compression.codec"))
        if is_codec and text.strip().lower() == "zstd" and spoken < _FIRST_ZSTD:
            yield _unsupported(component, name, spoken, _NO_ZSTD)


def _unsupported(
    component: Component, name: str, spoken: tuple[int, ...], consequence: str
) -> Problem:
    words = f"{name}: brokers with {_PROTOCOL}={_say(spoken)} {consequence}. That is not advised "
    return Problem(component, name, f"{words}on; state the version of the brokers.")


def _say(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


def _version(text: str) -> tuple[int, ...] | None:
    """The line of a version such as `0.10.2-IV0`, or None."""
    parts = re.match(r"(\d{1,3})\.(\d{1,3})(?![\d])", text.strip(), re.ASCII)
    return tuple(int(part) for part in parts.groups()) if parts else None
