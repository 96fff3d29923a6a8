"""Replication under a topic's settings: guaranteed copies, failures survived, brokers to spare.

The formulas are those of Kafka's design document ("Availability and Durability Guarantees"):
`acks=all` waits for every *current* in-sync replica, and `min.insync.replicas` is the smallest
number that there may be. An acknowledged record is sure to have that many copies, and no more.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from advisor.catalog import Component
from advisor.reasoning.pipeline import Pipeline, derived_property
from advisor.reasoning.plural import counted

ELECTION_MARGIN_MS = 1_000
"""Added to an outage by a client: one more retry (`retry.backoff.max.ms`, ConfigDef 3.7)."""

RESTART_MS = 60_000
"""How long a broker that crashed may take to come back, with its start and the recovery of its
logs. No setting bounds it. This is our assumption; the clients' defaults are just longer."""

QUORUM_TIMEOUTS_MS = {
    "controller.quorum.fetch.timeout.ms": 2_000,
    "controller.quorum.election.timeout.ms": 1_000,
}
"""How long controllers wait for each other, with Kafka's own values (QuorumConfig)."""

LINGER, LINGER_MS = "controller.quorum.append.linger.ms", 25
"""How long the active controller collects records before it appends them, with Kafka's default
(QuorumConfig)."""

ZOOKEEPER_TICK_MS = 3_000
"""ZooKeeper's default `tickTime` (ZooKeeperServer.java, DEFAULT_TICK_TIME). Kafka's sample file
does not change it."""


REPLICAS_MOVED = "replicas.moved"
"""When a team moves replicas to other brokers. It is only asked for brokers before 3.8."""


def kafka_at_least(pipeline: Pipeline, line: str) -> bool:
    """Whether the brokers run this release line or a later one."""
    return _line(pipeline.kafka) >= _line(line)


@cache
def _line(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2])


def controllers(pipeline: Pipeline) -> int | None:
    """Returns the number of controllers, or None if it was not stated or there is ZooKeeper."""
    return _servers(pipeline, "controllers")


def zookeeper_servers(pipeline: Pipeline) -> int | None:
    """Returns the number of ZooKeeper servers, or None if it was not stated or in KRaft mode."""
    return _servers(pipeline, "zookeeper.servers")


def _servers(pipeline: Pipeline, name: str) -> int | None:
    is_known = pipeline.knows(Component.APPLICATION, name)
    count = pipeline.value(Component.APPLICATION, name) if is_known else None
    return count if isinstance(count, int) else None


def in_fullest_rack(factor: int, racks: int) -> int:
    """Returns the replicas in the fullest rack if spread evenly: ceil(factor / racks)."""
    return in_racks(factor, racks, 1)


def in_racks(factor: int, racks: int, lost: int) -> int:
    """Returns the replicas in the `lost` fullest racks if spread evenly (KIP-36)."""
    per_rack, remainder = divmod(factor, racks)
    return lost * per_rack + min(lost, remainder)


@dataclass(frozen=True, slots=True)
class CopyLoss:
    """The copies of a topic that may be lost at the same time.

    `where` describes where their brokers are, as the end of a phrase. `removed` of the copies were
    removed by a reassignment before.
    """

    count: int
    where: str = ""
    removed: int = 0

    def __str__(self) -> str:
        brokers = f"{counted(self.count - self.removed, 'broker')}{self.where}"
        if not self.removed:
            return brokers
        return (
            f"{brokers}, after another copy in sync was removed "
            f"(application.{REPLICAS_MOVED}=any-time),"
        )


def simultaneous_loss(pipeline: Pipeline, factor: int) -> CopyLoss:
    """Returns the copies that may be lost at the same time.

    They are as many as the team wants to survive, or those in one of the stated racks (KIP-36), and
    an in-sync copy that a reassignment removes too early.
    """
    lost, removed = max(pipeline.requirement.survive, 1), removed_early(pipeline, factor)
    racks = pipeline.value(Component.APPLICATION, "racks")
    if isinstance(racks, int) and pipeline.requirement.survive:
        together = in_fullest_rack(factor, racks)
        if together > lost:
            return CopyLoss(
                together + removed, f" in one rack (application.racks={racks})", removed
            )
    return CopyLoss(lost + removed, removed=removed)


