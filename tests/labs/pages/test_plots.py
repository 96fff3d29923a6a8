"""The numbers of a plot: on scale, inside the drawing, and repeated in its description."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from labs.pages import plots
from labs.pages.plots import BOTTOM, LEFT, RIGHT, TOP, WIDTH

TIMELINE: dict[str, Any] = {
    "bucket_ms": 200,
    "start_ns": 0,
    "buckets": [
        {"t_ms": 0, "sent": 900, "ok": 900, "lost": 0, "delivered": 900},
        {"t_ms": 200, "sent": 1000, "ok": 1000, "lost": 400, "delivered": 0},
        {"t_ms": 1000, "sent": 500, "ok": 500, "lost": 0, "delivered": 500},
    ],
}
KILL = {"fault": "kill", "target": "leader: broker 2", "second": 0.5}


def drawn(timeline=TIMELINE, faults=(KILL,), leaderless=((0.5, 1.0),)):
    return plots.plot(timeline, faults, leaderless, plots.shared_scale([timeline]))


def points(text: str) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in (pair.split(",") for pair in text.split())]


def test_a_gap_between_buckets_is_drawn_as_zero() -> None:
    floor = [x for x, y in points(drawn().line) if y == BOTTOM]
    scale = plots.shared_scale([TIMELINE])
    assert floor == [scale.x(0.4), scale.x(1.0)]


def test_lost_messages_are_drawn_at_the_time_of_their_acknowledgement() -> None:
    (box,) = drawn().lost
    scale = plots.shared_scale([TIMELINE])
    assert (box.x, box.y) == (scale.x(0.2), scale.y(2000))
    assert box.y + box.height == BOTTOM


def test_two_arms_share_the_larger_scale() -> None:
    small = {**TIMELINE, "buckets": TIMELINE["buckets"][:1]}
    assert plots.shared_scale([small, TIMELINE]) == plots.shared_scale([TIMELINE])


def test_followers_paused_together_are_one_mark_and_a_later_one_is_another() -> None:
    pause = {"fault": "pause", "target": "follower: broker 1"}
    marks = drawn(
        faults=[{**pause, "second": 0.1}, {**pause, "second": 0.2}, {**pause, "second": 0.9}]
    ).marks
    assert [(mark.text, mark.second) for mark in marks] == [
        ("followers paused", 0.1), ("follower paused", 0.9),
    ]  # fmt: skip


def test_labels_of_marks_do_not_overlap_if_a_row_has_room() -> None:
    seconds = [0.1, 0.5, 1.0, 1.5, 2.0]
    texts = ["leader: broker 1", *(f"dead: broker {number}" for number in range(2, 6))]
    faults = [
        {"fault": "kill", "target": target, "second": second}
        for target, second in zip(texts, seconds, strict=True)
    ]
    buckets = [{**TIMELINE["buckets"][0], "t_ms": 200 * i} for i in range(50)]
    marks = drawn({**TIMELINE, "buckets": buckets}, faults).marks
    rows = [mark.label_y // plots.LABEL_HEIGHT for mark in marks]
    assert rows[:4] == [1, 2, 3, 4]
    assert rows[4] == 2, "the first row has the longest words, which reach as far as this"


def test_the_description_states_the_counts() -> None:
    assert "leader killed at 0.5 s" in drawn().description
    assert "2,400 were acknowledged. 400 of them are gone." in drawn().description


def test_the_table_sums_up_by_second() -> None:
    assert [(row.second, row.ok, row.lost) for row in drawn().rows] == [(0, 1900, 400), (1, 500, 0)]


def test_an_empty_timeline_draws_nothing_without_an_error() -> None:
    empty = drawn({"bucket_ms": 200, "buckets": []}, (), ())
    assert (empty.line, empty.acknowledged, empty.lost) == ("", "", ())


buckets = st.lists(
    st.tuples(st.integers(0, 300), st.integers(0, 50_000), st.integers(0, 50_000)),
    max_size=40, unique_by=lambda bucket: bucket[0],
)  # fmt: skip


@given(buckets, st.lists(st.floats(-5, 500), max_size=9))
def test_everything_is_inside_the_drawing(result, seconds) -> None:
    timeline = {
        "bucket_ms": 200,
        "buckets": [
            {"t_ms": 200 * at, "sent": ok, "ok": ok, "lost": min(lost, ok), "delivered": 0}
            for at, ok, lost in result
        ],
    }
    faults = [{**KILL, "second": second} for second in seconds]
    plot = plots.plot(timeline, faults, (), plots.shared_scale([timeline]))
    for x, y in points(plot.acknowledged) + [(box.x, box.y) for box in plot.lost]:
        assert LEFT <= x <= WIDTH - RIGHT
        assert TOP <= y <= BOTTOM
    assert all(LEFT <= mark.x <= WIDTH - RIGHT for mark in plot.marks)
    assert len(plot.y_ticks) <= 6
    assert plot.y_ticks[0].text == "0"


def test_a_sparkline_spans_the_width_and_a_gap_is_zero() -> None:
    assert points(plots.sparkline([0, 10, None], 100, 40)) == [(0, 38), (50, 2), (100, 38)]
    assert plots.sparkline([]) == ""


def test_a_burst_is_cut_off_and_its_height_is_stated() -> None:
    usual = [{"t_ms": 200 * i, "sent": 1000, "ok": 1000, "lost": 0} for i in range(20)]
    burst = {"t_ms": 4000, "sent": 0, "ok": 20_000, "lost": 0}
    plot = drawn({"bucket_ms": 200, "buckets": [*usual, burst]}, (), ())
    assert plot.peak == 100_000
    assert min(y for _, y in points(plot.line)) == TOP
    assert points(plot.line)[0][1] > TOP
    assert drawn().peak is None


NAMES = st.sampled_from(["kill", "freeze", "restart", "thaw", "cut", "mend", "wipe"])


@given(st.lists(st.tuples(NAMES, st.floats(0, 2)), min_size=1, max_size=12))
def test_labels_do_not_overlap_and_each_event_has_a_line(happened) -> None:
    faults = [
        {"fault": name, "target": "follower: broker 2", "second": second}
        for name, second in happened
    ]
    marks = drawn(faults=faults).marks
    assert {fault["second"] for fault in faults} >= {mark.second for mark in marks}
    shown = [mark for mark in marks if mark.has_room]
    assert shown, "at least the first has room"
    for first_mark, second_mark in combinations(shown, 2):
        if first_mark.row == second_mark.row:
            left, right = sorted((span_of_label(first_mark), span_of_label(second_mark)))
            assert left[1] <= right[0], (first_mark, second_mark)


def span_of_label(mark: plots.Mark) -> tuple[float, float]:
    width = 7 * len(mark.text)
    return (
        (mark.label_x - width, mark.label_x)
        if mark.anchor == "end"
        else (mark.label_x, mark.label_x + width)
    )
