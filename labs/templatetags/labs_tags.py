"""Filters for numbers and times on the pages of experiments."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from django import template
from django.template import Context
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from advisor.advisories import advisories
from advisor.catalog import written
from advisor.concepts import Demonstration
from advisor.reasoning.answer import Failure
from advisor.reasoning.failures import all_events
from advisor.reasoning.guarantees import Anomaly
from advisor.reasoning.pipeline import Pipeline
from advisor.templatetags.look import word
from labs.calibration.table import Comparison
from labs.engine.record.replay import Moment
from labs.engine.record.track import Span, Track
from labs.engine.record.why import TimedSentence
from labs.engine.scenarios import find
from labs.engine.scenarios.unshown import UNSHOWN
from labs.evidence import trials
from labs.lessons import find as find_lesson
from labs.pages import sentences
from labs.pages.experiments import proofs
from labs.pages.experiments.replays import ArmReplay

register = template.Library()
_NOTHING = SafeString("")
_TICKET = re.compile(r"(?:KAFKA|KIP)-\d+")
_CODE = re.compile(r"`[^`]+`")
_MARKED = re.compile(rf"({_TICKET.pattern}|{_CODE.pattern})")
_TICKETS = "https://issues.apache.org/jira/browse/"
_PROPOSALS = "https://cwiki.apache.org/confluence/dosearchsite.action?queryString="
_UNIT = re.compile(r"(\d) (s|min|h)\b")
_HARM = re.compile(rf"\b({'|'.join(Anomaly)})\b")


@register.filter
def number(value: object) -> str:
    """Returns `4,985` for `4985`, and `not judged` for None and missing values."""
    return sentences.number(value if isinstance(value, int) else None)


@register.filter
def rate(value: float) -> str:
    """Returns a rate in messages per second: `115,240` for `115240.5`."""
    return f"{value:,.0f}"


@register.filter
def seconds(value: float | None) -> str:
    """Returns `3.1 s` for `3.14159`; empty for None."""
    return "" if value is None else f"{value:.1f} s"


@register.filter
def setting(value: object) -> str:
    """Returns a value as in a properties file; a dash if an arm does not have it."""
    if value is None:
        return "–"
    return written(value)


@register.filter
def unbroken(text: str) -> str:
    """Returns text such as `about 45 s` with a no-break space between number and unit."""
    return _UNIT.sub("\\1\u00a0\\2", text)


@register.filter
def dotted(name: str) -> SafeString:
    """Returns the name of a setting, in which lines may break only after a dot."""
    return format_html_join(mark_safe(".<wbr>"), "{}", ([part] for part in name.split(".")))


@register.filter
def tickets(text: str) -> SafeString:
    """Returns a sentence with links for tickets (KAFKA-18991) and proposals (KIP-966), and code for
    backticks.

    A ticket with an advisory leads to that. The address of a proposal contains its title, so its
    link is a search for the number.
    """
    slugs = _slugs_by_ticket()

    def part(word: str) -> str:
        if _CODE.fullmatch(word):
            return format_html("<code>{}</code>", word.strip("`"))
        if not _TICKET.fullmatch(word):
            return word
        if word in slugs:
            address = reverse("advisories:page", args=[slugs[word]])
        else:
            address = (_PROPOSALS if word.startswith("KIP") else _TICKETS) + word
        return format_html('<a href="{}">{}</a>', address, word)

    return format_html_join("", "{}", ([part(word)] for word in _MARKED.split(text)))


@cache
def _slugs_by_ticket() -> dict[str, str]:
    """Returns the slug of each advisory, by its ticket. Cached: pages have up to ninety tickets."""
    return {advisory.id: advisory.slug for advisory in advisories()}


@register.filter
def labelled(labels: Sequence[str], values: Sequence[object]) -> list[tuple[str, object]]:
    """Returns (column name, value) pairs, for the layout in which columns become lines."""
    return list(zip(labels, values, strict=True))


@register.simple_tag(takes_context=True)
def prove(context: Context, event: Failure, small: bool = False) -> SafeString:
    """Returns the button that stages an event; in a table (`small`), a word if there is none."""
    if not event.scenario or context.get("in_the_way"):
        word = "experiment" if event.scenario else "reasoning"
        return format_html('<span class="muted small">{}</span>', word) if small else _NOTHING
    staged = staged_as(event.name)
    title = format_html(' title="Run as: {}"', staged) if staged else _NOTHING
    words = format_html(' <span class="muted small">Run as: {}</span>', staged)
    return format_html(
        '<button class="button button-small"{} form="prove" name="scenario" value="{}">Prove it'
        '<span class="visually-hidden">: {}</span></button>{}',
        title, event.scenario, event.title, words if staged and not small else _NOTHING,
    )  # fmt: skip


@register.simple_tag
@cache
def staged_as(event: str) -> str:
    """Returns the scenario of a failure event and the reason, if it has another title.

    It is empty if the titles are the same, or if no scenario stages the event.
    """
    entry = next((item for item in all_events() if item.name == event), None)
    if entry is None or not entry.scenario:
        return ""
    title = find(entry.scenario).title
    if title == entry.title:
        return ""
    return f"{title}: {entry.staged_as}." if entry.staged_as else f"{title}."


@register.simple_tag
def stands_for(scenario: str) -> list[tuple[str, str]]:
    """Returns the failure events of other titles that a scenario stages: (title, reason)."""
    title = find(scenario).title
    return [
        (event.title, event.staged_as)
        for event in all_events()
        if event.scenario == scenario and event.title != title
    ]


@register.simple_tag
def proofs_of(pipeline: str) -> tuple[proofs.Proof, ...]:
    """Returns the results of experiments on a description."""
    return proofs.proofs(pipeline)


@register.simple_tag
def sender(pipeline: Pipeline, scenario: str) -> proofs.Sender:
    """Returns the client that sends and reads when a scenario is run on a pipeline."""
    return proofs.sender(pipeline, scenario)


@register.simple_tag
def compared_with_runs() -> Comparison:
    """Returns the comparison of today's advisor with all calibration runs, for `runs_of`."""
    return trials.comparison()


