"""Every statement has a source. `test_superseded` checks for outdated statements."""

from __future__ import annotations

import re
from itertools import chain

from advisor.catalog import Component, Family, kafka_versions, settings_of, versions
from advisor.reasoning.failures import all_events
from advisor.reasoning.levers import ALL
from advisor.reasoning.numbers import numbers
from advisor.reasoning.rules import all_rules
from tests.advisor.pipelines import described

_SOURCE = re.compile(
    r"KIP-\d+|KAFKA-\d+|ConfigDef|Config\b|\.md\b|javadoc|librdkafka|Spark|Kafka|#\d+|\.(java|scala)",
    re.IGNORECASE,
)


def test_events_and_rules_have_sources():
    sources = {event.name: event.sources for event in all_events()}
    for name, references in (sources | {rule.code: rule.sources for rule in all_rules()}).items():
        assert references, name
        assert all(_SOURCE.search(source) for source in references), name


def test_changes_numbers_and_settings_have_sources():
    assert all(_SOURCE.search(lever.source) for lever in ALL)
    load = {"rate": "5", "message.bytes": "9", "controllers": "3"}
    for family in Family:
        client = (family, versions(family)[0], kafka_versions()[0])
        results = numbers(
            described({"family": family} | {f"application.{k}": v for k, v in load.items()})
        )
        assert len(results) > 5
        assert all(_SOURCE.search(number.source) for number in results)
        settings = chain.from_iterable(settings_of(*client, component) for component in Component)
        assert all(setting.source and setting.meaning for setting in settings)
