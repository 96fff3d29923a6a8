"""The advice as text for a terminal: one screen with the essentials, and the rest with
`verbose`."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection, Iterable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from advisor.advisories import Upgrade
from advisor.catalog import Value
from advisor.known_bugs import KnownBug, KnownBugs, known_bugs
from advisor.reasoning.answer import Answer, FindingData, Judgement
from advisor.reasoning.assumptions import Assumption
from advisor.reasoning.finding import Severity
from advisor.reasoning.guarantees import Anomaly, Boundary, Guarantee
from advisor.reasoning.levers import Restart
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.plural import counted, measured
from advisor.reasoning.recommend import Change
from advisor.reports.programs import Read, code_assumptions, conditions
from advisor.reports.reasons import breaking, by_reason
from advisor.reports.unmet import merged

WIDTH, _HEIGHT = 100, 40
"""One screen, in characters and lines."""
_width = ContextVar("width", default=WIDTH)
"""The number of characters on a line of the terminal that the report is for."""
_MAX_NAMED = 3
"""The number of events of a reason, and of possible bugs, on the short screen; gravest bugs
first."""
_LATER, _FURTHER = " " * 6, " " * 10
"""The indents of the further lines of a bug."""
_MAX_REASONS = 3
"""The number of reasons on the short screen, the gravest first."""
_MOST, _FEWER = 12, 10
"""The number of changes if not all fit on the screen, without and with known bugs."""
_HEAD_LINES = 3
"""The number of lines on what is impossible, if not all fit; one together with many changes."""
_NOTHING_READ = Read()
_PRICE_PART = re.compile(r"(?<=\.) (?=[A-Z][a-z]+(?:, [a-z]+)*: )")
"""Between the parts of a price: `Latency: … Disk: none.`"""


def report(
    answer: Answer, *, verbose: bool = False, read: Read = _NOTHING_READ, width: int = WIDTH
) -> str:
    """The advice as text, in lines of at most `width` characters.

    It has the verdict, the smallest change with its price, what breaks the wish, the known bugs of
    the releases, and the assumptions. With `verbose`, every failure, finding, number and procedure
    follows. If the wish is met, the verdict names its conditions from what was `read`.
    """
    token = _width.set(width)
    try:
        text = _report(answer, verbose=verbose, read=read)
        return text if width >= WIDTH else "\n".join(_narrow(text))
    finally:
        _width.reset(token)


def _narrow(text: str) -> Iterator[str]:
    """Yields the lines of a text; those that fit only a whole line of a report are wrapped."""
    for line in text.split("\n"):
        indent = line[: len(line) - len(line.lstrip())]
        yield from _wrapped(line.lstrip(), indent) if len(line) > _width.get() else [line]


def _report(answer: Answer, *, verbose: bool, read: Read) -> str:
    judgement, bugs = answer.judgement, known_bugs(answer)
    if not verbose:
        text, most = "", _HEIGHT * WIDTH // _width.get()
        for length in _LENGTHS:
            text = _screen(answer, bugs, length, read)
            if text.count("\n") < most:
                break
        return text
    return _joined(
        _verdict(answer, bugs, read), _changes(answer, bugs), _breaking(judgement),
        bug_report(bugs, verbose=True), _basis(answer, read), _failures(judgement),
        _findings(judgement.findings), _numbers(answer), _procedures(answer),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Length:
    """The length of a screen: the number of reasons, the form of a price (whole, on one line, or
    beside its change), the number of changes, and whether known bugs, findings and what is
    impossible take one line each."""

    reasons: int = _MAX_REASONS
    price: Literal["whole", "line", "beside"] = "whole"
    changes: int | None = None
    brief: bool = False


_LENGTHS = (
    _Length(), _Length(2), _Length(1), _Length(2, "line"), _Length(1, "line"),
    _Length(1, "line", None, brief=True), _Length(1, "beside", None, brief=True),
    _Length(1, "beside", _MOST, brief=True), _Length(1, "beside", _FEWER, brief=True),
)  # fmt: skip
"""From the longest to the shortest; the first that fits on one screen is used."""


def _screen(answer: Answer, bugs: KnownBugs, length: _Length, read: Read) -> str:
    """Returns the short screen, at one of `_LENGTHS`."""
    more = "Every failure, finding and number, and how each change is made: --verbose"
    bug_lines = _bugs_in_brief(bugs) if length.brief else bug_report(bugs, verbose=False)
    return _joined(
        _verdict(answer, bugs, read), _changes(answer, bugs, length),
        _breaking(answer.judgement, length.reasons), bug_lines,
        _findings_of_met_wish(answer.judgement, length), [*_basis(answer, read), more],
    )  # fmt: skip


def _findings_of_met_wish(judgement: Judgement, length: _Length) -> Iterator[str]:
    """Yields the findings if the wish holds, since nothing else on the screen shows them."""
    findings = [finding for finding in judgement.findings if finding.severity is not Severity.LOW]
    if not judgement.met or not findings:
        return
    if length.brief:
        names = ", ".join(f"{finding.name} ({finding.code})" for finding in findings)
        yield from _wrapped(f"Found in the settings: {names}.", "", "  ")
    else:
        yield from _findings(findings)


def _bugs_in_brief(bugs: KnownBugs) -> Iterator[str]:
    if bugs.bugs:
        names = ", ".join(known_bug.advisory.id for known_bug in bugs.bugs)
        known = counted(len(bugs.bugs), "known bug")
        yield from _wrapped(
            f"{known} of these releases concern it, or may (--verbose): {names}", "", "  "
        )
    yield from _remaining_guarantees(
        bugs, ", ".join(known_bug.advisory.id for known_bug in bugs.sure)
    )
    yield from _upgrades(bugs)


def _joined(*parts: Iterable[str]) -> str:
    return "\n\n".join("\n".join(lines) for part in parts if (lines := list(part)))


def _verdict(answer: Answer, bugs: KnownBugs, read: Read) -> Iterator[str]:
    judgement = answer.judgement
    holds = judgement.met and not bugs.breaking
    verdict = (
        f"YES{conditions(answer, read)}" if holds else "NO" if judgement.works else "CANNOT WORK"
    )
    yield f"{verdict}: {_wish(judgement.pipeline)}"
    if judgement.met and bugs.breaking:
        yield "The settings give it, but a known bug of the releases breaks it: see below."
    yield from _wrapped(judgement.summary)
    yield "  " + "   ".join(
        f"{boundary.value.replace('_', ' ')}: {judgement.guarantees[boundary]}"
        for boundary in Boundary
    )


def _wish(pipeline: Pipeline) -> str:
    need = pipeline.requirement
    if need.guarantee is Guarantee.NONE:
        return "only order is asked for." if need.ordering else "no guarantee is asked for."
    return f"{_aim(pipeline)}, with {counted(need.survive, 'broker')} lost for good."


def _aim(pipeline: Pipeline) -> str:
    """Returns the wanted guarantee, with its ordering."""
    need = pipeline.requirement
    if need.guarantee is Guarantee.NONE and need.ordering:
        return "order"
    return f"{need.guarantee}, in order" if need.ordering else str(need.guarantee)


def _changes(answer: Answer, bugs: KnownBugs, length: _Length = _Length()) -> Iterator[str]:
    wanted = answer.wanted
    changed = {(change.component, change.setting) for change in wanted.changes}
    # One setting of Kafka Streams may stand in the way of both clients inside it.
    for instead in dict.fromkeys(
        obstacle.instead
        for obstacle in answer.judgement.obstacles
        if (obstacle.component, obstacle.setting) not in changed
    ):
        yield from _wrapped(f"Before anything else: {instead}")
    for need in merged(wanted).impossible:
        why = "" if length.brief else f"{need.why} "
        text = f"Not possible: {need.wish}. {why}Nearest: {need.nearest}"
        yield from (
            _head(text, 1 if length.changes else _HEAD_LINES) if length.brief else _wrapped(text)
        )
    if not wanted.changes and not answer.judgement.works:
        return
    pipeline = answer.judgement.pipeline
    aim = _aim(pipeline)
    if not wanted.changes:
        has_wish = (
            pipeline.requirement.guarantee is not Guarantee.NONE or pipeline.requirement.ordering
        )
        met = f"No change is needed{f' for {aim}' if has_wish else ''}."
        if bugs.breaking:
            met = f"No setting has to change for {aim}, but the release has to: see below."
        yield "No change brings the settings nearer." if wanted.refused else met
        return
    count = counted(len(wanted.changes), "change")
    near = f", to come as near to {aim} as possible"
    yield f"{count}{near if wanted.refused else f' for {aim}'}:"
    lines: set[str] = set()
    for change in wanted.changes[: length.changes]:
        yield from _change(change, _price(change, lines), length)
    if (left := len(wanted.changes[length.changes :]) if length.changes else 0) > 0:
        yield f"  and {counted(left, 'more change')} (--verbose)"
    yield from _afterwards(bugs)


def _afterwards(bugs: KnownBugs) -> Iterator[str]:
    """Yields what breaks the wish even after the changes."""
    if bugs.afterwards:
        words = "With these changes the release has to change, too:"
        for known_bug in bugs.afterwards:
            words += f" {known_bug.advisory.id} ({known_bug.advisory.title}) breaks it."
        words = " ".join([words, *map(_upgrade, bugs.upgrades_afterwards)])
        yield from _wrapped(words, "  ", "  ")


def _change(change: Change, price: str, length: _Length) -> Iterator[str]:
    """Yields a change, what it restarts, and its price."""
    changed, restart = f"  {_changed(change)}", change.procedure.restart
    if length.price == "beside":
        yield _shortened(f"{changed}   {price}")
        return
    after = "" if restart is Restart.NOTHING else f"(restarts the {restart}, one at a time)"
    if len(changed) + len(after) + 3 <= _width.get():
        yield f"{changed}   {after}".rstrip()
    else:
        yield from [changed, f"      {after}"]
    whole = length.price == "whole"
    yield from _wrapped(price, "      ") if whole else [_shortened(f"      {price}")]


def _shortened(line: str) -> str:
    """Returns the line, or as many of its words as fit and an ellipsis: --verbose has the rest."""
    if len(line) <= _width.get():
        return line
    return f"{line[: _width.get() - 1].rpartition(' ')[0]} …"


def _head(text: str, most: int) -> Iterator[str]:
    """Yields the first lines of a text, and an ellipsis if --verbose has more."""
    lines = _wrapped(text)
    yield from lines[: most - 1]
    if rest := " ".join(lines[most - 1 :]):
        yield _shortened(rest)


def _price(change: Change, lines: set[str]) -> str:
    """Returns the price of a change, without parts that are none or already in `lines`."""
    parts = [part for part in _PRICE_PART.split(change.price) if not part.endswith(": none.")]
    new = [part for part in parts if part not in lines]
    lines.update(new)
    if new:
        return " ".join(new)
    return "Price: as above." if parts else "Price: none."


def _breaking(judgement: Judgement, most: int = _MAX_REASONS) -> Iterator[str]:
    """Yields the permitted anomalies that the guarantee forbids, the gravest first, each reason
    once."""
    reasons = breaking(judgement)
    if not reasons:
        return
    yield f"What breaks {_aim(judgement.pipeline)}:"
    for reason in reasons[:most]:
        events = [failure.name for failure in reason.failures]
        more = f" and {len(events) - _MAX_NAMED} more" if len(events) > _MAX_NAMED else ""
        yield f"  {', '.join(reason.anomalies)} in {', '.join(events[:_MAX_NAMED])}{more}"
        yield from _wrapped(reason.why, "      ")
    if (remaining := len(reasons) - most) > 0:
        yield f"  and for {counted(remaining, 'more reason')} (--verbose)"


def _basis(answer: Answer, read: Read) -> Iterator[str]:
    """Yields the versions, and the assumptions that decide."""
    pipeline = answer.judgement.pipeline
    brokers = counted(pipeline.brokers, "broker")
    clients = f"{pipeline.family} {pipeline.client_release or pipeline.version} clients"
    yield f"For {clients} and {brokers} of Kafka {pipeline.kafka_release or pipeline.kafka}."
    code = code_assumptions(answer) if read.program else []
    if code:
        yield from _wrapped(
            f"Assumed of the program, and it decides: {_listed(code)}. Nothing in its code "
            "contradicts that, but this is no proof."
        )
    if decisive := [assumption for assumption in answer.assumed if assumption not in code]:
        yield from _wrapped(f"Assumed, and it decides: {_listed(decisive)}.")
    if read.absent:
        places = ", ".join(dict.fromkeys(note.partition(": ")[0] for note in read.absent))
        yield from _wrapped(
            f"Not given, and may state what decides: the sources that {places} names."
        )


def _listed(assumed: Iterable[Assumption]) -> str:
    return ", ".join(map(_assumption_text, assumed))


def _assumption_text(assumption: Assumption) -> str:
    name = f"{assumption.component}.{assumption.setting}"
    return (
        f"{name} not counted" if assumption.value is None else f"{name}={_text(assumption.value)}"
    )


def _failures(judgement: Judgement) -> Iterator[str]:
    yield "What may happen, by reason:"
    permitted = [failure for failure in judgement.failures if failure.in_scope and failure.permits]
    for reason in by_reason(permitted, Anomaly):
        yield f"  {', '.join(reason.anomalies)}"
        yield from _wrapped(reason.why, "      ")
        events = ", ".join(failure.name for failure in reason.failures)
        yield from _wrapped(f"in {events}", "      ")
    staged = {failure.scenario for failure in permitted if failure.scenario}
    if staged:
        yield from _wrapped(f"Experiments that show them: {', '.join(sorted(staged))}", "  ")


def _findings(findings: Collection[FindingData]) -> Iterator[str]:
    if findings:
        yield "Found in the settings:"
    for finding in findings:
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
    after = "remove the line" if change.removes else _text(change.after)
    return f"{name}: {_text(change.before)} -> {after}"


def _wrapped(text: str, indent: str = "", later: str | None = None) -> tuple[str, ...]:
    """Returns lines that are as long as the terminal's at most; names and values are never
    broken."""
    return _lines(text, indent, indent if later is None else later, _width.get())


@lru_cache(maxsize=1024)
def _lines(text: str, indent: str, further: str, width: int) -> tuple[str, ...]:
    """Cached: the sentences of the failure model recur, and a screen is laid out several times."""
    return tuple(
        textwrap.wrap(
            text, width, initial_indent=indent, subsequent_indent=further,
            break_long_words=False, break_on_hyphens=False,
        )
    )  # fmt: skip


def _text(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "unset" if value is None else str(value)


def bug_report(bugs: KnownBugs, *, verbose: bool = False) -> Iterator[str]:
    """Yields the certain bugs with the guarantees that remain, the possible bugs, and the
    upgrade."""
    if not bugs.bugs:
        return
    if bugs.sure:
        yield f"{counted(len(bugs.sure), 'known bug')} of these releases:"
        for known_bug in bugs.sure:
            yield from _bug(known_bug, verbose=verbose)
    yield from _remaining_guarantees(bugs, "it" if len(bugs.sure) == 1 else "them")
    if bugs.possible:
        shown = bugs.possible if verbose else bugs.possible[:_MAX_NAMED]
        yield f"{counted(len(bugs.possible), 'known bug')} that may concern this pipeline:"
        for known_bug in shown:
            yield from _bug(known_bug, verbose=verbose)
        if left_out := [known_bug.advisory.id for known_bug in bugs.possible[len(shown) :]]:
            names = f"and {len(left_out)} more: {', '.join(left_out)} (--verbose)"
            yield from _wrapped(names, "  ", _LATER)
    yield from _upgrades(bugs)


def _remaining_guarantees(bugs: KnownBugs, sure: str) -> Iterator[str]:
    """Yields the guarantees that remain with the certain bugs; `sure` are their names."""
    if bugs.sure:
        left = "   ".join(
            f"{boundary.value.replace('_', ' ')}: {bugs.guarantees[boundary]}"
            for boundary in Boundary
        )
        yield from _wrapped(f"With {sure}: {left}", "  ", _LATER)


def _upgrades(bugs: KnownBugs) -> Iterator[str]:
    for upgrade in bugs.upgrades:
        yield from _wrapped(_upgrade(upgrade), "", "    ")


def _bug(known_bug: KnownBug, *, verbose: bool) -> Iterator[str]:
    advisory, hit = known_bug.advisory, known_bug.hit
    yield from _wrapped(f"{advisory.id} {known_bug.severity}: {advisory.title}", "  ", _LATER)
    may = f"{advisory.part} {hit.running} may add: {', '.join(advisory.anomalies)}"
    yield from _wrapped(may, _LATER, _FURTHER)
    if hit.unknown:
        yield from _wrapped(f"it needs: {'; '.join(hit.unknown)}", _LATER, _FURTHER)
    if verbose:
        yield from _wrapped(" ".join(advisory.mechanism), _LATER, _FURTHER)
        yield from _wrapped(f"Until then: {advisory.workaround}", _LATER, _FURTHER)
        yield from _wrapped(f"Sources: {', '.join(advisory.sources)}", _LATER, _FURTHER)


def _upgrade(upgrade: Upgrade) -> str:
    remain = f" No release fixes {', '.join(upgrade.remain)}." if upgrade.remain else ""
    if not upgrade.target:
        return f"No upgrade of {upgrade.what} is known to help.{remain}"
    clears = counted(len(upgrade.clears), "known bug")
    but = f", but not {', '.join(upgrade.but_not)}" if upgrade.but_not else ""
    target = f"{upgrade.target} or later{but}"
    return f"Upgrade {upgrade.what} {upgrade.running} to {target}: fixes {clears}.{remain}"
