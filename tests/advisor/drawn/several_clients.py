"""Applications with two clients of one kind: what is read must hold for both, or is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random

from advisor.catalog import Component
from tests.advisor.drawn.effective import CONSUMER, PRODUCER, VALUES, Drawn, File, Name
from tests.advisor.drawn.texts import Row, properties, yaml

_Property = Callable[[Component, str, str], str]
"""The name of a setting (`component`, `client`, `key`), for all clients where `client` is empty."""
_NO_COMMITS = [name for name in VALUES if name[1] != "enable.auto.commit"]


def _stated(
    random: Random, part: Component, names: Sequence[str], of: Sequence[Name], written: _Property
) -> tuple[list[Row], list[dict[Name, str]]]:
    """What is stated for all clients and for each, and what each has."""
    keys = [key for component, key in of if component is part]
    keys = random.sample(keys, random.randint(1, min(3, len(keys))))
    of_all = {key: random.choice(VALUES[part, key]) for key in keys if random.random() < 0.4}
    rows = [(written(part, "", key), value) for key, value in of_all.items()]
    own = {key: random.choice(VALUES[part, key]) for key in keys}
    alike, found = random.random() < 0.6, list[dict[Name, str]]()
    for name in names:
        has = [key for key in keys if key not in of_all or random.random() < 0.5]
        values = {key: own[key] if alike else random.choice(VALUES[part, key]) for key in has}
        rows += [(written(part, name, key), value) for key, value in values.items()]
        found.append({(part, key): value for key, value in {**of_all, **values}.items()})
    return rows, found


def channels(random: Random) -> Drawn:
    """Two channels of Quarkus, one way."""
    part = random.choice([PRODUCER, CONSUMER])
    way = "outgoing" if part is PRODUCER else "incoming"
    connector = random.choice(["kafka", "mp.messaging.connector.smallrye-kafka"])

    def written(_: Component, client: str, key: str) -> str:
        return f"mp.messaging.{way}.{client}.{key}" if client else f"{connector}.{key}"

    rows, found = _stated(random, part, ["orders", "payments"], list(VALUES), written)
    first: list[Row] = [
        (f"mp.messaging.{way}.{name}.connector", "smallrye-kafka")
        for name in ("orders", "payments")
    ]
    default = ((PRODUCER, "acks"), "1") if part is PRODUCER else (
        (CONSUMER, "enable.auto.commit"), "false")  # fmt: skip
    for one in found:
        one.setdefault(*default)
    return _drawn(random, [*first, *rows], found, part)


def clients(random: Random) -> Drawn:
    """Two clients of Micronaut, one kind: one of them perhaps the default of others."""
    part = random.choice([PRODUCER, CONSUMER])
    names = random.choice([["orders", "payments"], ["default", "orders"]])

    def written(part: Component, client: str, key: str) -> str:
        return f"kafka.{part}s.{client}.{key}" if client else f"kafka.{key}"

    rows, found = _stated(random, part, names, list(VALUES), written)
    first = [(f"kafka.{part}s.{name}.client.id", name) for name in names]
    return _drawn(random, [*first, *rows], found, part)


def bindings(random: Random) -> Drawn:
    """Two bindings of Spring Cloud Stream, one way."""
    part = random.choice([PRODUCER, CONSUMER])
    names = ["a-out-0", "b-out-0"] if part is PRODUCER else ["a-in-0", "b-in-0"]
    root = "spring.cloud.stream"
    of_all = random.choice([
        "spring.kafka.properties", f"spring.kafka.{part}.properties",
        f"{root}.kafka.binder.configuration", f"{root}.kafka.default.{part}.configuration",
    ])  # fmt: skip

    def written(part: Component, client: str, key: str) -> str:
        own = f"{root}.kafka.bindings.{client}.{part}.configuration"
        return f"{own}.{key}" if client else f"{of_all}.{key}"

    rows, found = _stated(random, part, names, _NO_COMMITS, written)
    first = [(f"{root}.kafka.binder.brokers", "a:9092")]
    for name, one in zip(names, found, strict=True):
        first.append((f"{root}.bindings.{name}.destination", "orders"))
        has_group = part is CONSUMER and random.random() < 0.6
        first += [(f"{root}.bindings.{name}.group", "orders")] if has_group else []
        if part is CONSUMER:
            reset = "earliest" if has_group else "latest"
            one.setdefault((CONSUMER, "auto.offset.reset"), reset)
        else:
            one.setdefault((PRODUCER, "linger.ms"), "0")
    drawn = _drawn(random, [*first, *rows], found, part)
    of_release = {(PRODUCER, "acks")} - drawn.effective.keys()
    names_of_part = [name for name in _NO_COMMITS if name[0] is part and name not in of_release]
    modelled = {name: VALUES[name] for name in names_of_part}
    return Drawn(drawn.files, drawn.effective, modelled, drawn.others)


def _drawn(
    random: Random, rows: list[Row], found: Sequence[Mapping[Name, str]], part: Component
) -> Drawn:
    modelled = {name: values for name, values in VALUES.items() if name[0] is part}
    text, name = properties(random, rows), "application.properties"
    file: File = (name, text) if random.random() < 0.5 else ("application.yml", yaml(random, rows))
    return Drawn([file], found[0], modelled, found[1:])
