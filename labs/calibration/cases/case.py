"""A scenario with settings that show its anomaly, and settings that prevent it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from advisor.catalog import Value, kafka_line
from advisor.catalog.versions import at_least
from advisor.reasoning.guarantees import FORBIDS, Anomaly, Guarantee
from labs.calibration.cases.arms import arm
from labs.engine.distributions.distribution import kafka_versions
from labs.engine.plan.spec import ExperimentSpec
from labs.engine.scenarios import find
from labs.engine.scenarios.model import OLDEST_KRAFT

Settings = dict[str, Value]
"""Settings as keyword arguments of `labs.calibration.cases.arms.arm`."""

# A run is short: a group may not have committed anything yet when a broker or a member dies.
EARLIEST: Settings = {"consumer__auto_offset_reset": "earliest"}
TWO_COPIES: Settings = EARLIEST | {"topic__min_insync_replicas": 2}
COMMIT_AFTER: Settings = EARLIEST | {"application__commit": "after-processing"}
IDEMPOTENT_SINK: Settings = COMMIT_AFTER | {
    "topic__min_insync_replicas": 2,
    "application__sink": "idempotent",
}
IN_TRANSACTIONS: Settings = {
    "producer__transactional_id": "orders-1",
    "application__restart": "resumes",
}
LATEST: Settings = COMMIT_AFTER | {"consumer__auto_offset_reset": "latest"}
TRANSACTIONAL_OFFSETS: Settings = COMMIT_AFTER | {
    "producer__transactional_id": "orders-1",
    "application__commit": "in-transaction",
    "consumer__enable_auto_commit": False,
    "consumer__isolation_level": "read_committed",
}

NEWEST = "4.3.1"
"""The release on which the tests run their cases."""

ARMS = {"bad": "shown", "good": "prevented"}
"""The arms of a case, with the word for an arm that has the expected result."""


@dataclass(frozen=True)
class Case:
    """`bad` settings that show `anomaly` in a scenario, and `good` ones that prevent it.

    An arm is judged by the guarantee `want`; it holds if `want` does not forbid the anomaly. An
    outage counts as shown if it lasts longer than `over_ms`. If no settings prevent the anomaly,
    `good` is None. `shorter` overrides durations of the scenario, in seconds. The tests stage the
    cases that are `tested`, one of each family; `make nightly` stages all. `since` is the oldest
    line of brokers that accepts the settings. On lines in KRaft mode before `acts_since` the bad
    settings have no effect and show nothing.
    """

    name: str
    scenario: str
    want: str
    anomaly: Anomaly
    bad: Settings
    good: Settings | None
    shorter: dict[str, float] = field(default_factory=dict)
    tested: bool = False
    over_ms: int | None = None
    since: str = OLDEST_KRAFT
    acts_since: str = OLDEST_KRAFT

    @property
    def arms(self) -> list[str]:
        return ["bad"] if self.good is None else list(ARMS)

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines of brokers on which the case can be run, newest first."""
        return tuple(line for line in find(self.scenario).lines if at_least(line, self.since))

    @property
    def zookeeper_lines(self) -> tuple[str, ...]:
        """The lines of brokers with ZooKeeper on which the case can be run, newest first."""
        known = find(self.scenario).zookeeper_lines
        # Settings that all lines in KRaft mode accept are also accepted by older lines.
        return tuple(
            line for line in known if self.since == OLDEST_KRAFT or at_least(line, self.since)
        )

    def settings(self, arm: str, kafka: str, *, zookeeper: bool = False) -> Settings:
        """The settings of an arm for a release of the brokers, which may use ZooKeeper."""
        line = kafka_line(kafka)
        release: Settings = {"kafka": line}
        if zookeeper and at_least(line, OLDEST_KRAFT):  # older brokers always use it
            release["application__metadata_mode"] = "zookeeper"
        return (self.bad if arm == "bad" else self.good or {}) | release

    def experiment(
        self,
        seed: int = 1,
        arms: Sequence[str] = (),
        kafka: str = NEWEST,
        *,
        zookeeper: bool = False,
    ) -> ExperimentSpec:
        """An experiment with all arms, or only some, on a release of the brokers."""
        stated = {arm: self.settings(arm, kafka, zookeeper=zookeeper) for arm in ARMS}
        rows = [arm(name, self.want, **stated[name]) for name in arms or self.arms]
        java = kafka_versions()[0] if find(self.scenario).client_decides else None
        return ExperimentSpec(
            self.scenario, seed, tuple(rows), kafka, self.shorter,
            java_clients=java, zookeeper=zookeeper,
        )  # fmt: skip

    @property
    def counted(self) -> str:
        """The name of the judge's count for the anomaly."""
        return str(self.anomaly) if self.over_ms is None else f"{self.anomaly}_ms"

    def acts(self, kafka: str, *, zookeeper: bool = False) -> bool:
        """Whether the bad settings have an effect on a release of the brokers."""
        return zookeeper or at_least(kafka_line(kafka), self.acts_since)

    def right(self, arm: str, verdict: str, count: int | None, *, acts: bool = True) -> bool:
        """Whether an arm had the expected result: the anomaly or none, and the matching verdict."""
        if count is None:
            return False
        shown = count > (self.over_ms or 0)
        expected = arm == "bad" and acts
        is_broken = expected and self.anomaly in FORBIDS[Guarantee(self.want)]
        return (verdict, shown) == ("broken" if is_broken else "holds", expected)
