"""Results as sentences: they state the counts and nothing that the run did not show."""

from __future__ import annotations

import pytest

from labs.pages import sentences
from labs.pages.selectors import Evidence
from spark_jobs.count_table import TABLE
from tests.labs.make import result


def test_every_anomaly_that_broke_the_verdict_is_named_with_its_count() -> None:
    text = sentences.run_sentence(
        "broken", result("broken", duplicate=41, reordered=3), "exactly-once"
    )
    assert text == (
        "985 of 10,000 acknowledged messages are gone; 41 surplus copies of messages are in the "
        "log; 3 messages are out of order."
    )


def test_reordering_that_no_guarantee_forbids_is_reported_next_to_the_verdict() -> None:
    late = result("holds", lost_write=0, key_reordered=1_204)
    assert sentences.run_sentence("holds", late, "at-least-once") == (
        "0 of 10,000 acknowledged messages are gone, and nothing that “at least once” forbids was "
        "seen in this run. 1,204 messages were delivered after a later one with the same key, "
        "which no guarantee forbids."
    )
    assert sentences.arm_sentences([("As described", "holds", late)]) == [
        "As described: 0 of 10,000 acknowledged messages are gone; 1,204 messages were delivered "
        "after a later one with the same key."
    ]
    before = {**late, "counts": {**late["counts"], "key_reordered": None}}
    assert sentences.run_sentence("holds", before, "at-least-once").endswith("seen in this run.")


def test_a_sentence_for_each_arm() -> None:
    arms = [
        ("As described", "broken", result("broken")),
        ("As recommended", "unknown", result("unknown")),
    ]
    assert sentences.arm_sentences(arms) == [
        "As described: 985 of 10,000 acknowledged messages are gone.",
        "As recommended: nothing can be concluded.",
    ]


def test_effects_of_a_sink_are_reported_even_if_they_are_zero() -> None:
    data = result("broken", lost_write=0, effect_missing=0, effect_duplicated=500, given_up=7)
    assert sentences.arm_sentences([("As described", "broken", data)]) == [
        "As described: 0 of 10,000 acknowledged messages are gone; 0 messages left no effect; "
        "500 effects were applied more than once; 7 messages were given up by the client."
    ]


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        ({"duplicate": 197}, "197 surplus copies of messages are in the log"),
        ({"reordered": 2}, "2 messages are out of order"),
        ({"skipped": 1}, "1 message was skipped by the group and never delivered"),
        ({"torn_transaction": 3}, "3 transactions were delivered in part"),
    ],
)
def test_every_broken_arm_states_a_reason(harm: dict[str, int], words: str) -> None:
    data = result("broken", lost_write=0, **harm)
    assert sentences.arm_sentences([("Weak settings", "broken", data)]) == [
        f"Weak settings: 0 of 10,000 acknowledged messages are gone; {words}."
    ]


def test_a_count_of_one_is_singular() -> None:
    data = result("broken", lost_write=1, effect_missing=1, effect_duplicated=1, given_up=1)
    assert sentences.arm_sentences([("As described", "broken", data)]) == [
        "As described: 1 of 10,000 acknowledged messages is gone; 1 message left no effect; "
        "1 effect was applied more than once; 1 message was given up by the client."
    ]
    counts = result(lost_write=1, skipped=1, late=1, unseen=1)["counts"]
    assert "1 is gone from the log; 1 is in the log but was skipped" in sentences.missing_sentence(
        counts
    )
    assert "1 is in the log and was never delivered" in sentences.missing_sentence(counts)


def test_every_sentence_of_a_count_is_singular_or_plural() -> None:
    for count in TABLE:
        for number in (0, 1, 2, None):
            assert not set("[]|") & set(count.sentence_for(number)), count.name
        if count.sentence:
            assert count.sentence_for(1) != count.sentence_for(2), count.name


def test_missing_messages_are_reported_by_cause() -> None:
    counts = result(skipped=0, late=1_204, expired=0, unseen=3)["counts"]
    assert sentences.missing_sentence(counts) == (
        "Of the messages that were not delivered to the group, 985 are gone from the log; 0 are in "
        "the log but were skipped; 1,204 were late (in the log, and read after the group had "
        "stopped); 3 are in the log and were never delivered."
    )
    assert sentences.missing_sentence({**counts, "late": None}) == "", (
        "an older run was not judged so"
    )
    assert sentences.missing_sentence(result("holds")["counts"]) == ""


def test_a_group_is_described_by_its_members_and_repeated_deliveries() -> None:
    twice = {"reader": "group app", "again": [{"times": 2, "records": 40}, {"times": 10,
             "records": 1}], "consumers": [{"consumer": "consumer", "deliveries": 5_000},
             {"consumer": None, "deliveries": 90}]}  # fmt: skip
    once = {"reader": "consumer c1", "consumers": [{"consumer": "c1", "deliveries": 4}],
            "again": []}  # fmt: skip
    assert sentences.group_sentences({"groups": [twice, once]}) == [
        "Deliveries to the group app: 5,090 (consumer 5,000, a member 90). Messages delivered "
        "more than once: 40 twice, 1 ten times or more.",
        "Deliveries to the consumer c1: 4 (c1 4). Messages delivered more than once: none.",
    ]
    assert sentences.group_sentences(result()) == []


@pytest.mark.parametrize(
    ("seen", "message"),
    [
        (Evidence(1, 0), "No loss in 1 run of"),
        (Evidence(12, 0), "evidence, not proof"),
        (Evidence(10, 9), "lost, or left no effect, in 9 of 10 runs"),
        (Evidence(3, 0, broken=2), "The guarantee was broken in 2 of 3 runs"),
        (Evidence(3, 1, broken=2), "lost, or left no effect, in 1 of 3 runs"),
    ],
)
def test_runs_that_are_evidence_are_counted(seen: Evidence, message: str) -> None:
    assert message in sentences.evidence_sentence(seen)


def test_a_missing_count_is_not_zero() -> None:
    assert sentences.number(None) == "not judged"
    assert sentences.number(0) == "0"
    assert sentences.seconds(None) == "not judged"


def test_with_acks_0_nobody_acknowledged_anything() -> None:
    outcome = {**result("broken"), "settings": {"producer": {"acks": "0"}}}
    assert "985 of 10,000 messages reported as sent are gone" in sentences.run_sentence(
        "broken", outcome, ""
    )


def test_the_longest_pause_between_deliveries_is_reported_in_any_case() -> None:
    def timeline(*delivered_at_ms: int) -> dict[str, object]:
        rows = [{"t_ms": at, "delivered": 4} for at in delivered_at_ms]
        return {"bucket_ms": 200, "buckets": [*rows, {"t_ms": 90_000, "delivered": 0}]}

    assert sentences.longest_pause(timeline(0, 200, 5_400, 5_600)) == "5.0 s"
    assert sentences.longest_pause(timeline(0, 200, 400)) == ""
    assert sentences.longest_pause({}) == ""
