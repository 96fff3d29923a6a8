"""Variables of a service that have no value, or an empty one."""

from __future__ import annotations

from advisor.catalog import Component
from advisor.intake.clients.known_settings import decides
from advisor.intake.deployments.images import setting_name
from advisor.intake.reading import Reading
from advisor.intake.text import shown


def has_value(reading: Reading, component: Component, row: tuple[str, str, int]) -> bool:
    """Whether a variable has a value here. If not, compose passes the value of its own environment
    (Compose file reference, `environment`), which is not in the file: a problem where an answer
    depends on it. The images of brokers write an empty value into their file, so that it counts
    (KafkaDockerWrapper.scala; Confluent's kafka.properties.template; Bitnami's libkafka.sh)."""
    variable, value, line = row
    name = setting_name(variable)
    if value in ("", inherited_value(variable)) and decides(name):
        words = f"{shown(name)} has no value here. Write the one that counts"
        reading.add_problem(component, name, line, words)
        return False
    return bool(value) or component is Component.BROKER


def inherited_value(variable: str) -> str:
    """The value of a variable that a service names without a value: a reference to itself."""
    return f"${{{variable}?}}"
