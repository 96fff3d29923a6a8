"""What the pages, the command line and the experiments ask of the advisor."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from advisor import known_bugs
from advisor.catalog import Problem
from advisor.permalinks import Saved, StaleDescription, answers, find, save
from advisor.reasoning.answer import (
    COLUMNS,
    Answer,
    FindingData,
    answer,
    judgement,
    recommended,
)
from advisor.reasoning.assess import assess
from advisor.reasoning.fields import field_of, from_fields
from advisor.reasoning.impossible import Impossible
from advisor.reasoning.in_force import in_force
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.recommend import Change
from advisor.reasoning.serial import PipelineError, from_data, to_data
from advisor.rules_version import RULES_VERSION

__all__ = [
    "COLUMNS",
    "RULES_VERSION",
    "Answer",
    "PipelineError",
    "Problem",
    "Saved",
    "StaleDescription",
    "advise",
    "answer",
    "answers",
    "assess",
    "basis",
    "field_of",
    "find",
    "from_data",
    "from_fields",
    "in_force",
    "judgement",
    "recommended",
    "save",
    "to_data",
    "to_json",
]


def advise(pipeline: Pipeline) -> dict[str, Any]:
    """The whole advice as JSON data, for the guarantee required."""
    return to_json(answer(pipeline, columns=()))


def to_json(given: Answer) -> dict[str, Any]:
    """An answer as the JSON data that other tools read; events out of scope are left out."""
    guarantees = given.judgement.guarantees
    return {
        "guarantee": {boundary.value: guarantees[boundary].value for boundary in guarantees},
        "failures": [
            {
                "event": failure.name,
                "permits": {anomaly.value: why for anomaly, why in failure.permits.items()},
                "scenario": failure.scenario,
            }
            for failure in given.judgement.failures
            if failure.in_scope
        ],
        "findings": [_finding(finding) for finding in given.judgement.findings],
        "changes": [change_data(change) for change in given.wanted.changes],
        "impossible": [_impossible(need) for need in given.wanted.impossible],
        "numbers": [asdict(number) for number in given.numbers],
        **known_bugs.to_json(known_bugs.known_bugs(given)),
        **basis(given),
    }


def basis(given: Answer) -> dict[str, Any]:
    """What an answer is about and rests on: the wish and whether it is met, known bugs of the
    releases counted, the versions that were taken, and the assumptions for what was not stated."""
    pipeline = given.judgement.pipeline
    need = pipeline.requirement
    return {
        "met": given.judgement.met and not known_bugs.known_bugs(given).breaking,
        "works": given.judgement.works,
        "obstacles": [
            {
                "setting": f"{obstacle.component}.{obstacle.setting}",
                "why": obstacle.why,
                "instead": obstacle.instead,
            }
            for obstacle in given.judgement.obstacles
        ],
        "wish": {
            "guarantee": need.guarantee.value,
            "survive": need.survive,
            "ordering": need.ordering,
        },
        "versions": {
            "rules": RULES_VERSION,
            "client": pipeline.family.value,
            "client_version": pipeline.version,
            "kafka": pipeline.kafka,
            "brokers": pipeline.brokers,
        },
        "assumed": [
            {
                "component": assumption.component.value,
                "setting": assumption.setting,
                "value": assumption.value,
            }
            for assumption in given.assumed
        ],
    }


def _finding(finding: FindingData) -> dict[str, Any]:
    return {
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity.value,
        "confidence": finding.confidence.value,
        "setting": f"{finding.component}.{finding.setting}",
        "message": finding.message,
        "sources": list(finding.sources),
    }


def change_data(change: Change) -> dict[str, Any]:
    """A change as JSON data; where the line is to be removed, `to` is null."""
    return {
        "component": change.component.value,
        "setting": change.setting,
        "from": change.before,
        "to": change.after,
        "remove": change.removes,
        "closes": list(change.closes),
        "price": change.price,
        "source": change.source,
        "confidence": change.confidence.value,
        "apply": {**asdict(change.procedure), "after": list(change.procedure.after)},
    }


def _impossible(need: Impossible) -> dict[str, Any]:
    return {"wish": need.wish, "why": need.why, "nearest": need.nearest}
