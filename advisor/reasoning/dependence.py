"""The settings and anomalies of each failure: a table generated from the failure model.

`make dependence` generates it (see labs.maintenance.dependence). A test compares it with the
current model.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from advisor.catalog import Component, Family
from advisor.reasoning.event import FailureEvent
from advisor.reasoning.failures import all_events
from advisor.reasoning.guarantees import Anomaly
from advisor.reasoning.keys import Key

TABLE = Path(str(files("advisor.reasoning"))) / "generated" / "dependence.jsonl"


@dataclass(frozen=True, slots=True)
class Dependence:
    """The settings that an event's outcome depends on, those that only change its numbers or its
    wording, and the possible anomalies by client family."""

    settings: frozenset[Key]
    measures: frozenset[Key]
    anomalies: Mapping[Family, frozenset[Anomaly]]


def dependence(event: FailureEvent) -> Dependence:
    """Returns the row of one event. Raises KeyError for an event that is not registered."""
    return _table()[event.name]


def events_depending_on(key: Key) -> tuple[FailureEvent, ...]:
    """Returns the events whose outcome depends on a setting, in the order of a message's path."""
    return tuple(event for event in all_events() if key in dependence(event).settings)


def events_measured_by(key: Key) -> tuple[FailureEvent, ...]:
    """Returns the events for which a setting only changes how long or how much."""
    return tuple(event for event in all_events() if key in dependence(event).measures)


def line(name: str, dependence: Dependence) -> str:
    """Returns an event's line of the table."""
    row = {
        "event": name,
        "settings": sorted(".".join(key) for key in dependence.settings),
        "measures": sorted(".".join(key) for key in dependence.measures),
        "anomalies": {
            family: sorted(anomalies) for family, anomalies in dependence.anomalies.items()
        },
    }
    return f"{json.dumps(row)}\n"


@cache
def _table() -> Mapping[str, Dependence]:
    rows = map(json.loads, TABLE.read_text(encoding="utf-8").splitlines())
    return {
        row["event"]: Dependence(
            _keys(row["settings"]),
            _keys(row["measures"]),
            {
                Family(family): frozenset(map(Anomaly, anomalies))
                for family, anomalies in row["anomalies"].items()
            },
        )
        for row in rows
    }


def _keys(texts: list[str]) -> frozenset[Key]:
    parts = (text.partition(".") for text in texts)
    return frozenset((Component(component), name) for component, _, name in parts)
