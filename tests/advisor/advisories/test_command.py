"""`manage.py advisories`, and the known bugs in the output of `manage.py advise`."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from advisor.advisories import advisories

SOUND = {
    "topic.replication.factor": "3",
    "topic.min.insync.replicas": "2",
    "producer.acks": "all",
    "consumer.auto.offset.reset": "earliest",
}


def list_advisories(*options):
    out = StringIO()
    call_command("advisories", "--json", *options, stdout=out)
    return json.loads(out.getvalue())


def run_advise(tmp_path, *options, **properties):
    """The output and exit code of `advise` for a sound pipeline with these settings changed."""
    files = []
    for part in ("producer", "topic", "consumer"):
        settings = {
            key: value for key, value in (SOUND | properties).items() if key.startswith(part)
        }
        text = "".join(f"{key.partition('.')[2]}={value}\n" for key, value in settings.items())
        path = tmp_path / f"{part}.properties"
        path.write_text(text, "utf-8")
        files += [f"--{part}", str(path)]
    out, code = StringIO(), 0
    try:
        call_command("advise", *files, *options, stdout=out, stderr=StringIO())
    except SystemExit as end:
        code = int(end.code or 0)
    return out.getvalue(), code


NEW = ("--client-version", "4.3.1", "--kafka", "4.3.1", "--brokers", "3")
OLD = ("--client-version", "3.9.0", "--kafka", "4.3.1", "--brokers", "3")
BY_BROKERS = {"consumer.group.protocol": "consumer"}
"""At-least-once but for the release: KAFKA-18641, fixed in 4.0.0, skips messages."""


def test_the_json_list_has_every_advisory_with_its_main_fields():
    result = list_advisories()
    assert len(result) == len(advisories()) >= 40
    for item in result:
        assert {"id", "title", "component", "affected", "fixed", "incident"} <= item.keys()


def test_the_list_can_be_filtered_by_component_version_and_search():
    assert {item["component"] for item in list_advisories("--component", "spark")} == {"spark"}
    assert "KAFKA-14055" in {item["id"] for item in list_advisories("--version", "3.2.0")}
    assert "KAFKA-14055" not in {item["id"] for item in list_advisories("--version", "3.2.1")}
    assert "KAFKA-14055" in {item["id"] for item in list_advisories("--version", "cp-kafka:7.2.0")}
    assert [item["id"] for item in list_advisories("--search", "kafka-14055")] == ["KAFKA-14055"]
    assert list_advisories("--search", "no such words at all") == []


@pytest.mark.parametrize(
    ("options", "message"),
    [(("--component", "zookeeper"), "zookeeper"), (("--version", "newest"), "newest")],
)
def test_a_wrong_filter_is_named_with_exit_code_2(options, message):
    with pytest.raises(CommandError, match=message) as error:
        list_advisories(*options)
    assert error.value.returncode == 2


def test_the_text_lists_the_advisories_and_their_number():
    out = StringIO()
    call_command("advisories", "--component", "connect", stdout=out)
    assert "KAFKA-13719 (connect): " in out.getvalue()
    assert out.getvalue().rstrip().endswith("known bugs.")


def test_a_release_without_known_bugs_does_not_mention_them(tmp_path):
    text, _ = run_advise(tmp_path, *NEW)
    assert "known bug" not in text


def test_a_certain_bug_that_breaks_the_wish_turns_yes_into_no(tmp_path):
    data, _ = run_advise(tmp_path, *NEW, "--json", **BY_BROKERS)
    assert not json.loads(data)["advisories"]
    fixed = ("--client-version", "4.0.2", "--kafka", "4.3.1", "--brokers", "3")
    good, exit_good = run_advise(tmp_path, *fixed, "--want", "at-least-once", **BY_BROKERS)
    bad, exit_bad = run_advise(tmp_path, *OLD, "--want", "at-least-once", **BY_BROKERS)
    assert (good.split(":")[0], exit_good) == ("YES", 0)
    assert (bad.split(":")[0], exit_bad) == ("NO", 1)
    assert "The settings give it, but a known bug" in bad
    assert "No change is needed for at-least-once." in good
    assert "No change" not in bad
    assert "No setting has to change for at-least-once, but the release has to: see below." in bad
    assert "KAFKA-18641 high" in bad
    assert "Upgrade Java clients 3.9.0 to " in bad


def test_json_has_the_guarantee_with_and_without_known_bugs(tmp_path):
    data = json.loads(run_advise(tmp_path, *OLD, "--json", **BY_BROKERS)[0])
    without, with_bugs = data["guarantee"], data["guarantee_with_advisories"]["hit"]
    assert without["log_to_consumer"] == "at-least-once"
    assert with_bugs["log_to_consumer"] == "none"
    assert with_bugs["producer_to_log"] == without["producer_to_log"]
    (sure,) = [advisory for advisory in data["advisories"] if advisory["certainty"] == "hit"]
    assert (sure["id"], sure["severity"], sure["unknown"]) == ("KAFKA-18641", "high", [])
    assert data["upgrades"][0]["clears"]


def test_sarif_has_a_rule_and_a_result_per_known_bug(tmp_path):
    log = json.loads(run_advise(tmp_path, *OLD, "--format", "sarif", **BY_BROKERS)[0])["runs"][0]
    (result,) = [result for result in log["results"] if result["ruleId"] == "KAFKA-18641"]
    assert result["level"] == "error"
    rule = log["tool"]["driver"]["rules"][result["ruleIndex"]]
    assert rule["id"] == "KAFKA-18641"
    assert rule["help"]["text"]


STREAMS = (
    "--client", "streams", "--client-version", "3.6", "--want", "exactly-once",
    "--set", "streams.replication.factor=3", "--set", "streams.topic.min.insync.replicas=2",
)  # fmt: skip


def test_a_bug_that_affects_the_changed_settings_is_named_with_the_changes(tmp_path):
    """KAFKA-17507 concerns transactions, which only the changed settings use."""
    text, code = run_advise(tmp_path, *STREAMS, "--kafka", "3.5")
    words = " ".join(text.split())
    assert code == 1
    assert "With these changes the release has to change, too: KAFKA-17507" in words
    assert "Upgrade brokers 3.5 to 3.9.1 or later" in words
    data = json.loads(run_advise(tmp_path, *STREAMS, "--kafka", "3.5", "--json")[0])
    after = data["after_changes"]
    assert [bug["id"] for bug in after["advisories"]] == ["KAFKA-17507"]
    assert [upgrade["to"] for upgrade in after["upgrades"]] == ["3.9.1"]


def test_a_release_without_a_bug_for_the_changes_needs_no_upgrade(tmp_path):
    text, code = run_advise(tmp_path, *STREAMS, "--kafka", "4.3")
    assert (code, "the release has to change" in text) == (1, False)
