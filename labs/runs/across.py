"""One experiment on several release lines of brokers: its verdicts, and the changes between them.

Pure: the caller runs the experiments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from typing import Any

from packaging.version import Version

from advisor.advisories import Advisory, Certainty
from advisor.advisories.matching import hits, part_versions
from advisor.advisories.model import Product
from advisor.advisories.releases import possible_releases, releases
from advisor.catalog import Component, Setting, kafka_line, written
from advisor.catalog.versions import at_least
from advisor.reasoning.event import FailureEvent
from advisor.reasoning.failures import events_for
from advisor.reasoning.guarantees import FORBIDS
from advisor.reasoning.pipeline import Pipeline
from labs.calibration.edges import as_staged
from labs.calibration.table import possible, refutable
from labs.engine.run.result import JUDGED
from labs.runs.search import Search

SAME_AS_BROKERS = "brokers"
"""The client version that stands for the version of the brokers on each line."""


class AcrossError(ValueError):
    """The lines do not exist or cannot be compared; the message says what is valid."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of brokers: the verdict of each arm by name, and the prediction of the advisor.

    `line` is a release (`4.1.0`) if the search continued among the patch releases of a line.
    `permitted` has the anomalies that the advisor permits in this failure and the wish forbids,
    `refuted` those that were seen although the advisor calls them impossible. `seen` has the counts
    of the first arm that the wish forbids, `release` the version of the brokers, `date` the day of
    the run (ISO 8601), and `code` its fingerprint (`labs.calibration.fingerprint`). If nothing was
    run, `verdicts` is empty and `why_not` is the reason. With `zookeeper`, the brokers are not in
    KRaft mode.
    """

    line: str
    verdicts: Mapping[str, str] = field(default_factory=dict)
    pipeline: Pipeline | None = None
    permitted: tuple[str, ...] = ()
    refuted: tuple[str, ...] = ()
    why_not: str = ""
    zookeeper: bool = False
    seen: Mapping[str, int] = field(default_factory=dict)
    release: str = ""
    date: str = ""
    code: Mapping[str, str] = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        """The verdict of the first arm, by which lines are compared; empty if inconclusive."""
        first = next(iter(self.verdicts.values()), "")
        return first if first in JUDGED else ""


@dataclass(frozen=True, slots=True)
class Change:
    """Two lines between which the verdict changed, and the possible causes.

    `rules` has what the failure event permits on only one of them, `defaults` the unset settings
    whose default differs on the later line, `bugs` the bugs fixed in between, with the release that
    fixed them, and `came` those that only the later line has. `releases` are the two that ran;
    none between them did. They are `adjacent` if Kafka has no release in between.
    """

    before: str
    after: str
    rules: tuple[str, ...]
    defaults: tuple[str, ...]
    bugs: tuple[str, ...]
    releases: tuple[str, ...] = ()
    came: tuple[str, ...] = ()
    adjacent: bool = False


def parse_lines(text: str, known_releases: Sequence[str]) -> tuple[str, ...]:
    """Returns the lines of `3.3..4.3` or `3.3,3.9,4.3`, oldest first.

    Raises `AcrossError` for an unknown line, for fewer than two, and for a reversed range.
    """
    oldest_first = [kafka_line(version) for version in reversed(known_releases)]
    if ".." in text:
        first, _, last = (part.strip() for part in text.partition(".."))
        _check_lines((first, last), oldest_first)
        lines = [line for line in oldest_first if at_least(line, first) and at_least(last, line)]
    else:
        requested = [part.strip() for part in text.split(",")]
        _check_lines(requested, oldest_first)
        lines = [line for line in oldest_first if line in requested]
    if len(lines) < 2:
        raise AcrossError(f"{text}: at least two lines are compared, such as 3.9..4.3")
    return tuple(lines)


def _check_lines(requested: Sequence[str], lines: Sequence[str]) -> None:
    for line in requested:
        if line not in lines:
            raise AcrossError(f"{line!r} is not a line that runs here: {', '.join(lines)}")


def run_over(search: Search, run: Callable[[str], Row]) -> Iterator[Row]:
    """Yields the row of each name that the search requests, in the order of the runs."""
    verdicts: dict[str, str] = {}
    while upcoming := search.upcoming(verdicts):
        row = run(upcoming[0])
        verdicts[row.line] = row.verdict
        yield row


def changes(rows: Sequence[Row], scenario: str) -> tuple[Change, ...]:
    """Returns the changes of the verdict between two successive rows with a verdict, by line."""
    judged = [(row, row.pipeline) for row in in_order(rows) if row.verdict and row.pipeline]
    return tuple(
        Change(
            before.line,
            after.line,
            tuple(_rules(was, now, scenario)),
            tuple(_defaults(was, now)),
            tuple(_fixed(was, now)),
            (before.release, after.release) if before.release and after.release else (),
            tuple(_came(was, now)),
            bool(before.release and after.release) and _adjacent(before.release, after.release),
        )
        for (before, was), (after, now) in pairwise(judged)
        if before.verdict != after.verdict
    )


def _adjacent(before: str, after: str) -> bool:
    known_releases = releases(Product.KAFKA)
    return not any(Version(before) < between < Version(after) for between in known_releases)


def in_order(rows: Sequence[Row]) -> list[Row]:
    """Returns the rows by release, oldest first."""
    return sorted(rows, key=lambda row: Version(row.release or row.line))


def permitted(pipeline: Pipeline, scenario: str) -> tuple[str, ...]:
    """Returns the anomalies that the advisor permits in a scenario and the wish forbids.

    They include those of accompanying events: with a disk, the offsets of groups may be lost.
    """
    may = frozenset().union(*(possible(event, pipeline) for event in _events(pipeline, scenario)))
    return tuple(sorted(may & FORBIDS[pipeline.requirement.guarantee]))


def refuted(pipeline: Pipeline, scenario: str, counts: Mapping[str, int | None]) -> tuple[str, ...]:
    """Returns the anomalies that were counted in a run of a scenario although the advisor excludes
    them."""
    event = next(_events(pipeline, scenario), None)
    if event is None:
        return ()
    never = refutable(event, pipeline)
    return tuple(sorted(anomaly for anomaly in never if counts.get(anomaly)))


def forbidden(pipeline: Pipeline, counts: Mapping[str, int | None]) -> dict[str, int]:
    """Returns the counts of a run that the pipeline's wish forbids and that are not zero."""
    names = sorted(FORBIDS[pipeline.requirement.guarantee])
    return {name: count for name in names if (count := counts.get(name))}


