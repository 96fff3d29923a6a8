"""Spring Cloud Stream: bindings of the Kafka binder, stated in several places.

Each of these overrides the previous ones: `required-acks`, the properties of Spring Boot for the
client, `configuration` of the binder, its `producer-properties` and `consumer-properties`, and
`configuration` of a binding (BindingUtils, KafkaBinderConfigurationProperties).
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from tests.advisor.drawn.effective import CONSUMER, PRODUCER, VALUES, Drawn, File, Name
from tests.advisor.drawn.started import filled_in, started
from tests.advisor.drawn.texts import Row, properties, yaml

_ROOT = "spring.cloud.stream"
_KAFKA = f"{_ROOT}.kafka"
_FORMS = ("required", "all", "client", "binder", "of-clients", "default", "binding")
_BINDING = {PRODUCER: "send-out-0", CONSUMER: "receive-in-0"}
_VALUES = {name: values for name, values in VALUES.items() if name[1] != "enable.auto.commit"}


def stream(random: Random) -> Drawn:
    """An application with an output binding, an input binding, or both."""
    parts = random.choice([[PRODUCER], [CONSUMER], [PRODUCER, CONSUMER]])
    names = [name for name in _VALUES if name[0] in parts]
    stated = dict[tuple[int, str, Name], str]()
    for name in random.sample(names, random.randint(1, min(4, len(names)))):
        for _ in range(random.choice([1, 1, 2, 2, 3])):
            form = random.choice(_FORMS)
            if form == "required" and name != (PRODUCER, "acks"):
                form = "binding"
            stated[random.choice([0, 0, 1]), form, name] = random.choice(VALUES[name])
    ranked = sorted(stated.items(), key=lambda row: (_FORMS.index(row[0][1]), row[0][0]))
    effective = {name: value for (_, _, name), value in ranked}
    group = random.random() < 0.7
    if PRODUCER in parts:
        effective.setdefault((PRODUCER, "linger.ms"), "0")
    if CONSUMER in parts:
        effective.setdefault((CONSUMER, "auto.offset.reset"), "earliest" if group else "latest")
    modelled = {name: VALUES[name] for name in names}
    if (PRODUCER, "acks") not in effective:
        modelled.pop((PRODUCER, "acks"), None)  # the default depends on the release
    return Drawn(_files(random, stated, group=group, parts=parts), effective, modelled)


def _property(form: str, name: Name) -> str:
    component, key = name
    match form:
        case "required":
            return f"{_KAFKA}.binder.required-acks"
        case "all":
            return f"spring.kafka.properties.{key}"
        case "client":
            return f"spring.kafka.{component}.properties.{key}"
        case "binder":
            return f"{_KAFKA}.binder.configuration.{key}"
        case "of-clients":
            return f"{_KAFKA}.binder.{component}-properties.{key}"
        case "default":
            return f"{_KAFKA}.default.{component}.configuration.{key}"
        case _:
            return f"{_KAFKA}.bindings.{_BINDING[component]}.{component}.configuration.{key}"


def _files(
    random: Random, stated: Mapping[tuple[int, str, Name], str], *, group: bool, parts: list
) -> list[File]:
    first: list[Row] = [(f"{_KAFKA}.binder.brokers", "a:9092")]
    for part in parts:
        first.append((f"{_ROOT}.bindings.{_BINDING[part]}.destination", "orders"))
    if CONSUMER in parts and group:
        first.append((f"{_ROOT}.bindings.{_BINDING[CONSUMER]}.group", "orders"))
    rows = [[*first], list[Row]()]
    for (place, form, name), value in stated.items():
        rows[place].append((_property(form, name), value))
    variables = list[Row]()
    if random.random() < 0.3:
        rows[0] = filled_in(random, rows[0], variables, ("spring.",))
    if random.random() < 0.3:
        files = [("application.properties", properties(random, rows[0]))]
        if rows[1]:
            files[0] = (files[0][0], f"{files[0][1]}#---\n{properties(random, rows[1])}")
    elif rows[1] and random.random() < 0.5:
        files = [("application.yml", yaml(random, rows[0])),
                 ("application.properties", properties(random, rows[1]))]  # fmt: skip
    else:
        files = [
            (
                "application.yml",
                "---\n".join(
                    yaml(random, document_rows) for document_rows in rows if document_rows
                ),
            )
        ]
    if variables:
        files.append(started(random, variables, []))
    random.shuffle(files)
    return files
