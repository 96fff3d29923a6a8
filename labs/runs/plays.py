"""Queues plays of incidents; the workers of experiments run them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from django.db import transaction
from django.utils import timezone

from labs.incidents import Incident
from labs.incidents.runner import PlaySpec
from labs.models import Experiment, Run
from labs.runs.admission import nudge_on_commit, recent_duplicate, take_place
from labs.runs.planning import Refused
from labs.runs.visitors import NOBODY, Visitor


def start(incident: Incident, sides: Sequence[str], visitor: Visitor = NOBODY) -> Experiment:
    """Queues a play of these sides, each once, in the order of the page.

    Raises `Refused` if there is no side or an unknown one, and for a full queue.
    """
    releases = incident.releases
    if not sides or {*sides} - {*releases}:
        choices = ", ".join(f"{side} ({release})" for side, release in releases.items())
        raise Refused(f"Choose at least one release to play: {choices}.")
    spec = PlaySpec(incident.slug, tuple(side for side in releases if side in sides))
    with transaction.atomic():
        take_place(visitor)
        before = recent_duplicate(visitor, asdict(spec), scenario=spec.incident)
        if before is not None:
            return before
        play = _store(spec, visitor)
        nudge_on_commit(play.slug, play.attempt)
    return play


def _store(spec: PlaySpec, visitor: Visitor) -> Experiment:
    play = Experiment.objects.create(
        scenario=spec.incident,
        is_incident=True,
        visitor=visitor.key,
        address=visitor.address,
        seed=0,
        kafka="",
        spec=asdict(spec),
        queued_at=timezone.now(),
    )
    Run.objects.bulk_create(
        Run(experiment=play, name=side, position=position, settings={}, settings_key="")
        for position, side in enumerate(spec.sides)
    )
    return play
