"""What replication makes of a topic's settings: copies, failures survived, brokers spared.

The formulas are those of Kafka's design document ("Availability and Durability Guarantees"):
`acks=all` waits for every *current* in-sync replica, and `min.insync.replicas` is the least
that may be; so an acknowledged record is sure of that many copies and no more.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from advisor.catalog import Component
from advisor.reasoning.pipeline import Pipeline, derived_property
from advisor.reasoning.plural import counted

ELECTION_MARGIN_MS = 1_000
"""What a client adds to an outage: one more retry (`retry.backoff.max.ms`, ConfigDef 3.7)."""

RESTART_MS = 60_000
"""What a broker that died may need to be back: its start, and the recovery of its logs. No setting
bounds it; this is our assumption, which the clients' defaults just outwait."""

QUORUM_TIMEOUTS_MS = {
    "controller.quorum.fetch.timeout.ms": 2_000,
    "controller.quorum.election.timeout.ms": 1_000,
}
"""How long controllers wait for each other, with Kafka's own values (QuorumConfig)."""

LINGER, LINGER_MS = "controller.quorum.append.linger.ms", 25
"""How long the active controller gathers what it decides, with Kafka's own value (QuorumConfig)."""

ZOOKEEPER_TICK_MS = 3_000
"""ZooKeeper's `tickTime` unless its file says otherwise, and Kafka's sample of one does not
(ZooKeeperServer.java, DEFAULT_TICK_TIME)."""


REPLICAS_MOVED = "replicas.moved"
"""When a team moves replicas to other brokers; a question of brokers before 3.8 alone."""


def kafka_at_least(pipeline: Pipeline, line: str) -> bool:
    """Whether the brokers run this release line or a later one."""
    return _line(pipeline.kafka) >= _line(line)


@cache
def _line(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2])


def controllers(pipeline: Pipeline) -> int | None:
    """How many controllers the cluster has, if that was said; with ZooKeeper there are no such."""
    return _servers(pipeline, "controllers")


def zookeeper_servers(pipeline: Pipeline) -> int | None:
    """How many servers its ZooKeeper has, if that was said; in KRaft mode there are no such."""
    return _servers(pipeline, "zookeeper.servers")


def _servers(pipeline: Pipeline, name: str) -> int | None:
    is_known = pipeline.knows(Component.APPLICATION, name)
    count = pipeline.value(Component.APPLICATION, name) if is_known else None
    return count if isinstance(count, int) else None


def in_fullest_rack(factor: int, racks: int) -> int:
    """Replicas in the rack that has most of them, spread evenly: ceil(factor / racks)."""
    return in_racks(factor, racks, 1)


def in_racks(factor: int, racks: int, lost: int) -> int:
    """Replicas in the `lost` racks that have most of them, spread evenly (KIP-36)."""
    number, more = divmod(factor, racks)
    return lost * number + min(lost, more)


@dataclass(frozen=True, slots=True)
class CopyLoss:
    """How many copies of one topic may be lost at once, with whose brokers, and where these are;
    `removed` are those that a reassignment took away before."""

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
    """As many as the team wants to survive, or those in one of the stated racks (KIP-36); and a
    copy in sync that a reassignment removes too early."""
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
    """The fewest copies that survive what may be lost at once and leave one to spare for writes,
    also beside a stated minimum in sync; as many as there are brokers where none do."""
    for copies in range(max(pipeline.requirement.survive, least - 1) + 2, pipeline.brokers):
        if copies > simultaneous_loss(pipeline, copies).count + 1:
            return copies
    return pipeline.brokers


def short_of_copies(pipeline: Pipeline, copies: int) -> bool:
    """Whether a topic should have more copies, for what the team wants to survive."""
    return pipeline.requirement.survive > 0 and copies < enough_copies(pipeline)


def removed_early(pipeline: Pipeline, factor: int) -> int:
    """Copies in sync that a reassignment may remove while another one is out of sync: 1, or 0.

    KRaft's controllers before 3.8 asked only of those that are added whether they are in sync
    (KAFKA-15665; read from the jars of 3.7.2 and 3.8.1, and seen in runs with three copies). Of two
    copies one is removed where another broker gets it: 3.7.2 goes on with that one alone.
    """
    is_left = factor > 2 or 1 < factor < pipeline.brokers
    if not is_left or not pipeline.knows(Component.APPLICATION, REPLICAS_MOVED):
        return 0
    any_time = pipeline.text(Component.APPLICATION, REPLICAS_MOVED) == "any-time"
    return int(any_time and not Replication(pipeline).zookeeper)


