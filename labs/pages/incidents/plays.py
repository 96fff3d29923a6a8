"""The content of the page of a play: the phases of each side, then its observations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from labs.incidents import Incident
from labs.incidents.model import PHASES, Moment
from labs.models import Experiment, Run, State
from labs.pages import selectors
from labs.pages.incidents.moments import Lane, lanes

LABELS: Mapping[str, str] = {
    "affected": "with the bug",
    "fixed": "with the fix",
    "today": "the newest release",
}
_WORDS = {
    "waiting": "Waiting for a place",
    "fetching": "Fetching the release",
    "booting": "Starting brokers",
    "playing": "Playing the steps",
    "done": "Done",
}
_ENDS = {
    State.DONE: "Done.",
    State.FAILED: "It could not be run to its end.",
    State.INTERRUPTED: "Interrupted.",
    State.CANCELLED: "Cancelled.",
}
_SHOWN_AGAIN = "The bug was seen again on {release}, as expected."
_NOT_SHOWN = (
    "The bug was not seen on {release} this time, although that release has it. One run in which "
    "it is not seen says nothing against it."
)
_CLEAN = "The bug was not seen on {release} in this run."
_CONTRADICTS = (
    "The bug was seen on {release}, {label}. That contradicts this page: please report it to the "
    "people who run this installation."
)


@dataclass(frozen=True, slots=True)
class Phase:
    """A phase of a side: `done`, `now` or `todo`."""

    words: str
    state: str


@dataclass(frozen=True, slots=True)
class SideOfPlay:
    """One side of a play. `harmed` and `of` are None until it was played."""

    name: str
    label: str
    release: str
    phases: tuple[Phase, ...]
    place: int | None
    detail: str
    harmed: int | None
    of: int | None
    says: str
    is_odd: bool
    exhibits: tuple[Mapping[str, str], ...]
    moments: tuple[Moment, ...]


def sides(play: Experiment, incident: Incident) -> list[SideOfPlay]:
    """Returns every side in order."""
    return [_side(run, incident) for run in play.runs.all()]


def steps(sides: Sequence[SideOfPlay], incident: Incident) -> tuple[Lane, ...]:
    """Returns the steps of each side that was played, on a common timeline."""
    rows = [(side.release, side.label, side.moments, side.harmed or 0) for side in sides]
    return lanes(rows, incident.harm_in)


def standing(play: Experiment, incident: Incident) -> str:
    """Returns the state of a play in one line."""
    state, runs = State(play.state), list(play.runs.all())
    if state == State.QUEUED:
        place = selectors.place_in_queue(play)
        ahead = "next in the queue" if place == 1 else f"number {place} in the queue"
        return f"Waiting: {ahead}. About {incident.minutes * len(runs)} min once it starts."
    if state == State.RUNNING:
        remaining = sum(not run.result for run in runs)
        return f"Playing: {len(runs) - remaining} of {len(runs)} releases are done."
    return _ENDS[state]


def _side(run: Run, incident: Incident) -> SideOfPlay:
    result = run.result
    release = str(result.get("release") or incident.releases.get(run.name, ""))
    harmed = result.get("harmed")
    label = LABELS.get(run.name, run.name)
    says, is_odd = "", False
    if harmed is not None:
        is_odd = (harmed > 0) != (run.name == "affected")
        says = _sentence(run.name, harmed).format(release=release, label=label)
    return SideOfPlay(
        run.name, label, release, _phases(run.phase), run.live.get("place"),
        str(run.live.get("detail") or ""), harmed, result.get("of"), says, is_odd,
        tuple(result.get("exhibits", ())),
        tuple(Moment(**moment) for moment in result.get("moments", ())),
    )  # fmt: skip


def _sentence(side: str, harmed: int) -> str:
    if side == "affected":
        return _SHOWN_AGAIN if harmed else _NOT_SHOWN
    return _CONTRADICTS if harmed else _CLEAN


def _phases(current: str) -> tuple[Phase, ...]:
    at = PHASES.index(current) if current in PHASES else -1
    last = len(PHASES) - 1

    def state(place: int) -> str:
        if place == at and at < last:
            return "now"
        return "done" if place <= at else "todo"

    return tuple(Phase(_WORDS[name], state(place)) for place, name in enumerate(PHASES))


def latest(incident: Incident, most: int = 5) -> list[dict[str, Any]]:
    """Returns the latest plays of an incident on this installation: play, standing and sides."""
    return [
        {"play": play, "standing": standing(play, incident), "sides": sides(play, incident)}
        for play in selectors.plays(incident.slug)[:most]
    ]
