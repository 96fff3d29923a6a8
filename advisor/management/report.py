"""The advice as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.catalog import Value
from advisor.presentation import GRAVITY
from advisor.reasoning.answer import Answer, Judgement
from advisor.reasoning.guarantees import Boundary
from advisor.reasoning.levers import Restart


def report(answer: Answer) -> str:
    """The whole advice; the sentence and the guarantees first, then why, then what to change."""
    given = answer.judgement
    lines = [given.summary, ""]
    lines += _guarantees(given)
    lines += _assumed(answer)
    lines += ["", "What may happen:", *_failures(given)]
    if given.findings:
        lines += ["", "Found in the settings:", *_findings(given)]
    lines += ["", "In numbers:", *_numbers(answer)]
    lines += ["", *_wish(answer)]
    return "\n".join(lines)


def _guarantees(given: Judgement) -> Iterator[str]:
    for boundary in Boundary:
        yield f"  {boundary.value.replace('_', ' '):<16} {given.guarantees[boundary]}"


def _assumed(answer: Answer) -> Iterator[str]:
    if not answer.assumed:
        return
    yield ""
    yield "Assumed, because it was not stated, and it decides which failures break what you need:"
    for each in answer.assumed:
        missing = ": nothing, and what hangs on it is not counted"
        taken = missing if each.value is None else f"={_text(each.value)}"
        yield f"  {each.component}.{each.setting}{taken}"


def _failures(given: Judgement) -> Iterator[str]:
    for failure in given.failures:
        if not failure.in_scope or not failure.permits:
            continue
        proof = f"  (experiment: {failure.scenario})" if failure.scenario else ""
        yield f"  {failure.name}: {failure.title}{proof}"
        for anomaly in sorted(failure.permits, key=GRAVITY.index):
            yield f"    {anomaly}: {failure.permits[anomaly]}"


def _findings(given: Judgement) -> Iterator[str]:
    for found in given.findings:
        yield f"  {found.code} {found.severity}: {found.message}"


def _numbers(answer: Answer) -> Iterator[str]:
    for each in answer.numbers:
        value = "no bound" if each.value is None else f"{each.value:,} {each.unit}"
        yield f"  {each.title}: {value} ({each.formula})"


def _restart(part: Restart) -> str:
    return "" if part is Restart.NOTHING else f"Restarts the {part}, one at a time. "


def _wish(answer: Answer) -> Iterator[str]:
    wanted = answer.wanted
    for each in wanted.impossible:
        yield f"Not possible: {each.wish}. {each.why} Nearest: {each.nearest}"
    if not wanted.changes:
        met = f"No change is needed for {answer.need}."
        yield "No change brings the settings nearer." if wanted.refused else met
        return
    count = len(wanted.changes)
    goal = "as near as possible to " if wanted.refused else ""
    yield f"{count} {'change' if count == 1 else 'changes'} for {goal}{answer.need}:"
    for change in wanted.changes:
        name = f"{change.component}.{change.setting}"
        yield f"  {name}: {_text(change.before)} -> {_text(change.after)}"
        yield f"    closes {', '.join(change.closes)}"
        yield f"    {change.price}"
        yield f"    {_restart(change.procedure.restart)}{change.procedure.how}"


def _text(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "unset" if value is None else str(value)
