"""Every statement has its source, and none of them is one that is no longer true."""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path

import pytest

import advisor
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


@pytest.mark.parametrize("event", all_events(), ids=lambda event: event.name)
def test_an_event_names_its_sources(event):
    assert event.sources
    assert all(_SOURCE.search(source) for source in event.sources)


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
def test_a_rule_names_its_sources(rule):
    assert rule.sources
    assert all(_SOURCE.search(source) for source in rule.sources)


def test_a_change_a_number_and_a_setting_name_theirs():
    assert all(_SOURCE.search(lever.source) for lever in ALL)
    load = {"rate": "5", "message.bytes": "9", "controllers": "3"}
    for family in Family:
        of = (family, versions(family)[0], kafka_versions()[0])
        found = numbers(
            described({"family": family} | {f"application.{k}": v for k, v in load.items()})
        )
        assert len(found) > 5
        assert all(_SOURCE.search(number.source) for number in found)
        settings = chain.from_iterable(settings_of(*of, component) for component in Component)
        assert all(setting.source and setting.meaning for setting in settings)


_SUPERSEDED = {
    "ZooKeeper is gone from 4.0": r"zookeeper (ensemble|session|quorum|elects)",
    "the high watermark waits for min.insync.replicas since 3.7":
        r"acks=[01] keeps? (the )?(pipeline|topic|readers?) (running|readable)",
    "the tolerance is min.insync.replicas - 1, not replication.factor - 1":
        r"surviv\w+ replication\.factor - 1",
    "acks=1 is not the default since 3.0": r"acks=1 \((the )?default\)",
    "idempotence is on by default since 3.0": r"idempotence is off by default in the Java",
    "offsets.commit.required.acks is gone since 4.0": r"offsets\.commit\.required\.acks",
    "exactly_once and exactly_once_beta are gone since 4.0":
        r"set (processing\.guarantee=)?exactly_once(_beta)?\b(?!_v2)",
    "session.timeout.ms is 45 s since 3.0": r"session\.timeout\.ms \(?(default )?10[, ]?000",
    "the consumer goes back by no means by itself": r"abort\w* rewinds the consumer",
}  # fmt: skip


@pytest.mark.parametrize("now", _SUPERSEDED)
def test_nothing_says_what_is_no_longer_true(now):
    """FACTS 1.7, How defaults changed; RECIPES, Things that are true now."""
    root = Path(advisor.__file__).parent
    files = [p for suffix in ("py", "toml") for p in root.rglob(f"*.{suffix}")]
    files += list((root.parent / "templates").rglob("*.html"))
    files += list((root.parent / "labs" / "lessons").rglob("*.py"))
    wrong = re.compile(_SUPERSEDED[now], re.IGNORECASE)
    said = {path.name for path in files if wrong.search(" ".join(path.read_text().split()))}
    assert not said, f"{said} forget that {now}"
