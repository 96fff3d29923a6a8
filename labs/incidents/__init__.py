"""Known bugs, staged on the releases that had them: each incident is a folder here.

`incident.toml` has its data, four texts describe it, and `steps.py` plays it on past
releases. Nothing else refers to an incident by name (docs/contributing/incident.md).
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from labs.incidents.loading import IncidentError, folders, load
from labs.incidents.model import Exhibit, Incident, Moment, Outcome

__all__ = [
    "Exhibit", "Incident", "IncidentError", "Moment", "Outcome", "all_incidents", "find",
]  # fmt: skip


@cache
def all_incidents() -> tuple[Incident, ...]:
    """Returns every incident, by product and number. Raises `IncidentError` for a wrong folder."""
    incidents = [load(folder) for folder in folders(Path(__file__).parent)]
    return tuple(sorted(incidents, key=_product_and_number))


def _product_and_number(incident: Incident) -> tuple[str, int]:
    product, _, number = incident.slug.rpartition("-")
    return product, int(number)


def find(name: str) -> Incident:
    """Returns an incident by its id or its slug. Raises `LookupError` with the name."""
    for incident in all_incidents():
        if name.lower() in (incident.id.lower(), incident.slug):
            return incident
    raise LookupError(name)
