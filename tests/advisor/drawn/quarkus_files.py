"""Quarkus applications: channels of SmallRye Reactive Messaging, stated in several places.

The source with the highest ordinal counts, and in one source the property of the profile (Quarkus,
Configuration Reference Guide; SmallRye Config, ProfileConfigSourceInterceptor). A property of the
channel overrides that of the connector, which overrides that of all clients (KafkaConnector).
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from advisor.catalog import Component
from tests.advisor.drawn.effective import CONSUMER, PRODUCER, VALUES, Drawn, File, Name
from tests.advisor.drawn.started import filled_in, started
from tests.advisor.drawn.texts import Row, properties, yaml

_PLACES = (
    "application.properties", "application-prod.properties", "application.yaml",
    "application-prod.yaml", "config/application.properties", "variable",
)  # fmt: skip
_FORMS = ("all", "connector", "channel")
_CHANNELS = {PRODUCER: "outgoing.orders", CONSUMER: "incoming.orders-in"}

_Place = tuple[str, str, bool, Name]
"""The file or variable, the form of the name, whether in profile prod, and the setting."""


def quarkus(random: Random) -> Drawn:
    """An application with its files and its launcher."""
    places = random.sample(_PLACES, random.randint(1, 3))
    stated = dict[_Place, str]()
    for name in random.sample(list(VALUES), random.randint(1, 4)):
        for _ in range(random.choice([1, 1, 2, 2, 3])):
            place, form = random.choice(places), random.choice(_FORMS)
            form = "channel" if place == "variable" else form
            in_profile = random.random() < 0.3 and "-prod" not in place
            stated[place, form, in_profile, name] = random.choice(VALUES[name])
    effective = _effective(stated)
    used = {component for _, _, _, (component, _) in stated}
    if PRODUCER in used:
        effective.setdefault((PRODUCER, "acks"), "1")
    if CONSUMER in used:
        effective.setdefault((CONSUMER, "enable.auto.commit"), "false")
    return Drawn(_files(random, stated, used), effective)


def _effective(stated: Mapping[_Place, str]) -> dict[Name, str]:
    def rank(row: tuple[_Place, str]) -> tuple[int, int, bool]:
        (place, form, in_profile, _), _ = row
        return _FORMS.index(form), _PLACES.index(place), in_profile

    return {name: value for (_, _, _, name), value in sorted(stated.items(), key=rank)}


def _property(form: str, name: Name) -> str:
    component, key = name
    match form:
        case "all":
            return f"kafka.{key}"
        case "connector":
            return f"mp.messaging.connector.smallrye-kafka.{key}"
        case _:
            return f"mp.messaging.{_CHANNELS[component]}.{key}"


def _files(random: Random, stated: Mapping[_Place, str], used: set[Component]) -> list[File]:
    rows = dict[str, list[Row]]()
    variables = list[Row]()
    for (place, form, in_profile, name), value in stated.items():
        property_name = _property(form, name)
        if place == "variable":
            property_name = property_name.upper().replace(".", "_").replace("-", "_")
            variables.append((f"_PROD_{property_name}" if in_profile else property_name, value))
        else:
            rows.setdefault(place, []).append(
                (f"%prod.{property_name}" if in_profile else property_name, value)
            )
    first = rows.setdefault(random.choice(["application.properties", "application.yaml"]), [])
    for component in sorted(used):
        channel = f"mp.messaging.{_CHANNELS[component]}"
        first[:0] = [(f"{channel}.connector", "smallrye-kafka"), (f"{channel}.topic", "orders")]
    first = [("quarkus.application.name", "orders"), ("kafka.bootstrap.servers", "a:9092"), *first]
    files = list[File]()
    for file, file_rows in rows.items():
        lines = file_rows
        if lines and file in ("application.properties", "application.yaml") and lines != first[2:]:
            lines = [*first[:2], *lines]
        if lines == first[2:]:
            lines = first
        if random.random() < 0.3:
            lines = filled_in(random, lines, variables, ("mp.", "kafka.", "%"))
        is_yaml = file.endswith("yaml")
        files.append((file, yaml(random, lines) if is_yaml else properties(random, lines)))
    if variables:
        files.append(started(random, variables, []))
    random.shuffle(files)
    return files
