"""The visual language: which symbol, colour and word each thing has, on every page."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from advisor.catalog import Value, say
from advisor.questions.durations import is_duration, spoken
from advisor.reasoning.failures import all_events
from advisor.reasoning.guarantees import Anomaly, Boundary, Guarantee
from advisor.reasoning.numbers import Number

register = template.Library()
register.filter(say)

KINDS: Mapping[Anomaly, tuple[str, str]] = {
    Anomaly.LOST_WRITE: ("lost", "lost"),
    Anomaly.SKIPPED: ("lost", "skipped"),
    Anomaly.EFFECT_MISSING: ("lost", "effect missing"),
    Anomaly.STATE_LOST: ("lost", "state lost"),
    Anomaly.DUPLICATE: ("duplicated", "duplicated"),
    Anomaly.REDELIVERY: ("duplicated", "delivered again"),
    Anomaly.EFFECT_DUPLICATED: ("duplicated", "effect applied twice"),
    Anomaly.REORDERED: ("reordered", "reordered"),
    Anomaly.KEY_REORDERED: ("reordered", "reordered by key"),
    Anomaly.NONMONOTONIC_POLL: ("reordered", "read backwards"),
    Anomaly.POLL_SKIP: ("reordered", "poll left a gap"),
    Anomaly.UNSEEN: ("late", "not delivered yet"),
    Anomaly.BLOCKED: ("late", "delivery stopped"),
    Anomaly.UNAVAILABLE: ("unavailable", "unavailable"),
    Anomaly.GIVEN_UP: ("unavailable", "given up"),
    Anomaly.ABORTED_READ: ("wrong", "aborted data read"),
    Anomaly.TORN_TRANSACTION: ("wrong", "torn transaction"),
    Anomaly.DIVERGED: ("wrong", "replicas differ"),
    Anomaly.PHANTOM: ("wrong", "never sent, yet there"),
}
"""Anomaly → the kind (symbol and colour) it is drawn as, and its word on a page.

Being unavailable, blocked or given up is never drawn as loss: nothing acknowledged is gone.
"""

GUARANTEES: Mapping[str, str] = {
    Guarantee.EXACTLY_ONCE: "exactly once",
    Guarantee.AT_LEAST_ONCE: "at least once",
    Guarantee.AT_MOST_ONCE: "at most once",
    Guarantee.NONE: "no guarantee",
}

BOUNDARIES: Mapping[str, str] = {
    Boundary.PRODUCER_TO_LOG: "Producer to log",
    Boundary.LOG_TO_CONSUMER: "Log to consumer",
    Boundary.END_TO_END: "End to end",
}

_PREFIXES = ("", "k", "M", "G", "T", "P", "E")

VERDICTS: Mapping[str, tuple[str, str]] = {
    "holds": ("holds", "holds"),
    "broken": ("lost", "broken"),
    "unknown": ("unknown", "unknown"),
}


@register.simple_tag
@lru_cache
def symbol(name: str) -> SafeString:
    """The symbol alone; it needs a word next to it, because it is hidden from screen readers."""
    return format_html(
        '<svg class="symbol" aria-hidden="true"><use href="#symbol-{}"/></svg>', name
    )


@register.simple_tag
@lru_cache
def anomaly(name: str) -> SafeString:
    """An anomaly's word with its symbol, in its colour."""
    kind, word = KINDS[Anomaly(name)]
    return format_html('<span class="mark kind-{}">{}{}</span>', kind, symbol(kind), word)


@register.simple_tag
def guarantee(name: str, size: str = "") -> SafeString:
    """A guarantee as a badge; `size` may be `large`."""
    return format_html(
        '<span class="badge guarantee-{}{}">{}{}</span>',
        name,
        " badge-large" if size == "large" else "",
        symbol(name),
        GUARANTEES[name],
    )


@register.simple_tag
def verdict(name: str, size: str = "") -> SafeString:
    """A verdict (`holds`, `broken`, `unknown`) as a badge; `size` may be `large`."""
    kind, word = VERDICTS[name]
    return format_html(
        '<span class="badge verdict-{}{}">{}{}</span>',
        name,
        " badge-large" if size == "large" else "",
        symbol(kind),
        word,
    )


@register.filter
def kind(name: str) -> str:
    """The kind of an anomaly, for `class="kind-…"`."""
    return KINDS[Anomaly(name)][0]


@register.filter
def word(name: str) -> str:
    """An anomaly, a guarantee or a boundary in words."""
    if name in GUARANTEES:
        return GUARANTEES[name]
    return BOUNDARIES[name] if name in BOUNDARIES else KINDS[Anomaly(name)][1]


@register.filter
def severity_kind(severity: str) -> str:
    """The colour of a finding of this severity, as a class."""
    return {"high": "kind-lost", "medium": "kind-late"}.get(severity, "kind-unavailable")


_WRITTEN: Mapping[str, str] = {
    "in sync replica": "in-sync replica", "min isr": "min.insync.replicas",
    "fail over": "fail-over", "zookeeper": "ZooKeeper", "java": "Java", "by streams": "by Streams",
}  # fmt: skip


@register.filter
def spaced(name: str) -> str:
    """A name as it reads: `acks-below-all` → `acks below all`, with names as they are written."""
    text = name.replace("-", " ")
    for plain, written in _WRITTEN.items():
        text = text.replace(plain, written)
    return text


@register.filter
def unhyphened(text: str) -> SafeString:
    """A text in which no line ends at the hyphen of `in-sync`."""
    whole = mark_safe('<span class="unbroken">in-sync</span>')
    return format_html_join(whole, "{}", ([part] for part in text.split("in-sync")))


@register.filter
def lasting(value: Value, key: str) -> str:
    """A duration in words, ` (2 days)`, to stand behind its milliseconds; else empty."""
    words = spoken(say(value)) if is_duration(key) else ""
    return f" ({words})" if words and not words.endswith(" ms") else ""


@register.filter
def quantity(number: Number) -> str:
    """A number in words: seconds from 1,000 ms on, bytes with their decimal prefix."""
    value = number.value
    if value is None:
        return "no bound"
    if number.unit == "ms":
        seconds, rest = divmod(value, 1000)
        decimals = f"{rest / 1000:.3f}"[1:].rstrip("0.")
        return f"{seconds:,}{decimals} s" if seconds else f"{value} ms"
    if number.unit == "bytes":
        power = min((len(str(value)) - 1) // 3, len(_PREFIXES) - 1)
        return f"{value / 1000**power:,.1f} {_PREFIXES[power]}B" if power else f"{value} bytes"
    return f"{value:,}"


@register.filter
def event_title(name: str) -> str:
    """A failure event in words."""
    return {event.name: event.title for event in all_events()}.get(name, name)


@register.simple_tag(takes_context=True)
def here(context: template.Context, *prefixes: str) -> str | SafeString:
    """` aria-current="page"` if the page's view name begins with one of them."""
    request = context.get("request")
    match = getattr(request, "resolver_match", None)
    if match is None or not match.view_name.startswith(prefixes):
        return ""
    return format_html(' aria-current="{}"', "page")
