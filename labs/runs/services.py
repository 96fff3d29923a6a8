"""What a person can ask for: start an experiment, run it again, end it."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import timedelta
from functools import partial

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from advisor import services as advisor
from advisor.catalog import Family
from advisor.reasoning.guarantees import Boundary, Guarantee, Requirement
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.replication import Replication
from labs.calibration.cases.arms import pipeline
from labs.calibration.cases.case import Case
from labs.challenges import Challenge
from labs.engine.distributions.distribution import Brokers, to_run
from labs.engine.plan.spec import ArmSpec, ExperimentSpec
from labs.engine.run.shape import shapes
from labs.engine.scenarios import ScenarioError
from labs.engine.scenarios import find as find_scenario
from labs.lessons import Arm, Lesson
from labs.models import LIVE, Experiment, Run, State, settings_key
from labs.runs import lifecycle, queue
from labs.runs.conditions import AS_PROVED, AS_THE_SCENARIO, Conditions, clients_for
from labs.runs.visitors import NOBODY, Visitor

REPEAT_MOST = 10
"""Repetitions that may be asked for at once: half of the queue."""

FIRST_LOOK: Mapping[str, str] = {
    "family": "java",
    "version": "4.3",
    "kafka": "4.3",
    "brokers": "3",
    "producer.acks": "1",
    "topic.replication.factor": "3",
    "topic.min.insync.replicas": "2",
    "need.guarantee": "at-least-once",
    "need.survive": "1",
}
"""A team that stated acks=1 and left everything else alone: the home page's first experiment."""

WEAK, SAFE = "weak", "safe"
"""The arms of a case, as a visitor runs it."""

FIRST_SCENARIO = "leader-killed-followers-behind"

DOUBLE_CLICK = timedelta(seconds=5)
"""What a visitor asks for again within this time, in every respect the same, is one request."""

_PLACES = 7_401_988
"""The number of PostgreSQL's advisory lock for counting the queue."""


class Refused(Exception):
    """What was asked for cannot be started; the message says why, for the page."""


def start(
    pipeline_slug: str,
    scenario: str,
    conditions: Conditions = AS_THE_SCENARIO,
    visitor: Visitor = NOBODY,
) -> Experiment:
    """Queues the scenario on the settings as described and, if they differ, as recommended.

    The recommendation is that of the answer behind the pipeline's link, also if its rules are
    older. Raises what `advisor.find` does, and `Refused` for an unknown scenario, for settings with
    which it cannot be staged, and for a full queue.
    """
    saved = advisor.find(pipeline_slug)
    described = saved.described()
    arms = arms_for(described, saved.recommended())
    return _queue(scenario, arms, described, conditions, pipeline=pipeline_slug, visitor=visitor)


def brokers_for(
    described: Pipeline, scenario: str, conditions: Conditions = AS_THE_SCENARIO
) -> Brokers:
    """The brokers that an experiment of it runs.

    Who chose dedicated controllers gets KRaft mode. Raises `ScenarioError` for an unknown scenario.
    """
    staged = find_scenario(scenario).zookeeper and not conditions.controllers
    return to_run(described.kafka, zookeeper=Replication(described).zookeeper, staged=staged)


def streams_for(described: Pipeline) -> str | None:
    """The line of Kafka Streams that its experiments run; None for another application."""
    return described.version if described.family is Family.STREAMS else None


def start_first_look(visitor: Visitor = NOBODY) -> Experiment:
    """Queues the experiment of the home page."""
    return start_on(FIRST_LOOK, FIRST_SCENARIO, visitor)


def start_on(fields: Mapping[str, str], scenario: str, visitor: Visitor = NOBODY) -> Experiment:
    """Queues a scenario on settings as a person states them.

    They become a description that can be opened and changed. Raises `Refused` as `start` does, and
    for fields that the catalog refuses.
    """
    _refuse_if_full(visitor)
    return start(_saved(fields), scenario, visitor=visitor)


def start_case(case: Case, chosen: Sequence[str], visitor: Visitor = NOBODY) -> Experiment:
    """Queues the weak settings of a case, its safe ones or both; the advice that the page leads to
    is that for the first of them."""
    _refuse_if_full(visitor)
    requirement = Requirement(guarantee=Guarantee(case.want))
    pipelines = {
        name: replace(pipeline(**stated), requirement=requirement)
        for name, stated in {WEAK: case.bad, SAFE: case.good}.items()
        if stated is not None and name in chosen
    }
    if not pipelines:
        raise Refused(f"There are no such settings for {find_scenario(case.scenario).title}.")
    first = next(iter(pipelines.values()))
    return _queue(
        case.scenario, [arm(name, side, case.want) for name, side in pipelines.items()], first,
        replace(AS_PROVED, overrides=case.shorter), pipeline=str(advisor.save(first).slug),
        visitor=visitor,
    )  # fmt: skip