def min_isr_only_on_brokers(pipeline: Pipeline) -> int | None:
    """The min.insync.replicas of the brokers' files that a cluster with eligible leader replicas
    takes only if the active controller's file has it, too; None where nothing rests on that."""
    name = "min.insync.replicas"
    stated = pipeline.stated(Component.BROKER).get(name)
    if not isinstance(stated, int) or stated < 2 or name in pipeline.stated(Component.TOPIC):
        return None
    return stated if Replication(pipeline).eligible_replicas else None


@dataclass(frozen=True, slots=True)
class Replication:
    """The topic of a pipeline as its acknowledgements see it.

    `min_isr` is the effective minimum: since 3.7 the broker takes min(min.insync.replicas,
    replication.factor) (KAFKA-15583, `Partition.scala` effectiveMinIsr); before, a minimum
    above the factor refuses every write with `acks=all`. `eligible_replicas` is KIP-966.
    It reads only what it is asked for, so that a judgement depends on what it uses (`trace`).
    """

    pipeline: Pipeline

    @property
    def acks(self) -> str:
        return self.pipeline.text(Component.PRODUCER, "acks")

    @property
    def factor(self) -> int:
        """Replicas of each partition."""
        return self.pipeline.number(Component.TOPIC, "replication.factor")

    @derived_property
    def min_isr(self) -> int:
        """The least that must be in sync; what may be stated above the factor counts as that."""
        stated = self.pipeline.number(Component.TOPIC, "min.insync.replicas")
        return min(stated, self.factor) if self.hides_below_min_isr else stated

    @property
    def unclean(self) -> bool:
        """Whether a replica that is out of sync may lead."""
        return self.pipeline.flag(Component.TOPIC, "unclean.leader.election.enable")

    @property
    def unclean_election_note(self) -> str:
        """Who elects a replica that is out of sync in KRaft mode before 3.9, whose controllers did
        not read the setting (KAFKA-12670); empty elsewhere."""
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
        """Whether ZooKeeper says who is alive; where it does not, KRaft's controllers do.

        KRaft is for production since 3.3 (KIP-833) and alone since 4.0 (KIP-500): only between
        them it is a question, and brokers before are taken to have ZooKeeper.
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
        """The brokers' setting that says how long a silent one counts as alive."""
        return f"{'zookeeper' if self.zookeeper else 'broker'}.session.timeout.ms"

    @property
    def fencing(self) -> str:
        """That setting with its value, for a reason: a dead broker leads until then."""
        return f"{self.session_setting}={self.session_timeout_ms}"

    @property
    def session_timeout_ms(self) -> int:
        """What that setting says."""
        return self.pipeline.number(Component.BROKER, self.session_setting)

    @property
    def failure_detection_ms(self) -> int:
        """How long a broker that is silent counts as alive, at most.

        ZooKeeper grants a session from 2 to 20 of its ticks, and ends it at the first tick after
        that time (ZooKeeperServer.java, minSessionTimeout and maxSessionTimeout;
        ExpiryQueue.java).
        """
        if not self.zookeeper:
            return self.session_timeout_ms
        tick = ZOOKEEPER_TICK_MS
        return min(max(self.session_timeout_ms, 2 * tick), 20 * tick) + tick

    @property
    def heartbeat_ms(self) -> int | None:
        """How often a broker says that it is alive; ZooKeeper's clients decide that themselves."""
        name = "broker.heartbeat.interval.ms"
        return None if self.zookeeper else self.pipeline.number(Component.BROKER, name)

    @property
    def repeated_fencing(self) -> str:
        """Why each broker that lives is fenced between two of its heartbeats; empty if it is not.

        The controller holds the time since the last heartbeat against its session alone
        (BrokerHeartbeatManager.java); Kafka starts all the same and logs an error (KAFKA-19432).
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
        """How long a follower may lag and count as in sync."""
        return self.pipeline.number(Component.BROKER, "replica.lag.time.max.ms")

    @property
    def eligible_replicas(self) -> bool:
        """Whether the cluster remembers who outside the in-sync set may lead cleanly."""
        name = "eligible.leader.replicas.version"
        since_4_0 = kafka_at_least(self.pipeline, "4.0")
        return since_4_0 and self.pipeline.number(Component.APPLICATION, name) == 1

    @property
    def returns_empty(self) -> bool:
        """Whether a broker that lost its disk comes back by itself before another one leads."""
        return self.pipeline.text(Component.APPLICATION, "disk.lost") != "replica-elected"

    @property
    def disk_lost(self) -> str:
        """What the team says of a broker that lost its disk."""
        return f"application.disk.lost={self.pipeline.text(Component.APPLICATION, 'disk.lost')}"

    def may_lead_empty(self, copies: int) -> bool:
        """Whether a partition that is sure of so many copies may be led by an empty disk.

        The in-sync set shrinks to one broker; that one comes back empty and leads, and the others
        truncate, whatever copies they have. Only eligible leader replicas keep it from leading, and
        there are some only where two copies or more are asked for (docs/decisions/0033).
        """
        return self.returns_empty and not (self.eligible_replicas and copies > 1)

    @property
    def flush_messages(self) -> int:
        """Records after which a replica writes its disk by itself."""
        return self.pipeline.number(Component.TOPIC, "flush.messages")

    @derived_property
    def waits_for_followers(self) -> bool:
        return self.acks == "all"

    @property
    def flushes(self) -> bool:
        """Whether a replica has each record on its disk before it says that it has it."""
        return self.flush_messages == 1

    @property
    def flushes_never(self) -> bool:
        """Whether the operating system alone decides, which is the product's default."""
        return self.flush_messages == 2**63 - 1

    @derived_property
    def fails_over(self) -> bool:
        """Whether another replica can lead when the leader is gone."""
        return self.factor > 1

    @derived_property
    def copies(self) -> int:
        """Copies that an acknowledged record is sure to have: acks=0 none, acks=1 the leader's."""
        if self.waits_for_followers:
            return min(self.min_isr, self.factor)
        return 0 if self.acks == "0" else 1

    def high_watermark_advances(self, in_sync: int) -> bool:
        """Whether the high watermark moves, and records can be read, with so many in sync."""
        return in_sync >= self.min_isr or not self.hides_below_min_isr

    @property
    def survives(self) -> int:
        """Brokers that may be lost for good without losing an acknowledged record."""
        return max(self.copies - 1, 0)

    @property
    def spares(self) -> int:
        """Brokers that may be down while writes with acks=all go on; below 0 none is accepted."""
        return self.factor - self.min_isr

    @derived_property
    def failover_ms(self) -> int:
        """The longest wait for a leader after a crash: the dead one must first be fenced, or, where
        nobody else has a copy, start again."""
        if not self.fails_over:  # it registers, and is let in (BrokerLifecycleManager)
            return RESTART_MS + 2 * self.extra_linger_ms
        return self.failure_detection_ms + ELECTION_MARGIN_MS + self.extra_linger_ms

    @property
    def extra_linger_ms(self) -> int:
        """What each decision of the active controller waits beyond Kafka's own value: a new leader
        as well as a smaller in-sync set (BatchAccumulator). Seen on 4.3.1: with 3 s, 5 s and 10 s
        a topic was there after 3.1 s, 5.0 s and 10.2 s. Of ZooKeeper no formula says it."""
        if self.zookeeper:
            return 0
        return max(self.pipeline.number(Component.BROKER, LINGER) - LINGER_MS, 0)

    @property
    def controller_failover_ms(self) -> int:
        """How long there may be no active controller after the last one's death.

        The others take it for dead when they have fetched nothing for so long, and ask for votes;
        one round that nobody wins takes up to twice its time (KafkaRaftClient). What the next one
        decides is gathered first. Of ZooKeeper no formula says it.
        """
        if self.zookeeper:
            return 0
        fetch_ms, election_ms = (
            self.pipeline.number(Component.BROKER, name) for name in QUORUM_TIMEOUTS_MS
        )
        return fetch_ms + 2 * election_ms + LINGER_MS

    @property
    def failover_with_controller_ms(self) -> int:
        """The longest wait for a leader where the machine that dies is the active controller, too.

        The next one gives each broker a whole session from its own start (BrokerHeartbeatManager).
        """
        return (
            self.controller_failover_ms + self.failover_ms if self.fails_over else self.failover_ms
        )

    @property
    def slowest_pause(self) -> str:
        """What lasts as long as `slowest_pause_ms`, as the beginning of a sentence."""
        if self.slowest_pause_ms == self.failover_with_controller_ms > self.failover_ms:
            return "The wait for a new controller, and for a new leader after it,"
        return "A pause for a slow or dead broker"

    @property
    def wait_for_leader(self) -> str:
        """What that wait is for, as the beginning of a sentence."""
        return "The wait for a new leader" if self.fails_over else "The restart of the only leader"

    @derived_property
    def slowest_pause_ms(self) -> int:
        """The longest pause that passes by itself.

        A follower that hangs holds up acks=all until it leaves the ISR, which is checked every
        half of replica.lag.time.max.ms: 1.5 times that (ReplicaManager.scala, startup).
        """
        if not self.waits_for_followers:
            return self.failover_with_controller_ms
        return max(self.failover_with_controller_ms, self.slow_follower_ms + ELECTION_MARGIN_MS)

    @property
    def slow_follower_ms(self) -> int:
        """How long a follower that fetches nothing may stay in the in-sync set."""
        return self.lag_max_ms * 3 // 2 + self.extra_linger_ms