def enough_copies(pipeline: Pipeline, least: int = 1) -> int:
    """Returns the fewest copies that survive `simultaneous_loss` and leave one to spare for writes.

    `least` is a stated minimum in sync. If no number is enough, it is the number of brokers.
    """
    for copies in range(max(pipeline.requirement.survive, least - 1) + 2, pipeline.brokers):
        if copies > simultaneous_loss(pipeline, copies).count + 1:
            return copies
    return pipeline.brokers


def short_of_copies(pipeline: Pipeline, copies: int) -> bool:
    """Whether a topic needs more copies to survive what the team wants to survive."""
    return pipeline.requirement.survive > 0 and copies < enough_copies(pipeline)


def removed_early(pipeline: Pipeline, factor: int) -> int:
    """Returns how many in-sync copies a reassignment may remove while another is out of sync: 1 or
    0.

    Before 3.8, KRaft controllers only checked whether the added copies were in sync (KAFKA-15665;
    read from the jars of 3.7.2 and 3.8.1, and seen in runs with three copies). With two copies, one
    is removed if another broker gets it: 3.7.2 continues with that one alone.
    """
    can_move = factor > 2 or 1 < factor < pipeline.brokers
    if not can_move or not pipeline.knows(Component.APPLICATION, REPLICAS_MOVED):
        return 0
    any_time = pipeline.text(Component.APPLICATION, REPLICAS_MOVED) == "any-time"
    return int(any_time and not Replication(pipeline).zookeeper)


def min_isr_only_on_brokers(pipeline: Pipeline) -> int | None:
    """Returns min.insync.replicas of the brokers' files if nothing else sets it, or None.

    A cluster with eligible leader replicas uses it only if the active controller's file also has
    it. None if that does not matter.
    """
    name = "min.insync.replicas"
    stated = pipeline.stated(Component.BROKER).get(name)
    if not isinstance(stated, int) or stated < 2 or name in pipeline.stated(Component.TOPIC):
        return None
    return stated if Replication(pipeline).eligible_replicas else None


