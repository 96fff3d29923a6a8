"""How lines of the Java clients become rows of the ledger, and which lines are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from labs.engine.clients.commits import Commits
from labs.engine.clients.deliveries import Deliveries
from labs.engine.clients.errors import CUT_OFF
from labs.engine.clients.java_lines import WORD_COUNTS, LinesMissing, ReadRows, SentRows, outcome
from labs.engine.clients.java_process import parse_line
from labs.engine.clients.sends import Sends

ERRORS = "org.apache.kafka.common.errors."
TIMEOUT = f"{ERRORS}TimeoutException"
CLOSED = "org.apache.kafka.common.KafkaException Producer closed while send in progress"


def take_lines(rows: SentRows | ReadRows, *lines: str) -> None:
    for line in lines:
        parts = parse_line(line, WORD_COUNTS)
        assert parts is not None, line
        rows.take(*parts)


def table(folder: Path, name: str, *columns: str) -> list[tuple[Any, ...]]:
    rows = pq.read_table(folder / f"{name}.parquet").to_pylist()
    return [tuple(row[column] for column in columns) for row in rows]


def sent_rows(folder: Path, resends: bool = False) -> SentRows:
    return SentRows(Sends(folder, "p1", "p1", "orders", keyed=False), resends)


def sends(folder: Path) -> list[tuple[Any, ...]]:
    columns = ("value", "invoked_ns", "completed_ns", "outcome", "offset", "error", "cut_off")
    return sorted(table(folder, "sends", *columns), key=lambda row: (row[0], row[1] or 10**9))


def test_each_send_attempt_is_one_row_with_its_times_and_outcome(tmp_path: Path) -> None:
    rows = sent_rows(tmp_path)
    take_lines(
        rows, "sent 0 1000", "ok 0 0 7 1900", "sent 1 2000", "sent 2 3000",
        f"refused 2 3500 later {TIMEOUT} Expiring 1 record(s)", "sent 3 4000",
        f"refused 3 4100 within {TIMEOUT} no metadata", "sent 4 5000", "ok 1 0 -1 5500",
        "sent 5 6000",
    )  # fmt: skip
    rows.run_over = True
    take_lines(rows, f"refused 4 7000 later {CLOSED}", "done 6 2")
    rows.close()
    assert sends(tmp_path) == [
        (0, 1000, 1900, "ok", 7, None, False),
        (1, 2000, 5500, "ok", None, None, False),
        (2, 3000, 3500, "info", None, "TimeoutException: Expiring 1 record(s)", False),
        (3, 4000, 4100, "fail", None, "TimeoutException: no metadata", False),
        (4, 5000, None, "info", None, CUT_OFF, True),
        (5, 6000, None, "info", None, CUT_OFF, True),
    ]


def test_a_value_that_is_sent_again_has_one_row_per_attempt(tmp_path: Path) -> None:
    rows = sent_rows(tmp_path, resends=True)
    take_lines(
        rows, "sent 0 10", f"refused 0 20 later {TIMEOUT} why", "sent 1 25",
        f"refused 1 26 later {TIMEOUT} why", "sent 0 30", "ok 0 0 5 40", "done 3 1",
    )  # fmt: skip
    rows.close()
    assert [(row[0], row[1], row[3], row[6]) for row in sends(tmp_path)] == [
        (0, 10, "info", False), (0, 30, "ok", False), (1, 25, "info", False),
        (1, None, "info", True),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["ok 0 0 0 5"], "0 was answered, but no line reports its send"),
        (["sent 0 1", "ok 0 0 0 5", "ok 0 0 0 5"], "0 was answered"),
        (["sent 1 1"], "1 was sent, but 0 was expected next"),
        (["sent 0 1", "sent 0 2"], "0 was sent, but 1 was expected next"),
    ],
)
def test_inconsistent_lines_are_refused(tmp_path: Path, lines: list[str], message: str) -> None:
    rows = sent_rows(tmp_path)
    with pytest.raises(LinesMissing, match=message):
        take_lines(rows, *lines)


@pytest.mark.parametrize("totals", ["1 2", "2 1"])
def test_totals_that_do_not_match_the_rows_are_refused(tmp_path: Path, totals: str) -> None:
    rows = sent_rows(tmp_path)
    take_lines(rows, "sent 0 1", "ok 0 0 0 5", f"done {totals}")
    with pytest.raises(LinesMissing, match=r"\(1, 1\) were received"):
        rows.close()


@pytest.mark.parametrize(
    "line",
    [
        "sent 0",
        "ok 0 0 7",
        "sent zero 5",
        "sent 0 5 6",
        "handed 0 1 ",
        "refused 0 5 later x",
        "refused 0 5 sooner x y",
        "committed 5 maybe 0:1",
    ],
)
def test_a_malformed_line_is_an_error(tmp_path: Path, line: str) -> None:
    deliveries = Deliveries(tmp_path, "c1", "app", "read_committed")
    rows = (sent_rows(tmp_path), ReadRows("orders", deliveries, None))
    take_lines(rows[1], "polled 5")
    with pytest.raises((ValueError, KeyError)):
        take_lines(rows[line.startswith(("handed", "committed"))], line)


def test_other_output_of_the_program_is_not_parsed() -> None:
    assert parse_line("OpenJDK 64-Bit Server VM warning: sent 5", WORD_COUNTS) is None
    assert parse_line("", WORD_COUNTS) is None


@pytest.mark.parametrize(
    ("exception", "within", "expected"),
    [
        # No metadata, no buffer memory, or too large for the client: nothing was sent.
        (TIMEOUT, True, "fail"),
        ("org.apache.kafka.clients.producer.BufferExhaustedException", True, "fail"),
        (ERRORS + "RecordTooLargeException", True, "fail"),
        # It was in the buffer: the broker may have written it before the response was lost.
        (TIMEOUT, False, "info"),
        (ERRORS + "NotEnoughReplicasException", False, "info"),
        (ERRORS + "NotEnoughReplicasAfterAppendException", False, "info"),
        ("org.apache.kafka.common.KafkaException", False, "info"),
        # Too old for the topic now, but it was not at its first attempt.
        ("org.apache.kafka.common.InvalidRecordException", False, "info"),
        # The state of the producer is checked after the append.
        ("org.apache.kafka.common.KafkaException", True, "info"),
        (ERRORS + "ProducerFencedException", True, "info"),
        # Every attempt fails with these, before anything is written.
        (ERRORS + "RecordTooLargeException", False, "fail"),
        (ERRORS + "InvalidRequiredAcksException", False, "fail"),
    ],
)
def test_only_sends_that_cannot_be_in_the_log_have_failed(
    exception: str, within: bool, expected: str
) -> None:
    assert outcome(within, exception) == expected


def test_polls_commits_and_rebalances_are_recorded_as_reported(tmp_path: Path) -> None:
    deliveries = Deliveries(tmp_path, "c1", "app", "read_committed")
    commits = Commits(tmp_path, "c1", "app")
    rows = ReadRows("orders", deliveries, commits)
    take_lines(rows, "assigned 0,1")
    assert not rows.placed
    take_lines(rows, "placed 0 4", "placed 1 0")
    assert rows.placed
    take_lines(rows, "polled 90", "handed 0 4 17", "handed 1 0 18", "committed 95 ok 0:5,1:1")
    assert not rows.is_at({0: 5, 1: 1}), "the poll is not settled"
    take_lines(rows, "settled 2")
    assert rows.is_at({0: 5, 1: 1})
    take_lines(
        rows, "assigned -", "revoked 1", "polled 99", "handed 0 5 19", "committed 100 info 0:6"
    )
    deliveries.close()
    commits.close()
    columns = ("partition", "offset", "value", "poll", "assignment", "time_ns")
    assert table(tmp_path, "deliveries", *columns) == [
        (0, 4, 17, 0, "2", 90), (1, 0, 18, 0, "2", 90), (0, 5, 19, 1, "3", 99),
    ]  # fmt: skip
    assert table(tmp_path, "commits", "partition", "offset", "outcome", "time_ns") == [
        (0, 5, "ok", 95), (1, 1, "ok", 95), (0, 6, "info", 100),
    ]  # fmt: skip
    assert rows.position == {0: 6}


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["handed 0 4 17"], "offset 4 of partition 0 came outside a poll"),
        (["polled 9", "handed 0 4 17", "settled 2"], "a poll of 2 records, but 1 were"),
        (["settled 1"], "a poll of 1 records, but 0 were"),
    ],
)
def test_an_incomplete_poll_is_refused(tmp_path: Path, lines: list[str], message: str) -> None:
    rows = ReadRows("orders", Deliveries(tmp_path, "c1", "app", "read_committed"), None)
    with pytest.raises(LinesMissing, match=message):
        take_lines(rows, *lines)