@register.filter
def runs_of(comparison: Comparison | str, event: str) -> str:
    """Returns the results of those runs for one event, in a line; empty without runs."""
    section = comparison.section(event) if isinstance(comparison, Comparison) else None
    return section.summary if section else ""


@register.filter
def why_unshown(field: str) -> str:
    """Returns why no experiment shows the effect of a setting (`producer.batch.size`)."""
    return UNSHOWN.get(field, "")


@register.filter
def explanation_of(replays: Sequence[ArmReplay], arm: str) -> Sequence[TimedSentence]:
    """Returns the explanation of an arm's result; empty if it cannot be replayed."""
    return next((replay.explanation for replay in replays if replay.run.name == arm), ())


@register.filter
def along(track: Track, second: float) -> str:
    """Returns the position of a second on the drawing of a track, in percent."""
    share = (second - track.begin_s) / (track.end_s - track.begin_s)
    return f"{100 * min(1.0, max(0.0, share)):.2f}"


@register.filter
def stretch(track: Track, span: Span) -> str:
    """Returns the length of a span on that drawing, in percent, but at least 0.4."""
    share = (span.end_s - span.begin_s) / (track.end_s - track.begin_s)
    return f"{max(0.4, 100 * share):.2f}"


@register.filter
def certainty(scenario: str) -> str:
    """Returns how reliably a run of a scenario shows its harms, with these in words."""
    return _HARM.sub(lambda match: f"“{word(match[0])}”", find(scenario).certainty)


@register.filter
def seen_at(see: Demonstration) -> str:
    """Returns the title of the page on which a concept is demonstrated."""
    if see.kind == "toy":
        return "Kill the leader"
    if see.kind == "lesson":
        return find_lesson(see.names[0]).title
    if see.kind == "scenario":
        return find(see.names[0]).title
    titles = {event.name: event.title for event in all_events()}
    return titles.get(see.names[0], see.names[-1])


@register.filter
def seen(value: int | None) -> str:
    """Returns a number of the telemetry; a dash if it is unknown."""
    return "–" if value is None else f"{value:,}"


@register.filter
def end_of(moment: Moment, broker: int) -> str:
    """Returns the end of a broker's log, with the broker's state unless it is running."""
    state = moment.states.get(broker, "running")
    end = seen(moment.ends.get(broker))
    return end if state == "running" else f"{end} ({state})"
