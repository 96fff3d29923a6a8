"""Effective settings, and a comparison with those that the readers find in the files.

A setting is stated in several places, and one of them overrides the others. A reader must find its
value, or refuse the files: a refusal misleads nobody.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from advisor.catalog import Component, Family, SettingError, Value, kafka_versions, parse, versions
from advisor.intake import Product
from advisor.intake.cluster.disagreements import weaker
from advisor.intake.file_text import FileProblem
from advisor.intake.inputs import Inputs

PRODUCER, CONSUMER, TOPIC, BROKER = (
    Component.PRODUCER, Component.CONSUMER, Component.TOPIC, Component.BROKER,
)  # fmt: skip
Name = tuple[Component, str]
File = tuple[str, str]
"""A name and a text."""

VALUES: Mapping[Name, Sequence[str]] = {
    (PRODUCER, "acks"): ("all", "-1", "1", "0"),
    (PRODUCER, "enable.idempotence"): ("true", "false"),
    (PRODUCER, "retries"): ("2147483647", "0", "3"),
    (PRODUCER, "max.in.flight.requests.per.connection"): ("1", "5", "6"),
    (PRODUCER, "delivery.timeout.ms"): ("120000", "30000", "600000"),
    (PRODUCER, "linger.ms"): ("0", "20"),
    (CONSUMER, "enable.auto.commit"): ("true", "false"),
    (CONSUMER, "isolation.level"): ("read_committed", "read_uncommitted"),
    (CONSUMER, "auto.offset.reset"): ("earliest", "latest"),
    (CONSUMER, "max.poll.interval.ms"): ("300000", "60000"),
    (CONSUMER, "session.timeout.ms"): ("45000", "10000"),
}
OF_SERVERS: Mapping[Name, Sequence[str]] = {
    (BROKER, "min.insync.replicas"): ("1", "2"),
    (BROKER, "default.replication.factor"): ("1", "3"),
    (BROKER, "unclean.leader.election.enable"): ("true", "false"),
    (BROKER, "offsets.topic.replication.factor"): ("1", "3"),
    (BROKER, "transaction.state.log.min.isr"): ("1", "2"),
}
OF_TOPIC: Mapping[Name, Sequence[str]] = {
    (TOPIC, "min.insync.replicas"): ("1", "2"),
    (TOPIC, "replication.factor"): ("1", "3"),
    (TOPIC, "unclean.leader.election.enable"): ("true", "false"),
    (TOPIC, "retention.ms"): ("604800000", "60000"),
    (TOPIC, "cleanup.policy"): ("delete", "compact"),
}


_SAME_SETTING_ELSEWHERE: Mapping[Name, Sequence[str]] = {
    (TOPIC, "min.insync.replicas"): ["broker.min.insync.replicas"],
    (TOPIC, "replication.factor"): ["broker.default.replication.factor"],
    (TOPIC, "unclean.leader.election.enable"): ["broker.unclean.leader.election.enable"],
    (BROKER, "min.insync.replicas"): ["topic.min.insync.replicas"],
    (BROKER, "default.replication.factor"): ["topic.replication.factor"],
    (BROKER, "unclean.leader.election.enable"): ["topic.unclean.leader.election.enable"],
}
"""The fields that may have the value instead: a topic uses the defaults of its brokers."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """Files and their effective settings. Settings that are not among these are not stated."""

    files: Sequence[File]
    effective: Mapping[Name, str]
    modelled: Mapping[Name, Sequence[str]] = field(default_factory=lambda: VALUES)
    others: Sequence[Mapping[Name, str]] = ()
    """The effective settings of other applications in the same files."""


_PRODUCT = Product(Family.JAVA, versions(Family.JAVA)[0], kafka_versions()[0])


def misread(drawn: Drawn) -> tuple[list[str], str]:
    """The settings whose effective value is not the one read, and why the files are refused."""
    inputs = Inputs()
    try:
        inputs.add_texts(list(drawn.files))
    except FileProblem as error:
        return [], str(error)
    if inputs.problems:
        return [], "\n".join(inputs.problems)
    family = inputs.fields.get("family", Family.JAVA)
    product = Product(Family(family), versions(Family(family))[0], kafka_versions()[0])
    wrong = list[str]()
    for component, name in drawn.modelled:
        fields = [f"{component}.{name}", *_SAME_SETTING_ELSEWHERE.get((component, name), ())]
        read = next((inputs.fields[key] for key in fields if key in inputs.fields), None)
        for application in (drawn.effective, *drawn.others):
            effective = application.get((component, name))
            expected, actual = (
                _value(product, component, name, text) for text in (effective, read)
            )
            if expected != actual and not (
                drawn.others and weaker(name, actual, expected) == actual
            ):
                wrong.append(f"{component}.{name}: {read}, and it is {effective}")
    return wrong, ""


def _value(product: Product, component: Component, name: str, text: str | None) -> Value:
    """The parsed value of a text; the default if it is None."""
    setting = product.setting(component, name)
    if text is None:
        return setting.default if setting.default is not None else ""
    try:
        return parse(setting, text)
    except SettingError:
        return text
