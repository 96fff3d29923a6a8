"""The reference: a page for every failure, rule and setting, made of the code that decides.

Words for the pages only; what is true of a failure, a rule or a setting stands in its own file.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import groupby

from django.urls import reverse

from advisor.catalog import Component, Family, Setting, kafka_versions, versions
from advisor.catalog.lookups import in_force
from advisor.questionnaire import FAMILIES
from advisor.reasoning.failures import all_events
from advisor.reasoning.finding import Rule
from advisor.reasoning.rules import all_rules

KINDS = {"failure": "Failures", "rule": "Rules", "setting": "Settings"}


@dataclass(frozen=True, slots=True)
class Entry:
    """One page of the reference.

    `label` tells pages of one title apart; `text` is all that a search looks through, in small
    letters.
    """

    kind: str
    name: str
    title: str
    label: str
    summary: str
    url: str
    text: str


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of versions in which a client treats a setting alike; None where it has none."""

    versions: str
    setting: Setting | None


@dataclass(frozen=True, slots=True)
class ByFamily:
    """A setting for one client family, newest versions first; they are `product`'s, or its own."""

    family: str
    product: str
    spans: tuple[Span, ...]


@cache
def entries() -> tuple[Entry, ...]:
    """Every page: failures along the way of a message, rules by code, settings by component."""
    return (*_failures(), *_rules(), *_settings())


def search(words: str, kind: str = "") -> list[Entry]:
    """The pages that hold every word; those that have one in name or title come first."""
    wanted = words.lower().split()
    found = [
        each for each in entries()
        if kind in ("", each.kind) and all(word in each.text for word in wanted)
    ]  # fmt: skip
    return sorted(found, key=lambda each: not _named(each, wanted))


def _named(entry: Entry, wanted: list[str]) -> bool:
    name = f"{entry.name} {entry.title}".lower()
    return all(word in name for word in wanted)


def _failures() -> Iterator[Entry]:
    for event in all_events():
        url = reverse("reference:failure", args=[event.name])
        text = f"{event.name} {event.title} {event.story} {event.scenario or ''}".lower()
        yield Entry("failure", event.name, event.title, event.name, event.story, url, text)


def _rules() -> Iterator[Entry]:
    for rule in all_rules():
        title, parts = explained(rule)
        url = reverse("reference:rule", args=[rule.code])
        label, words = f"{rule.code} {rule.name}", " ".join(text for _, text in parts)
        text = f"{rule.code} {rule.name} {rule.setting} {title} {words}".lower()
        yield Entry("rule", label, title, label, parts[0][1], url, text)


def _settings() -> Iterator[Entry]:
    for component in Component:
        for name in dict.fromkeys(name for family in Family for name in _newest(family, component)):
            known = [_newest(family, component).get(name) for family in Family]
            first, *_ = has = [setting for setting in known if setting]
            aliases = " ".join(alias for setting in has for alias in setting.aliases)
            url = reverse("reference:setting", args=[component, name])
            meanings = " ".join(dict.fromkeys(setting.meaning for setting in has))
            text = f"{component} {name} {aliases} {meanings}".lower()
            yield Entry("setting", f"{component} {name}", name, component, first.meaning, url, text)


def _newest(family: Family, component: Component) -> dict[str, Setting]:
    return in_force(family, versions(family)[0], kafka_versions()[0], component)


def explained(rule: Rule) -> tuple[str, tuple[tuple[str, str], ...]]:
    """A rule's title and the parts of its page: its module's docstring."""
    text = sys.modules[rule.check.__module__].__doc__ or ""
    title, *blocks = text.strip().split("\n\n")
    parts = (block.partition("\n") for block in blocks)
    return title.rstrip("."), tuple(
        (head.strip(), " ".join(body.split())) for head, _, body in parts
    )


def by_family(component: Component, name: str) -> tuple[ByFamily, ...]:
    """How each client family and version has a setting; empty if none has it.

    Lines are those of the client, or of the brokers where the setting changes with those.
    """
    found = []
    for family in Family:
        newest, kafka = versions(family)[0], kafka_versions()[0]
        of_client = [(v, in_force(family, v, kafka, component).get(name)) for v in versions(family)]
        of_kafka = [(v, in_force(family, newest, v, component).get(name)) for v in kafka_versions()]
        brokers = component in (Component.TOPIC, Component.BROKER) or len(_spans(of_kafka)) > 1
        spans = _spans(of_kafka if brokers else of_client)
        if any(span.setting for span in spans):
            found.append(ByFamily(FAMILIES[family][0], "Kafka" if brokers else "", spans))
    return tuple(found)


def _spans(lines: list[tuple[str, Setting | None]]) -> tuple[Span, ...]:
    spans = []
    for setting, group in groupby(lines, key=lambda each: each[1]):
        named = [line for line, _ in group]
        said = named[0] if len(named) == 1 else f"{named[-1]} to {named[0]}"
        spans.append(Span(said, setting))
    return tuple(spans)
