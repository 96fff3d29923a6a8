"""The picture of a running arm, drawn only from its newest sample and its faults."""

from __future__ import annotations

from typing import Any

import pytest

from labs.engine.record import fault_words
from labs.pages.picture import Lane, Picture, picture, scale

ALONE: dict[str, Any] = {
    "brokers": {"1": "running", "2": "paused", "3": "paused"}, "leader": 1, "isr": [1, 2, 3],
    "ends": {"1": 900, "2": 600, "3": 600}, "high_watermark": 600, "committed": 500,
    "acknowledged": 900, "acknowledged_per_s": 300, "delivered": 600, "delivered_per_s": 0,
}  # fmt: skip


def fault(fault: str, target: str, phase: str = "complete") -> dict[str, Any]:
    return {"fault": fault, "target": target, "phase": phase, "at_s": 2.0, "evidence": "seen"}


def drawn(
    live: dict[str, Any], *faults: dict[str, Any], phase: str = "faulting", full: int = 1000
) -> Picture:
    return picture(phase, live, faults, fault_words.events(faults), "produce-consume", full)


def lane(shown: Picture, number: str) -> Lane:
    return next(lane for lane in shown.lanes if lane.number == number)


def test_records_on_the_leader_alone_are_beyond_the_high_watermark() -> None:
    shown = drawn(ALONE)
    leader, follower = lane(shown, "1"), lane(shown, "2")
    assert (leader.held, leader.beyond, leader.mark, leader.committed) == (60, 30, 60, 50)
    assert (follower.held, follower.beyond, follower.behind) == (60, 0, 300)
    assert (shown.sending, shown.reading) == (True, False)


def test_without_a_leader_nothing_is_called_unreadable() -> None:
    dead = ALONE | {"brokers": {**ALONE["brokers"], "1": "dead"}, "high_watermark": None}
    shown = lane(drawn(dead), "1")
    assert (shown.leader, shown.mark, shown.beyond, shown.held) == (False, None, 0, 90)


@pytest.mark.parametrize(
    ("target", "place"),
    [
        ("leader: broker 1", "1"),
        ("minority: broker 1", "1"),
        ("producer", "producer"),
        ("producer-1", "producer"),
        ("consumer-1", "reader"),
        ("executor: executor-2", "reader"),
        ("topic: orders", "topic"),
    ],
)
def test_a_fault_is_drawn_where_it_happens(target: str, place: str) -> None:
    shown = drawn(ALONE, fault("kill", target))
    signs = {"producer": shown.producer_sign, "reader": shown.reader_sign,
             "topic": shown.topic_sign, "1": lane(shown, "1").sign}  # fmt: skip
    assert [at for at, sign in signs.items() if sign] == [place]
    assert signs[place] is not None
    assert signs[place].text == "killed"  # type: ignore[union-attr]


@pytest.mark.parametrize("target", ["controller: node 4", "metadata: ZooKeeper"])
def test_faults_of_controllers_and_zookeeper_are_not_drawn_at_a_client(target: str) -> None:
    shown = drawn(ALONE, fault("kill", target))
    assert (shown.producer_sign, shown.reader_sign, shown.topic_sign) == (None, None, None)
    assert not any(lane.sign for lane in shown.lanes)


def test_the_newest_fault_at_a_place_is_drawn_if_it_was_observed() -> None:
    killed, restarted = fault("kill", "leader: broker 1"), fault("restart", "dead: broker 1")
    sign = lane(drawn(ALONE, killed, restarted), "1").sign
    assert sign is not None
    assert (sign.text, sign.kind) == ("restarted", "holds")
    for phase in ("invoke", "failed", "not_applicable"):
        assert lane(drawn(ALONE, fault("kill", "leader: broker 1", phase)), "1").sign is None


def test_the_news_is_the_newest_event_until_the_log_is_read() -> None:
    assert drawn({}, phase="booting").news == "The brokers are starting"
    killed = drawn(ALONE, fault("kill", "leader: broker 1"))
    assert (killed.news, killed.at_s, killed.harm) == ("Leader broker 1 was killed", 2.0, True)
    healed = drawn(ALONE, fault("kill", "leader: broker 1"), fault("restart", "dead: broker 1"))
    assert (healed.news, healed.harm) == ("Broker 1 was started again", False)
    counting = drawn(ALONE, fault("kill", "leader: broker 1"), phase="judging")
    assert "Spark counts" in counting.news


def test_a_broker_without_a_copy_has_no_log() -> None:
    shown = drawn({**ALONE, "brokers": {**ALONE["brokers"], "4": "running"}})
    assert (lane(shown, "4").end, lane(shown, "4").in_sync) == (None, None)


def test_the_scale_does_not_shrink_during_a_normal_run() -> None:
    assert scale([None, 0], 2000) == scale([15_000], 2000) == 20_000
    assert scale([90_001], 2000) == 100_000
    assert scale([], 0) == 1
