"""The whole answer to one pipeline as plain values: what pages, files and the command line show.

An answer is kept with the permanent link that it was given under (`plain` writes it down), so it
holds words and values only, and nothing that is looked up in today's failure events or rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from advisor.catalog import Component, Value
from advisor.reasoning.assess import EventAssessment, assess
from advisor.reasoning.assumptions import Assumption
from advisor.reasoning.behaviour.hopeless import hopeless_settings
from advisor.reasoning.finding import Confidence, Finding, Severity
from advisor.reasoning.guarantees import Anomaly, Boundary, Guarantee
from advisor.reasoning.impossible import Impossible
from advisor.reasoning.memoized import MemoizedPipeline
from advisor.reasoning.numbers import Number, numbers
from advisor.reasoning.obstacle import Obstacle, obstacles, within_cluster
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.recommend import Change, Recommendation, Spaces, recommend
from advisor.reasoning.space import Space
from advisor.reasoning.trace import Traced
from advisor.reasoning.wish import breaks, decisive_assumptions, forbidden
from advisor.reasoning.words import describe_guarantee

COLUMNS = (Guarantee.AT_MOST_ONCE, Guarantee.AT_LEAST_ONCE, Guarantee.EXACTLY_ONCE)
"""The guarantees that are set side by side, so that a team chooses with open eyes."""


@dataclass(frozen=True, slots=True)
class Failure:
    """One failure event and what it may do here: an `EventAssessment` in plain values.

    `scenario` is None in an answer that was kept before the event could be staged.
    """

    name: str
    title: str
    story: str
    scenario: str | None
    in_scope: bool
    not_counted: str
    breaks: bool
    permits: Mapping[Anomaly, str]
    absorbed: Mapping[Anomaly, str]
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FindingData:
    """One finding in plain values."""

    code: str
    name: str
    severity: Severity
    confidence: Confidence
    component: Component
    setting: str
    message: str
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class InForce:
    """One setting as it counts: its value, and whether the team wrote it down."""

    component: Component
    key: str
    value: Value
    stated: bool


@dataclass(frozen=True, slots=True)
class Column:
    """What one guarantee would take."""

    guarantee: Guarantee
    changes: tuple[Change, ...]
    impossible: tuple[Impossible, ...]

    @property
    def refused(self) -> bool:
        """Whether no settings give it at all."""
        return not all(need.only_waits for need in self.impossible)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the settings give, and whether that is what the team needs.

    `forbids` is what must not be able to happen; `summary` says the guarantee in a sentence.
    """

    pipeline: Pipeline
    guarantees: Mapping[Boundary, Guarantee]
    forbids: frozenset[Anomaly]
    summary: str
    failures: tuple[Failure, ...]
    findings: tuple[FindingData, ...]
    obstacles: tuple[Obstacle, ...] = ()

    def __post_init__(self) -> None:
        if self.guarantees.keys() != set(Boundary):
            raise ValueError("a boundary has no guarantee")

    @property
    def met(self) -> bool:
        """Whether messages get through, and nothing that is forbidden may happen."""
        return self.works and not any(failure.breaks for failure in self.failures)

    @property
    def works(self) -> bool:
        """Whether messages get through at all."""
        return not self.obstacles


@dataclass(frozen=True, slots=True)
class Answer:
    """The judgement, and what to change; `numbers_after` are those of the recommended settings."""

    judgement: Judgement
    assumed: tuple[Assumption, ...]
    columns: tuple[Column, ...]
    numbers: tuple[Number, ...]
    numbers_after: tuple[Number, ...]
    in_force: tuple[InForce, ...]

    def __post_init__(self) -> None:
        if self.need not in {column.guarantee for column in self.columns}:
            raise ValueError("the guarantee that is needed has no column")

    @property
    def need(self) -> Guarantee:
        """The guarantee that the team needs."""
        return self.judgement.pipeline.requirement.guarantee

    @property
    def wanted(self) -> Column:
        """What that takes."""
        return next(column for column in self.columns if column.guarantee is self.need)

    @property
    def recommended(self) -> Pipeline:
        """The pipeline after the changes for what the team needs."""
        return _after(self.judgement.pipeline, self.wanted.changes)


