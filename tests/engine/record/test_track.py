"""Which broker had a message from when to when, in small histories; no more than samples show."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from labs.engine.record.track import Track, track
from tests.engine.histories import ALL, FIRST_DEAD, sample
from tests.engine.record.test_why import by_hand

RETURNED = sample(5.0, 2, 1, 11, {1: 6, 2: 11, 3: 11})
EMPTY = sample(0.0, 1, 0, 0, {1: 0, 2: 0, 3: 0})
LEADER_AHEAD = sample(1.0, 1, 0, 6, {1: 10, 2: 6, 3: 6})
LEADER_DEAD = sample(2.0, 1, 0, None, {1: 10, 2: 6, 3: 6}, FIRST_DEAD)
NEW_LEADER = sample(3.0, 2, 1, 6, {1: 10, 2: 6, 3: 6}, FIRST_DEAD)
FOLLOWERS_GREW = sample(4.0, 2, 1, 11, {1: 10, 2: 11, 3: 11}, FIRST_DEAD)
RETURNED_AND_GREW = sample(6.0, 2, 1, 12, {1: 12, 2: 12, 3: 12})


def track_of(folder: Path, offset: int, *samples: Any, term: int | None = None) -> Track:
    result = track(by_hand(folder, *samples), offset, 0.5, 0.6, [4.2], term)
    assert result is not None
    return result


def spans(result: Track, broker: int) -> list[tuple[str, float, float]]:
    lane = next(lane for lane in result.lanes if lane.broker == broker)
    return [(span.kind, span.begin_s, span.end_s) for span in lane.spans]


def test_a_message_on_the_leader_alone_is_truncated_after_its_return(tmp_path: Path) -> None:
    result = track_of(
        tmp_path, 8, EMPTY, LEADER_AHEAD, LEADER_DEAD, NEW_LEADER, FOLLOWERS_GREW, RETURNED
    )
    assert spans(result, 1) == [("held", 1.0, 2.0), ("on-disk", 2.0, 5.0)]
    assert spans(result, 2) == spans(result, 3) == [], (
        "they go beyond the offset with other messages"
    )
    assert [lane.cut_s for lane in result.lanes] == [5.0, None, None]
    assert result.begin_s < result.sent_s < result.acked_s < result.end_s


def test_a_replicated_message_stays_on_the_followers(tmp_path: Path) -> None:
    result = track_of(tmp_path, 2, EMPTY, LEADER_AHEAD, LEADER_DEAD, NEW_LEADER, FOLLOWERS_GREW)
    assert spans(result, 2)[0][:2] == spans(result, 3)[0][:2] == ("held", 1.0)
    assert len(spans(result, 2)) == 1
    assert [kind for kind, *_ in spans(result, 1)] == ["held", "on-disk"]
    assert [lane.cut_s for lane in result.lanes] == [None, None, None]


def test_a_log_truncated_and_grown_between_two_samples_does_not_count_as_having_it(
    tmp_path: Path,
) -> None:
    result = track_of(
        tmp_path, 8, EMPTY, LEADER_AHEAD, LEADER_DEAD, NEW_LEADER, FOLLOWERS_GREW, RETURNED_AND_GREW
    )
    assert [kind for kind, *_ in spans(result, 1)] == ["held", "on-disk"]
    assert result.lanes[0].cut_s is None, "no sample saw it end before the offset"


def test_if_the_leader_changed_at_the_acknowledgement_the_epoch_is_needed(
    tmp_path: Path,
) -> None:
    changed = sample(0.7, 2, 1, 9, {1: 9, 2: 9, 3: 9}, ALL)
    assert track(by_hand(tmp_path / "a", EMPTY, changed), 8, 0.5, 0.6, []) is None
    result = track_of(tmp_path / "b", 8, EMPTY, changed, term=1)
    assert [kind for kind, *_ in spans(result, 2)] == ["held"]


def test_without_a_later_sample_there_is_no_track(tmp_path: Path) -> None:
    assert track(by_hand(tmp_path, EMPTY), 8, 0.5, 0.6, []) is None
