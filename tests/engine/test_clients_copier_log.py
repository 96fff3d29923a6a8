"""What TransactionalMessageCopier's clients log, as facts, and the facts as rows."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from labs.engine.clients.commits import Commits
from labs.engine.clients.copier_log import Copied, Fact, Joined, Turned, fact
from labs.engine.clients.deliveries import Deliveries
from labs.engine.clients.java_copier import Account
from labs.engine.clients.java_producer import LinesMissing
from labs.engine.clients.verifiable import Assigned, Placed
from tests.engine import copied as lines

FENCED = "org.apache.kafka.common.errors.ProducerFencedException: There is a newer producer"


@pytest.mark.parametrize(
    ("line", "transaction"),
    [
        (lines.ASSIGNED + "orders-0, orders-12", Assigned(frozenset({0, 12}))),
        (lines.ASSIGNED + "[orders-0, orders-1]", Assigned(frozenset({0, 1}))),
        ("1 INFO X [c] Revoke previously assigned partitions orders-0", Assigned(frozenset())),
        ("1 INFO X [c] Revoke previously assigned partitions [orders-0]", Assigned(frozenset())),
        ("1 INFO X [c] Giving away all assigned partitions as lost", Assigned(frozenset())),
        (lines.placed(1, 40), Placed(1, 40)),
        (
            "1 INFO ClassicKafkaConsumer [c] Seeking to offset 20 for partition orders-3",
            Placed(3, 20),
        ),
        (lines.copied(1, 7, 99), Copied(1, 7, 99)),
        (lines.joined(_0=20, _1=3), Joined({0: 20, 1: 3})),
        (lines.turned("READY", "IN_TRANSACTION", 8), Turned("IN_TRANSACTION", 8)),
        (
            f"8 INFO TransactionManager [p] Transition from state IN_TRANSACTION to error state "
            f"FATAL_ERROR {FENCED}",
            Turned("FATAL_ERROR", 8, FENCED),
        ),
        ('{"transactionalId":"orders-1","stage":"ProcessLoop","consumed":20}', None),
        ("8 DEBUG TransactionManager [p] Enqueuing transactional request EndTxnRequestData(", None),
        ("8 TRACE KafkaProducer [p] Waking up the sender since topic orders-made", None),
    ],
)
def test_a_line_is_a_fact_or_tells_nothing(line: str, transaction: Fact | None) -> None:
    assert fact(line) == transaction


class Book:
    """An account, told lines, and the rows that came of them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._deliveries = Deliveries(folder, "consumer-1", "app", "read_committed")
        self._commits = Commits(folder, "consumer-1", "app")
        self.account = Account("orders", self._deliveries, self._commits)

    def hear(self, *lines: str) -> None:
        for line in lines:
            heard = fact(line)
            assert heard, line
            self.account.take([heard], 0)

    def rows(self, table: str, *columns: str) -> list[Any]:
        self._deliveries.close()
        self._commits.close()
        file = self._folder / f"{table}.parquet"
        read: Iterable[dict[str, Any]] = pq.read_table(file).to_pylist() if file.exists() else ()
        return [tuple(row[name] for name in columns) for row in read]


@pytest.fixture
def book(tmp_path: Path) -> Book:
    made = Book(tmp_path)
    made.hear(lines.ASSIGNED + "orders-0, orders-1", lines.placed(0, 10), lines.placed(1, 0))
    return made


def test_records_stand_behind_each_other_and_are_committed_where_the_transaction_is(
    book: Book,
) -> None:
    book.hear(
        lines.BEGUN, lines.copied(0, 5), lines.copied(0, 6), lines.copied(1, 1),
        lines.joined(_0=12, _1=1),
    )  # fmt: skip
    assert (book.account.stands_at, book.account.in_hand) == ("processed", 3)
    book.hear(lines.COMMITS)
    assert book.account.stands_at is None, "what the kill would meet, nobody could say"
    book.hear(lines.COMMITTED, lines.BEGUN, lines.copied(0, 7), lines.joined(_0=13, _1=1))
    assert book.account.in_hand == 1
    assert book.rows("deliveries", "partition", "offset", "value", "poll") == [
        (0, 10, 5, 0), (0, 11, 6, 0), (1, 0, 1, 0), (0, 12, 7, 1),
    ]  # fmt: skip
    assert book.rows("commits", "partition", "offset", "outcome", "time_ns") == [
        (0, 12, "ok", 7), (1, 1, "ok", 7),
    ]  # fmt: skip


def test_what_was_aborted_is_read_again_and_never_committed(book: Book) -> None:
    sought = "1 INFO KafkaConsumer [c] Seeking to offset 10 for partition orders-0"
    book.hear(
        lines.BEGUN, lines.copied(0, 5), lines.joined(_0=11, _1=0),
        lines.turned("IN_TRANSACTION", "ABORTABLE_ERROR"),
        lines.turned("ABORTABLE_ERROR", "ABORTING_TRANSACTION"),
        lines.turned("ABORTING_TRANSACTION", "READY"), sought,
    )  # fmt: skip
    assert book.account.stands_at == "polling"
    book.hear(lines.BEGUN, lines.copied(0, 5), lines.joined(_0=11, _1=0))
    assert book.rows("deliveries", "offset", "poll") == [(10, 0), (10, 1)]
    assert book.rows("commits", "offset") == []


def test_a_record_that_is_offered_again_for_a_new_batch_is_one(book: Book) -> None:
    book.hear(lines.BEGUN, lines.copied(0, 5), lines.copied(0, 5), lines.joined(_0=11, _1=0))
    assert book.rows("deliveries", "offset") == [(10,)]


def test_of_a_commit_that_had_begun_when_it_died_nobody_knows(book: Book) -> None:
    book.hear(lines.BEGUN, lines.copied(0, 5), lines.joined(_0=11), lines.COMMITS)
    book.account.end()
    assert not book.account.placed
    assert book.rows("commits", "offset", "outcome") == [(11, "info")]


@pytest.mark.parametrize("offset", [10, 12])
def test_lines_that_do_not_come_to_what_it_commits_are_refused(book: Book, offset: int) -> None:
    book.hear(lines.BEGUN, lines.copied(0, 5))
    with pytest.raises(LinesMissing, match=f"at offset {offset} of partition 0, its lines are at"):
        book.hear(lines.joined(_0=offset))


def test_a_record_from_nowhere_is_refused(book: Book) -> None:
    book.hear(lines.ASSIGNED + "orders-0", lines.BEGUN)
    with pytest.raises(LinesMissing, match="nobody said from where"):
        book.hear(lines.copied(0, 5))


def test_it_is_at_the_end_once_that_is_committed(book: Book) -> None:
    book.hear(lines.BEGUN, lines.copied(0, 5), lines.joined(_0=11, _1=0), lines.COMMITS)
    assert not book.account.is_at({0: 11, 1: 0})
    book.hear(lines.COMMITTED)
    assert book.account.is_at({0: 11, 1: 0})
    assert not book.account.is_at({0: 11, 1: 1})
