"""The facts of the application that a program of Kafka's Java clients shows."""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.intake.programs import transactions
from advisor.intake.programs.databases import refuse_uncommitted
from advisor.intake.programs.facts import (
    CONTINUES_WITHOUT_MESSAGE,
    MARKED,
    add_ignored_send_errors,
    add_processing_facts,
    add_skipped_messages,
)
from advisor.intake.programs.jvm import seeks
from advisor.intake.programs.jvm import streams as jvm_streams
from advisor.intake.programs.jvm import topics as jvm_topics
from advisor.intake.programs.jvm.errors import outbox
from advisor.intake.programs.jvm.errors import sends as jvm_sends
from advisor.intake.programs.jvm.processing import marks, poll_loop
from advisor.intake.programs.jvm.processing import transactions as jvm_transactions
from advisor.intake.programs.jvm.processing.databases import uncommitted
from advisor.intake.programs.jvm.text import Text
from advisor.intake.programs.jvm.trees import job_tree
from advisor.intake.reading import Reading
from advisor.intake.text import IntakeError, shown


def judge(reading: Reading, text: Text, code: jvm_topics.Code) -> None:
    """Adds the facts of the application that the program shows, and refuses known faults.

    Raises `IntakeError` for a program that seeks past records.
    """
    jvm_topics.take(reading, text, code)
    for at, reason in seeks.refused_seeks(text):
        raise IntakeError(f"Line {code.line(at)}: {reason}")
    if reading.heads["family"] is Family.STREAMS:
        if marked := marked_line(text, code, marks.IN_STORE):
            add_skipped_messages(reading, marked, MARKED)
        if swallowed := [*jvm_streams.ignored_errors(text)]:
            add_skipped_messages(reading, code.line(min(swallowed)), jvm_streams.SWALLOWED)
        at, reason = min(jvm_streams.early_commits(text), default=(-1, ""))
        if at >= 0:
            reading.add_problem(Component.APPLICATION, "processing", code.line(at), reason)
        for at, words in jvm_streams.notes(text):
            reading.note(code.line(at), words)
        for at, reason in jvm_streams.unrestored_stores(text):
            reading.add_problem(Component.STREAMS, "withLoggingDisabled", code.line(at), reason)
        for component, name, value, at in jvm_streams.topology_facts(text):
            reading.add_setting(component, name, value, code.line(at))
            reading.note(code.line(at), f"this sets {component}.{name}={shown(value)}")
        return
    at, reason = jvm_sends.unchecked_send(text)
    if at:
        add_ignored_send_errors(reading, code.line(at), reason)
    elif (
        ".poll(" not in text.plain
        and (at := job_tree.ignored_send_error(text)) >= 0
        and not outbox.leaves_unsent_rows(text)
    ):
        add_ignored_send_errors(reading, code.line(at), CONTINUES_WITHOUT_MESSAGE)
    single = any(
        (item.name, item.text.strip()) == ("max.poll.records", "1") for item in reading.items
    )
    facts = poll_loop.processing_facts(text, single=single)
    marked = marked_line(text, code, marks.IN_STORE) if ".poll(" in text.plain else 0
    add_processing_facts(reading, {name: code.line(at) for name, at in facts.items()}, marked)
    at = uncommitted(text.plain) if ".poll(" in text.plain else -1
    refuse_uncommitted(reading, code.line(at) if at >= 0 else 0)
    transactions.judge(reading, jvm_transactions.transactions(text))


def marked_line(text: Text, code: jvm_topics.Code, store: marks.Store) -> int:
    """The first line where a message is marked in such a store before it is processed, or 0."""
    whole = (0, len(text.plain))
    at = min(marks.marks_before_processing(text, whole, store), default=-1)
    return code.line(at) if at >= 0 else 0
