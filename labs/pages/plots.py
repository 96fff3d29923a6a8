"""The plot of a timeline, as numbers for a template. Pure, without Django and SVG.

All x are seconds since the first send, all y are messages per second, in units of the drawing.
Two arms are drawn on one scale (`shared_scale`), so that they can be compared visually.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

from labs.engine.record import fault_words

WIDTH, HEIGHT = 440, 250
LEFT, RIGHT, TOP, BOTTOM = 46, 12, 64, 208
LABEL_ROWS = 4
LABEL_HEIGHT = 14
_LETTER = 7.0
"""The maximum width of a letter of a label."""
_SAME_MOMENT_S = 0.35
"""Two followers that are paused within this time share one mark."""


_MOST_OVER_USUAL = 3
"""After a fail-over, all waiting messages are acknowledged at once, at twenty times the usual rate.
At full height, the rest would not be visible. So higher rates are cut off; the page says so."""

Bucket = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Scale:
    """The range of both axes: seconds, and messages a second."""

    seconds: float
    per_s: float

    def x(self, second: float) -> float:
        span = WIDTH - LEFT - RIGHT
        return round(LEFT + span * min(max(second / self.seconds, 0.0), 1.0), 1)

    def y(self, per_s: float) -> float:
        return round(BOTTOM - (BOTTOM - TOP) * min(per_s / self.per_s, 1.0), 1)


@dataclass(frozen=True, slots=True)
class Tick:
    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A fault: a dashed line, with its label in a row above the plot."""

    x: float
    label_x: float
    label_y: int
    row: int
    anchor: str
    text: str
    second: float
    has_room: bool = True
    """Whether its label is drawn. The line always is, and the events below the plot name it."""


@dataclass(frozen=True, slots=True)
class Box:
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Row:
    """One second of the table with the same data."""

    second: int
    sent: int
    ok: int
    lost: int
    delivered: int


