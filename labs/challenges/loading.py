"""Reads the file of a challenge. Every problem is an error that names file and key.

`docs/contributing/challenge.md` says what each key is for.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from advisor.catalog import SettingError
from advisor.reasoning.fields import from_fields
from labs.challenges.levers import lever_setting
from labs.challenges.model import KINDS, LEVELS, P99, Cause, Challenge, Condition, KnownAnswer
from labs.engine.base.toml_table import Table
from labs.engine.scenarios import ScenarioError, all_scenarios
from labs.engine.scenarios import find as find_scenario
from labs.engine.scenarios.model import draw
from spark_jobs.count_table import COUNTS

_FILE = re.compile(r"(\d\d)-([a-z0-9]+(?:-[a-z0-9]+)*)\.toml")
_GUARANTEES = ("at-least-once", "exactly-once", "at-most-once")
_FEWEST_CAUSES = 3


class ChallengeError(ValueError):
    """A challenge is invalid; the message is `folder/file: key: problem`."""


def files(place: Path) -> list[Path]:
    """Returns the files of challenges, in their order."""
    return sorted(place.glob("*.toml"))


def load(file: Path) -> Challenge:
    """Returns the challenge in a file. Raises `ChallengeError`."""
    match = _FILE.fullmatch(file.name)
    if match is None:
        raise ChallengeError(f"{file.name}: a challenge's file is named like 07-one-copy-more.toml")
    top = Table.read(file, "a challenge", ChallengeError)
    challenge = _challenge(top, int(match[1]), match[2])
    top.finish()
    if not challenge.is_forensics:
        _check(top, challenge)
    return challenge


def _challenge(top: Table, order: int, name: str) -> Challenge:
    kind = top.one_of("kind", KINDS)
    scenario = top.one_of("scenario", [scenario.name for scenario in all_scenarios()])
    challenge = Challenge(
        name=name,
        order=order,
        kind=kind,
        title=top.take("title", str),
        level=_level(top),
        teaches=top.take("teaches", str),
        story=top.take("story", str),
        goal=top.take("goal", str),
        scenario=scenario,
        want=top.one_of("want", _GUARANTEES),
        settings=top.settings("settings"),
        staging=_staging(top, scenario),
        conditions=tuple(_condition(table) for table in top.tables("conditions")),
    )
    return _with_causes(top, challenge) if kind == "forensics" else _with_levers(top, challenge)


def _with_levers(top: Table, challenge: Challenge) -> Challenge:
    return replace(
        challenge,
        levers=top.texts("levers"),
        optimum=_answer(top.table("optimum")),
        tempting=_answer(top.table("tempting")),
    )


def _with_causes(top: Table, challenge: Challenge) -> Challenge:
    causes = tuple(_cause(table) for table in top.tables("causes"))
    names = [cause.name for cause in causes]
    if len(set(names)) < max(_FEWEST_CAUSES, len(names)):
        raise top.error("causes", f"has to be at least {_FEWEST_CAUSES}, with different names")
    cause, wrong = top.one_of("cause", names), top.one_of("wrong", names)
    if cause == wrong:
        raise top.error("wrong", "is the true cause")
    return replace(challenge, causes=causes, cause=cause, wrong=wrong)


def _level(top: Table) -> int:
    level = top.take("level", int)
    if level not in LEVELS:
        raise top.error("level", f"has to be one of {', '.join(map(str, LEVELS))}, not {level}")
    return level


def _staging(top: Table, scenario: str) -> Mapping[str, float]:
    """Returns the overrides of the scenario's durations and its rate."""
    stated = top.maybe("staging", dict, {})
    for name, value in stated.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
            raise top.error(f"staging.{name}", "has to be a number of seconds, or of messages")
    try:
        draw(find_scenario(scenario), 0, stated)
    except ScenarioError as unknown:
        raise top.error("staging", str(unknown)) from unknown
    return stated


def _condition(table: Table) -> Condition:
    count = table.one_of("count", (*COUNTS, P99))
    exactly = table.maybe("exactly", int, -1)
    if exactly >= 0:
        condition = Condition(count, exactly, exactly)
    else:
        most = table.maybe("most", int, -1)
        condition = Condition(count, table.maybe("least", int, 0), None if most < 0 else most)
        if condition.most is None and not condition.least:
            raise table.error("count", "needs `exactly`, `least` or `most`")
    table.finish()
    return condition


def _answer(table: Table) -> KnownAnswer:
    settings = table.settings("settings")
    if not settings:
        raise table.error("settings", "is missing: what does this answer change?")
    entry = KnownAnswer(settings, table.take("why", str))
    table.finish()
    return entry


def _cause(table: Table) -> Cause:
    cause = Cause(table.slug("name"), table.take("text", str), table.take("why", str))
    table.finish()
    return cause


def _check(top: Table, challenge: Challenge) -> None:
    """Checks that the catalog accepts every set of settings, and that only levers change."""
    for name in challenge.levers:
        try:
            lever_setting(challenge, name)
        except SettingError as unknown:
            raise top.error(f"levers.{name}", str(unknown)) from unknown
    for key, entry in (("optimum", challenge.optimum), ("tempting", challenge.tempting)):
        for name in entry.settings:
            if name not in challenge.levers:
                raise top.error(f"{key}.settings.{name}", "is not among the levers")
    if challenge.optimum.settings == challenge.tempting.settings:
        raise top.error("tempting", "is the optimum")
    settings = {
        "settings": challenge.start(),
        "optimum.settings": challenge.with_levers(challenge.optimum),
        "tempting.settings": challenge.with_levers(challenge.tempting),
    }
    for key, levers in settings.items():
        _, problems = from_fields(challenge.fields(levers))
        if problems:
            raise top.error(key, "; ".join(problem.message for problem in problems))
