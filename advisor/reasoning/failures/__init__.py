"""The failure events, one per file. To add an event, add a file to this folder.

Each file defines `EVENT`, a `FailureEvent`. What an event permits follows from the rules in
`replication`, `session` and `group`; a file states only which of them apply to it.
"""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module

from advisor.catalog import Family
from advisor.reasoning.event import FailureEvent
from advisor.reasoning.guarantees import Boundary
from advisor.reasoning.pipeline import Pipeline

_ORDER = tuple(Boundary)


@cache
def all_events() -> tuple[FailureEvent, ...]:
    """Returns all events in the order of a message's path: by boundary, then by name."""
    modules = (import_module(f"{__name__}.{file.name}") for file in _files())
    events: list[FailureEvent] = [module.EVENT for module in modules]
    return tuple(sorted(events, key=lambda event: (_ORDER.index(event.boundary), event.name)))


def events_for(pipeline: Pipeline) -> tuple[FailureEvent, ...]:
    """Returns the events that can happen to a pipeline of this client family."""
    return _family_events(pipeline.family)


@cache
def _family_events(family: Family) -> tuple[FailureEvent, ...]:
    return tuple(event for event in all_events() if family in event.families)


def _files() -> list[pkgutil.ModuleInfo]:
    return [module for module in pkgutil.iter_modules(__path__) if not module.ispkg]
