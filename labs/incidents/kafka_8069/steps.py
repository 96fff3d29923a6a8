"""A commit without an expiry time is loaded as one that expired long ago."""

from __future__ import annotations

from labs.engine.base.wait import rest, until
from labs.incidents import clients
from labs.incidents.model import Exhibit, Outcome
from labs.incidents.past_cluster import PastCluster

BROKERS = 1
SETTINGS = {
    "offsets.retention.check.interval.ms": 1000,
    "zookeeper.session.timeout.ms": 3000,
    "broker.session.timeout.ms": 3000,
}
_TOPIC, _GROUP, _SENDS = "bookings", "billing", 20
_HALF_UPGRADED = "2.0"
"""The protocol of brokers in an unfinished upgrade to 2.1 or 2.2; KRaft does not have it."""
_CHECKED = "expired offsets in"


def play(past: PastCluster) -> Outcome:
    """Counts messages of twenty that are redelivered although the group had committed them."""
    if past.has_zookeeper:
        past.tell(1, "inter.broker.protocol.version", _HALF_UPGRADED)
        _restart(past)
    clients.create(past.bootstrap, _TOPIC, {})
    clients.send_all(clients.producer(past.bootstrap), _TOPIC, range(_SENDS))
    first = clients.read_on(past.bootstrap, _TOPIC, _GROUP)
    before = clients.committed(past.bootstrap, _TOPIC, _GROUP)
    past.timeline.add(f"{len(first)} messages processed, offset {before} committed")
    _restart(past)
    _await_checks(past)
    past.timeline.add("the broker has looked twice for expired offsets")
    after = clients.committed(past.bootstrap, _TOPIC, _GROUP)
    past.timeline.add(f"the group's committed offset: {after if after >= 0 else 'none'}")
    again = clients.read_on(past.bootstrap, _TOPIC, _GROUP)
    seen = (
        f"processed and committed: {len(first)}, offset {before}\n"
        f"committed after the restart: {after if after >= 0 else 'nothing'}\n"
        f"handed out again: {len(again)}"
    )
    lines = [line for line in _log(past) if _CHECKED in line][-3:]
    exhibits = [Exhibit("What the broker says", "\n".join(lines))] if lines else []
    return Outcome(len(again), _SENDS, (*exhibits, Exhibit("What the group sees", seen)))


def _restart(past: PastCluster) -> None:
    past.kill(1)
    past.start(1)


def _await_checks(past: PastCluster) -> None:
    """Waits until the broker has checked twice for expired offsets; KRaft does not log it."""
    if not past.has_zookeeper:
        rest(3 * SETTINGS["offsets.retention.check.interval.ms"] / 1000)
        return
    checks = _checks(past)
    until(lambda: _checks(past) >= checks + 2, 30, "the broker did not look for expired offsets")


def _checks(past: PastCluster) -> int:
    return sum(_CHECKED in line for line in _log(past))


def _log(past: PastCluster) -> list[str]:
    return past.brokers[1].log.read_text("utf-8", "replace").splitlines()
