"""The advice as SARIF 2.1.0, so that a code host shows it at the line that causes it.

Findings keep their codes as rule ids. A setting with which nothing can work comes first. Each
failure that breaks what is needed is a result of level error; its places are the settings whose
change would close it, where a file states them.
Source: OASIS, Static Analysis Results Interchange Format Version 2.1.0, sections 3.13 to 3.52.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from advisor import services
from advisor.advisories import Part
from advisor.intake.absent_files import absence_notes
from advisor.intake.inputs import Inputs
from advisor.intake.origins import Origin
from advisor.known_bugs import KnownBug, known_bugs, message, to_json
from advisor.reasoning.answer import Answer, Failure, FindingData
from advisor.reasoning.finding import Severity, explained
from advisor.reasoning.obstacle import Obstacle
from advisor.reasoning.rules import all_rules
from advisor.reports.programs import Read, as_data

_OASIS = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas"
_SCHEMA = f"{_OASIS}/sarif-schema-2.1.0.json"
_LEVELS: Mapping[Severity, str] = {
    Severity.HIGH: "error", Severity.MEDIUM: "warning", Severity.LOW: "note"
}  # fmt: skip
Node = dict[str, Any]


def sarif(answer: Answer, inputs: Inputs) -> Node:
    """Returns one log with one run: failures that break the wish, findings, and known bugs."""
    bugs = known_bugs(answer)
    holds = answer.judgement.met and not bugs.breaking
    broken = [failure for failure in answer.judgement.failures if failure.breaks]
    findings, obstacles = answer.judgement.findings, answer.judgement.obstacles
    # Topic and broker may both have a result for a setting; a rule is listed once (SARIF 3.19.23).
    rules = {
        rule["id"]: rule
        for rule in (
            *map(_obstacle_rule, obstacles),
            *map(_failure_rule, broken),
            *map(_finding_rule, findings),
            *map(_bug_rule, bugs.bugs),
        )
    }
    driver = {
        "name": "Delivery Lab",
        "semanticVersion": f"{services.RULES_VERSION}.0.0",
        "rules": list(rules.values()),
    }
    results = [
        *_obstacles(obstacles, inputs),
        *_failures(answer, broken, inputs),
        *_findings(findings, holds, inputs),
        *_bugs(bugs.bugs, holds, inputs),
    ]
    places = {name: place for place, name in enumerate(rules)}
    for result in results:
        result["ruleIndex"] = places[result["ruleId"]]
    run: Node = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": results,
        "properties": services.basis(answer)
        | to_json(bugs)
        | as_data(answer, Read(inputs.program, absence_notes(inputs.notes))),
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _obstacle_rule(obstacle: Obstacle) -> Node:
    return {
        "id": f"cannot-work/{obstacle.setting}",
        "shortDescription": {"text": "The pipeline cannot work with this setting"},
        "defaultConfiguration": {"level": "error"},
    }


def _failure_rule(failure: Failure) -> Node:
    return {
        "id": failure.name,
        "shortDescription": {"text": failure.title},
        "fullDescription": {"text": failure.story},
        "defaultConfiguration": {"level": "error"},
    }


def _finding_rule(finding: FindingData) -> Node:
    return {
        "id": finding.code,
        "name": finding.name,
        "shortDescription": {"text": _titles()[finding.code]},
        "help": {"text": "Sources: " + "; ".join(finding.sources)},
        "defaultConfiguration": {"level": _LEVELS[finding.severity]},
    }


def _bug_rule(bug: KnownBug) -> Node:
    advisory = bug.advisory
    return {
        "id": advisory.id,
        "shortDescription": {"text": advisory.title},
        "fullDescription": {"text": " ".join(advisory.mechanism)},
        "help": {"text": f"{advisory.workaround} Sources: {'; '.join(advisory.sources)}"},
        "defaultConfiguration": {"level": _LEVELS[bug.severity]},
    }


@cache
def _titles() -> Mapping[str, str]:
    """Returns the title of each rule, as on its page: a code host shows little else."""
    return {rule.code: explained(rule)[0] for rule in all_rules()}


def _obstacles(obstacles: Iterable[Obstacle], inputs: Inputs) -> Iterator[Node]:
    for obstacle in obstacles:
        name, message = (
            f"{obstacle.component}.{obstacle.setting}",
            f"{obstacle.why} {obstacle.instead}",
        )
        yield _result(f"cannot-work/{obstacle.setting}", "error", message, [name], inputs)


def _failures(answer: Answer, broken: Iterable[Failure], inputs: Inputs) -> Iterator[Node]:
    forbids = answer.judgement.forbids
    for failure in broken:
        reasons = dict.fromkeys(why for name, why in failure.permits.items() if name in forbids)
        closing = [one for one in answer.wanted.changes if failure.name in one.closes]
        names = [f"{one.component}.{one.setting}" for one in closing]
        changes = {"changes": [services.change_data(one) for one in closing]}
        result = _result(failure.name, "error", " ".join(reasons), names, inputs)
        yield {**result, "properties": changes}


def _findings(findings: Iterable[FindingData], holds: bool, inputs: Inputs) -> Iterator[Node]:
    for finding in findings:
        name, level = f"{finding.component}.{finding.setting}", _level(finding.severity, holds)
        yield _result(finding.code, level, finding.message, [name], inputs)


def _level(severity: Severity, holds: bool) -> str:
    """Returns the level: nothing is an error if the wish holds, since a code host would reject what
    the exit code accepts."""
    level = _LEVELS[severity]
    return "warning" if holds and level == "error" else level


def _bugs(bugs: Iterable[KnownBug], holds: bool, inputs: Inputs) -> Iterator[Node]:
    """Yields the bugs at the version if a file sets it, otherwise at the settings that a bug
    needs."""
    for bug in bugs:
        head = "kafka" if bug.advisory.part is Part.BROKER else "version"
        names = [head, *(f"{need.component}.{need.setting}" for need in bug.advisory.settings)]
        yield _result(bug.advisory.id, _level(bug.severity, holds), message(bug), names, inputs)


def _result(rule: str, level: str, message: str, names: list[str], inputs: Inputs) -> Node:
    """Returns a result at the lines of these settings; one that is in no file has a logical
    location."""
    places = [_place(name, inputs.origins.get(name)) for name in names]
    result: Node = {"ruleId": rule, "level": level, "message": {"text": message}}
    return {**result, "locations": places} if places else result


def _place(name: str, origin: Origin | None) -> Node:
    place: Node = {"logicalLocations": [{"fullyQualifiedName": name}]}
    if origin and origin.line:
        place["physicalLocation"] = {
            "artifactLocation": {"uri": _uri(origin.source)},
            "region": {"startLine": origin.line},
        }
    return place


def _uri(path: str) -> str:
    """Returns a path as a relative reference; a code host looks for it below the checkout."""
    return quote(Path(path).as_posix(), safe="/")
