"""The advice as text for a terminal: one screen that decides, and all the rest when asked for."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator

from advisor.catalog import Value
from advisor.known_bugs import KnownBugs, known_bugs
from advisor.management.bug_report import bug_report
from advisor.pages.presentation import GRAVITY
from advisor.reasoning.answer import Answer, Failure, Judgement
from advisor.reasoning.assumptions import Assumption
from advisor.reasoning.guarantees import Anomaly, Boundary, Guarantee
from advisor.reasoning.levers import Restart
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.plural import counted, measured
from advisor.reasoning.recommend import Change

_WIDTH = 100
_NAMED = 3
"""Events that one reason names on the short screen."""
_REASONS = 3
"""Reasons on the short screen; the gravest go first."""
_PRICE_PART = re.compile(r"(?<=\.) (?=[A-Z][a-z]+(?:, [a-z]+)*: )")
"""Between the parts of a price: `Latency: … Disk: none.`"""


def report(answer: Answer, *, verbose: bool = False) -> str:
    """The advice as text.

    First the verdict, the smallest change with its price, what breaks the wish, the known bugs of
    the releases, and what the answer rests on. With `verbose` every failure, finding, number and
    procedure follows.
    """
    given, bugs = answer.judgement, known_bugs(answer)
    parts: list[Iterable[str]] = [
        _verdict(answer, bugs),
        _changes(answer),
        _breaking(given),
        bug_report(bugs, verbose=verbose),
    ]
    if verbose:
        parts += [_basis(answer), _failures(given), _findings(given), _numbers(answer)]
        parts.append(_procedures(answer))
    else:
        more = "Every failure, finding and number, and how each change is made: --verbose"
        parts.append([*_basis(answer), more])
    return "\n\n".join("\n".join(lines) for part in parts if (lines := list(part)))


def _verdict(answer: Answer, bugs: KnownBugs) -> Iterator[str]:
    given = answer.judgement
    holds = given.met and not bugs.breaking
    verdict = "YES" if holds else "NO" if given.works else "CANNOT WORK"
    yield f"{verdict}: {_wish(given.pipeline)}"
    if given.met and bugs.breaking:
        yield "The settings hold it. A known bug of the releases breaks it, see below."
    yield from _wrapped(given.summary)
    yield "  " + "   ".join(
        f"{boundary.value.replace('_', ' ')}: {given.guarantees[boundary]}" for boundary in Boundary
    )


def _wish(pipeline: Pipeline) -> str:
    need = pipeline.requirement
    if need.guarantee is Guarantee.NONE:
        return "only order is asked for." if need.ordering else "no guarantee is asked for."
    order = ", in order" if need.ordering else ""
    return f"{need.guarantee}{order}, with {counted(need.survive, 'broker')} lost for good."


def _changes(answer: Answer) -> Iterator[str]:
    wanted = answer.wanted
    for obstacle in answer.judgement.obstacles:
        yield from _wrapped(f"Before anything else: {obstacle.instead}")
    for need in wanted.impossible:
        yield from _wrapped(f"Not possible: {need.wish}. {need.why} Nearest: {need.nearest}")
    if not wanted.changes and not answer.judgement.works:
        return
    if not wanted.changes:
        met = f"No change is needed for {answer.need}."
        yield "No change brings the settings nearer." if wanted.refused else met
        return
    count = counted(len(wanted.changes), "change")
    goal = "as near as possible to " if wanted.refused else ""
    yield f"{count} for {goal}{answer.need}:"
    lines: set[str] = set()
    for change in wanted.changes:
        restart = change.procedure.restart
        after = "" if restart is Restart.NOTHING else f"   (restarts the {restart}, one at a time)"
        yield f"  {_changed(change)}{after}"
        yield from _wrapped(_price(change, lines), "      ")


def _price(change: Change, lines: set[str]) -> str:
    """What a change costs, without what costs nothing and what `lines` already say."""
    parts = [part for part in _PRICE_PART.split(change.price) if not part.endswith(": none.")]
    new = [part for part in parts if part not in lines]
    lines.update(new)
    if new:
        return " ".join(new)
    return "Price: as above." if parts else "Price: none."


def _breaking(given: Judgement) -> Iterator[str]:
    """What is forbidden and may happen, the gravest first; a reason stands there once."""
    breaking = [failure for failure in given.failures if failure.breaks]
    if not breaking:
        return
    yield f"What breaks {given.pipeline.requirement.guarantee}:"
    reasons = _by_reason(breaking, given.forbids)
    for why, anomalies, events in reasons[:_REASONS]:
        more = f" and {len(events) - _NAMED} more" if len(events) > _NAMED else ""
        yield f"  {', '.join(anomalies)} in {', '.join(events[:_NAMED])}{more}"
        yield from _wrapped(why, "      ")
    if (left := len(reasons) - _REASONS) > 0:
        yield f"  and for {counted(left, 'more reason')} (--verbose)"


def _by_reason(
    failures: Iterable[Failure], wanted: Iterable[Anomaly]
) -> list[tuple[str, list[str], list[str]]]:
    """Each reason with the anomalies and the events that have it, the gravest anomaly first."""
    permitted: dict[str, tuple[set[Anomaly], list[str]]] = {}
    for failure in failures:
        for anomaly in failure.permits.keys() & set(wanted):
            why = _longest(failure.permits[anomaly], failure)
            anomalies, events = permitted.setdefault(why, (set(), []))
            anomalies.add(anomaly)
            if failure.name not in events:
                events.append(failure.name)
    reasons = [
        (why, sorted(anomalies, key=GRAVITY.index), events)
        for why, (anomalies, events) in permitted.items()
    ]
    reasons.sort(key=lambda row: (GRAVITY.index(row[1][0]), -len(row[2]), row[0]))
    return [(why, [*anomalies], events) for why, anomalies, events in reasons]


def _longest(why: str, failure: Failure) -> str:
    """The reason, or the one of the same failure that says the same and more."""
    return max(
        (anomaly for anomaly in failure.permits.values() if anomaly.startswith(why)), key=len
    )


def _basis(answer: Answer) -> Iterator[str]:
    """The versions that were taken, and what was not stated and decides."""
    pipeline = answer.judgement.pipeline
    brokers = counted(pipeline.brokers, "broker")
    clients = f"{pipeline.family} {pipeline.client_release or pipeline.version} clients"
    yield f"For {clients} and {brokers} of Kafka {pipeline.kafka_release or pipeline.kafka}."
    if answer.assumed:
        taken = ", ".join(_taken(assumption) for assumption in answer.assumed)
        yield from _wrapped(f"Assumed, and it decides: {taken}.")


def _taken(assumption: Assumption) -> str:
    name = f"{assumption.component}.{assumption.setting}"
    return (
        f"{name} not counted" if assumption.value is None else f"{name}={_text(assumption.value)}"
    )


def _failures(given: Judgement) -> Iterator[str]:
    yield "What may happen, by reason:"
    counted = [failure for failure in given.failures if failure.in_scope and failure.permits]
    for why, anomalies, events in _by_reason(counted, Anomaly):
        yield f"  {', '.join(anomalies)}"
        yield from _wrapped(why, "      ")
        yield from _wrapped(f"in {', '.join(events)}", "      ")
    staged = {failure.scenario for failure in counted if failure.scenario}
    if staged:
        yield from _wrapped(f"Experiments that show them: {', '.join(sorted(staged))}", "  ")


def _findings(given: Judgement) -> Iterator[str]:
    if given.findings:
        yield "Found in the settings:"
    for finding in given.findings:
        yield from _wrapped(f"{finding.code} {finding.severity}: {finding.message}", "  ", "      ")


def _numbers(answer: Answer) -> Iterator[str]:
    yield "In numbers:"
    for number in answer.numbers:
        value = "no bound" if number.value is None else measured(number.value, number.unit)
        yield from _wrapped(f"{number.title}: {value} ({number.formula})", "  ", "      ")


def _procedures(answer: Answer) -> Iterator[str]:
    if answer.wanted.changes:
        yield "How each change is made:"
    for change in answer.wanted.changes:
        yield f"  {change.component}.{change.setting}: closes"
        yield from _wrapped(", ".join(change.closes), "      ")
        yield from _wrapped(change.procedure.how, "      ")


def _changed(change: Change) -> str:
    name = f"{change.component}.{change.setting}"
    return f"{name}: {_text(change.before)} -> {_text(change.after)}"


def _wrapped(text: str, indent: str = "", later: str | None = None) -> list[str]:
    """Lines of at most `_WIDTH` characters; names and values are never torn."""
    return textwrap.wrap(
        text, _WIDTH, initial_indent=indent, subsequent_indent=indent if later is None else later,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip


def _text(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "unset" if value is None else str(value)
