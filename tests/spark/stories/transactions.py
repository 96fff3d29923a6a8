"""Transactions: aborted, unknown, sent again, torn."""

from __future__ import annotations

from tests.spark.ledgers import Row, handed, record, send, sound
from tests.spark.stories.base import Story, placed


def _tx(name: str, outcome: str) -> Row:
    return {"transaction": name, "outcome": outcome}


TRANSACTIONS = [
    Story(
        "an aborted value obliges nobody, is not visible, and must not be delivered",
        sound([0, 1], sends=[send(0, transaction="a"), send(1, transaction="b")],
              transactions=[_tx("a", "aborted"), _tx("b", "committed")],
              log=[record(0, 0), record(1, 1), record(2, 0)],
              deliveries=[handed(0, 0), handed(1, 1), handed(0, 0, "final")]),
        {"aborted_read": 2, "lost_write": 0, "duplicate": 0, "skipped": 0, "unseen": 0},
    ),
    Story(
        "an aborted value that is absent is not lost, a committed one is",
        sound([0, 1], sends=[send(0, transaction="a"), send(1, transaction="b")],
              transactions=[_tx("a", "aborted"), _tx("b", "committed")], log=[]),
        {"lost_write": 1, "given_up": 0},
    ),
    Story(
        "a send in a transaction of unknown outcome is unsure; so is one that no table lists",
        sound([0, 1], sends=[send(0, transaction="a"), send(1, transaction="b")],
              transactions=[_tx("a", "unknown")], log=[], deliveries=[], commits=[]),
        {"lost_write": 0, "ok": 0, "info": 2, "given_up": 2},
    ),
    Story(
        "sent again after an abort: the copy of the aborted attempt is no duplicate",
        sound([0], sends=[placed(0, 0, transaction="a"), placed(0, 1, transaction="b", at_ms=9)],
              transactions=[_tx("a", "aborted"), _tx("b", "committed")],
              log=[record(0, 0), record(1, 0)], deliveries=[handed(1, 0)]),
        {"duplicate": 0, "aborted_read": 0, "lost_write": 0, "ok": 1},
    ),
    Story(
        "sent again after an abort: the aborted copy must still not be delivered",
        sound([0], sends=[placed(0, 0, transaction="a"), placed(0, 1, transaction="b", at_ms=9)],
              transactions=[_tx("a", "aborted"), _tx("b", "committed")],
              log=[record(0, 0), record(1, 0)], deliveries=[handed(0, 0), handed(1, 0)]),
        {"aborted_read": 1},
    ),
    Story(
        "without a table of transactions the log tells what was aborted",
        sound([0, 1], sends=[send(0, transaction="a"), send(1, transaction="b")],
              log=[record(0, 0, transaction_state="aborted"),
                   record(1, 1, transaction_state="committed")]),
        {"aborted_read": 1, "unseen": 0, "lost_write": 0},
    ),
    Story(
        "with a table of transactions the log's word is not asked",
        sound([0], sends=[send(0, transaction="a")], transactions=[_tx("a", "committed")],
              log=[record(0, 0, transaction_state="aborted")]),
        {"aborted_read": 0, "lost_write": 0},
    ),
    Story(
        "one group was handed some of a transaction and not all; another got all, or none",
        sound(sends=[send(n, transaction="a") for n in range(2)]
              + [send(n, transaction="b") for n in (2, 3)],
              transactions=[_tx("a", "committed"), _tx("b", "committed")],
              deliveries=[handed(0, 0), *[handed(n, n, "h") for n in range(4)]]),
        {"torn_transaction": 1},
    ),
    Story(
        "where only the log tells, one that was aborted in part is torn if it was handed out",
        sound([0, 1], sends=[send(0, transaction="a"), send(1, transaction="a")],
              log=[record(0, 0, transaction_state="aborted"), record(1, 1)],
              deliveries=[handed(1, 1)]),
        {"torn_transaction": 1},
    ),
    Story(
        "an aborted transaction cannot be torn, one of unknown outcome can",
        sound(sends=[send(n, transaction="a") for n in range(2)]
              + [send(n, transaction="b") for n in (2, 3)],
              transactions=[_tx("a", "aborted"), _tx("b", "unknown")],
              deliveries=[handed(0, 0), handed(2, 2)]),
        {"torn_transaction": 1, "aborted_read": 1},
    ),
]  # fmt: skip
