"""The services of the advisor that its pages and the engine use."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from advisor import services
from advisor.models import SLUG_LENGTH, Description
from tests.advisor.pipelines import SAFE, described


def test_all_invalid_fields_are_reported_together():
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


def test_a_conflict_has_the_message_of_the_client():
    _, problems = services.from_fields(
        {"producer.acks": "1", "producer.enable.idempotence": "true"}
    )
    assert [problem.product for problem in problems] == [True]


def test_the_advice_has_the_documented_json_keys():
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
    killed = {failure["event"]: failure for failure in advice["failures"]}[
        "leader-killed-followers-behind"
    ]
    assert "acks=1" in killed["permits"]["lost_write"]
    assert killed["scenario"] == "leader-killed-followers-behind"
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


def test_failures_out_of_scope_are_not_in_the_advice():
    events = [
        item["event"] for item in services.advise(described({"need.survive": "0"}))["failures"]
    ]
    assert "broker-disk-lost" not in events
    assert "leader-killed" in events


def test_the_answer_has_a_column_per_guarantee():
    columns = services.answer(described({})).columns

    assert [column.guarantee for column in columns] == list(services.COLUMNS)
    _, at_least_once, exactly_once = columns
    assert len(exactly_once.changes) > len(at_least_once.changes)


@pytest.mark.parametrize(("version", "loses"), [("4.1", True), ("4.2", False)])
def test_the_settings_of_an_arm_tell_whether_the_client_splits_batches(
    version: str, loses: bool
) -> None:
    fields = {"version": version, "topic.max.message.bytes": "10000"}
    application = services.in_force(described(fields))["application"]
    assert application.get("splits.batches") == (False if loses else None)


def test_an_answer_without_other_columns_is_otherwise_the_same():
    pipeline = described({"producer.acks": "1", "need.guarantee": "at-least-once"})

    whole, without_others = services.answer(pipeline), services.answer(pipeline, columns=())

    assert without_others == replace(whole, columns=(whole.wanted,))
    assert len(whole.columns) > 1


def test_the_effective_settings_are_complete():
    """An arm runs with acks=1 and the idempotence that follows from it, with any client."""
    settings = services.in_force(described({"producer.acks": "1", "topic.replication.factor": "3"}))

    assert set(settings) == {"producer", "consumer", "topic", "broker", "application"}
    assert settings["producer"]["acks"] == "1"
    assert settings["producer"]["enable.idempotence"] is False
    assert settings["topic"]["replication.factor"] == 3
    assert settings["topic"]["min.insync.replicas"] == 1
    assert settings["application"]["commit"] == "auto"
    values = [value for values in settings.values() for value in values.values()]
    assert all(isinstance(value, str | int | bool) for value in values)


def test_the_recommended_pipeline_has_the_guarantee():
    after = services.recommended(described({"family": "librdkafka"}))
    assert services.advise(after)["guarantee"]["end_to_end"] == "at-least-once"


@pytest.mark.django_db
def test_a_saved_pipeline_is_found_by_its_link():
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
