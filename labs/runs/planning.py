"""What an experiment runs: its brokers, its arms with every setting, and its conditions."""

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
    """What was asked for cannot be started; the message says why, for the page."""


def brokers_for(
    described: Pipeline, scenario: str, conditions: Conditions = AS_THE_SCENARIO
) -> Brokers:
    """The brokers that an experiment of it runs.

    Who chose dedicated controllers gets KRaft mode. Raises `ScenarioError` for an unknown scenario.
    """
    lines = find_scenario(scenario).zookeeper_lines
    staged = kafka_line(described.kafka) in lines and not conditions.controllers
    return brokers_to_run(
        described.kafka, zookeeper=Replication(described).zookeeper, staged=staged
    )


def streams_for(described: Pipeline) -> str | None:
    """The line of Kafka Streams that its experiments run; None for another application."""
    return described.version if described.family is Family.STREAMS else None


def parse_pipeline(fields: Mapping[str, str]) -> Pipeline:
    """The pipeline of fields as a person states them. Raises `Refused` where they are wrong."""
    pipeline, problems = advisor.from_fields(fields)
    if pipeline is None:
        raise Refused("; ".join(problem.message for problem in problems))
    return pipeline


def saved_pipeline(slug: str) -> Pipeline | None:
    """The saved description of this name; None if there is none that today's catalog takes."""
    try:
        return advisor.find(slug).described()
    except (Description.DoesNotExist, advisor.StaleDescription):
        return None


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
    """The experiment that is asked for, played by Java's clients where `clients_for` has them.

    Raises `ScenarioError` for what cannot be staged, and `ValueError` for what is beyond limits.
    """
    java = clients_for(described, find_scenario(scenario), conditions)
    return exact_spec(scenario, seed, arms, described, replace(conditions, java_clients=java))


def exact_spec(
    scenario: str, seed: int, arms: Iterable[ArmSpec], described: Pipeline, conditions: Conditions
) -> ExperimentSpec:
    """The same, played by the Java clients that the `conditions` name, or by librdkafka."""
    brokers = brokers_for(described, scenario, conditions)
    spec = ExperimentSpec(
        scenario, seed, tuple(arms), brokers.release, conditions.overrides, conditions.controllers,
        conditions.partitions, conditions.value_bytes, conditions.java_clients, brokers.instead_of,
        streams_for(described), conditions.copier, brokers.zookeeper,
    )  # fmt: skip
    shapes(spec)
    return spec


def on_release(described: Pipeline, release: str) -> Pipeline:
    """The same description on brokers of a release, with the defaults of its line.

    Raises `advisor.PipelineError` for a setting that does not exist there.
    """
    stated = advisor.to_data(described)
    releases = {**stated.get("releases", {}), "kafka": release}
    return advisor.from_data({**stated, "kafka": kafka_line(release), "releases": releases})


def at_release(spec: ExperimentSpec, release: str) -> ExperimentSpec:
    """The same on exactly this release, where that is an earlier one of its line.

    The time machine alone runs these; for all else the release of a line that is offered stands.
    """
    return replace(spec, kafka=release) if release in patch_releases() else spec


def challenge_spec(challenge: Challenge, arms: Mapping[str, Pipeline], seed: int) -> ExperimentSpec:
    """Settings for a challenge, by the arm's name, as an experiment that is not stored.

    Raises what `spec_for` does.
    """
    described = next(iter(arms.values()))
    stated = [arm(name, side, challenge.want) for name, side in arms.items()]
    conditions = Conditions(overrides=challenge.staging)
    return spec_for(challenge.scenario, seed, stated, described, conditions)


def lesson_spec(lesson: Lesson, arms: Sequence[Arm], seed: int) -> ExperimentSpec:
    """Arms of a lesson as an experiment that is not stored.

    Raises `Refused` for settings that the catalog does not take, and what `spec_for` does.
    """
    described = parse_pipeline(lesson.solution.fields)
    stated = lesson_arms(lesson, arms, described)
    return spec_for(lesson.scenario, seed, stated, described, AS_PROVED)


def lesson_arms(lesson: Lesson, arms: Sequence[Arm], described: Pipeline) -> list[ArmSpec]:
    """The arms of an experiment that is asked for on `described`, each on its own line of brokers.

    Raises `Refused` where some have ZooKeeper and others do not: that is one for all arms.
    """
    shared = brokers_for(described, lesson.scenario)
    results = []
    for item in arms:
        pipeline = parse_pipeline(item.fields)
        own = brokers_for(pipeline, lesson.scenario)
        if own.zookeeper != shared.zookeeper:
            raise Refused(f"{item.label}: all arms of a lab have ZooKeeper, or none has.")
        kafka = None if own.release == shared.release else own.release
        results.append(replace(arm(item.name, pipeline, lesson.want), kafka=kafka))
    return results
