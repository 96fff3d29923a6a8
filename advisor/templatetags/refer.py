"""Links to concepts, and into the reference from answers that may be older than what it knows."""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import unquote_plus

from django import template
from django.urls import NoReverseMatch, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from advisor.concepts import find
from advisor.reasoning.failures import all_events
from advisor.reasoning.rules import all_rules

register = template.Library()


@register.simple_block_tag
def refer(content: SafeString, kind: str, *names: str) -> SafeString:
    """The content as a link to a `failure`, a `rule` or a `setting`; unchanged without one."""
    url = _url(kind, *names)
    return format_html('<a href="{}">{}</a>', url, content) if url else content


@register.simple_tag
def concept(name: str, words: str = "") -> SafeString:
    """A concept's word as a link: `{% concept "isr" %}`, or `{% concept "isr" "in sync" %}`.

    Raises LookupError for a concept that there is not: a mistake of the template.
    """
    concept = find(name)
    url = reverse("concepts:concept", args=[name])
    return format_html('<a class="term" href="{}">{}</a>', url, words or concept.words[0])


@lru_cache(maxsize=4096)
def _url(kind: str, *names: str) -> str:
    """The address of a page, of which one answer has a hundred; "" if there is none."""
    if kind == "failure" and not any(event.name == names[0] for event in all_events()):
        return ""
    if kind == "rule" and not any(rule.code == names[0] for rule in all_rules()):
        return ""
    try:
        return reverse(f"reference:{kind}", args=names)
    except NoReverseMatch:
        return ""


@register.filter
def prose(text: str) -> SafeString:
    """A line of text: what stands between backquotes is code."""
    parts = text.split("`")
    marked = (("<code>{}</code>" if at % 2 else "{}", part) for at, part in enumerate(parts))
    return SafeString("".join(format_html(form, part) for form, part in marked))


@register.filter
def source_words(url: str) -> str:
    """An address as people name it: a ticket's number, a pull request, else the bare address."""
    address = url.removeprefix("https://").removeprefix("www.")
    if ticket := re.fullmatch(r"issues\.apache\.org/jira/browse/([A-Z]+-\d+)", address):
        return ticket[1]
    if thread := re.fullmatch(r"github\.com/([\w.-]+/[\w.-]+)/(pull|issues)/(\d+)", address):
        repository, kind, number = thread.groups()
        return f"{repository} {'pull request' if kind == 'pull' else 'issue'} {number}"
    return unquote_plus(address)