def start_lesson(lesson: Lesson, visitor: Visitor = NOBODY) -> Experiment:
    """Queues a lesson's arms; its `pipeline` is what the lesson sends one home with."""
    _refuse_if_full(visitor)
    fields = lesson.solution.fields
    described = pipeline_of(fields)
    return _queue(
        lesson.scenario, _lesson_arms(lesson, lesson.arms, described), described, AS_PROVED,
        pipeline=_saved(fields), lesson=lesson.name, visitor=visitor,
    )  # fmt: skip


def start_turn(lesson: Lesson, choice: Arm, visitor: Visitor = NOBODY) -> Experiment:
    """Queues one arm: what the visitor chose in the turn of a lesson."""
    _refuse_if_full(visitor)
    pipeline = pipeline_of(choice.fields)
    return _queue(
        lesson.scenario, [arm(choice.name, pipeline, lesson.want)], pipeline, AS_PROVED,
        pipeline=_saved(choice.fields), lesson=lesson.name, visitor=visitor,
    )  # fmt: skip


def start_challenge(
    challenge: Challenge, described: Pipeline, visitor: Visitor = NOBODY, seed: int | None = None
) -> Experiment:
    """Queues one arm: a visitor's settings in a challenge, or the recording of a case.

    With a `seed`, on the schedule of that seed. Settings that are to be found out have no link.
    """
    _refuse_if_full(visitor)
    return _queue(
        challenge.scenario, [arm(challenge.arm, described, challenge.want)], described,
        Conditions(overrides=challenge.staging),
        pipeline="" if challenge.is_forensics else str(advisor.save(described).slug),
        visitor=visitor, seed=seed,
    )  # fmt: skip


def challenge_spec(challenge: Challenge, arms: Mapping[str, Pipeline], seed: int) -> ExperimentSpec:
    """Settings for a challenge, by the arm's name, as an experiment that is not stored.

    Raises what `spec_for` does.
    """
    described = next(iter(arms.values()))
    java = clients_for(described, find_scenario(challenge.scenario))
    stated = [arm(name, side, challenge.want) for name, side in arms.items()]
    conditions = Conditions(overrides=challenge.staging, java_clients=java)
    return spec_for(challenge.scenario, seed, stated, described, conditions)


def lesson_spec(lesson: Lesson, arms: Sequence[Arm], seed: int) -> ExperimentSpec:
    """Arms of a lesson as an experiment that is not stored.

    Raises `Refused` for settings that the catalog does not take, and what `spec_for` does.
    """
    described = pipeline_of(lesson.solution.fields)
    java = clients_for(described, find_scenario(lesson.scenario), AS_PROVED)
    stated = _lesson_arms(lesson, arms, described)
    return spec_for(lesson.scenario, seed, stated, described, Conditions(java_clients=java))


def _lesson_arms(lesson: Lesson, arms: Sequence[Arm], described: Pipeline) -> list[ArmSpec]:
    """The arms of an experiment that is asked for on `described`, each on its own line of brokers.

    Raises `Refused` where some have ZooKeeper and others do not: that is one for all arms.
    """
    shared = brokers_for(described, lesson.scenario)
    results = []
    for item in arms:
        pipeline = pipeline_of(item.fields)
        own = brokers_for(pipeline, lesson.scenario)
        if own.zookeeper != shared.zookeeper:
            raise Refused(f"{item.label}: all arms of a lab have ZooKeeper, or none has.")
        kafka = None if own.release == shared.release else own.release
        results.append(replace(arm(item.name, pipeline, lesson.want), kafka=kafka))
    return results


def again(experiment: Experiment, visitor: Visitor = NOBODY) -> Experiment:
    """The same arms and seed once more.

    An attempt that reached no result becomes the next attempt under the same address; one that
    did is evidence and stays as it is, so its repetition is a new experiment. So is a run of
    somebody else's: who starts an attempt may cancel it, and that right is not handed on.
    """
    if experiment.state == State.DONE or experiment.visitor not in ("", visitor.key):
        return _enqueue(experiment.request(), experiment.pipeline, experiment.lesson, visitor)
    with transaction.atomic():
        take_place(visitor)
        if lifecycle.requeue(experiment.slug, experiment.attempt, visitor.key, visitor.address):
            nudge_on_commit(experiment.slug, experiment.attempt + 1)
    experiment.refresh_from_db()
    return experiment


def repeat(experiment: Experiment, times: int, visitor: Visitor = NOBODY) -> list[Experiment]:
    """The same arms so many times more, each time with a new seed, as far as the queue allows."""
    if not 1 <= times <= REPEAT_MOST:
        raise Refused(f"From 1 to {REPEAT_MOST} repetitions can be asked for at once.")
    started = []
    for _ in range(times):
        spec = replace(experiment.request(), seed=_new_seed())
        started.append(
            _enqueue(spec, experiment.pipeline, experiment.lesson, visitor, is_one_of_many=True)
        )
    return started


