"""The failure events, one a file. A new file in this folder is a new event; nothing else changes.

Each file has `EVENT`, a `FailureEvent`. What an event permits is derived from `replication`,
`session` and `group`; a file only says which of those rules its story touches.
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
    """Every event, along the way of a message: by boundary, then by name."""
    modules = (import_module(f"{__name__}.{file.name}") for file in _files())
    events: list[FailureEvent] = [module.EVENT for module in modules]
    return tuple(sorted(events, key=lambda event: (_ORDER.index(event.boundary), event.name)))


def events_for(pipeline: Pipeline) -> tuple[FailureEvent, ...]:
    """The events that a pipeline of this client family can meet."""
    return _of_family(pipeline.family)


@cache
def _of_family(family: Family) -> tuple[FailureEvent, ...]:
    return tuple(event for event in all_events() if family in event.families)


def _files() -> list[pkgutil.ModuleInfo]:
    return [module for module in pkgutil.iter_modules(__path__) if not module.ispkg]