@dataclass(frozen=True, slots=True)
class Plot:
    """All parts of a plot, in drawing order.

    `peak` is the highest rate (messages a second) if it is higher than the drawing, else None.
    """

    leaderless: tuple[Box, ...]
    acknowledged: str
    line: str
    lost: tuple[Box, ...]
    marks: tuple[Mark, ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    rows: tuple[Row, ...]
    peak: float | None
    description: str


def shared_scale(timelines: Iterable[Mapping[str, Any]]) -> Scale:
    """Returns a scale that covers every timeline; the axes end at round numbers.

    Rates fit up to a few times the usual (median) one: see `Plot.peak`.
    """
    seconds, rates = 1.0, [1.0]
    for timeline in timelines:
        size = _bucket_s(timeline)
        for bucket in timeline.get("buckets", ()):
            seconds = max(seconds, bucket["t_ms"] / 1000 + size)
            rates += [bucket["ok"] / size] if bucket.get("ok") else []
    most = min(max(rates), _MOST_OVER_USUAL * median(rates))
    return Scale(round_up(seconds), round_up(max(most, 1.0)))


def plot(
    timeline: Mapping[str, Any],
    faults: Sequence[Mapping[str, Any]],
    leaderless: Sequence[tuple[float, float]],
    scale: Scale,
) -> Plot:
    """Returns one arm. `faults` rows have `second`, `fault`, `target`; `leaderless` is in s."""
    buckets = sorted(timeline.get("buckets", ()), key=lambda bucket: bucket["t_ms"])
    size = _bucket_s(timeline)
    marks = _marks(faults, scale)
    rows = _rows(buckets)
    peak = max((bucket.get("ok", 0) / size for bucket in buckets), default=0.0)
    return Plot(
        leaderless=tuple(_band(begin, end, scale) for begin, end in leaderless),
        acknowledged=_area(buckets, size, scale),
        line=_steps(buckets, size, scale),
        lost=tuple(_lost_box(b, size, scale) for b in buckets if b.get("lost")),
        marks=marks,
        x_ticks=tuple(Tick(scale.x(at), f"{at:g}") for at in _ticks(scale.seconds)),
        y_ticks=tuple(Tick(scale.y(at), f"{at:,.0f}") for at in _ticks(scale.per_s, most=4)),
        rows=rows,
        peak=peak if peak > scale.per_s else None,
        description=_describe(rows, marks),
    )


def sparkline(values: Sequence[float | None], width: int = 240, height: int = 40) -> str:
    """Returns the points of a polyline over the whole width; a gap (None) is drawn as 0."""
    if not values:
        return ""
    most = max(max(value or 0.0 for value in values), 1.0)
    step = width / max(len(values) - 1, 1)
    return " ".join(
        f"{index * step:.1f},{height - 2 - (height - 4) * (value or 0.0) / most:.1f}"
        for index, value in enumerate(values)
    )


def _bucket_s(timeline: Mapping[str, Any]) -> float:
    return float(timeline.get("bucket_ms") or 250) / 1000


def round_up(value: float) -> float:
    """Returns the next number that is 1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6 or 8 times 10ⁿ."""
    power = 10.0 ** math.floor(math.log10(value))
    steps = (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10)
    return next(step * power for step in steps if step * power >= value * 0.999)


def _ticks(end: float, most: int = 6) -> list[float]:
    power = 10.0 ** math.floor(math.log10(end))
    for step in (power / 10, power / 5, power / 4, power / 2, power, power * 2, power * 5):
        if end / step <= most:
            return [round(step * index, 6) for index in range(int(end / step + 0.001) + 1)]
    return [0.0, end]


def _corners(buckets: Sequence[Bucket], size: float, scale: Scale) -> list[tuple[float, float]]:
    """Returns a staircase: each bucket is as wide as its time; missing buckets are 0."""
    corners: list[tuple[float, float]] = []
    end = None
    for bucket in buckets:
        begin, height = bucket["t_ms"] / 1000, scale.y(bucket.get("ok", 0) / size)
        if end is not None and begin - end > size / 2:
            corners += [(scale.x(end), scale.y(0)), (scale.x(begin), scale.y(0))]
        corners += [(scale.x(begin), height), (scale.x(begin + size), height)]
        end = begin + size
    return corners


def _steps(buckets: Sequence[Bucket], size: float, scale: Scale) -> str:
    return " ".join(f"{x},{y}" for x, y in _corners(buckets, size, scale))


def _area(buckets: Sequence[Bucket], size: float, scale: Scale) -> str:
    corners = _corners(buckets, size, scale)
    if not corners:
        return ""
    floor = scale.y(0)
    closed = [(corners[0][0], floor), *corners, (corners[-1][0], floor)]
    return " ".join(f"{x},{y}" for x, y in closed)


def _lost_box(bucket: Bucket, size: float, scale: Scale) -> Box:
    begin = bucket["t_ms"] / 1000
    x, y = scale.x(begin), scale.y(bucket["lost"] / size)
    return Box(x, y, round(scale.x(begin + size) - x, 1), round(BOTTOM - y, 1))


def _band(begin: float, end: float, scale: Scale) -> Box:
    x = scale.x(begin)
    return Box(x, TOP, round(max(scale.x(end) - x, 1.0), 1), BOTTOM - TOP)


def _marks(faults: Sequence[Mapping[str, Any]], scale: Scale) -> tuple[Mark, ...]:
    moments: list[tuple[str, float]] = []
    for fault in sorted(faults, key=lambda row: row["second"]):
        second, text = fault["second"], fault_words.mark(fault["fault"], fault.get("target", ""))
        same = [
            i for i, (words, at) in enumerate(moments)
            if words.replace("followers", "follower") == text and second - at < _SAME_MOMENT_S
        ]  # fmt: skip
        if same:
            moments[same[0]] = (text.replace("follower ", "followers "), moments[same[0]][1])
        else:
            moments.append((text, second))
    return _laid_out(moments, scale)


def _laid_out(moments: Sequence[tuple[str, float]], scale: Scale) -> tuple[Mark, ...]:
    """Places each mark in the row below the previous one, or in the next row with room."""
    marks: list[Mark] = []
    occupied: dict[int, list[tuple[float, float]]] = {row: [] for row in range(LABEL_ROWS)}
    row = -1
    for text, second in moments:
        rows = [(row + step) % LABEL_ROWS for step in range(1, LABEL_ROWS + 1)]
        candidates = [
            _mark(place, text, second, scale, is_turned=is_turned)
            for place in rows for is_turned in (False, True)
        ]  # fmt: skip
        fitting = [mark for mark in candidates if _is_free(_extent(mark), occupied[mark.row])]
        mark = fitting[0] if fitting else replace(candidates[0], has_room=False)
        if fitting:
            row = mark.row
            occupied[row].append(_extent(mark))
        marks.append(mark)
    return tuple(marks)


def _is_free(extent: tuple[float, float], occupied: Sequence[tuple[float, float]]) -> bool:
    """Whether a label at this extent is inside the drawing and overlaps no other."""
    begin, end = extent
    inside = begin >= 0 and end <= WIDTH
    return inside and all(end <= a or b <= begin for a, b in occupied)


def _extent(mark: Mark) -> tuple[float, float]:
    width = _LETTER * len(mark.text)
    return (
        (mark.label_x - width, mark.label_x)
        if mark.anchor == "end"
        else (mark.label_x, mark.label_x + width)
    )


def _mark(row: int, text: str, second: float, scale: Scale, *, is_turned: bool) -> Mark:
    """Returns a mark with its label on the better side of its line or, if turned, on the other."""
    x = scale.x(second)
    # Labels are to the right of their lines unless they would leave the drawing.
    leftwards = (x > WIDTH * 0.62) != is_turned
    return Mark(
        x=x,
        label_x=round(x - 4 if leftwards else x + 4, 1),
        label_y=LABEL_HEIGHT * (1 + row),
        row=row,
        anchor="end" if leftwards else "start",
        text=text,
        second=second,
    )


def _rows(buckets: Sequence[Bucket]) -> tuple[Row, ...]:
    seconds: dict[int, dict[str, int]] = {}
    for bucket in buckets:
        sums = seconds.setdefault(int(bucket["t_ms"] // 1000), dict.fromkeys(_COLUMNS, 0))
        for name in _COLUMNS:
            sums[name] += bucket.get(name) or 0
    return tuple(Row(second, **sums) for second, sums in sorted(seconds.items()))


_COLUMNS = ("sent", "ok", "lost", "delivered")


def _describe(rows: Sequence[Row], marks: Sequence[Mark]) -> str:
    lost = sum(row.lost for row in rows)
    happened = ", ".join(f"{mark.text} at {mark.second:.1f} s" for mark in marks) or "no fault"
    outcome = f"{lost:,} of them are gone." if lost else "None of them is gone."
    return (
        f"Messages acknowledged a second over {len(rows)} seconds: {happened}. "
        f"{sum(row.ok for row in rows):,} were acknowledged. {outcome}"
    )