def _events(pipeline: Pipeline, scenario: str) -> Iterator[FailureEvent]:
    return (event for event in events_for(pipeline) if event.scenario == scenario)


def _defaults(before: Pipeline, after: Pipeline) -> Iterator[str]:
    """Yields the modelled settings that are not set and whose default changed, with sources."""
    for component in Component:
        was = {setting.name: setting for setting in before.known_settings(component)}
        for setting in after.known_settings(component):
            old = was.get(setting.name)
            if old and old.default != setting.default and not _is_stated(before, setting):
                change = f"{_default(old)} to {_default(setting)}"
                yield f"{component}.{setting.name} from {change} ({setting.source})"


def _default(setting: Setting) -> str:
    return "unset" if setting.default is None else written(setting.default)


def _is_stated(pipeline: Pipeline, setting: Setting) -> bool:
    return setting.name in pipeline.stated(setting.component)


def _fixed(before: Pipeline, after: Pipeline) -> Iterator[str]:
    """Yields the known bugs that affect the first pipeline and not the second."""
    remaining = {hit.advisory.id for hit in hits(after)}
    for hit in hits(before):
        if hit.advisory.id not in remaining:
            yield f"{hit.advisory.id}: {hit.advisory.title} ({_fixed_in(hit.advisory, after)})"


def _came(before: Pipeline, after: Pipeline) -> Iterator[str]:
    """Yields the known bugs that certainly affect the second pipeline and do not affect the
    first."""
    had = {hit.advisory.id for hit in hits(before)}
    for hit in hits(after):
        if hit.certainty is Certainty.HIT and hit.advisory.id not in had:
            yield f"{hit.advisory.id}: {hit.advisory.title}"


def _fixed_in(advisory: Advisory, after: Pipeline) -> str:
    """Returns the release with the fix on the line of the later pipeline, or on an earlier one."""
    until = max(possible_releases(advisory.product, part_versions(after)[advisory.part]))
    fixed = [release for release in advisory.fixed if release <= until]
    return f"fixed in {fixed[-1]}" if fixed else "it needs what is not described there"


