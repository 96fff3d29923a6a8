"""Configurations for the contract tests: combinations of settings that real clients compare."""

from __future__ import annotations

import random
from collections.abc import Mapping
from itertools import combinations, product
from typing import Any

from advisor.catalog import (
    Component,
    Family,
    Problem,
    Value,
    lookup,
    parse,
    refused_combination,
    settings_of,
    validate,
)
from advisor.reasoning.pipeline import Pipeline

Texts = dict[str, str]
_Choices = Mapping[str, tuple[str | None, ...]]

_GUARANTEES: _Choices = {
    "acks": (None, "all", "1", "0"),
    "enable.idempotence": (None, "true", "false"),
    "retries": (None, "0", "1"),
    "max.in.flight.requests.per.connection": (None, "5", "6"),
    "transactional.id": (None, "payments-1"),
}
_TIMEOUTS: _Choices = {
    "delivery.timeout.ms": (None, "5", "29999", "30000", "30005", "60000", "60001"),
    "linger.ms": (None, "5", "60000", "400000"),
    "request.timeout.ms": (None, "1000"),
    "transactional.id": (None, "payments-1"),
    "transaction.timeout.ms": (None, "1000"),
}
_SOCKETS: _Choices = {"socket.timeout.ms": (None, "60100", "60101", "1000")}


def producers(family: Family) -> list[Texts]:
    """216 of settings that decide guarantees, 224 of timeouts, and 200 random ones of both."""
    sockets = _SOCKETS if family is Family.LIBRDKAFKA else {}
    both: _Choices = {**_GUARANTEES, **_TIMEOUTS, **sockets}
    draw = random.Random(7)
    drawn = [
        _without_none({name: draw.choice(values) for name, values in both.items()})
        for _ in range(200)
    ]
    return [*_combinations(_GUARANTEES), *_combinations(_TIMEOUTS), *drawn]


def refusal_pairs() -> list[Texts]:
    """Every two refusals of a Java producer at once; its message shows which it checks first."""
    refused: list[Texts] = [
        {"acks": "1"}, {"retries": "0"}, {"max.in.flight.requests.per.connection": "6"},
        {"transactional.id": "payments-1", "enable.idempotence": "false"},
        {"delivery.timeout.ms": "5"},
    ]  # fmt: skip
    return [
        {"enable.idempotence": "true", **one, **other} for one, other in combinations(refused, 2)
    ]


def consumers() -> list[Texts]:
    """The timeouts of a consumer, which some clients compare."""
    return _combinations(
        {
            "session.timeout.ms": (None, "6000", "300000", "300001", "3000", "3001"),
            "max.poll.interval.ms": (None, "1000", "44999", "45000", "3000"),
        }
    )


def heartbeats(protocols: bool) -> list[Texts]:
    """Each side of every comparison of a Java consumer's heartbeat with its session timeout."""
    return _combinations({
        "heartbeat.interval.ms": (None, "1000", "6000", "9999", "10000", "44999", "45000"),
        "session.timeout.ms": (None, "1001", "6000", "6001", "45000"),
        "group.protocol": (None, "classic", "consumer") if protocols else (None,),
    })  # fmt: skip


_RANGE = {Family.JAVA: "org.apache.kafka.clients.consumer.RangeAssignor",
          Family.LIBRDKAFKA: "range"}  # fmt: skip


def unmodelled_producers() -> list[Texts]:
    """Producer settings that the catalog does not model, with those they can conflict with."""
    return _combinations({
        "transaction.two.phase.commit.enable": (None, "true", "false"),
        "transaction.timeout.ms": (None, "1000"), "transactional.id": (None, "payments-1"),
    })  # fmt: skip


def unmodelled_librdkafka() -> list[Texts]:
    """The same for librdkafka."""
    return _combinations({
        "queuing.strategy": (None, "fifo", "lifo"), "enable.gapless.guarantee": (None, "true"),
        "enable.idempotence": (None, "true", "false"),
    })  # fmt: skip


