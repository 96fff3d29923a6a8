"""Settings with free text, and how much of the text is stored.

A free text may contain a secret, so only what the model uses is stored: that a name is stated, that
a folder is temporary, which of Kafka's own classes it is. Anything else is stored as `STATED`, and
an exported file has a placeholder for the user to fill in.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Collection, Mapping
from typing import Any

from advisor.catalog.model import Component

STATED = "stated"
"""Stored instead of a text that does not matter."""

_YOURS = "YOUR-"
IN_MEMORY = ("/dev/shm", "/run", "/var/run")  # noqa: S108 - looked for, not used
"""Folders in memory."""
TEMPORARY = ("/tmp", "/var/tmp", *IN_MEMORY)  # noqa: S108 - looked for, not used
"""Folders that may be empty after a machine restarts."""
_SHIPPED = frozenset({"/tmp/kafka-streams", "/tmp/kafka-logs", "/tmp/kraft-combined-logs"})  # noqa: S108
"""The folders in Kafka's own files and defaults."""
_PRODUCER, _ERRORS = "org.apache.kafka.clients.producer.", "org.apache.kafka.streams.errors."
_PROCESSOR = "org.apache.kafka.streams.processor."
_CLASSES = frozenset({
    f"{_PRODUCER}RoundRobinPartitioner", f"{_PRODUCER}UniformStickyPartitioner",
    f"{_PRODUCER}internals.DefaultPartitioner",
    f"{_ERRORS}LogAndFailExceptionHandler", f"{_ERRORS}LogAndContinueExceptionHandler",
    f"{_ERRORS}LogAndFailProcessingExceptionHandler",
    f"{_ERRORS}LogAndContinueProcessingExceptionHandler",
    f"{_ERRORS}DefaultProductionExceptionHandler",
    f"{_PROCESSOR}FailOnInvalidTimestamp", f"{_PROCESSOR}LogAndSkipOnInvalidTimestamp",
    f"{_PROCESSOR}UsePartitionTimeOnInvalidTimestamp", f"{_PROCESSOR}WallclockTimestampExtractor",
})  # fmt: skip
"""The classes that come with Kafka (3.3 to 4.3)."""

_TRIMMED = "".join(map(chr, range(33)))
"""The characters that Java's `String.trim()` removes; ConfigDef.parseType trims each value."""


def trimmed(text: str) -> str:
    """Returns a value without the white space around it."""
    return text.strip(_TRIMMED)


def _nothing(_: str) -> str:
    return STATED


def _folder(text: str) -> str:
    """Returns the first temporary folder in a list, without its subfolders; Kafka's own whole."""
    if text in _SHIPPED:
        return text
    return next(
        (place for folder in text.split(",") if (place := temporary(folder.strip()))), STATED
    )


def temporary(folder: str, places: Collection[str] = TEMPORARY) -> str:
    """Returns the one of `places` that contains a folder, or an empty string.

    macOS has /tmp and /var in /private (hier(7)).
    """
    if not folder.startswith("/"):
        return ""
    path = f"/{posixpath.normpath(folder).lstrip('/')}/".removeprefix("/private")
    return next((place for place in places if path.startswith(f"{place}/")), "")


def _class(text: str) -> str:
    return text if text in _CLASSES else STATED


_INVALID_MEMBER = re.compile(r"[^A-Za-z0-9._-]")
_FILLED_IN = re.compile(r"[$<{%]")


def _member(text: str) -> str:
    """Returns an invalid name of a static member as it is, so that it is refused.

    JoinGroupRequest.validateGroupInstanceId. A text that is filled in later is not checked.
    """
    return text if _INVALID_MEMBER.search(text) and not _FILLED_IN.search(text) else STATED


_KEEP: Mapping[str, Callable[[str], str]] = {
    **dict.fromkeys(("transactional.id", "group.id", "application.id",
                     "errors.dead.letter.queue.topic.name"), _nothing),
    "group.instance.id": _member,
    **dict.fromkeys(("log.dirs", "state.dir"), _folder),
    **dict.fromkeys(
        ("partitioner.class", "deserialization.exception.handler", "processing.exception.handler",
         "production.exception.handler", "default.deserialization.exception.handler",
         "default.production.exception.handler", "default.timestamp.extractor"),
        _class,
    ),
}  # fmt: skip


def is_free(name: str) -> bool:
    """Whether a modelled setting accepts any text."""
    return name in _KEEP


def is_free_field(field: str) -> bool:
    """The same as `is_free`, for a form's field (`producer.transactional.id`)."""
    return _setting_name(field) in _KEEP


def kept_text(name: str, text: str) -> str:
    """Returns what is stored of a setting's text: all of it, unless it is a free text.

    The function is idempotent.
    """
    keep = _KEEP.get(name)
    return keep(trimmed(text)) if keep and trimmed(text) else text


def kept_field_text(field: str, text: str) -> str:
    """The same as `kept_text`, for a form's field (`producer.transactional.id`)."""
    return kept_text(_setting_name(field), text)


def _setting_name(field: str) -> str:
    part, _, name = field.partition(".")
    return name.removeprefix("kafka.") if part in set(Component) else ""


def placeholder(name: str, value: object) -> str | None:
    """Returns the placeholder for a text that was not stored, or None."""
    is_dropped = is_free(name) and kept_text(name, str(value)) in (STATED, *TEMPORARY)
    return f"{_YOURS}{name}" if is_dropped else None


def is_placeholder(name: str, text: str) -> bool:
    """Whether a file still has the placeholder."""
    return is_free(name) and trimmed(text) == f"{_YOURS}{name}"


def forget(data: Any, settings: Mapping[str, Mapping[str, Any]]) -> Any:
    """Returns plain data without the free texts of `settings` (component → name → value).

    It is for data that was saved before free texts were dropped. It replaces values under their
    names, next to their names, and in sentences (`transactional.id=…`).
    """
    dropped = [
        (name, value, kept_text(name, value))
        for stated in settings.values()
        for name, value in stated.items()
        if isinstance(value, str) and kept_text(name, value) != value
    ]
    return _without(data, dropped) if dropped else data


def _without(data: Any, dropped: list[tuple[str, str, str]]) -> Any:
    if isinstance(data, list):
        return [_without(item, dropped) for item in data]
    if isinstance(data, str):
        for name, old, new in dropped:
            data = data.replace(f"{name}={old}", f"{name}={new}")
        return data
    if not isinstance(data, dict):
        return data
    values = {
        key: new
        for key, value in data.items()
        for name, old, new in dropped
        if value == old and (key == name or name in data.values())
    }
    return {key: _without(value, dropped) for key, value in (data | values).items()}
