"""Correct histories with randomly planted anomalies, reproducible by seed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from random import Random
from typing import Any

from tests.spark.ledgers import MS, PROVED_FAULT

Rows = list[dict[str, Any]]
History = dict[str, Rows]

VALUES = 6
"""The number of values in a history. History n has the values from n × 10 on.

Its topics, producers and groups have n in their names, so histories share nothing.
"""


def history(seed: int, n: int, modes: frozenset[str]) -> History:
    """One producer, two partitions, two groups and a sink, with up to eight planted anomalies.

    Modes: with `replicas` only the replicas' logs are recorded; with `transactions` the
    `transactions` table is recorded.
    """
    rng = Random(seed)
    tables = _correct_history(rng, n)
    for plant in rng.choices(PLANTS, k=rng.randrange(9)):
        plant(tables, rng)
    _remove_contradictions(tables)
    if "transactions" not in modes:
        del tables["transactions"]
    if "replicas" in modes:
        tables["log"] = [
            {**row, "replica": replica}
            for row in tables["log"]
            for replica in (1, 2, 3)
            if rng.random() < 0.85
        ]
    return tables


def _correct_history(rng: Random, n: int) -> History:
    tables: History = {name: [] for name in _TABLES}
    ends = [0, 0]
    groups = [f"g{n}", f"h{n}", *rng.choice(([], ["final"]))]
    for number in range(VALUES):
        partition = rng.randrange(2)
        at = {"topic": f"t{n}", "partition": partition, "offset": ends[partition]}
        ends[partition] += rng.choice((1, 1, 2))
        value = n * 10 + number
        sent = {"producer": f"p{n}", "value": value, "key": f"k{n}-{number % 2}", "outcome": "ok"}
        times = {"invoked_ns": number * MS, "completed_ns": (number + 2) * MS}
        transaction = rng.choice((None, None, f"x{n}", f"y{n}"))
        tables["sends"].append({**sent, **at, **times, "transaction": transaction})
        tables["log"].append({**at, "value": value})
        tables["effects"].append({"sink": "s", "value": value, "applied": 1})
        for group in groups:
            reader = {"consumer": f"{group}-{n}", "group": group, "poll": number}
            tables["deliveries"].append({**reader, **at, "value": value, "time_ns": number * MS})
    tables["transactions"] = [
        {"transaction": f"{name}{n}", "outcome": "committed"} for name in ("x", "y")
    ]
    for partition in (0, 1):
        place = {"topic": f"t{n}", "partition": partition}
        details = {"log_start_offset": 0, "cleanup_policy": rng.choice(("delete", "compact"))}
        tables["partitions"].append({**place, **details})
        for group in (f"g{n}", f"h{n}"):
            committed = {"group": group, **place, "offset": ends[partition]}
            tables["commits"].append({**committed, "outcome": "ok", "time_ns": 5})
    return tables


_TABLES = ("sends", "log", "deliveries", "commits", "effects", "partitions", "transactions")


def _change(table: str, column: str, choose: Callable[[Random, Any], Any]) -> Callable[..., None]:
    """Changes one column of one random row."""

    def plant(tables: History, rng: Random) -> None:
        if tables[table]:
            row = rng.choice(tables[table])
            row[column] = choose(rng, row.get(column))

    return plant


def _drop(table: str) -> Callable[..., None]:
    def plant(tables: History, rng: Random) -> None:
        if tables[table]:
            tables[table].remove(rng.choice(tables[table]))

    return plant


def _repeat(table: str, **changed: Callable[[Random, Any], Any]) -> Callable[..., None]:
    """Adds a copy of a random row, with some columns changed."""

    def plant(tables: History, rng: Random) -> None:
        if tables[table]:
            row = rng.choice(tables[table])
            new = {name: choose(rng, row.get(name)) for name, choose in changed.items()}
            tables[table].append({**row, **new})

    return plant


def _drop_tail(table: str) -> Callable[..., None]:
    def plant(tables: History, rng: Random) -> None:
        del tables[table][-rng.randrange(1, 6) :]

    return plant


def _leave_end_unread(tables: History, rng: Random) -> None:
    """Makes the end of a log unread by every group but the final reader."""
    if not tables["log"]:
        return
    first = rng.choice(tables["log"])
    at = (first["topic"], first["partition"])
    for row in tables["deliveries"]:
        if (row["topic"], row["partition"]) == at and row["offset"] >= first["offset"]:
            row["group"] = "final"
    for row in tables["commits"]:
        if (row["topic"], row["partition"]) == at:
            row["offset"] = min(row["offset"], first["offset"])


def _delay_partition(tables: History, rng: Random) -> None:
    """Delays everything that one group reads from one partition."""
    if not tables["deliveries"]:
        return
    first = rng.choice(tables["deliveries"])
    for row in tables["deliveries"]:
        if (row["group"], row["partition"]) == (first["group"], first["partition"]):
            row["time_ns"] = (row["time_ns"] or 0) + 5 * MS


def _nearby(rng: Random, number: int | None) -> int:
    return max(0, (number or 0) + rng.randrange(-2, 4))


def _random_time(rng: Random, _: Any) -> int:
    return rng.randrange(9) * MS


def _one_of(*choices: Any) -> Callable[[Random, Any], Any]:
    return lambda rng, _: rng.choice(choices)


def _other_value(rng: Random, value: int) -> int:
    return value // 10 * 10 + rng.randrange(VALUES + 1)


PLANTS: tuple[Callable[[History, Random], None], ...] = (
    _drop("log"),
    _drop("deliveries"),
    _drop("effects"),
    _drop("sends"),
    _drop("commits"),
    _drop_tail("log"),
    _drop_tail("deliveries"),
    _drop_tail("deliveries"),
    _drop_tail("commits"),
    _leave_end_unread,
    _delay_partition,
    _delay_partition,
    _repeat("log", offset=_nearby),
    _repeat("log", offset=lambda rng, offset: offset + 9),
    _repeat("deliveries", poll=_nearby),
    _repeat("deliveries"),
    _repeat("sends", outcome=_one_of("ok", "info", "fail"), invoked_ns=_random_time),
    _repeat("sends", offset=lambda rng, offset: (offset or 0) + 9, invoked_ns=_random_time),
    _repeat("commits", offset=_nearby, time_ns=_one_of(1, 5, 9)),
    _repeat("effects", applied=_one_of(0, 1, 2)),
    _change("sends", "outcome", _one_of("info", "fail")),
    _change("sends", "cut_off", _one_of(True)),
    _change("sends", "invoked_ns", _random_time),
    _change("sends", "offset", _one_of(None)),
    _change("sends", "transaction", _one_of(None)),
    _change("log", "value", _other_value),
    _change("log", "offset", _nearby),
    _change("log", "transaction_state", _one_of("aborted", "committed")),
    _change("log", "transaction_state", _one_of("aborted")),
    _change("deliveries", "value", _other_value),
    _change("deliveries", "offset", _nearby),
    _change("deliveries", "group", _one_of(None)),
    _change("deliveries", "assignment", _one_of("2")),
    _change("deliveries", "time_ns", _random_time),
    _change("deliveries", "time_ns", _one_of(None)),
    _change("commits", "outcome", _one_of("fail")),
    _change("commits", "offset", _nearby),
    _change("effects", "applied", _one_of(0, 2)),
    _change("transactions", "outcome", _one_of("aborted", "unknown")),
    _change("transactions", "outcome", _one_of("aborted")),
    _change("partitions", "log_start_offset", _one_of(1, 2, 3)),
    _change("partitions", "cleanup_policy", _one_of("compact")),
    _change("partitions", "created_ns", _random_time),
)


def _remove_contradictions(tables: History) -> None:
    """Removes contradictions that no recorder writes and that verify refuses."""
    for row in tables["sends"]:
        row["completed_ns"] = max(row["completed_ns"], row["invoked_ns"])
    starts = {(row["topic"], row["partition"]): row["log_start_offset"] for row in
              tables["partitions"]}  # fmt: skip
    tables["log"] = [
        row
        for row in tables["log"]
        if row["offset"] >= starts.get((row["topic"], row["partition"]), 0)
    ]
    sent, stored = _partitions_by_value(tables["sends"]), _partitions_by_value(tables["log"])
    tables["log"] = [
        row
        for row in tables["log"]
        if not sent[row["value"]] or sent[row["value"]] & stored[row["value"]]
    ]


def _partitions_by_value(rows: Rows) -> defaultdict[int, set[tuple[str, int]]]:
    """The partitions in which each value is or may be stored, by value."""
    by_value = defaultdict[int, set[tuple[str, int]]](set)
    for row in rows:
        if row.get("outcome") != "fail":
            by_value[row["value"]].add((row["topic"], row["partition"]))
    return by_value


SOUND_VALUES = 200
_PAUSE_MS = 2_000


def mostly_sound(seeds: range, anomalies: int) -> History:
    """Many sound messages per seed, each history with this many planted anomalies.

    Each history has two producers, two partitions and two groups with names of its own. In the
    middle nothing is acknowledged or delivered for two seconds.
    """
    tables: History = {"faults": [dict(PROVED_FAULT)], "meta": [{"final_read_completed": True}]}
    for seed in seeds:
        rng = Random(seed)
        planted = _sound_history(rng, seed)
        for plant in rng.choices(PLANTS, k=anomalies):
            plant(planted, rng)
        _remove_contradictions(planted)
        for place in planted["partitions"]:
            place["cleanup_policy"] = "delete"  # a compacted ledger is not sieved
        for table, rows in planted.items():
            tables.setdefault(table, []).extend(rows)
    return tables


def _sound_history(rng: Random, n: int) -> History:
    tables: History = {name: [] for name in _TABLES}
    ends = [0, 0]
    for number in range(SOUND_VALUES):
        value = n * 1_000 + number
        partition = rng.randrange(2)
        offset = ends[partition]
        at = {"topic": f"t{n}", "partition": partition, "offset": offset, "value": value}
        ends[partition] += 1
        invoked = number * MS
        times = {"invoked_ns": invoked, "completed_ns": _after(invoked, 3)}
        sent = {"producer": f"p{n}-{value % 2}", "key": f"k{n}-{value % 9}", "outcome": "ok"}
        tables["sends"].append({**sent, **at, **times})
        tables["log"].append(dict(at))
        for group, delay in ((f"g{n}", 20), (f"h{n}", 40), ("final", 9_000)):
            reader = {"consumer": f"{group}-{n}-{partition}", "group": group, "poll": offset // 30}
            tables["deliveries"].append({**reader, **at, "time_ns": _after(invoked, delay)})
        tables["effects"].append({"sink": "s", "value": value})
    for partition, end in enumerate(ends):
        place = {"topic": f"t{n}", "partition": partition}
        tables["partitions"].append({**place, "log_start_offset": 0})
        for group in (f"g{n}", f"h{n}"):
            committed = {"group": group, "outcome": "ok", "time_ns": 5, "offset": end}
            tables["commits"].append({**committed, **place})
    return tables


def _after(moment: int, delay_ms: int) -> int:
    """The moment after a delay; moments in the pause in the middle move to its end."""
    delayed = moment + delay_ms * MS
    return delayed if delayed < SOUND_VALUES // 2 * MS else delayed + _PAUSE_MS * MS