def assignors() -> list[Texts]:
    """Lists of librdkafka's assignors: of one protocol, of two, and with an unknown one."""
    return _combinations({
        "group.protocol": (None, "classic", "consumer"),
        "partition.assignment.strategy": (
            None, "range", "range,roundrobin", "range, roundrobin", "cooperative-sticky",
            "cooperative-sticky,range", "range,cooperative-sticky", "range,sticky", "Range",
            "roundrobin,cooperative-sticky,range", "cooperative-sticky,cooperative-sticky",
        ),
    })  # fmt: skip


def unmodelled_consumers(family: Family) -> list[Texts]:
    """Both group protocols, with settings that one of them does not have."""
    return _combinations({
        "group.protocol": (None, "classic", "consumer"), "heartbeat.interval.ms": (None, "2000"),
        "partition.assignment.strategy": (None, _RANGE[family]),
        "group.remote.assignor": (None, "uniform"),
    })  # fmt: skip


def parsed(
    family: Family, version: str, component: Component, texts: Texts
) -> dict[Component, dict[str, Value]]:
    """The configuration as the catalog reads it."""
    settings = {name: lookup(family, version, "4.3", component, name) for name in texts}
    return {component: {name: parse(settings[name], texts[name]) for name in texts}}


_WIDE_SESSION_BOUNDS: dict[str, Value] = {
    "group.min.session.timeout.ms": 1,
    "group.max.session.timeout.ms": 2**31 - 1,
}
"""Broker bounds that allow every session timeout; test_limits.py tests the brokers' bounds."""


def our_refusal(family: Family, version: str, component: Component, texts: Texts) -> str | None:
    """The first refusal that the catalog predicts for this client, or None."""
    stated = {**parsed(family, version, component, texts), Component.BROKER: _WIDE_SESSION_BOUNDS}
    problems = validate(family, version, "4.3", 3, stated)
    return next((problem.message for problem in problems if _by_client(problem, component)), None)


def our_full_refusal(
    family: Family, version: str, component: Component, texts: Texts
) -> str | None:
    """The same for a configuration that may have settings which the catalog does not model."""
    if problem := refused_combination(family, version, component, texts):
        return problem.message
    modelled = {setting.name for setting in settings_of(family, version, "4.3", component)}
    modelled_texts = {name: text for name, text in texts.items() if name in modelled}
    return our_refusal(family, version, component, modelled_texts)


def _by_client(problem: Problem, component: Component) -> bool:
    return problem.product and problem.component is component


def _combinations(choices: _Choices) -> list[Texts]:
    names = list(choices)
    return [
        _without_none(dict(zip(names, values, strict=True)))
        for values in product(*choices.values())
    ]


def _without_none(texts: Mapping[str, str | None]) -> Texts:
    return {name: text for name, text in texts.items() if text is not None}


def accepted(family: Family, version: str, count: int) -> list[Pipeline]:
    """Pipelines with a random sample of the producer configurations that the catalog accepts."""
    producer = Component.PRODUCER
    accepted_configurations = [
        row
        for row in producers(family)
        if not (family is Family.SPARK and any("transaction" in name for name in row))
        and our_refusal(family, version, producer, row) is None
    ]
    drawn = random.Random(11).sample(accepted_configurations, count)
    return [
        Pipeline(family, version, settings=parsed(family, version, producer, row)) for row in drawn
    ]


def assert_in_force(pipeline: Pipeline, component: Component, real: Texts) -> None:
    """Asserts that the product's values in force are those that the catalog predicts."""
    settings = settings_of(pipeline.family, pipeline.version, pipeline.kafka, component)
    for setting in settings:
        names = [name for name in (setting.name, *setting.aliases) if name in real]
        adjusted_by_itself = setting.name in ("linger.ms", "socket.timeout.ms")
        if names and not adjusted_by_itself:
            actual = parse(setting, real[names[0]])
            assert actual == pipeline.value(component, setting.name), setting.name


def texts(settings: dict[str, Any]) -> Texts:
    """Typed settings as texts, as a properties file has them."""
    return {
        key: str(value).lower() if isinstance(value, bool) else str(value)
        for key, value in settings.items()
    }
