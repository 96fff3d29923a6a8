"""The smallest upgrade after which no known bug concerns a pipeline."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from advisor.advisories.load import advisories
from advisor.advisories.matching import Hit, Versions, may_concern
from advisor.advisories.model import Part
from advisor.advisories.releases import possible_releases, releases
from advisor.reasoning.pipeline import Pipeline

_CLIENT = frozenset({Part.PRODUCER, Part.CONSUMER, Part.STREAMS, Part.CONNECT})
"""Parts of one release: the clients of one application."""


@dataclass(frozen=True, slots=True)
class Upgrade:
    """A product to upgrade, its release, and the advisories that no release fixes.

    `target` is empty if no later release is known to be better. `but_not` are later releases that
    bring back a bug, or have another one that concerns the pipeline, oldest first.
    """

    what: str
    running: str
    target: str
    clears: tuple[str, ...]
    remain: tuple[str, ...]
    but_not: tuple[str, ...] = ()


def upgrades(
    hits: Iterable[Hit], running: Versions, pipeline: Pipeline | None = None
) -> tuple[Upgrade, ...]:
    """Returns the smallest upgrade of each separately released product that is affected."""
    return tuple(_upgrades(tuple(hits), running, pipeline))


def _upgrades(
    hits: tuple[Hit, ...], running: Versions, pipeline: Pipeline | None
) -> Iterator[Upgrade]:
    clients = "kafka-clients inside Spark" if Part.SPARK in running else "Java clients"
    for product, parts in (
        ("brokers", {Part.BROKER}),
        (clients, _CLIENT),
        ("librdkafka", {Part.LIBRDKAFKA}),
        ("Spark", {Part.SPARK}),
    ):
        product_hits = [hit for hit in hits if hit.advisory.part in parts]
        if product_hits:
            yield _smallest(
                product, product_hits, {part for part in parts if part in running}, pipeline
            )


def _smallest(name: str, hits: list[Hit], parts: set[Part], pipeline: Pipeline | None) -> Upgrade:
    text, product = hits[0].running, hits[0].advisory.product
    affecting = [affecting.advisory for affecting in hits]
    # The newest that may be running: an upgrade from a line must not lead back within it.
    least = max(
        release
        for release in possible_releases(product, text)
        if any(advisory.affects(release) for advisory in affecting)
    )
    later = [release for release in releases(product) if release >= least]
    curable = [
        advisory
        for advisory in affecting
        if any(not advisory.affects(release) for release in later)
    ]
    other_advisories = [
        advisory for advisory in advisories()
        if advisory.part in parts and advisory not in affecting and may_concern(advisory, pipeline)
    ]  # fmt: skip
    clean = [
        version for version in later if not any(advisory.affects(version) for advisory in curable)
    ]
    good = [
        version
        for version in clean
        if not any(advisory.affects(version) for advisory in other_advisories)
    ]
    target = next(iter(good or clean), None) if curable else None
    bad = [release for release in later if target and release > target and release not in good]
    cleared = tuple(advisory.id for advisory in curable) if target else ()
    return Upgrade(
        what=name,
        running=text,
        target=str(target or ""),
        clears=cleared,
        remain=tuple(advisory.id for advisory in affecting if advisory.id not in cleared),
        but_not=tuple(map(str, bad)),
    )
