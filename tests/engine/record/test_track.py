"""Who had a message from when to when: of small histories, and never more than samples show."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from labs.engine.record.track import Track, track
from tests.engine.histories import ALL, FIRST_DEAD, sample
from tests.engine.record.test_why import by_hand

BACK = sample(5.0, 2, 1, 11, {1: 6, 2: 11, 3: 11})
BEGINS = sample(0.0, 1, 0, 0, {1: 0, 2: 0, 3: 0})
ALONE = sample(1.0, 1, 0, 6, {1: 10, 2: 6, 3: 6})
DIED = sample(2.0, 1, 0, None, {1: 10, 2: 6, 3: 6}, FIRST_DEAD)
LED = sample(3.0, 2, 1, 6, {1: 10, 2: 6, 3: 6}, FIRST_DEAD)
GREW = sample(4.0, 2, 1, 11, {1: 10, 2: 11, 3: 11}, FIRST_DEAD)
AGAIN = sample(6.0, 2, 1, 12, {1: 12, 2: 12, 3: 12})


def drawn(folder: Path, offset: int, *samples: Any, term: int | None = None) -> Track:
    way = track(by_hand(folder, *samples), offset, 0.5, 0.6, [4.2], term)
    assert way is not None
    return way


def spans(way: Track, broker: int) -> list[tuple[str, float, float]]:
    lane = next(lane for lane in way.lanes if lane.broker == broker)
    return [(span.kind, span.begin_s, span.end_s) for span in lane.spans]


def test_a_message_that_only_the_leader_had_dies_with_it_and_is_cut(tmp_path: Path) -> None:
    way = drawn(tmp_path, 8, BEGINS, ALONE, DIED, LED, GREW, BACK)
    assert spans(way, 1) == [("held", 1.0, 2.0), ("on-disk", 2.0, 5.0)]
    assert spans(way, 2) == spans(way, 3) == [], "they go beyond the offset with other messages"
    assert [lane.cut_s for lane in way.lanes] == [5.0, None, None]
    assert way.begin_s < way.sent_s < way.acked_s < way.end_s


def test_what_was_copied_stays_with_its_followers(tmp_path: Path) -> None:
    way = drawn(tmp_path, 2, BEGINS, ALONE, DIED, LED, GREW)
    assert spans(way, 2)[0][:2] == spans(way, 3)[0][:2] == ("held", 1.0)
    assert len(spans(way, 2)) == 1
    assert [kind for kind, *_ in spans(way, 1)] == ["held", "on-disk"]
    assert [lane.cut_s for lane in way.lanes] == [None, None, None]


def test_a_log_that_was_cut_and_grew_between_two_samples_is_not_said_to_have_it(
    tmp_path: Path,
) -> None:
    way = drawn(tmp_path, 8, BEGINS, ALONE, DIED, LED, GREW, AGAIN)
    assert [kind for kind, *_ in spans(way, 1)] == ["held", "on-disk"]
    assert way.lanes[0].cut_s is None, "no sample saw it end before the offset"


def test_where_the_leader_changed_around_the_acknowledgement_the_log_says_the_term(
    tmp_path: Path,
) -> None:
    changed = sample(0.7, 2, 1, 9, {1: 9, 2: 9, 3: 9}, ALL)
    assert track(by_hand(tmp_path / "a", BEGINS, changed), 8, 0.5, 0.6, []) is None
    way = drawn(tmp_path / "b", 8, BEGINS, changed, term=1)
    assert [kind for kind, *_ in spans(way, 2)] == ["held"]


def test_without_a_sample_after_it_there_is_no_track(tmp_path: Path) -> None:
    assert track(by_hand(tmp_path, BEGINS), 8, 0.5, 0.6, []) is None
