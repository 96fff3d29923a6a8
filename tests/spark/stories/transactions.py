"""Transactions: aborted, unknown, sent again, torn."""

from __future__ import annotations

from tests.spark.ledgers import Row, delivery, record, send, sound
from tests.spark.stories.base import Story, placed


def _transaction(name: str, outcome: str) -> Row:
    return {"transaction": name, "outcome": outcome}


TRANSACTIONS = [
    Story(
        "an aborted value obliges nobody, is not visible, and must not be delivered",
        sound([0, 1], sends=[send(0, transaction="a"), send(1, transaction="b")],
              transactions=[_transaction("a", "aborted"), _transaction("b", "committed")],
              log=[record(0, 0), record(1, 1), record(2, 0)],
              deliveries=[delivery(0, 0), delivery(1, 1), delivery(0, 0, "final")]),
        {"aborted_read": 2, "lost_write": 0, "duplicate": 0, "skipped": 0, "unseen": 0},
    ),
    Story(
        "an aborted value that is absent is not lost, a committed one is",
        sound([0, 1], sends=[send(0, transaction="a"), send(1, transaction="b")],
              transactions=[_transaction("a", "aborted"), _transaction("b", "committed")], log=[]),
        {"lost_write": 1, "given_up": 0},
    ),
    Story(
        "a send in a transaction of unknown outcome is unsure; so is one that no table lists",
        sound([0, 1], sends=[send(0, transaction="a"), send(1, transaction="b")],
              transactions=[_transaction("a", "unknown")], log=[], deliveries=[], commits=[]),
        {"lost_write": 0, "ok": 0, "info": 2, "given_up": 2},
    ),
    Story(
        "sent again after an abort: the copy of the aborted attempt is no duplicate",
        sound([0], sends=[placed(0, 0, transaction="a"), placed(0, 1, transaction="b", at_ms=9)],
              transactions=[_transaction("a", "aborted"), _transaction("b", "committed")],
              log=[record(0, 0), record(1, 0)], deliveries=[delivery(1, 0)]),
        {"duplicate": 0, "aborted_read": 0, "lost_write": 0, "ok": 1},
    ),
    Story(
        "sent again after an abort: the aborted copy must still not be delivered",
        sound([0], sends=[placed(0, 0, transaction="a"), placed(0, 1, transaction="b", at_ms=9)],
              transactions=[_transaction("a", "aborted"), _transaction("b", "committed")],
              log=[record(0, 0), record(1, 0)], deliveries=[delivery(0, 0), delivery(1, 0)]),
        {"aborted_read": 1},
    ),
    Story(
        "without a table of transactions the log says what was aborted",
        sound([0, 1], sends=[send(0, transaction="a"), send(1, transaction="b")],
              log=[record(0, 0, transaction_state="aborted"),
                   record(1, 1, transaction_state="committed")]),
        {"aborted_read": 1, "unseen": 0, "lost_write": 0},
    ),
    Story(
        "with a table of transactions the state in the log is ignored",
        sound([0], sends=[send(0, transaction="a")], transactions=[_transaction("a", "committed")],
              log=[record(0, 0, transaction_state="aborted")]),
        {"aborted_read": 0, "lost_write": 0},
    ),
    Story(
        "one group got part of a transaction; another group got all, or none",
        sound(sends=[send(n, transaction="a") for n in range(2)]
              + [send(n, transaction="b") for n in (2, 3)],
              transactions=[_transaction("a", "committed"), _transaction("b", "committed")],
              deliveries=[delivery(0, 0), *[delivery(n, n, "h") for n in range(4)]]),
        {"torn_transaction": 1},
    ),
    Story(
        "without a table, a partly aborted transaction is torn if part of it was delivered",
        sound([0, 1], sends=[send(0, transaction="a"), send(1, transaction="a")],
              log=[record(0, 0, transaction_state="aborted"), record(1, 1)],
              deliveries=[delivery(1, 1)]),
        {"torn_transaction": 1},
    ),
    Story(
        "an aborted transaction cannot be torn, one of unknown outcome can",
        sound(sends=[send(n, transaction="a") for n in range(2)]
              + [send(n, transaction="b") for n in (2, 3)],
              transactions=[_transaction("a", "aborted"), _transaction("b", "unknown")],
              deliveries=[delivery(0, 0), delivery(2, 2)]),
        {"torn_transaction": 1, "aborted_read": 1},
    ),
]  # fmt: skip
