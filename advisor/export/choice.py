"""The settings that an export contains: those that are set, and those that the guarantee depends
on.

The latter are written even if they have the default value: defaults differ between clients and
versions, and a conflict with an explicit setting is an error, while a default is changed silently.
A weak value that the team did not change is not recommended: only a comment names it (`weak`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from advisor.catalog import Component, Kind, Setting, Value, render
from advisor.catalog.texts import placeholder
from advisor.export.base import Revision
from advisor.export.weak import weak
from advisor.reasoning.pipeline import Pipeline

_RESTS_ON: Mapping[Component, frozenset[str]] = {
    Component.PRODUCER: frozenset({
        "acks", "enable.idempotence", "retries", "max.in.flight.requests.per.connection",
        "delivery.timeout.ms",
    }),
    Component.CONSUMER: frozenset({
        "enable.auto.commit", "enable.auto.offset.store", "auto.offset.reset", "isolation.level",
        "startingOffsets", "failOnDataLoss",
    }),
    Component.STREAMS: frozenset({
        "processing.guarantee", "replication.factor", "num.standby.replicas",
        "deserialization.exception.handler", "processing.exception.handler",
        "production.exception.handler", "default.deserialization.exception.handler",
        "default.production.exception.handler", "default.timestamp.extractor",
    }),
    Component.TOPIC: frozenset({
        "replication.factor", "min.insync.replicas", "unclean.leader.election.enable",
    }),
    Component.BROKER: frozenset(),
}  # fmt: skip


_NEEDED = frozenset({"replication.factor"})
"""Settings without which a topic cannot be created."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """One setting: `text` is the value in force as the product's parser reads it.

    `stated` is whether the exported pipeline sets it, `changed` whether the described one did not,
    and `weak` whether it is unchanged and not recommended. If the team's text was not stored,
    `text` is a placeholder and `filled_in` is False.
    """

    setting: Setting
    text: str
    stated: bool
    changed: bool = True
    weak: bool = False
    filled_in: bool = True

    @property
    def name(self) -> str:
        return self.setting.name


def chosen(revision: Revision, component: Component) -> tuple[Chosen, ...]:
    """Returns the settings in the file of a component, in the catalog's order.

    Raises `SettingError` for a value that the catalog refuses.
    """
    return tuple(
        setting
        for setting in _all(revision, component)
        if not setting.weak or setting.name in _NEEDED
    )


def added(revision: Revision, component: Component) -> tuple[Chosen, ...]:
    """Returns those of them that a running cluster lacks: changes, and settings that were not
    set."""
    return tuple(
        setting for setting in chosen(revision, component) if setting.changed or not setting.stated
    )


def file_notes(revision: Revision, *components: Component) -> tuple[str, ...]:
    """Returns comments on values to fill in, and on unchanged values that are not recommended."""
    settings = [
        setting for component in components for setting in _all(revision, component) if setting.weak
    ]
    texts = ", ".join(
        f"{setting.name}={setting.text}" if setting.filled_in else f"your own {setting.name}"
        for setting in settings
        if setting.name not in _NEEDED
    )
    set_all_the_same = [
        f"{setting.name}={setting.text}" for setting in settings if setting.name in _NEEDED
    ]
    notes = [f"Left as you described, not recommended, and not set here: {texts}."] if texts else []
    notes += [f"Set as you described, not recommended: {name}." for name in set_all_the_same]
    to_fill_in = [note for component in components for note in _to_fill_in(revision, component)]
    return (*to_fill_in, *_removed(revision, components), *notes)


def _removed(revision: Revision, components: Iterable[Component]) -> Iterator[str]:
    """Yields comments on settings of the described pipeline that the exported one does not
    have."""
    names = [
        name
        for component in components
        if revision.described is not None
        for name in revision.described.stated(component)
        if name not in revision.exported.stated(component)
    ]
    if names:
        yield f"Remove from what you have, so that the default holds: {', '.join(names)}."


def _all(revision: Revision, component: Component) -> tuple[Chosen, ...]:
    pipeline, weak_keys = revision.exported, weak(revision)
    stated = pipeline.stated(component)
    return tuple(
        Chosen(
            setting,
            yours or render(setting, value),
            stated=setting.name in stated,
            changed=revision.changes(component, setting.name),
            weak=(component, setting.name) in weak_keys,
            filled_in=yours is None,
        )
        for setting in pipeline.known_settings(component)
        if setting.name in stated or setting.name in _RESTS_ON[component]
        for value in [pipeline.value(component, setting.name)]
        if value is not None
        for yours in [placeholder(setting.name, value)]
    )


def _to_fill_in(revision: Revision, component: Component) -> list[str]:
    """Returns comments on values that the user must fill in, since they were not stored."""
    written = (
        added(revision, component) if component is Component.BROKER else chosen(revision, component)
    )
    return [
        f"Put your own {setting.name} in place of {setting.text}: its text is not kept here."
        for setting in written
        if not setting.filled_in
    ]


def typed(setting: Chosen) -> bool | int | str:
    """Returns the value of a setting for a format that has booleans, numbers and strings."""
    if setting.setting.kind is Kind.BOOL:
        return setting.text == "true"
    return int(setting.text) if setting.setting.kind is Kind.INT else setting.text


def changes_copies(revision: Revision) -> bool:
    """Whether the replication factor of an existing topic changes."""
    before = revision.described and revision.described.value(Component.TOPIC, "replication.factor")
    return before != revision.exported.value(Component.TOPIC, "replication.factor")


def code_notes(pipeline: Pipeline, *components: Component) -> tuple[str, ...]:
    """Returns what the application's code must do, at the producer, the consumer or both.

    What the product does itself is omitted, which for Spark is most of it.
    """
    application = Component.APPLICATION
    values = pipeline.in_force(application)
    if values.get("commit") != "in-transaction":
        values.pop("abort", None)
    return tuple(
        note
        for component in _NOTES
        if component in components
        for name, value, note in _NOTES[component]
        if name in values and values[name] == value
    )


_NOTES: Mapping[Component, tuple[tuple[str, Value, str], ...]] = {
    Component.PRODUCER: (
        (
            "delivery.errors", "handled",
            "Check the result of every send, and flush before the process ends: a send that "
            "failed raises nothing by itself.",
        ),
        (
            "resend", "never",
            "Do not resend a message that was reported as failed: the first copy may be in "
            "the log.",
        ),
        (
            "restart", "resumes",
            "Keep your place in the input, and move it only past messages that were acknowledged; "
            "after a crash, send again from there.",
        ),
    ),
    Component.CONSUMER: (
        ("commit", "auto", "Offsets are committed by the client."),
        ("commit", "before-processing", "Commit the offset first, then process the message."),
        ("commit", "after-processing", "Process the message first, then commit its offset."),
        (
            "commit", "in-transaction",
            "Send the consumer's offsets to the producer's transaction, and commit that; the "
            "consumer commits nothing by itself.",
        ),
        ("abort", "rewinds", "After an abort, seek() to the committed offsets before poll()."),
        (
            "processing", "synchronous",
            "Finish the messages of one poll() before the next, and hand none of them to another "
            "thread.",
        ),
        (
            "processing.errors", "retry",
            "Retry a message that cannot be processed, or send it to a dead-letter topic, before "
            "you go on; do not close() in between.",
        ),
        (
            "sink", "idempotent",
            "Apply each message so that a second time changes nothing (upsert by key).",
        ),
        (
            "checkpoint", "durable",
            "Keep checkpointLocation on storage that outlives every machine of the query.",
        ),
        ("speculation", False, "Run the query with spark.speculation=false."),
    ),
    Component.STREAMS: (
        (
            "state", "logged",
            "Give every state store its changelog (withLoggingEnabled, which the DSL does).",
        ),
        (
            "processing.errors", "retry",
            "Catch no error of a message in a processor: let it throw, so that the exception "
            "handler decides.",
        ),
        (
            "readers", "read_committed",
            "Every reader of the output topics needs isolation.level=read_committed.",
        ),
    ),
}  # fmt: skip
"""By application setting and value: what the code must do."""
