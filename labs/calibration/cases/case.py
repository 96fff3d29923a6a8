"""A scenario with settings that show what it can do to messages, and settings that prevent it."""

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
"""As `labs.calibration.cases.arms.arm` takes them."""

# A run is so short that a group may not have committed anything when a broker or a member dies.
EARLIEST: Settings = {"consumer__auto_offset_reset": "earliest"}
TWO_COPIES: Settings = EARLIEST | {"topic__min_insync_replicas": 2}
AFTER: Settings = EARLIEST | {"application__commit": "after-processing"}
SAFE: Settings = AFTER | {"topic__min_insync_replicas": 2, "application__sink": "idempotent"}
IN_TRANSACTIONS: Settings = {
    "producer__transactional_id": "orders-1",
    "application__restart": "resumes",
}
LATEST: Settings = AFTER | {"consumer__auto_offset_reset": "latest"}
OFFSETS_TOO: Settings = AFTER | {
    "producer__transactional_id": "orders-1",
    "application__commit": "in-transaction",
    "consumer__enable_auto_commit": False,
    "consumer__isolation_level": "read_committed",
}

NEWEST = "4.3.1"
"""The release on which the tests run their cases."""

ARMS = {"bad": "shown", "good": "prevented"}
"""The arms of a case, and what each of them tells when it is right."""


@dataclass(frozen=True)
class Case:
    """Settings that show `anomaly` in a scenario, judged against `want`, and settings that do not.

    An outage counts as shown if it lasts longer than `over_ms`. An arm that shows what
    `want` does not forbid holds. Where settings only change how much of it there
    is, `good` is None. `shorter` overrides durations of the scenario, in seconds. The tests
    stage those that are `tested`, one of a family; `make nightly` stages all. `since` is the
    oldest line of brokers that takes the settings. On lines in KRaft mode before `acts_since` the
    bad settings have no effect, so that they show nothing either.
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
        """The lines of brokers on which it can be run, newest first."""
        return tuple(line for line in find(self.scenario).lines if at_least(line, self.since))

    @property
    def zookeeper_lines(self) -> tuple[str, ...]:
        """The lines of brokers with ZooKeeper on which it can be run, newest first."""
        known = find(self.scenario).zookeeper_lines
        # What all lines in KRaft mode take, those before them take as well.
        return tuple(
            line for line in known if self.since == OLDEST_KRAFT or at_least(line, self.since)
        )

    def settings(self, arm: str, kafka: str, *, zookeeper: bool = False) -> Settings:
        """What an arm states on a release of the brokers, which may have ZooKeeper."""
        line = kafka_line(kafka)
        on: Settings = {"kafka": line}
        if zookeeper and at_least(line, OLDEST_KRAFT):  # older brokers have nothing else
            on["application__metadata_mode"] = "zookeeper"
        return (self.bad if arm == "bad" else self.good or {}) | on

    def experiment(
        self,
        seed: int = 1,
        arms: Sequence[str] = (),
        kafka: str = NEWEST,
        *,
        zookeeper: bool = False,
    ) -> ExperimentSpec:
        """Its arms side by side, or some of them alone, on a release of the brokers."""
        stated = {arm: self.settings(arm, kafka, zookeeper=zookeeper) for arm in ARMS}
        rows = [arm(name, self.want, **stated[name]) for name in arms or self.arms]
        java = kafka_versions()[0] if find(self.scenario).client_decides else None
        return ExperimentSpec(
            self.scenario, seed, tuple(rows), kafka, self.shorter,
            java_clients=java, zookeeper=zookeeper,
        )  # fmt: skip

    @property
    def counted(self) -> str:
        """What the judge counts it as."""
        return str(self.anomaly) if self.over_ms is None else f"{self.anomaly}_ms"

    def acts(self, kafka: str, *, zookeeper: bool = False) -> bool:
        """Whether the bad settings have an effect on a release of the brokers."""
        return zookeeper or at_least(kafka_line(kafka), self.acts_since)

    def right(self, arm: str, verdict: str, count: int | None, *, acts: bool = True) -> bool:
        """Whether an arm showed the anomaly, or did not, and was judged by that."""
        if count is None:
            return False
        shown = count > (self.over_ms or 0)
        expected = arm == "bad" and acts
        breaks = expected and self.anomaly in FORBIDS[Guarantee(self.want)]
        return (verdict, shown) == ("broken" if breaks else "holds", expected)
