"""Spring Boot applications: the same settings by several names, in several places.

The place with the highest precedence counts (Spring Boot reference, "Externalized Configuration").
The `properties` of a client override the names of Spring, and these override the common
`properties` (KafkaProperties).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from advisor.intake.frameworks.spring.names import NAMES
from tests.advisor.drawn.effective import CONSUMER, VALUES, Drawn, File, Name
from tests.advisor.drawn.started import filled_in, started
from tests.advisor.drawn.texts import Row, properties, yaml

PLACES = ("first", "later", "properties", "profile", "variable", "json", "argument")
"""In the order of precedence: later places override earlier ones."""
_FORMS = ("all", "own", "client")


@dataclass(frozen=True, slots=True)
class Stated:
    place: str
    form: str
    name: Name
    value: str


def spring(random: Random) -> Drawn:
    """An application with its files and its launcher."""
    places = sorted(random.sample(PLACES, random.randint(1, 3)), key=PLACES.index)
    names = random.sample(list(VALUES), random.randint(1, 4))
    stated = dict[tuple[str, str, Name], str]()
    for name in names:
        for _ in range(random.choice([1, 1, 2, 2, 3])):
            form = random.choice(_FORMS)
            if form == "own" and not _spring_name(name):
                form = "client"
            stated[random.choice(places), form, name] = random.choice(VALUES[name])
    effective = _effective(stated)
    if any(name[0] is CONSUMER for _, _, name in stated):
        effective.setdefault((CONSUMER, "enable.auto.commit"), "false")
    return Drawn(_files(random, stated), effective)


def _effective(stated: Mapping[tuple[str, str, Name], str]) -> dict[Name, str]:
    ranked = sorted(stated.items(), key=lambda row: (
        _FORMS.index(row[0][1]), PLACES.index(row[0][0])))  # fmt: skip
    effective = dict[Name, str]()
    for form in _FORMS:
        for (_, stated_form, name), value in ranked:
            if stated_form == form:
                effective[name] = value
    return effective


def _spring_name(name: Name) -> str:
    names = {key: spring_name for spring_name, key in NAMES[name[0]].items() if key}
    return names.get(name[1], "")


def _property(random: Random, form: str, name: Name) -> str:
    component, key = name
    if form == "own":
        spring_name = _spring_name(name)
        if random.random() < 0.2:
            first, *rest = spring_name.split("-")
            spring_name = random.choice(
                [
                    first + "".join(word.title() for word in rest),
                    spring_name.replace("-", "_"),
                ]
            )
        return f"spring.kafka.{component}.{spring_name}"
    bracketed = f"[{key}]" if random.random() < 0.2 else f".{key}"
    part = "" if form == "all" else f".{component}"
    return f"spring.kafka{part}.properties{bracketed}"


def _spelled(random: Random, form: str, value: str) -> str:
    """A value, perhaps in another form that Spring or Kafka converts to it.

    Sources: "Converting Durations"; StringToBooleanConverter; ConfigDef.
    """
    if random.random() < 0.6:
        return value
    if form != "own":
        return value.upper() if value in ("true", "false") else value
    match value:
        case "true":
            return random.choice(["on", "yes", "TRUE", "True", "1"])
        case "false":
            return random.choice(["off", "no", "FALSE", "False", "0"])
        case "read_committed" | "read_uncommitted":
            return random.choice([value.upper(), value.replace("_", "-"), value.title()])
        case "300000":
            return random.choice(["5m", "300s", "PT5M", "300000ms", "pt300s", "5M", "300S"])
        case "60000":
            return random.choice(["1m", "60s", "PT1M", "60000ms", "PT60S"])
        case _:
            return value


def _variable(form: str, name: Name) -> str:
    component, key = name
    if form == "own":
        return f"SPRING_KAFKA_{component}_{_spring_name(name).replace('-', '')}".upper()
    part = "" if form == "all" else f"_{component}"
    return f"SPRING_KAFKA{part}_PROPERTIES_{key.replace('.', '_')}".upper()


def _rows(
    random: Random, stated: Mapping[tuple[str, str, Name], str]
) -> tuple[dict[str, list[Row]], list[Row]]:
    """The rows of each place, and the variables."""
    rows, variables = dict[str, list[Row]](), list[Row]()
    for (place, form, name), value in stated.items():
        if place == "variable":
            variables.append((_variable(form, name), value))
        else:
            row = (_property(random, form, name), _spelled(random, form, value))
            rows.setdefault(place, []).append(row)
    return rows, variables


def _files(random: Random, stated: Mapping[tuple[str, str, Name], str]) -> list[File]:
    rows, variables = _rows(random, stated)
    first: list[Row] = [
        ("spring.application.name", "orders"),
        ("spring.kafka.bootstrap-servers", "a:9092,b:9092"),
    ]
    if "profile" in rows:
        if random.random() < 0.5:
            first.append(("spring.profiles.active", "prod"))
        else:
            variables.append(("SPRING_PROFILES_ACTIVE", "prod"))
    first += rows.get("first", [])
    first = filled_in(random, first, variables, ("spring.kafka.",))
    parts = [yaml(random, first)]
    if "later" in rows:
        parts.append(yaml(random, rows["later"]))
    files = [("application.yml", "---\n".join(parts))]
    if "properties" in rows:
        files.append(("application.properties", properties(random, rows["properties"])))
    if "profile" in rows:
        files.append(("application-prod.yml", yaml(random, rows["profile"])))
    if "json" in rows:
        variables.append(("SPRING_APPLICATION_JSON", json.dumps(dict(rows["json"]))))
    arguments = [f"--{name}={value}" for name, value in rows.get("argument", [])]
    if variables or arguments:
        files.append(started(random, variables, arguments))
    random.shuffle(files)
    return files
