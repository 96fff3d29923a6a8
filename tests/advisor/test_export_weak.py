"""Weak values that the user stated are not exported as recommendations."""

from __future__ import annotations

import json
import re
from typing import Any

import yaml
from hypothesis import given

from advisor.catalog import Component
from advisor.export import Stamp, exports_for
from advisor.export.base import Revision
from advisor.export.weak import weak
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.recommend import recommend
from advisor.reasoning.wish import breaking
from tests.advisor.pipelines import described, pipelines

STAMP = Stamp("8", "4.3", "java 4.3", "http://127.0.0.1/")
BROKERS = {
    "broker.unclean.leader.election.enable": "true", "broker.min.insync.replicas": "1",
    "broker.default.replication.factor": "1", "broker.offsets.topic.replication.factor": "1",
    "broker.log.dirs": "/tmp/kafka",
}  # fmt: skip
WEAK = {
    "producer.acks": "1", "producer.enable.idempotence": "false",
    "topic.replication.factor": "3", "topic.unclean.leader.election.enable": "true", **BROKERS,
}  # fmt: skip
LEFT_NOTE = "Left as you described, not recommended, and not set here"


def exported_files(fields: dict[str, str]) -> dict[str, str]:
    """Every export of the recommended settings, by name."""
    before = described(fields)
    after = recommend(before).pipeline
    return {
        export.name: export.render(after, STAMP, before) for export in exports_for(after, before)
    }


def _without_comments(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))


def _comments(text: str) -> str:
    lines = (line.strip() for line in text.splitlines())
    return " ".join(line.removeprefix("# ") for line in lines if line.startswith("#"))


def test_weak_broker_values_are_not_set_for_the_cluster() -> None:
    results = exported_files(WEAK)
    script = results["kafka-commands"]
    brokers = _without_comments(script).partition("brokers)")[2]
    assert "kafka-configs.sh" not in brokers
    assert "There is nothing to change while the brokers run." in brokers
    text = _comments(script).partition(LEFT_NOTE)[2]
    for name, value in BROKERS.items():
        key = name.removeprefix("broker.")
        assert ("your own log.dirs" if key == "log.dirs" else f"{key}={value}") in text
    assert not {"server-properties", "strimzi-kafka"} & results.keys(), "nothing of them changes"


def test_no_file_sets_a_value_with_a_finding() -> None:
    for name, text in exported_files(WEAK).items():
        code = json.dumps(_settings(text)) if name == "librdkafka-json" else _without_comments(text)
        assert not re.search(r"unclean.leader.election.enable\W+true", code), name
        assert not re.search(r"(?<!transaction\.)min.insync.replicas\W+1\b", code), name
        assert not re.search(r"enable.idempotence\W+false", code), name
    assert f"{LEFT_NOTE}: enable.idempotence=false." in _comments(
        exported_files(WEAK)["java-producer"]
    )


def _settings(text: str) -> Any:
    return {key: value for key, value in json.loads(text).items() if key != "about"}


def test_json_names_weak_values_in_its_notes() -> None:
    text = exported_files({"family": "librdkafka", "topic.replication.factor": "3"})[
        "librdkafka-json"
    ]
    assert any(LEFT_NOTE in note for note in json.loads(text)["about"]["notes"])
    assert "enable.idempotence" not in json.loads(text)["producer"]


def test_an_existing_topic_gets_only_the_changed_settings() -> None:
    script = exported_files({"topic.replication.factor": "3", "topic.retention.ms": "604800000"})
    alter = script["kafka-commands"].partition("alter)")[2].partition(";;")[0]
    assert "min.insync.replicas=2" in alter
    assert "retention.ms" not in alter
    assert "retention.ms=604800000" in script["kafka-commands"], "a new topic is made whole"
    assert "retention.ms" in script["terraform"]


def test_one_copy_on_one_broker_is_set_with_a_note_that_it_is_not_recommended() -> None:
    results = exported_files({"brokers": "1", "need.survive": "0", "topic.replication.factor": "1"})
    topic = results["strimzi-topic"]
    assert yaml.safe_load(topic)["spec"]["replicas"] == 1
    assert "Set as you described, not recommended: replication.factor=1." in _comments(topic)
    assert "min.insync.replicas" not in yaml.safe_load(topic)["spec"]["config"]


def test_a_value_that_the_guarantee_needs_is_set_despite_a_finding() -> None:
    """At-most-once with librdkafka: without acks=0 it would retry and send duplicates."""
    fields = {
        "family": "librdkafka", "producer.acks": "0", "need.guarantee": "at-most-once",
        "application.commit": "before-processing", "consumer.enable.auto.commit": "false",
    }  # fmt: skip
    assert json.loads(exported_files(fields)["librdkafka-json"])["producer"]["acks"] == "0"


def test_one_of_two_redundant_min_isr_settings_is_kept() -> None:
    """Either is redundant given the other; without both, one replica may acknowledge alone."""
    before = described({
        "family": "spark", "need.guarantee": "at-least-once", "need.survive": "1",
        "broker.min.insync.replicas": "2", "topic.min.insync.replicas": "3",
        "broker.offsets.topic.replication.factor": "1",
    })  # fmt: skip
    omitted = weak(Revision(recommend(before).pipeline, before))
    minimum = "min.insync.replicas"
    assert not {(Component.BROKER, minimum), (Component.TOPIC, minimum)} <= omitted


@given(pipelines())
def test_omitting_weak_values_never_breaks_more(before: Pipeline) -> None:
    after = recommend(before).pipeline
    remaining = after
    for component, name in weak(Revision(after, before)):
        stated = {key: value for key, value in remaining.stated(component).items() if key != name}
        remaining = Pipeline(
            remaining.family, remaining.version, remaining.kafka, remaining.brokers,
            {**remaining.settings, component: stated}, remaining.requirement,
        )  # fmt: skip
    assert not remaining.problems()
    assert breaking(remaining) <= breaking(after)
