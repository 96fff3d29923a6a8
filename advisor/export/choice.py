"""Which settings an export writes down: what was stated, and what the guarantee rests on.

The second kind is written although it may be the default: defaults differ between clients and
versions, and a conflict with a stated setting is an error, where one with a default is silence.
What a team left weak is not a recommendation: only a comment names it (`weak`).
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
    """One setting: `text` is what the product's parser reads as the value in force.

    `stated` and `changed` say whether the exported pipeline states it, and the described one did
    not; `weak`, that it was left as described and is not advised. Where the team's own text was
    not kept, `text` is a placeholder, and `filled_in` is False.
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
    """The settings of a component that its own file holds, in the catalog's order.

    Raises `SettingError` if a value is not one that the catalog would have parsed.
    """
    return tuple(
        setting
        for setting in _all(revision, component)
        if not setting.weak or setting.name in _NEEDED
    )


def added(revision: Revision, component: Component) -> tuple[Chosen, ...]:
    """Of these, what has to be added to a running cluster: changes, and what was not stated."""
    return tuple(
        setting for setting in chosen(revision, component) if setting.changed or not setting.stated
    )


def left_notes(revision: Revision, *components: Component) -> tuple[str, ...]:
    """What has to be filled in, and what was left as described and is not advised: comments."""
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
    own = [note for component in components for note in _to_fill_in(revision, component)]
    return (*own, *_removed(revision, components), *notes)


def _removed(revision: Revision, components: Iterable[Component]) -> Iterator[str]:
    """What the described pipeline states and the exported one leaves out."""
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
    pipeline, left = revision.exported, weak(revision)
    stated = pipeline.stated(component)
    return tuple(
        Chosen(
            setting,
            yours or render(setting, value),
            stated=setting.name in stated,
            changed=revision.changes(component, setting.name),
            weak=(component, setting.name) in left,
            filled_in=yours is None,
        )
        for setting in pipeline.known_settings(component)
        if setting.name in stated or setting.name in _RESTS_ON[component]
        for value in [pipeline.value(component, setting.name)]
        if value is not None
        for yours in [placeholder(setting.name, value)]
    )


def _to_fill_in(revision: Revision, component: Component) -> list[str]:
    """What a person has to put into the file, because it was not kept."""
    written = (
        added(revision, component) if component is Component.BROKER else chosen(revision, component)
    )
    return [
        f"Put your own {setting.name} in place of {setting.text}: its text is not kept here."
        for setting in written
        if not setting.filled_in
    ]


def typed(setting: Chosen) -> bool | int | str:
    """A setting's value for a format that tells switches and numbers from texts."""
    if setting.setting.kind is Kind.BOOL:
        return setting.text == "true"
    return int(setting.text) if setting.setting.kind is Kind.INT else setting.text


def changes_copies(revision: Revision) -> bool:
    """Whether a topic that exists needs more copies than were described, or fewer."""
    before = revision.described and revision.described.value(Component.TOPIC, "replication.factor")
    return before != revision.exported.value(Component.TOPIC, "replication.factor")


def code_notes(pipeline: Pipeline, *components: Component) -> tuple[str, ...]:
    """What the team's own code has to do, at the producer or the consumer or both.

    Nothing is said of what the product decides itself, as Spark does most of it.
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
            "Do not send a message again that was reported as failed: the first copy may be in "
            "the log.",
        ),
        (
            "restart", "resumes",
            "Keep your place in the input, moved on only past messages that were acknowledged; "
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
"""By application setting and value: what the code has to do."""
