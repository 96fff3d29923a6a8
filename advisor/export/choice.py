"""Which settings an export writes down: what was stated, and what the guarantee rests on.

The second kind is written although it may be the default: defaults differ between clients and
versions, and a conflict with a stated setting is an error, where one with a default is silence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from advisor.catalog import Component, Kind, Setting, render, settings_of
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
    Component.TOPIC: frozenset({
        "replication.factor", "min.insync.replicas", "unclean.leader.election.enable",
    }),
    Component.BROKER: frozenset(),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Chosen:
    """One setting to write: `text` is what the product's parser reads as the value in force."""

    setting: Setting
    text: str
    stated: bool

    @property
    def name(self) -> str:
        return self.setting.name


def chosen(pipeline: Pipeline, component: Component) -> tuple[Chosen, ...]:
    """The settings of a component to write, in the catalog's order.

    Raises `SettingError` if a value is not one that the catalog would have parsed.
    """
    stated = pipeline.stated(component)
    found = settings_of(pipeline.family, pipeline.version, pipeline.kafka, component)
    return tuple(
        Chosen(setting, render(setting, value), setting.name in stated)
        for setting in found
        if setting.name in stated or setting.name in _RESTS_ON[component]
        for value in [pipeline.value(component, setting.name)]
        if value is not None
    )


def typed(each: Chosen) -> bool | int | str:
    """A setting's value for a format that tells switches and numbers from texts."""
    if each.setting.kind is Kind.BOOL:
        return each.text == "true"
    return int(each.text) if each.setting.kind is Kind.INT else each.text


def code_notes(pipeline: Pipeline, *components: Component) -> tuple[str, ...]:
    """What the team's own code has to do, at the producer or the consumer or both."""
    application = Component.APPLICATION
    notes = []
    if Component.PRODUCER in components:
        errors = pipeline.value(application, "delivery.errors")
        resend = pipeline.value(application, "resend")
        notes += [_ERRORS.get(str(errors)), _RESEND.get(str(resend))]
    if Component.CONSUMER in components:
        commit, sink = (pipeline.value(application, name) for name in ("commit", "sink"))
        notes += [_COMMIT.get(str(commit)), _SINK.get(str(sink))]
    return tuple(note for note in notes if note)


_ERRORS = {
    "handled": (
        "Look at the result of every send, and flush before the process ends: a send that failed "
        "raises nothing by itself."
    ),
}
_RESEND = {
    "never": (
        "Do not send a message again that was reported as failed: the first copy may be in the log."
    ),
}
_SINK = {"idempotent": "Apply each message so that a second time changes nothing (upsert by key)."}
_COMMIT = {
    "auto": "Offsets are committed by the client.",
    "before-processing": "Commit the offset first, then process the message.",
    "after-processing": "Process the message first, then commit its offset.",
    "in-transaction": (
        "Send the consumer's offsets to the producer's transaction, and commit that; the consumer "
        "commits nothing by itself."
    ),
}
