"""What the pages and the engine ask of the advisor."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from advisor import services
from advisor.models import SLUG_LENGTH, Description
from tests.advisor.pipelines import SAFE, described


def test_every_wrong_field_is_named_at_once():
    pipeline, problems = services.from_fields({
        "family": "java", "brokers": "many", "producer.acks": "2", "producer.akcs": "1",
        "topic.min.insync.replicas": "0", "nonsense": "1", "need.survive": "-1",
    })  # fmt: skip

    assert pipeline is None
    assert {services.field_of(problem) for problem in problems} == {
        "brokers", "producer.acks", "producer.akcs", "topic.min.insync.replicas",
        "application.nonsense", "need.survive",
    }  # fmt: skip
    assert "acks" in {problem.suggestion for problem in problems}


def test_what_cannot_stand_together_is_said_in_the_clients_words():
    _, problems = services.from_fields(
        {"producer.acks": "1", "producer.enable.idempotence": "true"}
    )
    assert [problem.product for problem in problems] == [True]


def test_the_advice_is_the_json_of_the_design():
    fields = SAFE | {"producer.acks": "1", "producer.enable.idempotence": "false"}
    advice = services.advise(described(fields))

    assert json.loads(json.dumps(advice)) == advice
    assert list(advice) == [
        "guarantee", "failures", "findings", "changes", "impossible", "numbers",
        "advisories", "guarantee_with_advisories", "upgrades", "after_changes",
        "met", "works", "obstacles", "wish", "versions", "assumed",
    ]  # fmt: skip
    assert advice["met"] is False
    assert advice["versions"]["client_version"] == "4.3"
    assert advice["versions"]["brokers"] == 3
    assert {item["setting"] for item in advice["assumed"]} == {
        assumption.setting for assumption in services.answer(described(fields)).assumed
    }
    assert advice["guarantee"] == {
        "producer_to_log": "none", "log_to_consumer": "at-least-once", "end_to_end": "none",
    }  # fmt: skip
    staged = {failure["event"]: failure for failure in advice["failures"]}[
        "leader-killed-followers-behind"
    ]
    assert "acks=1" in staged["permits"]["lost_write"]
    assert staged["scenario"] == "leader-killed-followers-behind"
    [change] = advice["changes"]
    assert set(change) == {
        "component", "setting", "from", "to", "closes", "price", "remove", "source", "confidence",
        "apply",
    }  # fmt: skip
    assert set(change["apply"]) == {"restart", "how", "verify", "after"}
    assert (change["component"], change["setting"], change["from"], change["to"]) == (
        "producer", "acks", "1", "all",
    )  # fmt: skip
    finding = next(finding for finding in advice["findings"] if finding["code"] == "P001")
    assert set(finding) == {
        "code", "name", "severity", "confidence", "setting", "message", "sources",
    }  # fmt: skip


def test_failures_out_of_scope_are_left_out_of_the_advice():
    events = [
        item["event"] for item in services.advise(described({"need.survive": "0"}))["failures"]
    ]
    assert "broker-disk-lost" not in events
    assert "leader-killed" in events


def test_three_columns_each_after_its_own_changes():
    columns = services.answer(described({})).columns

    assert [column.guarantee for column in columns] == list(services.COLUMNS)
    _, at_least_once, exactly_once = columns
    assert len(exactly_once.changes) > len(at_least_once.changes)


@pytest.mark.parametrize(("version", "loses"), [("4.1", True), ("4.2", False)])
def test_an_arm_knows_that_its_client_loses_a_full_batch(version: str, loses: bool) -> None:
    fields = {"version": version, "topic.max.message.bytes": "10000"}
    application = services.in_force(described(fields))["application"]
    assert application.get("splits.batches") == (False if loses else None)


def test_without_the_columns_beside_it_an_answer_is_the_same():
    pipeline = described({"producer.acks": "1", "need.guarantee": "at-least-once"})

    whole, alone = services.answer(pipeline), services.answer(pipeline, columns=())

    assert alone == replace(whole, columns=(whole.wanted,))
    assert len(whole.columns) > 1


def test_what_is_in_force_is_complete_and_without_gaps():
    """An arm runs with acks=1 and what that does to idempotence, on any client."""
    settings = services.in_force(described({"producer.acks": "1", "topic.replication.factor": "3"}))

    assert set(settings) == {"producer", "consumer", "topic", "broker", "application"}
    assert settings["producer"]["acks"] == "1"
    assert settings["producer"]["enable.idempotence"] is False
    assert settings["topic"]["replication.factor"] == 3
    assert settings["topic"]["min.insync.replicas"] == 1
    assert settings["application"]["commit"] == "auto"
    values = [value for values in settings.values() for value in values.values()]
    assert all(isinstance(value, str | int | bool) for value in values)


def test_the_recommended_pipeline_keeps_the_promise():
    after = services.recommended(described({"family": "librdkafka"}))
    assert services.advise(after)["guarantee"]["end_to_end"] == "at-least-once"


@pytest.mark.django_db
def test_a_saved_pipeline_comes_back_by_its_link():
    pipeline = described(SAFE)
    saved = services.save(pipeline)

    assert len(saved.slug) == SLUG_LENGTH
    assert saved.rules_version == services.RULES_VERSION
    assert services.find(saved.slug).described() == pipeline
    assert services.save(pipeline).slug == saved.slug


@pytest.mark.django_db
def test_an_unknown_link_is_not_found():
    with pytest.raises(Description.DoesNotExist):
        services.find("nothing0")
