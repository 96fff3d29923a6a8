"""The advice as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from advisor import presentation, services
from advisor.catalog import Value
from advisor.reasoning.assess import Assessment
from advisor.reasoning.levers import Restart
from advisor.reasoning.pipeline import Pipeline


def report(pipeline: Pipeline) -> str:
    """The whole advice; the sentence and the guarantees first, then why, then what to change."""
    assessment = services.assess(pipeline)
    recommendation = services.recommend(pipeline)
    lines = [services.describe_guarantee(assessment), ""]
    lines += _guarantees(assessment)
    lines += _assumed(pipeline)
    lines += ["", "What may happen:", *_failures(assessment)]
    if assessment.findings:
        lines += ["", "Found in the settings:", *_findings(assessment)]
    lines += ["", "In numbers:", *_numbers(pipeline)]
    lines += ["", *_wish(pipeline, recommendation)]
    return "\n".join(lines)


def _guarantees(assessment: Assessment) -> Iterator[str]:
    for boundary, guarantee in assessment.guarantees.items():
        yield f"  {boundary.value.replace('_', ' '):<16} {guarantee}"


def _assumed(pipeline: Pipeline) -> Iterator[str]:
    found = presentation.rests_on(pipeline)
    if not found:
        return
    yield ""
    yield "Assumed, because it was not stated, and it decides which failures break what you need:"
    for each in found:
        yield f"  {each.component}.{each.setting}={_text(each.value)}"


def _failures(assessment: Assessment) -> Iterator[str]:
    for failure in assessment.failures:
        if not failure.in_scope or not failure.permits:
            continue
        proof = f"  (experiment: {failure.event.scenario})" if failure.event.scenario else ""
        yield f"  {failure.event.name}: {failure.event.title}{proof}"
        for anomaly, why in failure.permits.items():
            yield f"    {anomaly}: {why}"


def _findings(assessment: Assessment) -> Iterator[str]:
    for found in assessment.findings:
        yield f"  {found.rule.code} {found.rule.severity}: {found.message}"


def _numbers(pipeline: Pipeline) -> Iterator[str]:
    for each in services.numbers(pipeline):
        value = "no bound" if each.value is None else f"{each.value:,} {each.unit}"
        yield f"  {each.title}: {value} ({each.formula})"


def _restart(part: Restart) -> str:
    return "" if part is Restart.NOTHING else f"Restarts the {part}, one at a time. "


def _wish(pipeline: Pipeline, recommendation: services.Recommendation) -> Iterator[str]:
    need = pipeline.requirement
    for each in recommendation.impossible:
        yield f"Not possible: {each.wish}. {each.why} Nearest: {each.nearest}"
    if not recommendation.changes:
        met = f"No change is needed for {need.guarantee}."
        yield "No change brings the settings nearer." if recommendation.impossible else met
        return
    count = len(recommendation.changes)
    goal = "as near as possible to " if recommendation.impossible else ""
    yield f"{count} {'change' if count == 1 else 'changes'} for {goal}{need.guarantee}:"
    for change in recommendation.changes:
        name = f"{change.component}.{change.setting}"
        yield f"  {name}: {_text(change.before)} -> {_text(change.after)}"
        yield f"    closes {', '.join(change.closes)}"
        yield f"    {change.price}"
        yield f"    {_restart(change.procedure.restart)}{change.procedure.how}"


def _text(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "unset" if value is None else str(value)
