"""Idempotence that another setting silently turned off.

What it is
    The Java client (3.0 and later, so also Spark) has idempotence on by default, but acks=1 or 0,
    or retries=0, turns it off unless it was stated; before 4.0, max.in.flight above 5 does so too.
    Only a line in the log says so. The releases 3.0.0 and 3.1.0 leave it off, whatever else is set,
    unless it is stated (KAFKA-13598).

Why it matters
    The team relies on the default, and gets duplicates and reordering nevertheless.

Use instead
    Write enable.idempotence=true: then the client refuses to start with a setting that
    contradicts it.
"""

from __future__ import annotations

from advisor.catalog import Component, lookup
from advisor.catalog.releases import forgets_idempotence
from advisor.reasoning.finding import Rule, Severity
from advisor.reasoning.pipeline import Pipeline


def is_silent(pipeline: Pipeline) -> bool:
    """Whether idempotence is off, although it is on by default and nobody turned it off."""
    name = "enable.idempotence"
    if name in pipeline.stated(Component.PRODUCER):
        return False
    default = lookup(
        pipeline.family, pipeline.version, pipeline.kafka, Component.PRODUCER, name
    ).default
    return default is True and not pipeline.flag(Component.PRODUCER, name)


def check(pipeline: Pipeline) -> str | None:
    """Reports idempotence that is on by default, not stated, and off nevertheless."""
    if not is_silent(pipeline):
        return None
    release = pipeline.client_release
    producer = pipeline.stated(Component.PRODUCER)
    names = ("acks", "retries", "max.in.flight.requests.per.connection")
    if forgets_idempotence(pipeline.family, release):
        return (
            f"version={release}: in this release enable.idempotence is off unless it is stated, "
            "although its default is true."
        )
    stated = ", ".join(f"{name}={producer[name]}" for name in names if name in producer)
    return (
        f"{stated}: turns enable.idempotence off without an error, although nobody set it to false."
    )


RULE = Rule(
    code="P003",
    name="idempotence-silently-off",
    severity=Severity.HIGH,
    component=Component.PRODUCER,
    setting="enable.idempotence",
    check=check,
    sources=(
        "ProducerConfig.postProcessAndValidateIdempotenceConfigs",
        "KIP-679",
        "KAFKA-13598 (3.0.0 and 3.1.0)",
    ),
    valid=(
        {"family": "java"},
        {"family": "java", "producer.acks": "1", "producer.enable.idempotence": "false"},
        {"family": "librdkafka", "producer.acks": "1"},
    ),
    invalid=(
        {"family": "java", "producer.acks": "1"},
        {"family": "java", "producer.retries": "0"},
        {"family": "java", "version": "3.1.0"},
        {"family": "spark", "producer.max.in.flight.requests.per.connection": "6"},
    ),
)
