"""The scenarios as cards: what each may do, where, and with which settings it can be run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from advisor.catalog import Component, written
from advisor.reasoning.failures import all_events
from advisor.reasoning.guarantees import Anomaly, Boundary
from labs.calibration.cases import CASES, Case
from labs.calibration.cases.arms import pipeline
from labs.engine.scenarios import all_scenarios
from labs.engine.scenarios.model import Scenario

LAYERS: Mapping[str, str] = {
    "brokers": "Producer and brokers",
    "network": "Network",
    "consumers": "Consumers",
    "application": "Application, end to end",
    "spark": "Spark",
    "streams": "Kafka Streams",
}
"""Where a failure happens: its name in the address, and in words."""

_OF_BOUNDARY = {
    Boundary.PRODUCER_TO_LOG: "brokers",
    Boundary.LOG_TO_CONSUMER: "consumers",
    Boundary.END_TO_END: "application",
}


@dataclass(frozen=True, slots=True)
class Stated:
    """One setting of a preset, as a file of the client's would have it."""

    component: str
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Card:
    """One scenario. `case` holds the weak and the safe settings that it is known to tell apart,
    `weak` and `safe` are what they state."""

    scenario: Scenario
    layer: str
    harms: tuple[Anomaly, ...]
    case: Case | None
    weak: tuple[Stated, ...]
    safe: tuple[Stated, ...]

    @property
    def where(self) -> str:
        return LAYERS[self.layer]


@cache
def cards() -> tuple[Card, ...]:
    """Every scenario, with the first case of it that has both kinds of settings, if any has."""
    return tuple(_card(scenario) for scenario in all_scenarios())


def shown(harm: str, layer: str) -> list[Card]:
    """The cards of a harm and of a layer; what the form does not offer is all."""
    return [
        card for card in cards()
        if (harm not in harms() or harm in card.harms)
        and (layer not in LAYERS or layer == card.layer)
    ]  # fmt: skip


def by_layer(cards: Iterable[Card]) -> list[tuple[str, list[Card]]]:
    """Each layer that has any of the cards, in words, with them."""
    grouped: dict[str, list[Card]] = {words: [] for words in LAYERS.values()}
    for card in cards:
        grouped[card.where].append(card)
    return [(where, own) for where, own in grouped.items() if own]


@cache
def harms() -> tuple[Anomaly, ...]:
    """The harms that any scenario can bring about, in the order in which they are known."""
    met = {harm for card in cards() for harm in card.harms}
    return tuple(harm for harm in Anomaly if harm in met)


def find_case(scenario: str) -> Case | None:
    """The case that a card runs."""
    return next((card.case for card in cards() if card.scenario.name == scenario), None)


def _card(scenario: Scenario) -> Card:
    mine = [case for case in CASES if case.scenario == scenario.name]
    case = next((case for case in mine if case.good is not None), mine[0] if mine else None)
    harms_ = {*map(Anomaly, scenario.shows), *(case.anomaly for case in mine)}
    return Card(
        scenario, _layer(scenario), tuple(harm for harm in Anomaly if harm in harms_), case,
        _stated(case.bad if case else {}), _stated((case.good or {}) if case else {}),
    )  # fmt: skip


def _layer(scenario: Scenario) -> str:
    for engine in ("spark", "streams"):
        if scenario.workload.startswith(engine):
            return engine
    if scenario.linked:
        return "network"
    boundaries = [event.boundary for event in all_events() if event.scenario == scenario.name]
    return _OF_BOUNDARY[boundaries[0]] if boundaries else "brokers"


def _stated(settings: Mapping[str, object]) -> tuple[Stated, ...]:
    if not settings:
        return ()
    described = pipeline(**settings)  # type: ignore[arg-type]
    return tuple(_lines((part, described.stated(part)) for part in Component))


def _lines(parts: Iterable[tuple[Component, Mapping[str, object]]]) -> Iterable[Stated]:
    for part, stated in parts:
        for name, value in stated.items():
            yield Stated(part, name, written(value))
