"""Adds experiments to the queue in the database, within its limits."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from datetime import timedelta
from functools import partial

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from advisor.reasoning.plural import agreed, counted
from labs.engine.plan.spec import ExperimentSpec
from labs.models import LIVE, Experiment, Run, State, settings_key
from labs.runs import lifecycle, queue
from labs.runs.conditions import Conditions
from labs.runs.planning import Refused
from labs.runs.visitors import NOBODY, Visitor

DOUBLE_CLICK = timedelta(seconds=5)
"""Identical requests of a visitor within this time count as one."""

_PLACES = 7_401_988
"""The key of PostgreSQL's advisory lock for counting the queue."""


@transaction.atomic
def enqueue(
    spec: ExperimentSpec, pipeline: str, lesson: str, visitor: Visitor, *,
    is_one_of_many: bool = False,
) -> Experiment:  # fmt: skip
    """Stores an experiment and returns it; a double click returns that of the first click."""
    take_place(visitor)
    before = recent_duplicate(visitor, asdict(spec), pipeline=pipeline, lesson=lesson)
    if before is not None and not is_one_of_many:
        return before
    experiment = store(spec, pipeline, lesson, visitor)
    nudge_on_commit(experiment.slug, experiment.attempt)
    return experiment


@transaction.atomic
def store(
    spec: ExperimentSpec, pipeline: str = "", lesson: str = "", visitor: Visitor = NOBODY
) -> Experiment:
    """Stores a queued experiment and its arms, without nudging a worker."""
    experiment = Experiment.objects.create(
        pipeline=pipeline,
        lesson=lesson,
        visitor=visitor.key,
        address=visitor.address,
        scenario=spec.scenario,
        seed=spec.seed,
        kafka=spec.kafka,
        spec=asdict(spec),
        queued_at=timezone.now(),
    )
    # Runs count as repetitions of each other only under the same conditions.
    conditions = list(Conditions.from_spec(spec).described())
    Run.objects.bulk_create(
        Run(
            experiment=experiment,
            name=arm.name,
            position=position,
            guarantee=arm.guarantee,
            want=arm.want or "",
            settings=arm.settings,
            settings_key=settings_key([arm.settings, apart] if apart else arm.settings),
        )
        for position, arm in enumerate(spec.arms)
        for apart in [[*conditions, ("Kafka", arm.kafka)] if arm.kafka else conditions]
    )
    return experiment


def refuse_if_full(visitor: Visitor) -> None:
    """Raises `Refused` if the queue has no place for this visitor."""
    queued = Experiment.objects.filter(state=State.QUEUED)
    waiting = queued.count()
    limits = settings.LAB_QUEUE
    if waiting >= limits["all"]:
        already = f"{counted(waiting, 'experiment')} already {agreed(waiting, 'waits', 'wait')}"
        raise Refused(f"{already}. Try again when some of them are done.")
    for owner, limited, own_queue, most in (
        ("You have", "one visitor", queued.filter(visitor=visitor.key), limits["visitor"]),
        (
            "Your address has", "one address", queued.filter(address=visitor.address),
            limits["address"],
        ),
    ):  # fmt: skip
        if visitor != NOBODY and own_queue.count() >= most:
            raise Refused(
                f"{owner} {counted(most, 'experiment')} in the queue, the most for {limited}. "
                "Try again when one of them has started."
            )


def take_place(visitor: Visitor) -> None:
    """Counts the queue. Another transaction that counts waits until this one ends.

    SQLite needs no lock: a transaction begins as the only writer (`transaction_mode`).
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_PLACES])
    refuse_if_full(visitor)


def requeue(experiment: Experiment, visitor: Visitor) -> None:
    """Puts an attempt without a result back into the queue, as the visitor's next attempt.

    Raises `Refused` for a full queue. Does nothing if it has been put back in the meantime.
    """
    slug, attempt = experiment.slug, experiment.attempt
    with transaction.atomic():
        take_place(visitor)
        if lifecycle.requeue(slug, attempt, visitor.key, visitor.address):
            nudge_on_commit(slug, attempt + 1)


def recent_duplicate(
    visitor: Visitor, request: Mapping[str, object], **same: str
) -> Experiment | None:
    """Returns the visitor's live experiment from the first of two clicks; seeds are ignored."""
    return next(_recent_duplicates(visitor, request, **same), None)


def recent_repetitions(visitor: Visitor, experiment: Experiment) -> list[Experiment]:
    """Returns the visitor's live repetitions of an experiment from the first of two clicks."""
    alike = _recent_duplicates(visitor, asdict(experiment.request()), lesson=experiment.lesson)
    return [one for one in alike if one.seed != experiment.seed]


def _recent_duplicates(
    visitor: Visitor, request: Mapping[str, object], **same: str
) -> Iterator[Experiment]:
    if visitor == NOBODY:
        return
    recent = Experiment.objects.filter(
        visitor=visitor.key, state__in=LIVE,
        queued_at__gt=timezone.now() - DOUBLE_CLICK, **same,
    ).order_by("pk")  # fmt: skip
    spec = json.loads(json.dumps({**request, "seed": 0}))
    yield from (experiment for experiment in recent if {**experiment.spec, "seed": 0} == spec)


def nudge_on_commit(slug: str, attempt: int) -> None:
    # Only after the commit: a worker could be faster than the transaction and find nothing.
    transaction.on_commit(partial(queue.nudge, slug, attempt))
