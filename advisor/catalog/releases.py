"""Releases that differ from the rest of their line."""

from __future__ import annotations

from advisor.catalog.effective import IDEMPOTENCE, TRANSACTIONAL_ID
from advisor.catalog.model import Component, Family, Value
from advisor.catalog.streams_overrides import Settings, exactly_once

_WITHOUT_IDEMPOTENCE = ("3.0.0", "3.1.0")
_CLIENTS = (Family.JAVA, Family.STREAMS)


def forgets_idempotence(family: Family, release: str) -> bool:
    """Whether kafka-clients of this release do not enable idempotence by default.

    It is enabled if it is stated, or if there is a transactional.id (KAFKA-13598;
    ProducerConfig.idempotenceEnabled of 3.0.0 and 3.1.0).
    """
    return family in _CLIENTS and release in _WITHOUT_IDEMPOTENCE


def in_release(
    family: Family, release: str, settings: Settings, key: tuple[Component, str], value: Value
) -> Value:
    """Returns the value in force in a release; `value` is that of the release's line."""
    if key != (Component.PRODUCER, IDEMPOTENCE) or not forgets_idempotence(family, release):
        return value
    producer = settings.get(Component.PRODUCER, {})
    is_stated = any(producer.get(name) is not None for name in (IDEMPOTENCE, TRANSACTIONAL_ID))
    by_streams = family is Family.STREAMS and exactly_once(settings)
    return value if is_stated or by_streams else False