def _rules(before: Pipeline, after: Pipeline, scenario: str) -> Iterator[str]:
    """Yields the anomalies that an event of the scenario permits in only one of two pipelines, with
    sources."""
    for event in _events(before, scenario):
        was, now = (event.permits(as_staged(event, side)) for side in (before, after))
        sources = "; ".join(event.sources)
        for line, permitted, permitted_by_other in (
            (before.kafka, was, now),
            (after.kafka, now, was),
        ):
            reasons = {
                permitted[anomaly]: None
                for anomaly in permitted
                if anomaly not in permitted_by_other
            }
            for reason in reasons:
                names = sorted(
                    name
                    for name in permitted
                    if permitted[name] == reason and name not in permitted_by_other
                )
                yield f"{', '.join(names)} only on {line}: {reason} ({sources})"


def report(rows: Sequence[Row], changed: Sequence[Change], arms: Sequence[str]) -> str:
    """Returns the rows as a table, followed by the changes and by contradictions to the advisor."""
    cells = [("Kafka", *arms, "the advisor"), *(_cells(row, arms) for row in in_order(rows))]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]
    for change in changed:
        before, after = change.releases or (change.before, change.after)
        gap = (
            "No release lies between these."
            if change.adjacent
            else "No release between these gave one."
        )
        lines += ["", f"Between {before} and {after} the verdict changes. {gap}"]
        reasons = [
            *change.rules,
            *(f"another default: {default}" for default in change.defaults),
            *(f"fixed in between: {bug}" for bug in change.bugs),
            *(f"new bug: {bug}" for bug in change.came),
        ]
        lines += [
            f"  {reason}" for reason in reasons or ("neither the rules nor the known bugs say why",)
        ]
    for row in rows:
        if row.refuted:
            seen = ", ".join(row.refuted)
            lines += ["", f"On {row.line} the run shows what the advisor calls impossible: {seen}."]
    return "\n".join(lines)


def _cells(row: Row, arms: Sequence[str]) -> tuple[str, ...]:
    if row.why_not:
        return (row.line, *("not run" for _ in arms), row.why_not)
    prediction = f"may show {', '.join(row.permitted)}" if row.permitted else "nothing forbidden"
    release = row.release or row.line
    name = f"{release}, ZooKeeper" if row.zookeeper else release
    return (name, *(row.verdicts.get(arm, "") for arm in arms), prediction)


def as_data(rows: Sequence[Row], changed: Sequence[Change]) -> dict[str, Any]:
    """Returns the rows and changes as data, for `--json`."""
    return {
        "rows": [
            {
                "kafka": row.line,
                "verdicts": dict(row.verdicts),
                "permitted": list(row.permitted),
                "refuted": list(row.refuted),
                "why_not": row.why_not,
                "zookeeper": row.zookeeper,
                "seen": dict(row.seen),
                "release": row.release,
                "date": row.date,
                "code": dict(row.code),
            }
            for row in in_order(rows)
        ],
        "changes": [asdict(change) for change in changed],
    }


def from_data(data: Mapping[str, Any], pipeline: Pipeline | None) -> Row:
    """Returns the row from the output of `as_data`, with the pipeline of its line.

    Raises `KeyError` or `TypeError` if a value is missing.
    """
    return Row(
        data["kafka"], dict(data["verdicts"]), pipeline, tuple(data["permitted"]),
        tuple(data["refuted"]), data["why_not"], data["zookeeper"], dict(data["seen"]),
        data["release"], data["date"], dict(data["code"]),
    )  # fmt: skip


def merged(new: Mapping[str, Any], stored: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Returns the rows of two records of one request, oldest line first; `new` takes precedence.

    Raises `AcrossError` if the requests differ, or if `stored` is not such a record.
    """
    if not isinstance(stored, dict) or "rows" not in stored:
        raise AcrossError("it has no rows")
    for name, value in new.items():
        if name not in ("rows", "changes") and stored.get(name) != value:
            raise AcrossError(f"it has rows with {name} {stored.get(name)!r}, not {value!r}")
    rows = {row["kafka"]: row for row in (*stored["rows"], *new["rows"])}
    return sorted(rows.values(), key=lambda row: Version(row["release"] or row["kafka"]))
