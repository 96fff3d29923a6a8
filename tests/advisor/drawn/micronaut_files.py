"""Micronaut applications: settings of a client or of all clients, in several places.

Variables override files, and files of an environment override the common ones (Micronaut guide,
"Property Sources"). A setting of a client overrides that of all clients
(AbstractKafkaConfiguration).
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from tests.advisor.drawn.effective import VALUES, Drawn, File, Name
from tests.advisor.drawn.started import filled_in, started
from tests.advisor.drawn.texts import Row, yaml

_PLACES = ("application.yml", "application-prod.yml", "variable")
_FORMS = ("all", "client")


def micronaut(random: Random) -> Drawn:
    """An application with its files and its launcher."""
    places = random.sample(_PLACES, random.randint(1, 3))
    client = random.choice(["default", "default", "orders", "order-events"])
    stated = dict[tuple[str, str, Name], str]()
    for name in random.sample(list(VALUES), random.randint(1, 4)):
        for _ in range(random.choice([1, 1, 2, 2, 3])):
            place = random.choice(places)
            form = "client" if place == "variable" else random.choice(_FORMS)
            stated[place, form, name] = random.choice(VALUES[name])
    ranked = sorted(stated.items(), key=lambda row: (
        _FORMS.index(row[0][1]), _PLACES.index(row[0][0])))  # fmt: skip
    effective = {name: value for (_, _, name), value in ranked}
    return Drawn(_files(random, stated, client), effective)


def _files(random: Random, stated: Mapping[tuple[str, str, Name], str], client: str) -> list[File]:
    rows, variables = dict[str, list[Row]](), list[Row]()
    for (place, form, (component, key)), value in stated.items():
        property_name = f"kafka.{key}" if form == "all" else f"kafka.{component}s.{client}.{key}"
        if place == "variable":
            variables.append((property_name.upper().replace(".", "_").replace("-", "_"), value))
        else:
            rows.setdefault(place, []).append((property_name, value))
    parts = sorted({component for _, _, (component, _) in stated})
    client_ids = [(f"kafka.{part}s.{client}.client.id", f"c-{part}") for part in parts]
    first = [("micronaut.application.name", "orders"), ("kafka.bootstrap.servers", "a:9092"),
             *client_ids, *rows.get("application.yml", [])]  # fmt: skip
    first = filled_in(random, first, variables, ("kafka.",)) if random.random() < 0.4 else first
    files = [("application.yml", yaml(random, first))]
    if "application-prod.yml" in rows:
        files.append(("application-prod.yml", yaml(random, rows["application-prod.yml"])))
        variables.append(("MICRONAUT_ENVIRONMENTS", "prod"))
    if variables:
        files.append(started(random, variables, []))
    random.shuffle(files)
    return files
