"""The definition of a failure event: what happens, and which anomalies it may cause."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from advisor.catalog import Component, Family
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline

Permits = dict[Anomaly, str]
"""Possible anomalies, each with a reason that names the settings and their values."""


_TRUNCATION = (Anomaly.LOST_WRITE, Anomaly.DIVERGED, Anomaly.SKIPPED, Anomaly.EFFECT_MISSING)
"""The anomalies of truncated records, and of the records at their offsets afterwards."""


def always(pipeline: Pipeline) -> bool:
    """The event is in scope whatever the requirement: processes die and networks break."""
    return True


def broker_lost_for_good(pipeline: Pipeline) -> bool:
    """The event is in scope if the team wants to survive the loss of a broker's disk, or if each
    restart loses the disk."""
    by_restart = pipeline.text(Component.APPLICATION, "disk.lost") == "each-restart"
    return pipeline.requirement.survive >= 1 or by_restart


def never_counted(pipeline: Pipeline) -> bool:
    """The event is shown and never in scope: no requirement includes it."""
    return False


def once_stated(name: str) -> Callable[[Pipeline], bool]:
    """Returns a function for events that are in scope once the team states a setting of the
    application, which only the team knows."""
    return lambda pipeline: pipeline.value(Component.APPLICATION, name) is not None


def outage(reason: str) -> Permits:
    """Returns the anomalies if nothing can be written, and nothing new read, for a while."""
    return {Anomaly.UNAVAILABLE: reason, Anomaly.BLOCKED: reason}


def truncated(reason: str) -> Permits:
    """Returns the anomalies if acknowledged records are lost and others get their offsets.

    A client whose position is beyond the new leader's end goes back to the end of the newest epoch
    that this leader knows (KIP-320). Other records may be in the log before it: clients still send
    to a leader that is being stopped until they notice. Seen in an exploration on 4.3.1: 310 of
    23,864 messages were never delivered. Offsets that were committed without an epoch are not
    compared.
    """
    then = "Offsets that were already read then have other records, which a group may skip."
    return dict.fromkeys(_TRUNCATION, f"{reason} {then}")


@dataclass(frozen=True, slots=True)
class FailureEvent:
    """One thing that fails.

    - `permits`: returns the possible anomalies under a pipeline's settings, as a ledger would show
      them (so it includes redelivery even if the sink makes it harmless). It is a pure function
      derived from `replication`, `session` and `group`.
    - `boundary`: the innermost boundary that contains the event.
    - `beyond_settings`: what helps if no setting does.
    - `scenario`: the name of the experiment that stages the event.
    - `families`: the clients that the event can affect.
    - `in_scope`: whether the requirement covers the event. It must not depend on anything that a
      recommendation may change.
    - `not_counted`: the end of the sentence "Not counted: …" if the event is not in scope.
    - `staged_as`: why the scenario represents the event, if it is named after another failure.
    - `longer`: true if the harm requires more crashes than a simpler event that shows the same.
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