def arms_for(described: Pipeline, recommended: Pipeline) -> list[ArmSpec]:
    """The arms of an experiment on one description: one alone if nothing needs changing."""
    want = described.requirement.guarantee
    arms = [arm("described", described, want)]
    if advisor.in_force(recommended) != advisor.in_force(described):
        arms.append(arm("recommended", recommended, want))
    return arms


def arm(name: str, pipeline: Pipeline, want: str) -> ArmSpec:
    """One arm with every setting written out; `want` is what its verdict is about.

    Its guarantee comes from today's rules, because a run is evidence for or against these.
    """
    guarantee = advisor.assess(pipeline).guarantees[Boundary.END_TO_END]
    return ArmSpec(name, advisor.in_force(pipeline), guarantee=str(guarantee), want=str(want))


def spec_for(
    scenario: str, seed: int, arms: Iterable[ArmSpec], described: Pipeline, conditions: Conditions
) -> ExperimentSpec:
    """The experiment that is asked for; `conditions` name the Java clients that play it, if any.

    Raises `ScenarioError` for what cannot be staged, and `ValueError` for what is beyond limits.
    """
    brokers = brokers_for(described, scenario, conditions)
    spec = ExperimentSpec(
        scenario, seed, tuple(arms), brokers.release, conditions.overrides, conditions.controllers,
        conditions.partitions, conditions.value_bytes, conditions.java_clients, brokers.instead_of,
        streams_for(described), conditions.copier, brokers.zookeeper,
    )  # fmt: skip
    shapes(spec)
    return spec


def pipeline_of(fields: Mapping[str, str]) -> Pipeline:
    pipeline, problems = advisor.from_fields(fields)
    if pipeline is None:
        raise Refused("; ".join(problem.message for problem in problems))
    return pipeline


def _saved(fields: Mapping[str, str]) -> str:
    return str(advisor.save(pipeline_of(fields)).slug)


def _queue(
    scenario: str, arms: Iterable[ArmSpec], described: Pipeline, conditions: Conditions, *,
    pipeline: str, lesson: str = "", visitor: Visitor = NOBODY, seed: int | None = None,
) -> Experiment:  # fmt: skip
    _refuse_if_full(visitor)
    try:
        java = clients_for(described, find_scenario(scenario), conditions)
        chosen = replace(conditions, java_clients=java)
        drawn = _new_seed() if seed is None else seed
        spec = spec_for(scenario, drawn, arms, described, chosen)
    except ScenarioError as cannot:
        raise Refused(f"This cannot be staged: {cannot}.") from cannot
    return _enqueue(spec, pipeline, lesson, visitor)


def _new_seed() -> int:
    return secrets.randbelow(2**31)


def _refuse_if_full(visitor: Visitor) -> None:
    queued = Experiment.objects.filter(state=State.QUEUED)
    waiting = queued.count()
    limits = settings.LAB_QUEUE
    if waiting >= limits["all"]:
        raise Refused(f"{waiting} experiments already wait. Try again when some of them are done.")
    for whose, mine, most in (
        ("yours", queued.filter(visitor=visitor.key), limits["visitor"]),
        ("your address", queued.filter(address=visitor.address), limits["address"]),
    ):
        if visitor != NOBODY and mine.count() >= most:
            reason = f"{most} experiments of {whose} already wait; the other places are for others."
            raise Refused(reason)


def take_place(visitor: Visitor) -> None:
    """Counts the queue; the next transaction that counts waits until this one is over.

    A transaction of SQLite begins as the only one that writes (`transaction_mode`).
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_PLACES])
    _refuse_if_full(visitor)


def asked_just_now(
    visitor: Visitor, wanted: Mapping[str, object], **same: str
) -> Experiment | None:
    """The experiment that a double click of this visitor asked for, but for its seed."""
    recent = Experiment.objects.filter(
        visitor=visitor.key, state__in=LIVE,
        queued_at__gt=timezone.now() - DOUBLE_CLICK, **same,
    )  # fmt: skip
    spec = json.loads(json.dumps({**wanted, "seed": 0}))
    alike = (other for other in recent if {**other.spec, "seed": 0} == spec)
    return next(alike, None) if visitor != NOBODY else None


@transaction.atomic
def _enqueue(
    spec: ExperimentSpec, pipeline: str, lesson: str, visitor: Visitor, *,
    is_one_of_many: bool = False,
) -> Experiment:  # fmt: skip
    take_place(visitor)
    before = asked_just_now(visitor, asdict(spec), pipeline=pipeline, lesson=lesson)
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
    # Runs are each other's repetitions only under the same conditions.
    conditions = list(Conditions.of(spec).described())
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


def nudge_on_commit(slug: str, attempt: int) -> None:
    # Only after the commit: a worker that is faster than the transaction would find nothing.
    transaction.on_commit(partial(queue.nudge, slug, attempt))