def judgement(pipeline: Pipeline) -> Judgement:
    """The short answer: what the settings give, without a search for changes."""
    return _judgement(pipeline, MemoizedPipeline.of(pipeline))


def _judgement(pipeline: Pipeline, asked: Pipeline) -> Judgement:
    assessment = assess(asked)
    forbids = forbidden(asked)
    results = obstacles(pipeline)
    nothing = dict.fromkeys(Boundary, Guarantee.NONE)
    why = " ".join(
        ["Nothing can work with these settings.", *(obstacle.why for obstacle in results)]
    )
    return Judgement(
        pipeline=pipeline,
        guarantees=nothing if results else assessment.guarantees,
        forbids=forbids,
        summary=why if results else describe_guarantee(pipeline, assessment),
        failures=tuple(_failure(failure, forbids) for failure in assessment.failures),
        findings=tuple(_finding_data(finding) for finding in assessment.findings),
        obstacles=results,
    )


def answer(pipeline: Pipeline, columns: Iterable[Guarantee] = COLUMNS) -> Answer:
    """The whole answer. Total for every valid pipeline, and a pure function of it.

    `columns` are the guarantees whose changes are shown next to those for the need; a caller that
    shows none of them need not wait for them. A pipeline with more copies than brokers is judged
    with as many copies as there can be, next to that obstacle.
    """
    need = pipeline.requirement.guarantee
    described, pipeline = pipeline, within_cluster(pipeline)
    # Judged once for the verdict, for what it rests on, and for each guarantee's changes.
    traced = Traced.of(pipeline)
    spaces: Spaces = {pipeline.requirement.survive: Space(traced)}
    results = {
        guarantee: _recommended(pipeline, guarantee, spaces)
        for guarantee in dict.fromkeys((*columns, need))
    }
    return Answer(
        judgement=_judgement(described, traced),
        assumed=decisive_assumptions(traced),
        columns=tuple(
            Column(guarantee, recommendation.changes, recommendation.impossible)
            for guarantee, recommendation in results.items()
        ),
        numbers=numbers(pipeline),
        numbers_after=numbers(results[need].pipeline),
        in_force=tuple(_in_force(described)),
    )


def recommended(pipeline: Pipeline) -> Pipeline:
    """What `answer` recommends for what the team needs, without the rest of it."""
    recommendation = _recommended(pipeline, pipeline.requirement.guarantee, {})
    return _after(pipeline, recommendation.changes)


def _after(pipeline: Pipeline, changes: Iterable[Change]) -> Pipeline:
    for change in changes:
        pipeline = pipeline.with_setting(change.component, change.setting, change.after)
    return pipeline


def _recommended(pipeline: Pipeline, guarantee: Guarantee, spaces: Spaces) -> Recommendation:
    """The changes; of a value with which nothing works, those that are needed once it is gone."""
    result = recommend(pipeline, guarantee, spaces)
    if not (left := [*hopeless_settings(result.pipeline)]):
        return result
    for field in left:
        pipeline = pipeline.with_setting(field.component, field.setting, field.usual)
    # The usual value may be one that another setting refuses.
    return result if pipeline.problems() else recommend(pipeline, guarantee, {})


def _failure(assessment: EventAssessment, forbids: frozenset[Anomaly]) -> Failure:
    event = assessment.event
    return Failure(
        name=event.name,
        title=event.title,
        story=event.story,
        scenario=event.scenario,
        in_scope=assessment.in_scope,
        not_counted=event.not_counted,
        breaks=breaks(assessment, forbids),
        permits=assessment.permits,
        absorbed=assessment.absorbed,
        sources=event.sources,
    )


def _finding_data(finding: Finding) -> FindingData:
    rule = finding.rule
    return FindingData(
        code=rule.code,
        name=rule.name,
        severity=rule.severity,
        confidence=rule.confidence,
        component=rule.component,
        setting=rule.setting,
        message=finding.message,
        sources=rule.sources,
    )


def _in_force(pipeline: Pipeline) -> Iterator[InForce]:
    for component in Component:
        stated = pipeline.stated(component)
        for setting in pipeline.known_settings(component):
            value = pipeline.value(component, setting.name)
            yield InForce(component, setting.name, value, setting.name in stated)
