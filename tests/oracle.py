"""The counts of `docs/ledger.md` in plain Python, written from its text and not from Spark's code.

It is slow, small and obvious, and the results of `spark_jobs` are compared with it. A ledger is a
dict of tables, a table a list of rows, a row a dict; an absent table was not recorded.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise
from typing import Any

from tests.oracle_keys import late_by_key
from tests.oracle_rows import Ledger, Row, is_final, place, reader


class Oracle:
    """The counts of one ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.sends = ledger.get("sends", ())
        self.log = ledger.get("log", ())
        self.deliveries = ledger.get("deliveries", ())
        self.read = [row for row in self.deliveries if not is_final(row)]
        self.fates = self._fates()
        self.by_value: dict[int, list[Row]] = defaultdict(list)
        for send in self.sends:
            self.by_value[send["value"]].append(send)
        self.rows, self.order = self._readable()
        self.copies: dict[int, set[tuple[Any, ...]]] = defaultdict(set)
        for row in self.rows:
            self.copies[row["value"]].add(place(row))

    # Transactions

    def _fates(self) -> dict[Any, str]:
        if "transactions" in self.ledger:
            return {row["transaction"]: row["outcome"] for row in self.ledger["transactions"]}
        members: dict[Any, list[bool]] = defaultdict(list)
        for send in self.sends:
            for row in self.log:
                if row["value"] == send["value"] and send.get("transaction") is not None:
                    is_aborted = row.get("transaction_state") == "aborted"
                    members[send["transaction"]].append(is_aborted)
        return {name: "aborted" for name, is_aborted in members.items() if all(is_aborted)}

    def fate(self, send: Row) -> str | None:
        name = send.get("transaction")
        if name is None:
            return None
        unlisted = "unknown" if "transactions" in self.ledger else None
        return self.fates.get(name, unlisted)

    def outcome(self, send: Row) -> str:
        return "info" if self.fate(send) == "unknown" else str(send["outcome"])

    def aborted_value(self, value: int) -> bool:
        """Whether every attempt, or every record, of the value was aborted."""
        if "transactions" in self.ledger:
            sends = self.by_value[value]
            return bool(sends) and all(self.fate(send) == "aborted" for send in sends)
        rows = [row for row in self.log if row["value"] == value]
        return bool(rows) and all(row.get("transaction_state") == "aborted" for row in rows)

    def aborted_at(self, at: tuple[Any, ...], value: int) -> bool:
        """Whether the record at this place was aborted."""
        if self.aborted_value(value):
            return True
        if at[2] is None:
            return False
        if "transactions" in self.ledger:
            sends = self.by_value[value]
            return any(self.fate(send) == "aborted" and place(send) == at for send in sends)
        rows = [row for row in self.log if row["value"] == value and place(row) == at]
        return any(row.get("transaction_state") == "aborted" for row in rows)

    # The readable log

    def _readable(self) -> tuple[list[Row], list[Row]]:
        plain = [row for row in self.log if row.get("replica") is None]
        if plain or not self.log:
            return plain, plain
        held: dict[int, dict[int, list[Row]]] = defaultdict(lambda: defaultdict(list))
        lowest: dict[Any, int] = {}
        for row in self.log:
            held[row["value"]][row["replica"]].append(row)
            at = place(row)[:2]
            lowest[at] = min(row["replica"], lowest.get(at, row["replica"]))
        fullest = [
            max(sorted(replicas.items()), key=lambda item: len({place(r) for r in item[1]}))[1]
            for replicas in held.values()
        ]
        order = [row for row in self.log if row["replica"] == lowest[place(row)[:2]]]
        return [row for rows in fullest for row in rows], order

    def visible(self, value: int) -> set[tuple[Any, ...]]:
        return {at for at in self.copies[value] if not self.aborted_at(at, value)}

    # Values

    def standing(self, value: int) -> list[Row]:
        """Its acknowledged attempts that were not aborted: they oblige a delivery."""
        if "transactions" not in self.ledger and self.aborted_value(value):
            return []
        sends = self.by_value[value]
        ok = [send for send in sends if self.outcome(send) == "ok"]
        return [send for send in ok if self.fate(send) != "aborted"]

    def obliged(self) -> set[int]:
        return {value for value in list(self.by_value) if self.standing(value)}

    def _partition(self, send: Row) -> Row:
        results: Row = {}
        for row in self.ledger.get("partitions", ()):
            if place(row)[:2] == place(send)[:2]:
                results = row
        return results

    def _is_expired(self, send: Row) -> bool:
        partition = self._partition(send)
        start, created = partition.get("log_start_offset"), partition.get("created_ns")
        offset, answered = send.get("offset"), send.get("completed_ns")
        below_start = start is not None and offset is not None and offset < start
        below_start = below_start and not self._is_overwritten(send)
        in_earlier_topic = created is not None and answered is not None and answered < created
        return below_start or in_earlier_topic

    def _is_overwritten(self, send: Row) -> bool:
        """Whether another value was acknowledged at the same offset later."""
        answered = [
            row
            for rows in list(self.by_value.values())
            for row in rows
            if row["outcome"] == "ok" and place(row) == place(send)
        ]
        last = max(answered, key=lambda row: (row.get("completed_ns") or -(2**63), row["value"]))
        return bool(last["value"] != send["value"])

    def _is_replaced(self, send: Row) -> bool:
        if "compact" not in (self._partition(send).get("cleanup_policy") or ""):
            return False
        if send.get("key") is None:
            return False
        for value, sends in list(self.by_value.items()):
            if all(attempt.get("key") != send["key"] for attempt in sends):
                continue
            for at in self.visible(value):
                if at[:2] != place(send)[:2]:
                    continue
                if send.get("offset") is not None and at[2] > send["offset"]:
                    return True
                if send.get("offset") is None and self._first(value) > send["invoked_ns"]:
                    return True
        return False

    def _first(self, value: int) -> int:
        return min(int(send["invoked_ns"]) for send in self.by_value[value])

    def gone(self) -> Counter[str]:
        """The number of obliged values without a visible copy, by cause."""
        counter: Counter[str] = Counter()
        for value in self.obliged():
            if self.visible(value):
                continue
            attempts = self.standing(value)
            if all(map(self._is_expired, attempts)):
                counter["expired"] += 1
            elif all(self._is_expired(send) or self._is_replaced(send) for send in attempts):
                counter["compacted"] += 1
            else:
                counter["lost_write"] += 1
        return counter

    def skipped(self) -> set[int]:
        commits = [row for row in self.ledger.get("commits", ()) if not is_final(row)]
        delivered = {(reader(row), row["value"]) for row in self.read}
        skipped = set()
        for group in {reader(row) for row in [*commits, *self.read]}:
            for value in list(self.copies):
                places = self.visible(value)
                passed = [at for at in places if self._position(commits, group, at) > at[2]]
                if places and len(passed) == len(places) and (group, value) not in delivered:
                    skipped.add(value)
        return skipped

    def _position(self, commits: list[Row], group: tuple[str, Any], at: tuple[Any, ...]) -> int:
        committed = [row for row in commits if reader(row) == group and place(row)[:2] == at[:2]]
        accepted = [row for row in committed if row.get("outcome") == "ok"]
        if accepted:
            return int(
                max(accepted, key=lambda row: (row.get("time_ns", -1), row["offset"]))["offset"]
            )
        read = [row for row in self.read if reader(row) == group and place(row)[:2] == at[:2]]
        return max((int(row["offset"]) for row in read), default=-1)

    # Counts

    def counts(self) -> dict[str, int]:
        """Every count that needs no clock, from all tables as recorded."""
        delivered = {row["value"] for row in self.deliveries}
        skipped, obliged, gone = self.skipped(), self.obliged(), self.gone()
        in_log = {value for value in self.copies if self.copies[value]}
        outcomes = {
            v: {self.outcome(s) for s in sends} for v, sends in self.by_value.items() if sends
        }
        unsure = [v for v, states in outcomes.items() if "ok" not in states and "info" in states]
        ok = [v for v, states in outcomes.items() if "ok" in states]
        phantom = {v for v in in_log | delivered if self._never_sent(v)}
        read = {row["value"] for row in self.read}
        unread = {v for v in obliged - read - skipped if self.visible(v)}
        return {
            "sent": len(outcomes),
            "ok": len(ok),
            "info": len(unsure),
            "fail": len(outcomes) - len(ok) - len(unsure),
            "obliged": len(obliged),
            "in_log": len(in_log),
            "delivered": len(delivered),
            **{name: gone[name] for name in ("lost_write", "expired", "compacted")},
            "skipped": len(skipped),
            "unseen": len(unread - delivered),
            "late": len(unread & delivered),
            "phantom": len(phantom),
            "given_up": len([v for v in outcomes if v not in in_log and self._given_up(v)]),
            "duplicate": sum(max(len(self.visible(v)) - 1, 0) for v in in_log),
            "redelivery": self.redelivery(),
            "diverged": self.diverged(),
            "reordered": self.reordered(),
            "key_reordered": self.key_reordered(),
            "aborted_read": sum(self.aborted_at(place(d), d["value"]) for d in self.deliveries),
            "torn_transaction": self.torn(),
            **self.polls(),
            **self.effects(obliged),
        }

    def _given_up(self, value: int) -> bool:
        sends = self.by_value[value]
        acknowledged = any(self.outcome(send) == "ok" for send in sends)
        return not acknowledged and not any(send.get("cut_off") for send in sends)

    def _never_sent(self, value: int) -> bool:
        sends = self.by_value[value]
        return all(s["outcome"] == "fail" and s.get("transaction") is None for s in sends)

    def redelivery(self) -> int:
        rows = {(reader(row), place(row), row["value"]) for row in self.read}
        return len(self.read) - len(rows)

    def diverged(self) -> int:
        values_at: dict[tuple[Any, ...], set[int]] = defaultdict(set)
        for row in [*self.log, *self.deliveries]:
            if row.get("offset") is not None:
                values_at[place(row)].add(row["value"])
        return sum(len(values) > 1 for values in values_at.values())

    def reordered(self) -> int:
        firsts: dict[tuple[Any, ...], int] = {}
        for row in self.order:
            value, at = row["value"], place(row)
            if self.by_value[value] and not self.aborted_at(at, value):
                key = (*at[:2], self.by_value[value][0].get("producer"), value)
                firsts[key] = min(at[2], firsts.get(key, at[2]))
        lines: dict[tuple[Any, ...], list[tuple[int, int]]] = defaultdict(list)
        for (*line, value), offset in firsts.items():
            lines[tuple(line)].append((offset, self._first(value)))
        pairs = [pair for line in lines.values() for pair in pairwise(sorted(line))]
        return sum(later[1] < earlier[1] for earlier, later in pairs)

    def key_reordered(self) -> int:
        firsts: dict[tuple[Any, ...], tuple[int, Any]] = {}
        for row in self.read:
            if row.get("time_ns") is None or self.aborted_at(place(row), row["value"]):
                continue
            at, partition = (reader(row), row.get("topic"), row["value"]), row.get("partition")
            firsts[at] = min(
                firsts.get(at, (row["time_ns"], partition)), (row["time_ns"], partition)
            )
        sent = {value: sends[0] for value, sends in self.by_value.items() if sends}
        return len(late_by_key(firsts, sent, self._first))

    def torn(self) -> int:
        members: dict[Any, set[int]] = defaultdict(set)
        for send in self.sends:
            counts = self.outcome(send) != "fail" and self.fate(send) != "aborted"
            if send.get("transaction") is not None and counts:
                members[send["transaction"]].add(send["value"])
        shares: dict[Any, set[int]] = defaultdict(set)
        for row in self.deliveries:
            shares[reader(row)].add(row["value"])
        return sum(
            any(share & values and not values <= share for share in shares.values())
            for values in members.values()
        )

    def polls(self) -> dict[str, int]:
        polls: dict[tuple[Any, ...], dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
        for row in self.deliveries:
            group = (row.get("consumer"), reader(row), row.get("assignment"))
            polls[group, place(row)[:2]][row["poll"]].append(row["offset"])
        back, skipping = set(), set()
        visible = {copy for value in list(self.copies) for copy in self.visible(value)}
        for (group, at), numbered in polls.items():
            for (_, before), (number, now) in pairwise(sorted(numbered.items())):
                if min(now) <= max(before):
                    back.add((group, number))
                if any(at == copy[:2] and max(before) < copy[2] < min(now) for copy in visible):
                    skipping.add((group, number))
        return {"nonmonotonic_poll": len(back), "poll_skip": len(skipping)}

    def effects(self, obliged: set[int]) -> dict[str, int]:
        applied: Counter[tuple[Any, int]] = Counter()
        for row in self.ledger.get("effects", ()):
            applied[row.get("sink"), row["value"]] += row.get("applied", 1)
        sinks = {sink for sink, _ in applied} or ({None} if "effects" in self.ledger else set())
        return {
            "effect_missing": sum(applied[sink, v] <= 0 for sink in sinks for v in obliged),
            "effect_duplicated": sum(times > 1 for times in applied.values()),
        }
