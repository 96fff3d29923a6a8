"""Settings with free text, and how much of the text is kept.

A free text may hold a secret, so only what the model uses is kept: that a name is stated, that a
folder is temporary, which of Kafka's own classes it is. Anything else is kept as `STATED`, and an
exported file has a placeholder for the person to fill in.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Collection, Mapping
from typing import Any

from advisor.catalog.model import Component

STATED = "stated"
"""What is kept of a text that does not matter."""

_YOURS = "YOUR-"
IN_MEMORY = ("/dev/shm", "/run", "/var/run")  # noqa: S108 - looked for, not used
"""Folders that are memory."""
TEMPORARY = ("/tmp", "/var/tmp", *IN_MEMORY)  # noqa: S108 - looked for, not used
"""Folders that a machine which starts may find empty."""
_SHIPPED = frozenset({"/tmp/kafka-streams", "/tmp/kafka-logs", "/tmp/kraft-combined-logs"})  # noqa: S108
"""The folders that Kafka's own files and defaults name."""
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
"""Those that Kafka brings (3.3 to 4.3)."""

_TRIMMED = "".join(map(chr, range(33)))
"""What Java's `String.trim()` takes away, as ConfigDef.parseType does with each value."""


def trimmed(text: str) -> str:
    """A value without the white space around it."""
    return text.strip(_TRIMMED)


def _nothing(_: str) -> str:
    return STATED


def _folder(text: str) -> str:
    """The first temporary folder of a list, without what lies in it; one of Kafka's own whole."""
    if text in _SHIPPED:
        return text
    return next(
        (found for folder in text.split(",") if (found := temporary(folder.strip()))), STATED
    )


def temporary(folder: str, places: Collection[str] = TEMPORARY) -> str:
    """The temporary folder, of these, that this one is or lies in; empty where it is in none.

    macOS has /tmp and /var below /private (hier(7)).
    """
    if not folder.startswith("/"):
        return ""
    path = f"/{posixpath.normpath(folder).lstrip('/')}/".removeprefix("/private")
    return next((place for place in places if path.startswith(f"{place}/")), "")


def _class(text: str) -> str:
    return text if text in _CLASSES else STATED


_KEEP: Mapping[str, Callable[[str], str]] = {
    **dict.fromkeys(("transactional.id", "group.instance.id", "group.id", "application.id",
                     "errors.dead.letter.queue.topic.name"), _nothing),
    **dict.fromkeys(("log.dirs", "state.dir"), _folder),
    **dict.fromkeys(
        ("partitioner.class", "deserialization.exception.handler", "processing.exception.handler",
         "production.exception.handler", "default.deserialization.exception.handler",
         "default.production.exception.handler", "default.timestamp.extractor"),
        _class,
    ),
}  # fmt: skip


def is_free(name: str) -> bool:
    """Whether any text may stand under this name, of a setting that is weighed."""
    return name in _KEEP


def is_free_field(field: str) -> bool:
    """The same by the name of a form's field (`producer.transactional.id`)."""
    return _of_field(field) in _KEEP


def kept_text(name: str, text: str) -> str:
    """What is kept of a setting's text: all of it, unless any text may stand there.

    What it gives stays what it is when it is given again.
    """
    keep = _KEEP.get(name)
    return keep(trimmed(text)) if keep and trimmed(text) else text


def kept_field_text(field: str, text: str) -> str:
    """The same by the name of a form's field (`producer.transactional.id`)."""
    return kept_text(_of_field(field), text)


def _of_field(field: str) -> str:
    part, _, name = field.partition(".")
    return name.removeprefix("kafka.") if part in set(Component) else ""


def placeholder(name: str, value: object) -> str | None:
    """What stands in an exported file where the text was not kept, else None."""
    is_dropped = is_free(name) and kept_text(name, str(value)) in (STATED, *TEMPORARY)
    return f"{_YOURS}{name}" if is_dropped else None


def is_placeholder(name: str, text: str) -> bool:
    """Whether a file still has the placeholder."""
    return is_free(name) and trimmed(text) == f"{_YOURS}{name}"


def forget(data: Any, settings: Mapping[str, Mapping[str, Any]]) -> Any:
    """Plain data without what is not kept of these settings (component → name → value).

    For what was saved before free texts were dropped: values under their names, beside their
    names, and in sentences (`transactional.id=…`).
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
