"""Correct histories into which anomalies are planted, at random but by seed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from random import Random
from typing import Any

from tests.spark.ledgers import MS, PROVED

Rows = list[dict[str, Any]]
History = dict[str, Rows]

VALUES = 6
"""Values of one history; history n has those from n × 10 on, and names of its own."""


def history(seed: int, n: int, modes: frozenset[str]) -> History:
    """One producer, two partitions, two groups, a sink; then up to eight things go wrong.

    Modes: `replicas` makes the log known by its replicas only; `transactions` records those.
    """
    rng = Random(seed)
    tables = _correct(rng, n)
    for plant in rng.choices(PLANTS, k=rng.randrange(9)):
        plant(tables, rng)
    _without_contradictions(tables)
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


def _correct(rng: Random, n: int) -> History:
    tables: History = {name: [] for name in _TABLES}
    ends = [0, 0]
    readers = [f"g{n}", f"h{n}", *rng.choice(([], ["final"]))]
    for number in range(VALUES):
        partition = rng.randrange(2)
        at = {"topic": f"t{n}", "partition": partition, "offset": ends[partition]}
        ends[partition] += rng.choice((1, 1, 2))
        value = n * 10 + number
        sent = {"producer": f"p{n}", "value": value, "key": f"k{n}-{number % 2}", "outcome": "ok"}
        times = {"invoked_ns": number * MS, "completed_ns": (number + 2) * MS}
        name = rng.choice((None, None, f"x{n}", f"y{n}"))
        tables["sends"].append({**sent, **at, **times, "transaction": name})
        tables["log"].append({**at, "value": value})
        tables["effects"].append({"sink": "s", "value": value, "applied": 1})
        for group in readers:
            who = {"consumer": f"{group}-{n}", "group": group, "poll": number}
            tables["deliveries"].append({**who, **at, "value": value, "time_ns": number * MS})
    tables["transactions"] = [
        {"transaction": f"{name}{n}", "outcome": "committed"} for name in ("x", "y")
    ]
    for partition in (0, 1):
        place = {"topic": f"t{n}", "partition": partition}
        kept = {"log_start_offset": 0, "cleanup_policy": rng.choice(("delete", "compact"))}
        tables["partitions"].append({**place, **kept})
        for group in (f"g{n}", f"h{n}"):
            committed = {"group": group, **place, "offset": ends[partition]}
            tables["commits"].append({**committed, "outcome": "ok", "time_ns": 5})
    return tables


_TABLES = ("sends", "log", "deliveries", "commits", "effects", "partitions", "transactions")


def _some(table: str, column: str, choose: Callable[[Random, Any], Any]) -> Callable[..., None]:
    """Plants another value in one column of one row."""

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


def _again(table: str, **changed: Callable[[Random, Any], Any]) -> Callable[..., None]:
    """Plants one more row like another, changed a little."""

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


def _too_late(tables: History, rng: Random) -> None:
    """Plants a log of which no group got the end, and the final reader did."""
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


def _backlog(tables: History, rng: Random) -> None:
    """Plants a group that reads one of its partitions only later."""
    if not tables["deliveries"]:
        return
    first = rng.choice(tables["deliveries"])
    for row in tables["deliveries"]:
        if (row["group"], row["partition"]) == (first["group"], first["partition"]):
            row["time_ns"] = (row["time_ns"] or 0) + 5 * MS


def _moved(rng: Random, number: int | None) -> int:
    return max(0, (number or 0) + rng.randrange(-2, 4))


def _moment(rng: Random, _: Any) -> int:
    return rng.randrange(9) * MS


def _either(*choices: Any) -> Callable[[Random, Any], Any]:
    return lambda rng, _: rng.choice(choices)


def _neighbour(rng: Random, value: int) -> int:
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
    _too_late,
    _backlog,
    _backlog,
    _again("log", offset=_moved),
    _again("log", offset=lambda rng, offset: offset + 9),
    _again("deliveries", poll=_moved),
    _again("deliveries"),
    _again("sends", outcome=_either("ok", "info", "fail"), invoked_ns=_moment),
    _again("sends", offset=lambda rng, offset: (offset or 0) + 9, invoked_ns=_moment),
    _again("commits", offset=_moved, time_ns=_either(1, 5, 9)),
    _again("effects", applied=_either(0, 1, 2)),
    _some("sends", "outcome", _either("info", "fail")),
    _some("sends", "cut_off", _either(True)),
    _some("sends", "invoked_ns", _moment),
    _some("sends", "offset", _either(None)),
    _some("sends", "transaction", _either(None)),
    _some("log", "value", _neighbour),
    _some("log", "offset", _moved),
    _some("log", "transaction_state", _either("aborted", "committed")),
    _some("log", "transaction_state", _either("aborted")),
    _some("deliveries", "value", _neighbour),
    _some("deliveries", "offset", _moved),
    _some("deliveries", "group", _either(None)),
    _some("deliveries", "assignment", _either("2")),
    _some("deliveries", "time_ns", _moment),
    _some("deliveries", "time_ns", _either(None)),
    _some("commits", "outcome", _either("fail")),
    _some("commits", "offset", _moved),
    _some("effects", "applied", _either(0, 2)),
    _some("transactions", "outcome", _either("aborted", "unknown")),
    _some("transactions", "outcome", _either("aborted")),
    _some("partitions", "log_start_offset", _either(1, 2, 3)),
    _some("partitions", "cleanup_policy", _either("compact")),
    _some("partitions", "created_ns", _moment),
)


def _without_contradictions(tables: History) -> None:
    """Takes out what no recorder writes, and verify refuses."""
    for row in tables["sends"]:
        row["completed_ns"] = max(row["completed_ns"], row["invoked_ns"])
    starts = {(row["topic"], row["partition"]): row["log_start_offset"] for row in
              tables["partitions"]}  # fmt: skip
    tables["log"] = [
        row
        for row in tables["log"]
        if row["offset"] >= starts.get((row["topic"], row["partition"]), 0)
    ]
    sent, stored = _places(tables["sends"]), _places(tables["log"])
    tables["log"] = [
        row
        for row in tables["log"]
        if not sent[row["value"]] or sent[row["value"]] & stored[row["value"]]
    ]


def _places(rows: Rows) -> defaultdict[int, set[tuple[str, int]]]:
    """By value, where it stands or may stand."""
    by_value = defaultdict[int, set[tuple[str, int]]](set)
    for row in rows:
        if row.get("outcome") != "fail":
            by_value[row["value"]].add((row["topic"], row["partition"]))
    return by_value


SOUND_VALUES = 200
_SILENT_MS = 2_000


def mostly_sound(seeds: range, anomalies: int) -> History:
    """A history of many sound messages for each seed, with so many anomalies in each.

    Two producers, two partitions and two groups have names of their own in each; half-way nobody
    acknowledges or delivers anything.
    """
    tables: History = {"faults": [dict(PROVED)], "meta": [{"final_read_completed": True}]}
    for seed in seeds:
        rng = Random(seed)
        planted = _sound(rng, seed)
        for plant in rng.choices(PLANTS, k=anomalies):
            plant(planted, rng)
        _without_contradictions(planted)
        for place in planted["partitions"]:
            place["cleanup_policy"] = "delete"  # a compacted ledger is not sieved
        for table, rows in planted.items():
            tables.setdefault(table, []).extend(rows)
    return tables


def _sound(rng: Random, n: int) -> History:
    tables: History = {name: [] for name in _TABLES}
    ends = [0, 0]
    for number in range(SOUND_VALUES):
        value = n * 1_000 + number
        partition = rng.randrange(2)
        offset = ends[partition]
        at = {"topic": f"t{n}", "partition": partition, "offset": offset, "value": value}
        ends[partition] += 1
        invoked = number * MS
        times = {"invoked_ns": invoked, "completed_ns": _later(invoked, 3)}
        sent = {"producer": f"p{n}-{value % 2}", "key": f"k{n}-{value % 9}", "outcome": "ok"}
        tables["sends"].append({**sent, **at, **times})
        tables["log"].append(dict(at))
        for group, delay in ((f"g{n}", 20), (f"h{n}", 40), ("final", 9_000)):
            who = {"consumer": f"{group}-{n}-{partition}", "group": group, "poll": offset // 30}
            tables["deliveries"].append({**who, **at, "time_ns": _later(invoked, delay)})
        tables["effects"].append({"sink": "s", "value": value})
    for partition, end in enumerate(ends):
        place = {"topic": f"t{n}", "partition": partition}
        tables["partitions"].append({**place, "log_start_offset": 0})
        for group in (f"g{n}", f"h{n}"):
            committed = {"group": group, "outcome": "ok", "time_ns": 5, "offset": end}
            tables["commits"].append({**committed, **place})
    return tables


def _later(moment: int, delay_ms: int) -> int:
    """After a delay, and not during the silence."""
    then = moment + delay_ms * MS
    return then if then < SOUND_VALUES // 2 * MS else then + _SILENT_MS * MS
