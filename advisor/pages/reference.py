"""The reference: a page for every failure, rule and setting, generated from the code that decides.

This module has only the wording; the facts are in the files of failures, rules and settings.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby

from django.urls import reverse

from advisor.catalog import Component, Family, Setting, kafka_versions, other_settings, versions
from advisor.catalog.lookups import in_force, known_to
from advisor.concepts import all_concepts
from advisor.pages import synonyms
from advisor.questions.questionnaire import FAMILIES
from advisor.reasoning.event import FailureEvent
from advisor.reasoning.failures import all_events
from advisor.reasoning.finding import Rule, explained
from advisor.reasoning.rules import all_rules

KINDS = {"concept": "Concepts", "failure": "Failures", "rule": "Rules", "setting": "Settings"}
UNUSED = "No rule and no failure depends on it."
GONE = "Of earlier versions only. "


@dataclass(frozen=True, slots=True)
class Entry:
    """One page of the reference.

    `label` distinguishes pages with the same title; `text` is the searched text, in lower case. A
    setting that is not `modelled` exists but does not affect any advice: it is only listed if a
    search finds it.
    """

    kind: str
    name: str
    title: str
    label: str
    summary: str
    url: str
    text: str
    modelled: bool = True


@dataclass(frozen=True, slots=True)
class Span:
    """A range of versions with the same setting; None if they do not have it."""

    versions: str
    setting: Setting | None


@dataclass(frozen=True, slots=True)
class ByFamily:
    """A setting for one client family, newest versions first, of `product` or of the client."""

    family: str
    product: str
    spans: tuple[Span, ...]


@cache
def entries() -> tuple[Entry, ...]:
    """Returns every page: concepts, failures along the path of a message, rules, and settings."""
    return (*_concepts(), *_failures(), *_rules(), *_settings())


def search(words: str, kind: str = "") -> list[Entry]:
    """Returns the pages with every word, a synonym, or its expansion (`hw`). Modelled settings, and
    words in name or title, come first. Without words, it returns all modelled ones."""
    wanted = synonyms.parts(words)
    results = [
        entry for entry in entries()
        if kind in ("", entry.kind) and all(_holds(entry, word) for word in wanted)
        and (wanted or entry.modelled)
    ]  # fmt: skip
    return sorted(results, key=lambda entry: (not entry.modelled, not _is_in_name(entry, wanted)))


def _holds(entry: Entry, word: str) -> bool:
    return synonyms.holds(entry.text, word) or any(
        phrase in entry.text for phrase in _short_for(word)
    )


@cache
def _short_for(word: str) -> tuple[str, ...]:
    """Returns the expansions of an abbreviation in the concepts: `high watermark` for `hw`."""
    return tuple(
        phrase for concept in all_concepts() if word in concept.short for phrase in concept.words
    )


def _is_in_name(entry: Entry, wanted: list[str]) -> bool:
    name = f"{entry.name} {entry.title}".lower()
    return all(word in name for word in wanted)


def _concepts() -> Iterator[Entry]:
    for concept in all_concepts():
        name = " ".join((concept.name, *concept.words, *concept.also, *concept.short))
        url = reverse("concepts:concept", args=[concept.name])
        text = f"{name} {concept.title} {concept.text}".lower()
        yield Entry("concept", name, concept.title, "", concept.summary, url, text)


def _failures() -> Iterator[Entry]:
    for event in all_events():
        url = reverse("reference:failure", args=[event.name])
        text = f"{event.name} {event.title} {event.story} {event.scenario}".lower()
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
        by_family = [_settings_by_version(family, component) for family in Family]
        newest = [lines[0] for lines in by_family]
        earlier = [line for lines in by_family for line in lines[1:]]
        for name in dict.fromkeys(name for row in (*newest, *earlier) for name in row):
            current = [row[name] for row in newest if name in row]
            former = [row[name] for row in earlier if name in row]
            yield _setting(component, current or former, "" if current else GONE)


def _setting(component: Component, settings: list[Setting], prefix: str) -> Entry:
    name, modelled = settings[0].name, any(setting.modelled for setting in settings) and not prefix
    aliases = " ".join(dict.fromkeys(alias for setting in settings for alias in setting.aliases))
    meanings = " ".join(dict.fromkeys(setting.meaning for setting in settings))
    summary = next((setting.meaning for setting in settings if setting.modelled), UNUSED)
    return Entry(
        "setting", f"{component} {name}", name, component, f"{prefix}{summary}",
        reverse("reference:setting", args=[component, name]),
        f"{component} {name} {aliases} {meanings}".lower(), modelled,
    )  # fmt: skip


def _settings_by_version(family: Family, component: Component) -> list[dict[str, Setting]]:
    """Returns a family's settings of a component by version, newest first."""
    if component in (Component.TOPIC, Component.BROKER):
        # Settings of the brokers are the same for every client family.
        java = versions(Family.JAVA)[0]
        return [known_to(Family.JAVA, java, line, component) for line in kafka_versions()]
    client, brokers = versions(family)[0], kafka_versions()[0]
    results = [known_to(family, line, brokers, component) for line in versions(family)]
    if component is Component.APPLICATION:  # some questions only concern older brokers
        results += [known_to(family, client, line, component) for line in kafka_versions()[1:]]
    return results


def shown_by(rules: Iterable[Rule]) -> list[tuple[FailureEvent, str]]:
    """Returns the failures that show the same as these rules elsewhere: (event, words)."""
    events = {event.name: event for event in all_events()}
    return [(events[pair.event], pair.how) for rule in rules for pair in rule.shown_by]


def by_family(component: Component, name: str) -> tuple[ByFamily, ...]:
    """Returns a setting by client family and version; empty if none has it.

    Lines are those of the client, or of the brokers where the setting changes with those.
    """
    results = []
    for family in Family:
        newest = versions(family)[0]
        is_of_brokers = component in (Component.TOPIC, Component.BROKER)
        by_kafka = _spans((v, _at(family, newest, v, component, name)) for v in kafka_versions())
        brokers = is_of_brokers or len(by_kafka) > 1
        by_client = (
            (v, _at(family, v, kafka_versions()[0], component, name)) for v in versions(family)
        )
        spans = by_kafka if brokers else _spans(by_client)
        if any(span.setting for span in spans):
            results.append(ByFamily(FAMILIES[family][0], "Kafka" if brokers else "", spans))
    return tuple(results)


def meanings(families: Iterable[ByFamily]) -> dict[str, list[str]]:
    """Returns each meaning of a setting, and the clients in which it has that meaning."""
    results: dict[str, list[str]] = {}
    for family in families:
        for span in family.spans:
            if span.setting is not None:
                clients = results.setdefault(span.setting.meaning or UNUSED, [])
                if family.family not in clients:
                    clients.append(family.family)
    return results


def _at(family: Family, line: str, kafka: str, component: Component, name: str) -> Setting | None:
    modelled = in_force(family, line, kafka, component).get(name)
    return modelled or other_settings.setting(family, line, kafka, component, name)


def _spans(lines: Iterable[tuple[str, Setting | None]]) -> tuple[Span, ...]:
    spans = []
    for _, group in groupby(lines, key=lambda row: row[1] and replace(row[1], source="")):
        (newest, setting), *older = group
        text = f"{older[-1][0]} to {newest}" if older else newest
        spans.append(Span(text, setting))
    return tuple(spans)
