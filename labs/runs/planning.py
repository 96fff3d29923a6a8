"""Plans an experiment: its brokers, its arms with every setting, and its conditions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from advisor import services as advisor
from advisor.catalog import Family, kafka_line
from advisor.models import Description
from advisor.reasoning.behaviour.replication import Replication
from advisor.reasoning.guarantees import Boundary
from advisor.reasoning.pipeline import Pipeline
from labs.challenges import Challenge
from labs.engine.distributions.distribution import Brokers, brokers_to_run, patch_releases
from labs.engine.plan.spec import ArmSpec, ExperimentSpec
from labs.engine.run.shape import shapes
from labs.engine.scenarios import find as find_scenario
from labs.lessons import Arm, Lesson
from labs.runs.conditions import AS_PROVED, AS_THE_SCENARIO, Conditions, clients_for


class Refused(Exception):
    """The request cannot be started; the message says why, for the page."""


def brokers_for(
    described: Pipeline, scenario: str, conditions: Conditions = AS_THE_SCENARIO
) -> Brokers:
    """Returns the brokers for an experiment on a described pipeline.

    Dedicated controllers require KRaft mode. Raises `ScenarioError` for an unknown scenario.
    """
    lines = find_scenario(scenario).zookeeper_lines
    staged = kafka_line(described.kafka) in lines and not conditions.controllers
    return brokers_to_run(
        described.kafka, zookeeper=Replication(described).zookeeper, staged=staged
    )


def streams_for(described: Pipeline) -> str | None:
    """Returns the line of Kafka Streams for its experiments; None for another application."""
    return described.version if described.family is Family.STREAMS else None


def parse_pipeline(fields: Mapping[str, str]) -> Pipeline:
    """Returns the pipeline of fields as a person states them. Raises `Refused` for wrong fields."""
    pipeline, problems = advisor.from_fields(fields)
    if pipeline is None:
        raise Refused("; ".join(problem.message for problem in problems))
    return pipeline


def saved_pipeline(slug: str) -> Pipeline | None:
    """Returns the saved description; None if there is none that today's catalog accepts."""
    try:
        return advisor.find(slug).described()
    except (Description.DoesNotExist, advisor.StaleDescription):
        return None


def arms_for(described: Pipeline, recommended: Pipeline) -> list[ArmSpec]:
    """Returns the arms of an experiment on a description: a single one if nothing must change."""
    want = described.requirement.guarantee
    arms = [arm("described", described, want)]
    if advisor.in_force(recommended) != advisor.in_force(described):
        arms.append(arm("recommended", recommended, want))
    return arms


def arm(name: str, pipeline: Pipeline, want: str) -> ArmSpec:
    """Returns an arm with every setting in force; `want` is the guarantee that it is judged by.

    Its guarantee comes from today's rules, because a run is evidence for or against them.
    """
    guarantee = advisor.assess(pipeline).guarantees[Boundary.END_TO_END]
    return ArmSpec(name, advisor.in_force(pipeline), guarantee=str(guarantee), want=str(want))


def spec_for(
    scenario: str, seed: int, arms: Iterable[ArmSpec], described: Pipeline, conditions: Conditions
) -> ExperimentSpec:
    """Returns the requested experiment, with Java clients if `clients_for` returns a release.

    Raises `ScenarioError` if it cannot be staged, and `ValueError` if it exceeds a limit.
    """
    java = clients_for(described, find_scenario(scenario), conditions)
    return exact_spec(scenario, seed, arms, described, replace(conditions, java_clients=java))


def exact_spec(
    scenario: str, seed: int, arms: Iterable[ArmSpec], described: Pipeline, conditions: Conditions
) -> ExperimentSpec:
    """Returns the same with the Java clients that `conditions` names, or with librdkafka."""
    brokers = brokers_for(described, scenario, conditions)
    spec = ExperimentSpec(
        scenario, seed, tuple(arms), brokers.release, conditions.overrides, conditions.controllers,
        conditions.partitions, conditions.value_bytes, conditions.java_clients, brokers.instead_of,
        streams_for(described), conditions.copier, brokers.zookeeper,
    )  # fmt: skip
    shapes(spec)
    return spec


def on_release(described: Pipeline, release: str) -> Pipeline:
    """Returns the description on brokers of a release, with the defaults of its line.

    Raises `advisor.PipelineError` for a setting that does not exist there.
    """
    stated = advisor.to_data(described)
    releases = {**stated.get("releases", {}), "kafka": release}
    return advisor.from_data({**stated, "kafka": kafka_line(release), "releases": releases})


def at_release(spec: ExperimentSpec, release: str) -> ExperimentSpec:
    """Returns the experiment on exactly this release, if that is an earlier one of its line.

    Only the time machine runs these; all others run the offered release of a line.
    """
    return replace(spec, kafka=release) if release in patch_releases() else spec


def challenge_spec(challenge: Challenge, arms: Mapping[str, Pipeline], seed: int) -> ExperimentSpec:
    """Returns an experiment on settings for a challenge, by arm name, without storing it.

    Raises the errors of `spec_for`.
    """
    described = next(iter(arms.values()))
    stated = [arm(name, side, challenge.want) for name, side in arms.items()]
    conditions = Conditions(overrides=challenge.staging)
    return spec_for(challenge.scenario, seed, stated, described, conditions)


def lesson_spec(lesson: Lesson, arms: Sequence[Arm], seed: int) -> ExperimentSpec:
    """Returns an experiment on arms of a lesson, without storing it.

    Raises `Refused` for settings that the catalog rejects, and the errors of `spec_for`.
    """
    described = parse_pipeline(lesson.solution.fields)
    stated = lesson_arms(lesson, arms, described)
    return spec_for(lesson.scenario, seed, stated, described, AS_PROVED)


def lesson_arms(lesson: Lesson, arms: Sequence[Arm], described: Pipeline) -> list[ArmSpec]:
    """Returns the arms of an experiment on `described`, each with its line of brokers.

    Raises `Refused` if only some of them have ZooKeeper: all arms must have the same mode.
    """
    shared = brokers_for(described, lesson.scenario)
    results = []
    for item in arms:
        pipeline = parse_pipeline(item.fields)
        brokers = brokers_for(pipeline, lesson.scenario)
        if brokers.zookeeper != shared.zookeeper:
            raise Refused(f"{item.label}: all arms of a lab have ZooKeeper, or none has.")
        kafka = None if brokers.release == shared.release else brokers.release
        results.append(replace(arm(item.name, pipeline, lesson.want), kafka=kafka))
    return results
