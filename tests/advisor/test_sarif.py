"""SARIF: the fields that the published schema requires, and the locations of results."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from hypothesis import given

from advisor.intake.inputs import Inputs
from advisor.intake.origins import Origin
from advisor.reasoning.answer import answer
from advisor.reasoning.pipeline import Pipeline
from advisor.reports.sarif import sarif
from tests.advisor.pipelines import described, pipelines

LEVELS = {"none", "note", "warning", "error"}


def _validated_run(log: dict[str, Any]) -> dict[str, Any]:
    """Asserts the requirements of sarif-schema-2.1.0.json. Returns the run."""
    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-schema-2.1.0.json")
    [run] = log["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"]
    ids = [rule["id"] for rule in driver["rules"]]
    assert len(set(ids)) == len(ids)
    for rule in driver["rules"]:
        assert rule["shortDescription"]["text"]
        assert rule["defaultConfiguration"]["level"] in LEVELS
    for result in run["results"]:
        assert result["message"]["text"]
        assert result["level"] in LEVELS
        assert ids[result["ruleIndex"]] == result["ruleId"]
        for place in result.get("locations", ()):
            assert all(location["fullyQualifiedName"] for location in place["logicalLocations"])
            if physical := place.get("physicalLocation"):
                assert physical["artifactLocation"]["uri"]
                assert physical["region"]["startLine"] >= 1
    return dict(run)


@given(pipelines())
def test_every_pipeline_has_a_valid_log(pipeline: Pipeline) -> None:
    inputs = Inputs(origins={"producer.acks": Origin("zz yy#1?.yml", 3)})
    log = sarif(answer(pipeline), inputs)
    _validated_run(json.loads(json.dumps(log)))
    assert "zz yy" not in json.dumps(log), "an address has no blanks"


def test_two_results_of_one_rule_share_its_index() -> None:
    """The topic and `__consumer_offsets` have a min.insync.replicas that one broker cannot meet."""
    one_broker = described(
        {"kafka": "3.1", "brokers": "1", "family": "librdkafka", "broker.min.insync.replicas": "2",
         "need.survive": "0", "broker.offsets.topic.replication.factor": "1",
         "topic.replication.factor": "1", "producer.acks": "all"}
    )  # fmt: skip
    log = sarif(answer(one_broker), Inputs(origins={}))
    _validated_run(log)
    (run,) = log["runs"]
    results_of_rule = [
        result for result in run["results"] if result["ruleId"] == "cannot-work/min.insync.replicas"
    ]
    assert len(results_of_rule) == 2
    assert len({item["ruleIndex"] for item in results_of_rule}) == 1


def test_a_result_is_located_at_the_line_of_the_setting(tmp_path: Path) -> None:
    path = tmp_path / "producer.properties"
    path.write_text("bootstrap.servers=a\n\nacks=1\n")
    topic = tmp_path / "topic.properties"
    topic.write_text("replication.factor=3\n")
    out = StringIO()
    with pytest.raises(SystemExit) as end:
        call_command(
            "advise", str(path), "--topic", str(topic), "--want", "at-least-once",
            "--format", "sarif",
            stdout=out, stderr=StringIO(),
        )  # fmt: skip
    assert end.value.code == 1
    run = _validated_run(json.loads(out.getvalue()))
    titles = {
        rule["id"]: rule["shortDescription"]["text"] for rule in run["tool"]["driver"]["rules"]
    }
    assert titles["P001"] == "A producer that does not wait for the followers"
    by_rule = {result["ruleId"]: result for result in run["results"]}
    assert by_rule["P001"]["level"] == "error"
    for rule in ("P001", "leader-killed-followers-behind"):
        places = [
            place["physicalLocation"]
            for place in by_rule[rule]["locations"]
            if "physicalLocation" in place
        ]
        assert places == [
            {"artifactLocation": {"uri": str(path)}, "region": {"startLine": 3}}
        ], rule  # fmt: skip


@pytest.mark.parametrize("need", ["none", "at-least-once"])
def test_a_wish_that_is_met_gives_no_error(need: str) -> None:
    fields = {"producer.acks": "1", "topic.replication.factor": "3", "need.guarantee": need}
    run = _validated_run(sarif(answer(described(fields)), Inputs()))
    levels = {result["ruleId"]: result["level"] for result in run["results"]}
    assert levels["P001"] == ("warning" if need == "none" else "error")
    assert ("error" in levels.values()) == (need != "none")
