"""Applications with two clients of one kind: what is read must hold for both, or be refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random

from advisor.catalog import Component
from tests.advisor.drawn.effective import CONSUMER, PRODUCER, VALUES, Drawn, File, Name
from tests.advisor.drawn.texts import Row, properties, yaml

_Property = Callable[[Component, str, str], str]
"""The property of a setting by component, client and key; for all clients if client is empty."""
_NO_COMMITS = [name for name in VALUES if name[1] != "enable.auto.commit"]


def _stated(
    random: Random,
    part: Component,
    names: Sequence[str],
    names_of_settings: Sequence[Name],
    property_name: _Property,
) -> tuple[list[Row], list[dict[Name, str]]]:
    """The rows for all clients and for each one, and the effective settings of each."""
    keys = [key for component, key in names_of_settings if component is part]
    keys = random.sample(keys, random.randint(1, min(3, len(keys))))
    common = {key: random.choice(VALUES[part, key]) for key in keys if random.random() < 0.4}
    rows = [(property_name(part, "", key), value) for key, value in common.items()]
    shared_values = {key: random.choice(VALUES[part, key]) for key in keys}
    is_alike, effective = random.random() < 0.6, list[dict[Name, str]]()
    for name in names:
        own_keys = [key for key in keys if key not in common or random.random() < 0.5]
        values = {
            key: shared_values[key] if is_alike else random.choice(VALUES[part, key])
            for key in own_keys
        }
        rows += [(property_name(part, name, key), value) for key, value in values.items()]
        effective.append({(part, key): value for key, value in {**common, **values}.items()})
    return rows, effective


def channels(random: Random) -> Drawn:
    """Two channels of Quarkus in the same direction."""
    part = random.choice([PRODUCER, CONSUMER])
    direction = "outgoing" if part is PRODUCER else "incoming"
    connector = random.choice(["kafka", "mp.messaging.connector.smallrye-kafka"])

    def property_name(_: Component, client: str, key: str) -> str:
        return f"mp.messaging.{direction}.{client}.{key}" if client else f"{connector}.{key}"

    rows, effective = _stated(random, part, ["orders", "payments"], list(VALUES), property_name)
    head: list[Row] = [
        (f"mp.messaging.{direction}.{name}.connector", "smallrye-kafka")
        for name in ("orders", "payments")
    ]
    default = ((PRODUCER, "acks"), "1") if part is PRODUCER else (
        (CONSUMER, "enable.auto.commit"), "false")  # fmt: skip
    for settings in effective:
        settings.setdefault(*default)
    return _drawn(random, [*head, *rows], effective, part)


def clients(random: Random) -> Drawn:
    """Two Micronaut clients of one kind; one of them may be `default`."""
    part = random.choice([PRODUCER, CONSUMER])
    names = random.choice([["orders", "payments"], ["default", "orders"]])

    def property_name(part: Component, client: str, key: str) -> str:
        return f"kafka.{part}s.{client}.{key}" if client else f"kafka.{key}"

    rows, effective = _stated(random, part, names, list(VALUES), property_name)
    head = [(f"kafka.{part}s.{name}.client.id", name) for name in names]
    return _drawn(random, [*head, *rows], effective, part)


def bindings(random: Random) -> Drawn:
    """Two bindings of Spring Cloud Stream in the same direction."""
    part = random.choice([PRODUCER, CONSUMER])
    names = ["a-out-0", "b-out-0"] if part is PRODUCER else ["a-in-0", "b-in-0"]
    root = "spring.cloud.stream"
    common = random.choice([
        "spring.kafka.properties", f"spring.kafka.{part}.properties",
        f"{root}.kafka.binder.configuration", f"{root}.kafka.default.{part}.configuration",
    ])  # fmt: skip

    def property_name(part: Component, client: str, key: str) -> str:
        shared_values = f"{root}.kafka.bindings.{client}.{part}.configuration"
        return f"{shared_values}.{key}" if client else f"{common}.{key}"

    rows, effective = _stated(random, part, names, _NO_COMMITS, property_name)
    head = [(f"{root}.kafka.binder.brokers", "a:9092")]
    for name, settings in zip(names, effective, strict=True):
        head.append((f"{root}.bindings.{name}.destination", "orders"))
        has_group = part is CONSUMER and random.random() < 0.6
        head += [(f"{root}.bindings.{name}.group", "orders")] if has_group else []
        if part is CONSUMER:
            reset = "earliest" if has_group else "latest"
            settings.setdefault((CONSUMER, "auto.offset.reset"), reset)
        else:
            settings.setdefault((PRODUCER, "linger.ms"), "0")
    drawn = _drawn(random, [*head, *rows], effective, part)
    release_default = {(PRODUCER, "acks")} - drawn.effective.keys()
    names_of_part = [
        name for name in _NO_COMMITS if name[0] is part and name not in release_default
    ]
    modelled = {name: VALUES[name] for name in names_of_part}
    return Drawn(drawn.files, drawn.effective, modelled, drawn.others)


def _drawn(
    random: Random, rows: list[Row], effective: Sequence[Mapping[Name, str]], part: Component
) -> Drawn:
    modelled = {name: values for name, values in VALUES.items() if name[0] is part}
    text, name = properties(random, rows), "application.properties"
    file: File = (name, text) if random.random() < 0.5 else ("application.yml", yaml(random, rows))
    return Drawn([file], effective[0], modelled, effective[1:])
