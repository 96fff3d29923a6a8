"""Filters for numbers and times on the pages of experiments."""

from __future__ import annotations

from collections.abc import Sequence

from django import template

from advisor.reasoning.failures import all_events
from labs import sentences, trials
from labs.calibration.table import Held
from labs.engine.replay import Moment
from labs.engine.scenarios import find
from labs.engine.scenarios.unshown import UNSHOWN

register = template.Library()


@register.filter
def number(value: object) -> str:
    """`4985` → `4,985`; None, and what is not there, → `not judged`."""
    return sentences.number(value if isinstance(value, int) else None)


@register.filter
def rate(value: float) -> str:
    """`115240.5` → `115,240`: messages a second."""
    return f"{value:,.0f}"


@register.filter
def seconds(value: float | None) -> str:
    """`3.14159` → `3.1 s`; nothing for None."""
    return "" if value is None else f"{value:.1f} s"


@register.filter
def setting(value: object) -> str:
    """A value as it stands in a properties file; a dash where an arm does not have it."""
    if value is None:
        return "–"
    return str(value).lower() if isinstance(value, bool) else str(value)


@register.filter
def beside(labels: Sequence[str], values: Sequence[object]) -> list[tuple[str, object]]:
    """Each value with the name of its column, for where columns become lines."""
    return list(zip(labels, values, strict=True))


@register.simple_tag
def staged_as(event: str) -> str:
    """As what a failure event is staged, where the scenario has another title, and why.

    Empty where the title is the event's own, and where nothing stages it.
    """
    known = next((each for each in all_events() if each.name == event), None)
    if known is None or not known.scenario:
        return ""
    title = find(known.scenario).title
    if title == known.title:
        return ""
    return f"{title}: {known.staged_as}." if known.staged_as else f"{title}."


@register.simple_tag
def held_against_runs() -> Held:
    """Today's advisor against every run of `manage.py calibrate`: once a page, for `runs_of`."""
    return trials.held()


@register.filter
def runs_of(held: Held | str, event: str) -> str:
    """What those runs said of one event, in a line; empty where there was none."""
    section = held.of(event) if isinstance(held, Held) else None
    return section.summary if section else ""


@register.filter
def why_unshown(field: str) -> str:
    """Why no experiment shows what a setting does (`producer.batch.size`)."""
    return UNSHOWN.get(field, "")


@register.filter
def certainty(scenario: str) -> str:
    """How surely a run of a scenario shows what its settings permit."""
    return find(scenario).certainty


@register.filter
def seen(value: int | None) -> str:
    """A number of the telemetry; a dash where nobody could say."""
    return "–" if value is None else f"{value:,}"


@register.filter
def end_of(moment: Moment, broker: int) -> str:
    """Where a broker's log ends, with its state unless it runs."""
    state = moment.states.get(broker, "running")
    end = seen(moment.ends.get(broker))
    return end if state == "running" else f"{end} ({state})"
