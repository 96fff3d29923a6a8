"""The scenarios as cards, with their harms, their layer, and settings to run them with."""

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
"""The layers in which failures happen: name in the address → words."""

_LAYERS_BY_BOUNDARY = {
    Boundary.PRODUCER_TO_LOG: "brokers",
    Boundary.LOG_TO_CONSUMER: "consumers",
    Boundary.END_TO_END: "application",
}


@dataclass(frozen=True, slots=True)
class Stated:
    """One setting of a preset, as in a client's file."""

    component: str
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Card:
    """One scenario. `case` has weak and safe settings with known different results; `weak` and
    `safe` are the settings that they state."""

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
    """Returns every scenario, with its first case that has both kinds of settings, if any."""
    return tuple(_card(scenario) for scenario in all_scenarios())


def shown(harm: str, layer: str) -> list[Card]:
    """Returns the cards of a harm and of a layer; unknown values match all."""
    return [
        card for card in cards()
        if (harm not in harms() or harm in card.harms)
        and (layer not in LAYERS or layer == card.layer)
    ]  # fmt: skip


def by_layer(cards: Iterable[Card]) -> list[tuple[str, list[Card]]]:
    """Returns the cards by layer, in words; layers without cards are omitted."""
    grouped: dict[str, list[Card]] = {words: [] for words in LAYERS.values()}
    for card in cards:
        grouped[card.where].append(card)
    return [(words, in_layer) for words, in_layer in grouped.items() if in_layer]


@cache
def harms() -> tuple[Anomaly, ...]:
    """Returns the harms that a scenario can cause, in the order of `Anomaly`."""
    met = {harm for card in cards() for harm in card.harms}
    return tuple(harm for harm in Anomaly if harm in met)


def find_case(scenario: str) -> Case | None:
    """Returns the case that a card runs."""
    return next((card.case for card in cards() if card.scenario.name == scenario), None)


def _card(scenario: Scenario) -> Card:
    cases = [case for case in CASES if case.scenario == scenario.name]
    case = next((case for case in cases if case.good is not None), cases[0] if cases else None)
    shown = {*map(Anomaly, scenario.shows), *(case.anomaly for case in cases)}
    return Card(
        scenario, _layer(scenario), tuple(harm for harm in Anomaly if harm in shown), case,
        _stated(case.bad if case else {}), _stated((case.good or {}) if case else {}),
    )  # fmt: skip


def _layer(scenario: Scenario) -> str:
    for engine in ("spark", "streams"):
        if scenario.workload.startswith(engine):
            return engine
    if scenario.linked:
        return "network"
    boundaries = [event.boundary for event in all_events() if event.scenario == scenario.name]
    return _LAYERS_BY_BOUNDARY[boundaries[0]] if boundaries else "brokers"


def _stated(settings: Mapping[str, object]) -> tuple[Stated, ...]:
    if not settings:
        return ()
    described = pipeline(**settings)  # type: ignore[arg-type]
    return tuple(_lines((part, described.stated(part)) for part in Component))


def _lines(parts: Iterable[tuple[Component, Mapping[str, object]]]) -> Iterable[Stated]:
    for part, stated in parts:
        for name, value in stated.items():
            yield Stated(part, name, written(value))
