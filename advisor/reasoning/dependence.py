"""What each failure depends on and may do: a table made of the failure model itself.

`make dependence` writes it anew (labs.maintenance.dependence, which says how it is found). A test
holds it against the model of today.
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
    """The settings that an event's outcome depends on, those that only its measure or its words
    depend on, and what it may do, by client family."""

    settings: frozenset[Key]
    measures: frozenset[Key]
    anomalies: Mapping[Family, frozenset[Anomaly]]


def dependence(event: FailureEvent) -> Dependence:
    """What one event depends on and may do. Raises KeyError for an event that is not registered."""
    return _table()[event.name]


def events_depending_on(key: Key) -> tuple[FailureEvent, ...]:
    """The events whose outcome depends on a setting, along the way of a message."""
    return tuple(event for event in all_events() if key in dependence(event).settings)


def events_measured_by(key: Key) -> tuple[FailureEvent, ...]:
    """The events of which a setting says how long or how much, and not whether."""
    return tuple(event for event in all_events() if key in dependence(event).measures)


def line(name: str, dependence: Dependence) -> str:
    """An event's line of the table."""
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
