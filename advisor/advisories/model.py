"""The data of an advisory: a known bug of some releases that affects delivery."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from packaging.version import Version

from advisor.catalog import Component, Value, written
from advisor.reasoning.guarantees import Anomaly


class Part(StrEnum):
    """The component whose release has the bug; `producer` and `consumer` are Java's."""

    PRODUCER = "producer"
    CONSUMER = "consumer"
    BROKER = "broker"
    STREAMS = "streams"
    CONNECT = "connect"
    SPARK = "spark"
    LIBRDKAFKA = "librdkafka"


class Product(StrEnum):
    """A product with one release number: clients, brokers, Streams and Connect are all Kafka."""

    KAFKA = "kafka"
    LIBRDKAFKA = "librdkafka"
    SPARK = "spark"


class Confidence(StrEnum):
    """The sources: reports (ticket, pull request, release notes), the commit of the fix, or
    both."""

    TICKET = "ticket"
    COMMIT = "commit"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class Range:
    """The releases from `since` on and before `before`; None leaves that end open."""

    since: Version | None
    before: Version | None

    def __contains__(self, release: Version) -> bool:
        started = self.since is None or release >= self.since
        return started and (self.before is None or release < self.before)

    def __str__(self) -> str:
        since = f">={self.since}" if self.since else ""
        before = f"<{self.before}" if self.before else ""
        return ",".join(name for name in (since, before) if name)

    @property
    def words(self) -> str:
        """The range in words."""
        if self.since is None:
            return f"before {self.before}"
        return f"{self.since} to before {self.before}" if self.before else f"from {self.since} on"


@dataclass(frozen=True, slots=True)
class SettingNeed:
    """A setting that must have one of these values for the bug to matter."""

    component: Component
    setting: str
    values: tuple[Value, ...]

    def __str__(self) -> str:
        text = " or ".join(written(value) for value in self.values)
        return f"{self.component}.{self.setting}={text}"


@dataclass(frozen=True, slots=True)
class Advisory:
    """One known bug.

    A release is affected if it is in any of the ranges `affected`; `fixed` holds the first good
    release of each line that got the fix, oldest first, and is empty while there is none.
    `mechanism` is three sentences. `features` are names of `features.FEATURES`. `checked` says how
    the versions were verified, `incident` names the incident that shows the bug, if one does;
    `not_played` says what an incident of it would take, where one was thought of and not built.
    """

    id: str
    title: str
    part: Part
    affected: tuple[Range, ...]
    fixed: tuple[Version, ...]
    anomalies: tuple[Anomaly, ...]
    mechanism: tuple[str, ...]
    workaround: str
    sources: tuple[str, ...]
    checked: str
    confidence: Confidence
    settings: tuple[SettingNeed, ...] = ()
    features: tuple[str, ...] = ()
    incident: str = ""
    not_played: str = ""

    @property
    def slug(self) -> str:
        """The name in the address of the page."""
        return "".join(name if name.isalnum() else "-" for name in self.id.lower()).strip("-")

    @property
    def product(self) -> Product:
        """The product whose release numbers the ranges have."""
        products = {Part.SPARK: Product.SPARK, Part.LIBRDKAFKA: Product.LIBRDKAFKA}
        return products.get(self.part, Product.KAFKA)

    def affects(self, release: Version) -> bool:
        """Whether this release has the bug."""
        return any(release in span for span in self.affected)
