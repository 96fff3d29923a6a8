"""The actions of a person: start an experiment, run it again, repeat it."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from django.db import transaction

from advisor import services as advisor
from advisor.reasoning.guarantees import Guarantee, Requirement
from advisor.reasoning.pipeline import Pipeline
from labs.calibration.cases.arms import pipeline
from labs.calibration.cases.case import Case
from labs.challenges import Challenge
from labs.engine.plan.spec import ArmSpec
from labs.engine.scenarios import ScenarioError
from labs.engine.scenarios import find as find_scenario
from labs.lessons import Arm, Lesson
from labs.models import Experiment, State
from labs.runs.admission import (
    enqueue,
    recent_repetitions,
    refuse_if_full,
    requeue,
    take_place,
)
from labs.runs.conditions import AS_PROVED, AS_THE_SCENARIO, Conditions
from labs.runs.planning import Refused, arm, arms_for, lesson_arms, parse_pipeline, spec_for
from labs.runs.visitors import NOBODY, Visitor

REPEAT_MOST = 10
"""The most repetitions in one request: half of the queue."""

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
"""A team that set acks=1 and nothing else: the first experiment, offered by the home page."""

WEAK, SAFE = "weak", "safe"
"""The names of the arms of a case."""

FIRST_SCENARIO = "leader-killed-followers-behind"


def start(
    pipeline_slug: str,
    scenario: str,
    conditions: Conditions = AS_THE_SCENARIO,
    visitor: Visitor = NOBODY,
) -> Experiment:
    """Queues the scenario on the settings as described and, if they differ, as recommended.

    The recommendation is that of the answer at the pipeline's link, even if its rules are older.
    Raises the errors of `advisor.find`, and `Refused` for an unknown scenario, for settings with
    which it cannot be staged, and for a full queue.
    """
    saved = advisor.find(pipeline_slug)
    described = saved.described()
    arms = arms_for(described, saved.recommended())
    return _queue(scenario, arms, described, conditions, pipeline=pipeline_slug, visitor=visitor)


def start_first_look(visitor: Visitor = NOBODY) -> Experiment:
    """Queues the experiment of the home page."""
    return start_on(FIRST_LOOK, FIRST_SCENARIO, visitor)


def start_on(fields: Mapping[str, str], scenario: str, visitor: Visitor = NOBODY) -> Experiment:
    """Queues a scenario on settings as a person states them.

    They become a description that can be opened and changed. Raises `Refused` as `start` does, and
    for fields that the catalog rejects.
    """
    refuse_if_full(visitor)
    return start(_save(fields), scenario, visitor=visitor)


def start_case(case: Case, chosen: Sequence[str], visitor: Visitor = NOBODY) -> Experiment:
    """Queues the weak settings of a case, its safe ones or both. The page links to the advice for
    the first of them."""
    refuse_if_full(visitor)
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
    """Queues the arms of a lesson; the pipeline of the experiment is the lesson's solution."""
    refuse_if_full(visitor)
    fields = lesson.solution.fields
    described = parse_pipeline(fields)
    return _queue(
        lesson.scenario, lesson_arms(lesson, lesson.arms, described), described, AS_PROVED,
        pipeline=_save(fields), lesson=lesson.name, visitor=visitor,
    )  # fmt: skip


def start_turn(lesson: Lesson, choice: Arm, visitor: Visitor = NOBODY) -> Experiment:
    """Queues one arm: the visitor's choice in the turn of a lesson."""
    refuse_if_full(visitor)
    pipeline = parse_pipeline(choice.fields)
    return _queue(
        lesson.scenario, [arm(choice.name, pipeline, lesson.want)], pipeline, AS_PROVED,
        pipeline=_save(choice.fields), lesson=lesson.name, visitor=visitor,
    )  # fmt: skip


def start_challenge(
    challenge: Challenge, described: Pipeline, visitor: Visitor = NOBODY, seed: int | None = None
) -> Experiment:
    """Queues one arm: a visitor's settings in a challenge, or the recording of a case.

    With a `seed`, its schedule is used. Settings that the visitor has to find out have no link.
    """
    refuse_if_full(visitor)
    return _queue(
        challenge.scenario, [arm(challenge.arm, described, challenge.want)], described,
        Conditions(overrides=challenge.staging),
        pipeline="" if challenge.is_forensics else str(advisor.save(described).slug),
        visitor=visitor, seed=seed,
    )  # fmt: skip


def again(experiment: Experiment, visitor: Visitor = NOBODY) -> Experiment:
    """Runs the same arms and seed once more.

    An attempt without a result becomes the next attempt at the same address. One with a result is
    evidence and stays as it is, so its repetition is a new experiment. So is the repetition of
    another visitor's run: whoever starts an attempt may cancel it, and that right does not pass on.
    """
    if experiment.state == State.DONE or experiment.visitor not in ("", visitor.key):
        return enqueue(
            experiment.request(), _description_slug(experiment), experiment.lesson, visitor
        )
    requeue(experiment, visitor)
    experiment.refresh_from_db()
    return experiment


def repeat(experiment: Experiment, times: int, visitor: Visitor = NOBODY) -> list[Experiment]:
    """Queues the same arms `times` more times, each with a new seed, as far as the queue allows.

    A double click returns those of the first click.
    """
    if not 1 <= times <= REPEAT_MOST:
        raise Refused(f"From 1 to {REPEAT_MOST} repetitions can be requested at a time.")
    started, is_full = list[Experiment](), None
    with transaction.atomic():
        take_place(visitor)
        before = recent_repetitions(visitor, experiment)
        if len(before) >= times:
            return before[:times]
        for _ in range(times):
            try:
                started.append(_repetition(experiment, visitor))
            except Refused as full:
                is_full = full  # what is queued already stays
                break
    if is_full:
        raise is_full
    return started


def _repetition(experiment: Experiment, visitor: Visitor) -> Experiment:
    spec, pipeline = replace(experiment.request(), seed=_new_seed()), _description_slug(experiment)
    return enqueue(spec, pipeline, experiment.lesson, visitor, is_one_of_many=True)


def _description_slug(experiment: Experiment) -> str:
    """Returns the slug of the description that a repetition is evidence for; empty in a series,
    whose brokers have another release than the described ones."""
    return "" if experiment.series_id else experiment.pipeline


def _save(fields: Mapping[str, str]) -> str:
    return str(advisor.save(parse_pipeline(fields)).slug)


def _queue(
    scenario: str, arms: Iterable[ArmSpec], described: Pipeline, conditions: Conditions, *,
    pipeline: str, lesson: str = "", visitor: Visitor = NOBODY, seed: int | None = None,
) -> Experiment:  # fmt: skip
    refuse_if_full(visitor)
    drawn = _new_seed() if seed is None else seed
    try:
        spec = spec_for(scenario, drawn, arms, described, conditions)
    except ScenarioError as cannot:
        raise Refused(f"This cannot be staged: {cannot}.") from cannot
    return enqueue(spec, pipeline, lesson, visitor)


def _new_seed() -> int:
    return secrets.randbelow(2**31)
