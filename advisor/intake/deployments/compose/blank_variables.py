"""Variables of a service that have no value, or a blank one."""

from __future__ import annotations

from advisor.catalog import Component
from advisor.intake.clients.known_settings import decides
from advisor.intake.deployments.images import setting_of
from advisor.intake.reading import Reading
from advisor.intake.text import shown


def has_value(reading: Reading, component: Component, row: tuple[str, str, int]) -> bool:
    """Whether a variable has one here. Without one, compose hands on what it is started with
    (Compose file reference, `environment`), which is not in the file: a problem where an answer
    depends on it. A blank one is a value for the images of brokers, which write it into their file
    (KafkaDockerWrapper.scala; Confluent's kafka.properties.template; Bitnami's libkafka.sh)."""
    variable, value, line = row
    name = setting_of(variable)
    if value in ("", handed_on(variable)) and decides(name):
        words = f"{shown(name)} has no value here. Write the one that counts"
        reading.wrong(component, name, line, words)
        return False
    return bool(value) or component is Component.BROKER


def handed_on(variable: str) -> str:
    """What a variable has that a service names without a value."""
    return f"${{{variable}?}}"
