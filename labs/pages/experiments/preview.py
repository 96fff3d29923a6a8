"""The preview picture of a link to a run: its verdicts, its numbers, and its plots.

It is drawn without a browser. Clients that show link previews accept PNG, but not SVG.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from labs.models import Experiment
from labs.pages import plots
from labs.pages.canvas import Canvas, Colour, width, wrapped
from labs.pages.experiments import presentation, proofs
from labs.pages.plots import Plot

SIZE = 1200, 630
"""The size that Open Graph clients show without cropping."""

# The colours of the light theme in config/static/tokens.css.
PAPER, SURFACE = (250, 249, 246), (255, 255, 255)
INK, MUTED, LINE = (28, 30, 35), (89, 93, 102), (225, 221, 211)
ACCENT, LOST, HOLDS = (51, 70, 176), (176, 51, 11), (10, 106, 76)
_KINDS: dict[str, Colour] = {
    "lost": LOST, "holds": HOLDS, "duplicated": (132, 48, 138), "reordered": (11, 103, 142),
    "late": (125, 87, 0), "unavailable": (71, 78, 91), "unknown": (95, 99, 107),
    "wrong": (161, 22, 76),
}  # fmt: skip
_VERDICTS = {"broken": LOST, "holds": HOLDS}
EDGE, _GAP, _TOP, _FOOT = 56, 40, 205, 575
_ARMS = 2
"""Two arms are drawn side by side; an experiment has no more on a page."""


@dataclass(frozen=True)
class Arm:
    label: str
    verdict: str
    kind: str
    words: str
    plot: Plot | None


@dataclass(frozen=True)
class Preview:
    title: str
    foot: str
    arms: tuple[Arm, ...]


def content(experiment: Experiment) -> Preview:
    """Returns the content of an experiment's picture; running arms have no verdict."""
    arms = presentation.arms(experiment, {})[:_ARMS]
    return Preview(
        presentation.scenario_title(experiment.scenario),
        f"Kafka {experiment.releases} · seed {experiment.seed} · real brokers, every message "
        "counted",
        tuple(
            Arm(
                arm.label, arm.run.verdict or "unknown", *proofs.gravest(arm.run), arm.plot
            )
            for arm in arms
        ),
    )  # fmt: skip


def sheet(title: str, foot: str) -> Canvas:
    """Returns the canvas of a preview, with its title on at most two lines."""
    canvas = Canvas(*SIZE, PAPER)
    canvas.fill(0, 0, 12, SIZE[1], ACCENT)
    canvas.write("Delivery Lab", EDGE, 66, 18, MUTED)
    for row, line in enumerate(wrapped(title, 32, SIZE[0] - 2 * EDGE, 2, bold=True)):
        canvas.write(line, EDGE, 124 + 54 * row, 32, INK, bold=True)
    canvas.write(foot, EDGE, 608, 14, MUTED)
    return canvas


@lru_cache(maxsize=32)
def png(shown: Preview) -> bytes:
    """Returns the picture as PNG, 1200 × 630 points."""
    canvas = sheet(shown.title, shown.foot)
    room = (SIZE[0] - 2 * EDGE - _GAP * (len(shown.arms) - 1)) / max(1, len(shown.arms))
    for place, arm in enumerate(shown.arms):
        _arm(canvas, arm, EDGE + place * (room + _GAP), room)
    return canvas.png()


def _arm(canvas: Canvas, arm: Arm, x: float, room: float) -> None:
    canvas.fill(x, _TOP, room, _FOOT - _TOP, SURFACE)
    canvas.frame(x, _TOP, room, _FOOT - _TOP, LINE)
    canvas.write(arm.label, x + 24, _TOP + 42, 18, INK)
    colour = _VERDICTS.get(arm.verdict, _KINDS["unknown"])
    wide = width(arm.verdict, 18, bold=True) + 36
    canvas.frame(x + room - wide - 24, _TOP + 14, wide, 40, colour, 3)
    canvas.write(arm.verdict, x + room - wide - 6, _TOP + 42, 18, colour, bold=True)
    (words,) = wrapped(arm.words, 23, room - 48, 1, bold=True) or [""]
    canvas.write(words, x + 24, _TOP + 106, 23, _KINDS.get(arm.kind, INK), bold=True)
    if arm.plot:
        _plot(canvas, arm.plot, x + 24, _TOP + 136, room - 48, _FOOT - _TOP - 156)


def _plot(canvas: Canvas, plot: Plot, x: float, y: float, wide: float, high: float) -> None:
    """Draws the plot of the page into a box, without its numbers."""
    across = wide / (plots.WIDTH - plots.LEFT - plots.RIGHT)
    down = high / (plots.BOTTOM - plots.TOP)

    def at(px: float, py: float) -> tuple[float, float]:
        return x + (px - plots.LEFT) * across, y + (py - plots.TOP) * down

    for box in plot.leaderless:
        canvas.fill(*at(box.x, box.y), box.width * across, box.height * down, MUTED, 0.16)
    points = [tuple(map(float, name.split(","))) for name in plot.line.split()]
    line = [at(px, py) for px, py in points]
    for (left, top), (right, _) in zip(line[::2], line[1::2], strict=False):
        canvas.fill(left, top, right - left, y + high - top, ACCENT, 0.18)
    canvas.draw([line], ACCENT, 3)
    for box in plot.lost:
        canvas.fill(*at(box.x, box.y), box.width * across, box.height * down, LOST, 0.85)
    for mark in plot.marks:
        px, _ = at(mark.x, 0)
        dashes = [((px, top), (px, top + 6)) for top in range(int(y), int(y + high), 13)]
        canvas.draw(dashes, INK, 1.5)
    canvas.draw([((x, y + high), (x + wide, y + high))], MUTED, 1.5)
