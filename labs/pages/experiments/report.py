"""One experiment as plain text, for a ticket: its settings, its faults and its counts."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

from advisor.catalog import written
from labs.models import Experiment, Run, State
from labs.pages import selectors, sentences
from labs.pages.experiments import presentation
from labs.pages.experiments.refutations import refutations
from labs.runs.conditions import Conditions

_WIDTH = 96


def text(experiment: Experiment, address: str) -> str:
    """Returns the report; `address` is the public address of the experiment's page."""
    return "\n".join(_lines(experiment, address)) + "\n"


def _lines(experiment: Experiment, address: str) -> Iterator[str]:
    runs = list(experiment.runs.all())
    title = presentation.scenario_title(experiment.scenario)
    yield from (title, "=" * len(title), "")
    if experiment.state == State.DONE:
        yield from wrap(presentation.headline(experiment), _WIDTH)
    else:
        yield presentation.standing(experiment, selectors.paces(experiment))
    for text in (experiment.reason, sentences.substitution(experiment.request())):
        yield from wrap(text, _WIDTH)
    if refuted := refutations(experiment):
        yield "This run contradicts the advice, which calls these anomalies impossible here:"
        yield from (f"  {refutation}" for refutation in refuted)
    yield ""
    yield from _facts(experiment, runs, address)
    for run in runs:
        yield from _arm(run, presentation.label(experiment, run.name))
    yield from _settings(experiment, runs)
    yield from _shortened(runs)


def _facts(experiment: Experiment, runs: list[Run], address: str) -> Iterator[str]:
    ended = f"{experiment.ended_at:%Y-%m-%d %H:%M:%S} UTC" if experiment.ended_at else "-"
    facts = [
        ("experiment", f"{experiment.slug}, attempt {experiment.attempt}"),
        ("page", address),
        ("scenario", experiment.scenario),
        ("seed", str(experiment.seed)),
        ("ended", ended),
        *Conditions.from_spec(experiment.request()).described(),
        *presentation.conditions(runs),
    ]
    if experiment.pruned_at:
        facts.append(("ledger", f"removed on {experiment.pruned_at:%Y-%m-%d %H:%M} UTC"))
    yield from _columns(facts)


def _arm(run: Run, label: str) -> Iterator[str]:
    head = f"{label}: {run.verdict or 'no verdict'}"
    yield from ("", head, "-" * len(head))
    if run.verdict:
        yield from wrap(sentences.run_sentence(run.verdict, run.result, run.want), _WIDTH)
    counts = run.result.get("counts") or {}
    for text in (sentences.missing_sentence(counts), *sentences.group_sentences(run.result)):
        yield from wrap(text, _WIDTH)
    if counts:
        entries = sentences.COUNT_WORDS.items()
        rows = [(words, counts[name]) for name, words in entries if counts.get(name) is not None]
        yield from ("", "Counted:")
        yield from _columns([(words, f"{value:>11,}") for words, value in rows])
        missing = [words for name, words in entries if name in counts and counts[name] is None]
        if missing:
            yield from wrap(f"Not judged: {', '.join(missing)}.", _WIDTH)
    latency = run.result.get("ack_latency_ms") or {}
    # PostgreSQL does not preserve the order of the keys of an object.
    in_order = [(name, latency.get(name)) for name in ("p50", "p99", "max")]
    if waited := [f"{name} {ms:,.1f} ms" for name, ms in in_order if ms is not None]:
        yield f"From send to acknowledgement: {', '.join(waited)}."
    yield from _fault_lines(run)


def _fault_lines(run: Run) -> Iterator[str]:
    evidence = run.result.get("fault_evidence") or ()
    judged = bool(run.result.get("timeline"))
    begin_s = presentation.timeline_begin_s(run) if judged else 0.0
    if evidence:
        axis = "the first send" if judged else "the experiment began"
        yield from ("", f"Done to brokers and clients (seconds since {axis}):")
    for row in evidence:
        phase = row["phase"].replace("_", " ")
        fault = f"{row['fault']} {row['target']}, {phase}: {row['evidence']}"
        yield from wrap(fault, _WIDTH, initial_indent=f"  {row['at_s'] - begin_s:7.2f}  ",
                        subsequent_indent=" " * 11)  # fmt: skip


def _settings(experiment: Experiment, runs: list[Run]) -> Iterator[str]:
    compared = presentation.compared(runs)
    labels = [presentation.label(experiment, run.name) for run in runs]
    if compared.differ:
        yield from ("", "Settings that differ", "--------------------")
        for key, values in compared.differ:
            lines = (
                f"{name}: {_written(value)}" for name, value in zip(labels, values, strict=True)
            )
            yield f"  {key}  {'; '.join(lines)}"
    if compared.same:
        head = "Settings of all arms" if len(runs) > 1 else "Settings"
        yield from ("", head, "-" * len(head))
        yield from _columns([(key, _written(value)) for key, value in compared.same])


def _shortened(runs: list[Run]) -> Iterator[str]:
    """Yields the values that the lab shortened so that a run takes seconds."""
    if rows := presentation.shortened(runs):
        yield from ("", "What the lab shortened", "----------------------")
        yield from _columns(
            [(row["setting"], f"{row['lab']} instead of {row['product']}") for row in rows]
        )


def _columns(pairs: list[tuple[str, str]]) -> Iterator[str]:
    width = max((len(name) for name, _ in pairs), default=0)
    for name, value in pairs:
        yield f"  {name.ljust(width)}  {value}"


def _written(value: object) -> str:
    return "-" if value is None else written(value)
