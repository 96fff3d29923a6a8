"""The shape of a failure event: what happens, and what it may make of messages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from advisor.catalog import Component, Family
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline

Permits = dict[Anomaly, str]
"""What may happen, each with its reason in words that name the settings and their values."""


_LOST = (Anomaly.LOST_WRITE, Anomaly.DIVERGED, Anomaly.SKIPPED, Anomaly.EFFECT_MISSING)
"""What may become of records that are truncated, and of those at their offsets then."""


def always(pipeline: Pipeline) -> bool:
    """The event is in scope whatever the team needs: processes die and networks break."""
    return True


def broker_lost_for_good(pipeline: Pipeline) -> bool:
    """The event is in scope if the team wants to survive the loss of a broker's disk, and where
    each restart is one."""
    by_restart = pipeline.text(Component.APPLICATION, "disk.lost") == "each-restart"
    return pipeline.requirement.survive >= 1 or by_restart


def never_counted(pipeline: Pipeline) -> bool:
    """The event is told and never counted: no requirement asks for it."""
    return False


def once_stated(name: str) -> Callable[[Pipeline], bool]:
    """In scope from when the team says something of itself that nobody else can know."""
    return lambda pipeline: pipeline.value(Component.APPLICATION, name) is not None


def outage(reason: str) -> Permits:
    """Nothing can be written and nothing new be read for a while, for one reason."""
    return {Anomaly.UNAVAILABLE: reason, Anomaly.BLOCKED: reason}


def truncated(reason: str) -> Permits:
    """Acknowledged records are gone, and other ones are at their offsets, which some had read.

    A client whose position is beyond the new leader's end goes back to the end of the newest epoch
    that this leader knows (KIP-320). Other records may stand before it: a leader that is stopped
    takes what clients send until they know. Seen in an exploration on 4.3.1: 310 of 23,864
    messages were never handed out. Offsets that were committed without an epoch are not compared.
    """
    then = "Offsets that were already read then hold other records, which a group may pass over."
    return dict.fromkeys(_LOST, f"{reason} {then}")


@dataclass(frozen=True, slots=True)
class FailureEvent:
    """One thing that fails.

    `permits` says what may become of messages under a pipeline's settings, as seen in a ledger
    (so a redelivery is named even where the sink makes it harmless); it is a pure function
    derived from `replication`, `session` and `group`. `boundary` is the innermost boundary that
    contains the event. `beyond_settings` says what helps where no setting does. `scenario`
    names the experiment that stages it; `families` are the clients that can meet it. `in_scope`
    must depend on nothing that a recommendation may change; `not_counted` ends "Not counted: "
    where it is false. `staged_as` says why the scenario stands for the event where it is named
    after another failure. `longer` is true where the harm takes more deaths than a plainer event
    that shows the same.
    """

    name: str
    title: str
    boundary: Boundary
    story: str
    permits: Callable[[Pipeline], Mapping[Anomaly, str]]
    sources: tuple[str, ...]
    scenario: str
    families: frozenset[Family] = frozenset(Family)
    beyond_settings: str = ""
    in_scope: Callable[[Pipeline], bool] = always
    not_counted: str = "you did not ask to survive this"
    staged_as: str = ""
    longer: bool = False
