"""`manage.py advisories`, and what `manage.py advise` says of known bugs."""

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


def listed(*options):
    out = StringIO()
    call_command("advisories", "--json", *options, stdout=out)
    return json.loads(out.getvalue())


def advised(tmp_path, *options, **properties):
    """What `advise` writes about a pipeline that is sound but for these, and its exit code."""
    files = []
    for part in ("producer", "topic", "consumer"):
        own = {key: value for key, value in (SOUND | properties).items() if key.startswith(part)}
        text = "".join(f"{key.partition('.')[2]}={value}\n" for key, value in own.items())
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
"""Only the release keeps this one from at least once: KAFKA-18641 skips, fixed in 4.0.0."""


def test_all_are_listed_with_what_a_tool_needs():
    result = listed()
    assert len(result) == len(advisories()) >= 40
    for item in result:
        assert {"id", "title", "component", "affected", "fixed", "incident"} <= item.keys()


def test_the_list_is_narrowed_by_component_version_and_words():
    assert {item["component"] for item in listed("--component", "spark")} == {"spark"}
    assert "KAFKA-14055" in {item["id"] for item in listed("--version", "3.2.0")}
    assert "KAFKA-14055" not in {item["id"] for item in listed("--version", "3.2.1")}
    assert "KAFKA-14055" in {item["id"] for item in listed("--version", "cp-kafka:7.2.0")}
    assert [item["id"] for item in listed("--search", "kafka-14055")] == ["KAFKA-14055"]
    assert listed("--search", "no such words at all") == []


@pytest.mark.parametrize(
    ("options", "named"),
    [(("--component", "zookeeper"), "zookeeper"), (("--version", "newest"), "newest")],
)
def test_what_is_wrong_is_said_with_exit_code_2(options, named):
    with pytest.raises(CommandError, match=named) as wrong:
        listed(*options)
    assert wrong.value.returncode == 2


def test_the_text_names_each_and_counts():
    out = StringIO()
    call_command("advisories", "--component", "connect", stdout=out)
    assert "KAFKA-13719 (connect): " in out.getvalue()
    assert out.getvalue().rstrip().endswith("known bugs.")


def test_a_release_without_a_known_bug_says_nothing_of_them(tmp_path):
    text, _ = advised(tmp_path, *NEW)
    assert "known bug" not in text


def test_a_sure_bug_that_breaks_the_wish_is_no_yes(tmp_path):
    data, _ = advised(tmp_path, *NEW, "--json", **BY_BROKERS)
    assert not json.loads(data)["advisories"]
    fixed = ("--client-version", "4.0.2", "--kafka", "4.3.1", "--brokers", "3")
    good, exit_good = advised(tmp_path, *fixed, "--want", "at-least-once", **BY_BROKERS)
    bad, exit_bad = advised(tmp_path, *OLD, "--want", "at-least-once", **BY_BROKERS)
    assert (good.split(":")[0], exit_good) == ("YES", 0)
    assert (bad.split(":")[0], exit_bad) == ("NO", 1)
    assert "The settings hold it." in bad
    assert "No change is needed for at-least-once." in good
    assert "No change" not in bad
    assert "No setting has to change for at-least-once, but the release has, see below." in bad
    assert "KAFKA-18641 high" in bad
    assert "Upgrade Java clients 3.9.0 to " in bad


def test_the_guarantee_stands_with_and_without(tmp_path):
    data = json.loads(advised(tmp_path, *OLD, "--json", **BY_BROKERS)[0])
    without, with_bugs = data["guarantee"], data["guarantee_with_advisories"]["hit"]
    assert without["log_to_consumer"] == "at-least-once"
    assert with_bugs["log_to_consumer"] == "none"
    assert with_bugs["producer_to_log"] == without["producer_to_log"]
    (sure,) = [advisory for advisory in data["advisories"] if advisory["certainty"] == "hit"]
    assert (sure["id"], sure["severity"], sure["unknown"]) == ("KAFKA-18641", "high", [])
    assert data["upgrades"][0]["clears"]


def test_sarif_has_them_as_results_of_their_own(tmp_path):
    log = json.loads(advised(tmp_path, *OLD, "--format", "sarif", **BY_BROKERS)[0])["runs"][0]
    (result,) = [result for result in log["results"] if result["ruleId"] == "KAFKA-18641"]
    assert result["level"] == "error"
    rule = log["tool"]["driver"]["rules"][result["ruleIndex"]]
    assert rule["id"] == "KAFKA-18641"
    assert rule["help"]["text"]


STREAMS = (
    "--client", "streams", "--client-version", "3.6", "--want", "exactly-once",
    "--set", "streams.replication.factor=3", "--set", "streams.topic.min.insync.replicas=2",
)  # fmt: skip


def test_a_bug_that_the_changes_bring_along_is_named_with_them(tmp_path):
    """KAFKA-17507 is of transactions, which the changes begin with."""
    text, code = advised(tmp_path, *STREAMS, "--kafka", "3.5")
    words = " ".join(text.split())
    assert code == 1
    assert "With these changes the release has to change, too: KAFKA-17507" in words
    assert "Upgrade brokers 3.5 to 3.9.1 or later" in words
    data = json.loads(advised(tmp_path, *STREAMS, "--kafka", "3.5", "--json")[0])
    after = data["after_changes"]
    assert [bug["id"] for bug in after["advisories"]] == ["KAFKA-17507"]
    assert [upgrade["to"] for upgrade in after["upgrades"]] == ["3.9.1"]


def test_a_release_that_the_changes_hold_on_is_not_named_with_them(tmp_path):
    text, code = advised(tmp_path, *STREAMS, "--kafka", "4.3")
    assert (code, "the release has to change" in text) == (1, False)