@dataclass(frozen=True, slots=True)
class Replication:
    """The replication of a pipeline's topic.

    `min_isr` is the effective minimum: since 3.7 the broker uses min(min.insync.replicas,
    replication.factor) (KAFKA-15583, `Partition.scala` effectiveMinIsr). Before, a minimum above
    the factor refuses every write with `acks=all`. `eligible_replicas` is KIP-966. Each property
    reads only the settings that it needs, so that a judgement depends on no others (`trace`).
    """

    pipeline: Pipeline

    @property
    def acks(self) -> str:
        return self.pipeline.text(Component.PRODUCER, "acks")

    @property
    def factor(self) -> int:
        """The number of replicas of each partition."""
        return self.pipeline.number(Component.TOPIC, "replication.factor")

    @derived_property
    def min_isr(self) -> int:
        """The least number of replicas in sync; since 3.7 not more than the factor."""
        stated = self.pipeline.number(Component.TOPIC, "min.insync.replicas")
        return min(stated, self.factor) if self.hides_below_min_isr else stated

    @property
    def unclean(self) -> bool:
        """Whether a replica that is out of sync may lead."""
        return self.pipeline.flag(Component.TOPIC, "unclean.leader.election.enable")

    @property
    def unclean_election_note(self) -> str:
        """A sentence about unclean elections in KRaft mode before 3.9, whose controllers do not
        read the setting (KAFKA-12670); empty for other clusters."""
        if self.zookeeper or kafka_at_least(self.pipeline, "3.9"):
            return ""
        return (
            " In KRaft mode before 3.9 the controllers do not do so themselves (KAFKA-12670): an "
            "operator's unclean election does, and an upgrade makes them."
        )

    @property
    def hides_below_min_isr(self) -> bool:
        """Whether the high watermark waits for the minimum, whatever acks is."""
        return kafka_at_least(self.pipeline, "3.7")

    @derived_property
    def zookeeper(self) -> bool:
        """Whether ZooKeeper tracks live brokers; otherwise KRaft's controllers do.

        KRaft is ready for production since 3.3 (KIP-833) and the only mode since 4.0 (KIP-500). The
        team is only asked about the lines between; earlier brokers are assumed to have ZooKeeper.
        """
        if not self.asks_for_the_mode:
            return not kafka_at_least(self.pipeline, "3.3")
        return self.pipeline.text(Component.APPLICATION, "metadata.mode") == "zookeeper"

    @property
    def asks_for_the_mode(self) -> bool:
        """Whether brokers of this line may have ZooKeeper or not, so that the team is asked."""
        return self.pipeline.knows(Component.APPLICATION, "metadata.mode")

    @property
    def with_zookeeper(self) -> str:
        """Why ZooKeeper is assumed, for a reason or a finding."""
        if self.asks_for_the_mode:
            return "application.metadata.mode=zookeeper"
        return f"kafka={self.pipeline.kafka} is assumed to use ZooKeeper, as all before 3.3"

    @derived_property
    def session_setting(self) -> str:
        """The brokers' setting of how long a broker without heartbeats counts as alive."""
        return f"{'zookeeper' if self.zookeeper else 'broker'}.session.timeout.ms"

    @property
    def fencing(self) -> str:
        """`session_setting` with its value, for a reason: a dead broker leads until then."""
        return f"{self.session_setting}={self.session_timeout_ms}"

    @property
    def session_timeout_ms(self) -> int:
        """The value of `session_setting`."""
        return self.pipeline.number(Component.BROKER, self.session_setting)

    @property
    def failure_detection_ms(self) -> int:
        """The longest time that a dead broker counts as alive.

        ZooKeeper limits a session to between 2 and 20 of its ticks, and ends it at the first tick
        after that time (ZooKeeperServer.java, minSessionTimeout and maxSessionTimeout;
        ExpiryQueue.java).
        """
        if not self.zookeeper:
            return self.session_timeout_ms
        tick = ZOOKEEPER_TICK_MS
        return min(max(self.session_timeout_ms, 2 * tick), 20 * tick) + tick

    @property
    def heartbeat_ms(self) -> int | None:
        """The interval of a broker's heartbeats; None with ZooKeeper, whose clients choose it."""
        name = "broker.heartbeat.interval.ms"
        return None if self.zookeeper else self.pipeline.number(Component.BROKER, name)

    @property
    def repeated_fencing(self) -> str:
        """Why each live broker is fenced between two of its heartbeats; empty if it is not.

        The controller compares the time since the last heartbeat with the session timeout only
        (BrokerHeartbeatManager.java). Kafka starts anyway and logs an error (KAFKA-19432).
        """
        beat_ms = self.heartbeat_ms
        if beat_ms is None or self.session_timeout_ms > beat_ms:
            return ""
        return (
            f"{self.fencing} is over before the next heartbeat "
            f"(broker.heartbeat.interval.ms={beat_ms}): the controller fences every broker again "
            "and again, while it runs"
        )

    @property
    def lag_max_ms(self) -> int:
        """How long a follower may lag and still count as in sync."""
        return self.pipeline.number(Component.BROKER, "replica.lag.time.max.ms")

    @property
    def eligible_replicas(self) -> bool:
        """Whether the cluster records which replicas outside the ISR may become leader cleanly."""
        name = "eligible.leader.replicas.version"
        since_4_0 = kafka_at_least(self.pipeline, "4.0")
        return since_4_0 and self.pipeline.number(Component.APPLICATION, name) == 1

    @property
    def returns_empty(self) -> bool:
        """Whether a broker that lost its disk comes back by itself before a new leader is
        elected."""
        return self.pipeline.text(Component.APPLICATION, "disk.lost") != "replica-elected"

    @property
    def disk_lost(self) -> str:
        """The setting that says how the team handles a broker that lost its disk, with its
        value."""
        return f"application.disk.lost={self.pipeline.text(Component.APPLICATION, 'disk.lost')}"

    def may_lead_empty(self, copies: int) -> bool:
        """Whether a broker with an empty disk may lead a partition with so many guaranteed copies.

        The in-sync set shrinks to one broker. That broker comes back empty and leads, and the
        others truncate, whatever copies they have. Only eligible leader replicas prevent that, and
        they exist only if two copies or more are required (docs/decisions/0033).
        """
        return self.returns_empty and not (self.eligible_replicas and copies > 1)

    @property
    def flush_messages(self) -> int:
        """The number of records after which a replica flushes its log to disk."""
        return self.pipeline.number(Component.TOPIC, "flush.messages")

    @derived_property
    def waits_for_followers(self) -> bool:
        return self.acks == "all"

    @property
    def flushes(self) -> bool:
        """Whether a replica flushes each record to disk before it acknowledges it."""
        return self.flush_messages == 1

    @property
    def flushes_never(self) -> bool:
        """Whether flushing is left to the operating system, which is Kafka's default."""
        return self.flush_messages == 2**63 - 1

    @derived_property
    def fails_over(self) -> bool:
        """Whether another replica can lead when the leader is gone."""
        return self.factor > 1

    @derived_property
    def copies(self) -> int:
        """Copies that an acknowledged record is sure to have: none with acks=0, 1 with acks=1."""
        if self.waits_for_followers:
            return min(self.min_isr, self.factor)
        return 0 if self.acks == "0" else 1

    def high_watermark_advances(self, in_sync: int) -> bool:
        """Whether the high watermark advances, so that records can be read, with so many in
        sync."""
        return in_sync >= self.min_isr or not self.hides_below_min_isr

    @property
    def survives(self) -> int:
        """Brokers that may be lost for good without losing an acknowledged record."""
        return max(self.copies - 1, 0)

    @property
    def spares(self) -> int:
        """Brokers that may be down while writes with acks=all continue; negative if all are
        refused."""
        return self.factor - self.min_isr

    @derived_property
    def failover_ms(self) -> int:
        """The longest wait for a leader after a crash: the dead broker must first be fenced or, if
        no other broker has a copy, restart."""
        if not self.fails_over:  # it registers and is unfenced (BrokerLifecycleManager)
            return RESTART_MS + 2 * self.extra_linger_ms
        return self.failure_detection_ms + ELECTION_MARGIN_MS + self.extra_linger_ms

    @property
    def extra_linger_ms(self) -> int:
        """How much longer than by default each decision of the active controller is delayed, such
        as a new leader or a smaller in-sync set (BatchAccumulator). Seen on 4.3.1: with 3 s, 5 s
        and 10 s a topic existed after 3.1 s, 5.0 s and 10.2 s. 0 with ZooKeeper, for which there is
        no formula."""
        if self.zookeeper:
            return 0
        return max(self.pipeline.number(Component.BROKER, LINGER) - LINGER_MS, 0)

    @property
    def controller_failover_ms(self) -> int:
        """The longest time without an active controller after the last one crashed.

        The others consider it dead when no fetch has succeeded for the fetch timeout, and start an
        election. An election that nobody wins takes up to twice its timeout (KafkaRaftClient). The
        next controller's first decision is delayed by the linger. 0 with ZooKeeper, for which there
        is no formula.
        """
        if self.zookeeper:
            return 0
        fetch_ms, election_ms = (
            self.pipeline.number(Component.BROKER, name) for name in QUORUM_TIMEOUTS_MS
        )
        return fetch_ms + 2 * election_ms + LINGER_MS

    @property
    def failover_with_controller_ms(self) -> int:
        """The longest wait for a leader if the machine that crashes is also the active controller.

        The next controller gives each broker a whole session from its own start
        (BrokerHeartbeatManager).
        """
        return (
            self.controller_failover_ms + self.failover_ms if self.fails_over else self.failover_ms
        )

    @property
    def slowest_pause(self) -> str:
        """The cause of `slowest_pause_ms`, as the beginning of a sentence."""
        if self.slowest_pause_ms == self.failover_with_controller_ms > self.failover_ms:
            return "The wait for a new controller, and for a new leader after it,"
        return "A pause for a slow or dead broker"

    @property
    def wait_for_leader(self) -> str:
        """The wait that `failover_ms` measures, as the beginning of a sentence."""
        return "The wait for a new leader" if self.fails_over else "The restart of the only leader"

    @derived_property
    def slowest_pause_ms(self) -> int:
        """The longest pause that ends by itself.

        A follower that hangs delays acks=all until it leaves the ISR. That is checked every half of
        replica.lag.time.max.ms, so it takes up to 1.5 times that (ReplicaManager.scala, startup).
        """
        if not self.waits_for_followers:
            return self.failover_with_controller_ms
        return max(self.failover_with_controller_ms, self.slow_follower_ms + ELECTION_MARGIN_MS)

    @property
    def slow_follower_ms(self) -> int:
        """The longest time that a follower which fetches nothing stays in the in-sync set."""
        return self.lag_max_ms * 3 // 2 + self.extra_linger_ms
