"""`application.yml` for Spring Boot: the Java client's settings where Spring looks for them.

The names are those of Spring Boot's KafkaProperties; settings without one go into its
`properties`, with the key in brackets, so that the dots in it stay (Spring Boot reference, "Binding
Maps").
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from advisor.catalog import Component, Family
from advisor.export.base import Export, Revision, Stamp, head
from advisor.export.choice import chosen, code_notes, file_notes
from advisor.export.streams_properties import PREFIXES, file_settings
from advisor.export.yaml_document import Node, document, scalar
from advisor.reasoning.pipeline import Pipeline

_NAMES: Mapping[Component, Mapping[str, str]] = {
    Component.PRODUCER: {
        "acks": "acks",
        "retries": "retries",
        "batch.size": "batch-size",
        "transactional.id": "transaction-id-prefix",
    },
    Component.CONSUMER: {
        "enable.auto.commit": "enable-auto-commit",
        "auto.commit.interval.ms": "auto-commit-interval",
        "auto.offset.reset": "auto-offset-reset",
        "isolation.level": "isolation-level",
        "max.poll.records": "max-poll-records",
    },
}
_STREAMS: Mapping[str, str] = {
    "application.id": "application-id",
    "replication.factor": "replication-factor",
    "state.dir": "state-dir",
}
_TRANSACTION = (
    "transaction-id-prefix: Spring puts a number behind it for each producer. It must differ "
    "between instances of the application, and stay the same when one starts again."
)
_BATCH = "ack-mode batch: Spring commits when every record of a poll is processed."
_HANDLER = (
    "Spring's own error handler tries a record ten times, one that cannot be deserialized or "
    "converted once, logs it and skips it (DefaultErrorHandler), and no line of this file changes "
    "that. A class with the following bean sends it to a dead-letter topic. Give that class, too, "
    "when you ask about this file again, or state application.processing.errors=retry.",
    "    @Bean",
    "    DefaultErrorHandler errorHandler(KafkaTemplate<Object, Object> template) {",
    "        return new DefaultErrorHandler(new DeadLetterPublishingRecoverer(template));",
    "    }",
)
_BEFORE = (
    "ack-mode manual_immediate: call acknowledge() before the processing begins, or nothing is "
    "committed."
)


def _write(revision: Revision, stamp: Stamp) -> str:
    pipeline = revision.exported
    if pipeline.family is Family.STREAMS:
        return _write_streams(revision, stamp)
    both = (Component.PRODUCER, Component.CONSUMER)
    kafka: dict[str, Node] = {str(component): _client(revision, component) for component in both}
    mode = _ack_mode(pipeline)
    notes = [*code_notes(pipeline, *both), *file_notes(revision, *both)]
    if mode:
        kafka["listener"] = {"ack-mode": mode}
        notes.append(_BATCH if mode == "batch" else _BEFORE)
    if pipeline.text(Component.APPLICATION, "processing.errors") == "retry":
        notes += _HANDLER
    if pipeline.stated(Component.PRODUCER).get("transactional.id"):
        notes.append(_TRANSACTION)
    return head("Settings for Spring Boot.", stamp, *notes) + document({"spring": {"kafka": kafka}})


def _write_streams(revision: Revision, stamp: Stamp) -> str:
    settings = dict(file_settings(revision))
    properties: dict[str, Node] = {
        _STREAMS[k]: scalar(v) for k, v in settings.items() if k in _STREAMS
    }
    properties["properties"] = {
        f"[{k}]": scalar(v) for k, v in settings.items() if k not in _STREAMS
    }
    notes = (*code_notes(revision.exported, *PREFIXES), *file_notes(revision, *PREFIXES))
    title = head("Settings for Kafka Streams in Spring Boot.", stamp, *notes)
    return title + document({"spring": {"kafka": {"streams": properties}}})


def _client(revision: Revision, component: Component) -> dict[str, Node]:
    names, by_name, other_properties = _NAMES[component], {}, {}
    for setting in chosen(revision, component):
        if setting.name in names:
            by_name[names[setting.name]] = scalar(setting)
        else:
            other_properties[f"[{setting.name}]"] = scalar(setting)
    return {**by_name, "properties": other_properties} if other_properties else by_name


def _ack_mode(pipeline: Pipeline) -> str | None:
    """Returns the ack mode in which Spring's listener commits as the pipeline says, or None for the
    default."""
    if pipeline.flag(Component.CONSUMER, "enable.auto.commit"):
        return None  # the client commits, and Spring does not
    modes = {"after-processing": "batch", "before-processing": "manual_immediate"}
    return modes.get(pipeline.text(Component.APPLICATION, "commit"))


def _applies(pipeline: Pipeline) -> bool:
    """Whether no value contains `${…}`: Spring would fill it in, and before 6.2 it cannot be
    escaped."""
    if pipeline.family not in (Family.JAVA, Family.STREAMS):
        return False
    return not any("${" in str(value) for value in _set_values(pipeline))


def _set_values(pipeline: Pipeline) -> Iterator[object]:
    for component in PREFIXES:
        yield from pipeline.stated(component).values()


EXPORTS = (
    Export("spring-boot", "Spring Boot", "application.yml", "application/yaml", _applies, _write),
)
