"""The complete answer for one pipeline as plain values, for pages, files and the command line.

An answer is stored under a permanent link (`plain_data` serializes it). So it only contains texts
and values, and refers to nothing in the current failure events or rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

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
"""The guarantees that an answer compares."""


@dataclass(frozen=True, slots=True)
class Failure:
    """One failure event and its possible effects: an `EventAssessment` in plain values.

    `scenario` is None in an answer that was stored before the event could be staged.
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
    """One setting in force: its value, and whether the team stated it."""

    component: Component
    key: str
    value: Value
    stated: bool


@dataclass(frozen=True, slots=True)
class Column:
    """The changes that one guarantee requires, and what stands in its way."""

    guarantee: Guarantee
    changes: tuple[Change, ...]
    impossible: tuple[Impossible, ...]

    @property
    def refused(self) -> bool:
        """Whether no settings give the guarantee."""
        return not all(need.only_waits for need in self.impossible)


@dataclass(frozen=True, slots=True)
class Judgement:
    """The guarantees of the settings, and whether they meet the team's requirement.

    `forbids` are the anomalies that must not be possible; `summary` describes the guarantee in a
    sentence.
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
        """Whether messages get through, and no forbidden anomaly is possible."""
        return self.works and not any(failure.breaks for failure in self.failures)

    @property
    def works(self) -> bool:
        """Whether messages get through at all."""
        return not self.obstacles


@dataclass(frozen=True, slots=True)
class Answer:
    """The judgement and the changes; `numbers_after` are those of the recommended settings."""

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
        """The column of the guarantee that the team needs."""
        return next(column for column in self.columns if column.guarantee is self.need)

    @property
    def recommended(self) -> Pipeline:
        """The pipeline after the changes for what the team needs."""
        return _after(self.judgement.pipeline, self.wanted.changes)


def judgement(pipeline: Pipeline) -> Judgement:
    """Returns the short answer: the guarantees of the settings, without a search for changes."""
    return _judgement(pipeline, MemoizedPipeline.of(pipeline))


def _judgement(pipeline: Pipeline, cached: Pipeline) -> Judgement:
    assessment = assess(cached)
    forbids = forbidden(cached)
    results = obstacles(pipeline)
    no_guarantees = dict.fromkeys(Boundary, Guarantee.NONE)
    why = " ".join(
        ["This pipeline cannot work with these settings.", *(obstacle.why for obstacle in results)]
    )
    return Judgement(
        pipeline=pipeline,
        guarantees=no_guarantees if results else assessment.guarantees,
        forbids=forbids,
        summary=why if results else describe_guarantee(pipeline, assessment),
        failures=tuple(_failure(failure, forbids) for failure in assessment.failures),
        findings=tuple(_finding_data(finding) for finding in assessment.findings),
        obstacles=results,
    )


class _Described:
    """A pipeline as a key. Two are equal if they look the same: `1` and `True` are not."""

    __slots__ = ("_text", "pipeline")

    def __init__(self, pipeline: Pipeline) -> None:
        self.pipeline, self._text = pipeline, repr(pipeline)

    def __hash__(self) -> int:
        return hash(self._text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Described) and self._text == other._text


def answer(pipeline: Pipeline, columns: Iterable[Guarantee] = COLUMNS) -> Answer:
    """Returns the complete answer: a total and pure function of a valid pipeline.

    `columns` are the guarantees whose changes are shown next to those for the need; without them
    the answer takes less time. A pipeline with more replicas than brokers is judged with as many
    replicas as possible, and the answer also has that obstacle. The last answers are cached: the
    pages of a description, its report and its exports all need the same one.
    """
    return _answer(_Described(pipeline), tuple(columns))


@lru_cache(maxsize=32)
def _answer(key: _Described, columns: tuple[Guarantee, ...]) -> Answer:
    pipeline = key.pipeline
    need = pipeline.requirement.guarantee
    described, pipeline = pipeline, within_cluster(pipeline)
    # Judged once for the verdict, for its assumptions, and for each guarantee's changes.
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
    """Returns the pipeline that `answer` recommends, without the rest of the answer."""
    recommendation = _recommended(pipeline, pipeline.requirement.guarantee, {})
    return _after(pipeline, recommendation.changes)


def _after(pipeline: Pipeline, changes: Iterable[Change]) -> Pipeline:
    for change in changes:
        pipeline = pipeline.with_setting(change.component, change.setting, change.after)
    return pipeline


def _recommended(pipeline: Pipeline, guarantee: Guarantee, spaces: Spaces) -> Recommendation:
    """Returns the changes. If nothing works with a value, they are those after it is replaced."""
    result = recommend(pipeline, guarantee, spaces)
    if not (remaining := [*hopeless_settings(result.pipeline)]):
        return result
    for setting in remaining:
        pipeline = pipeline.with_setting(setting.component, setting.setting, setting.usual)
    # The default may conflict with another setting.
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
