"""The conditions under which a user may run a scenario, and their limits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from django import forms

from advisor import services as advisor
from advisor.catalog import Family, kafka_line
from advisor.catalog.versions import at_least
from advisor.reasoning.pipeline import Pipeline
from labs.engine.distributions.distribution import kafka_versions, nearest
from labs.engine.plan.spec import MOST_PARTITIONS, VALUE_BYTES, ExperimentSpec
from labs.engine.scenarios.model import Scenario
from labs.engine.workloads import JAVA, workload_by_commit
from labs.engine.workloads.consume_transform_produce_java import COPIER as KAFKA_COPIER

RATES_PER_S = (10, 5_000)
MOST_BYTES_PER_S = 5_000_000
LONGEST_S = 60
_RATE = "rate_per_s"
LIBRDKAFKA = "librdkafka"
"""The answer that chooses librdkafka instead of the Java clients."""
_LIBRDKAFKA = "librdkafka, with these settings"
COPIER = "copier"
"""The answer that requested Kafka's TransactionalMessageCopier, now the lab's application."""
_CONTROLLERS = {
    "0": "as the scenario defines it",
    "1": "1 dedicated controller",
    "3": "3 dedicated controllers",
}


@dataclass(frozen=True, slots=True)
class Conditions:
    """The conditions that were chosen; all others come from the scenario and the seed.

    `java_clients` is the release of the Java clients if these were chosen.
    """

    controllers: int = 0
    partitions: int | None = None
    overrides: Mapping[str, float] = field(default_factory=dict)
    value_bytes: int | None = None
    java_clients: str | None = None
    copier: bool = False
    librdkafka: bool = False

    @classmethod
    def from_spec(cls, spec: ExperimentSpec) -> Conditions:
        return cls(
            spec.controllers, spec.partitions, spec.overrides, spec.value_bytes,
            spec.java_clients, spec.copier,
        )  # fmt: skip

    def described(self) -> Iterator[tuple[str, str]]:
        """Yields the choices in words, for the page and the report of a run: (name, value)."""
        if self.java_clients:
            also = f", asked for as {KAFKA_COPIER}" if self.copier else ""
            yield "Clients", f"Java {self.java_clients}{also}"
        if self.controllers:
            yield "Controllers", f"{self.controllers} dedicated"
        if self.partitions:
            yield "Partitions", str(self.partitions)
        if self.value_bytes:
            yield "Bytes a message", f"{self.value_bytes:,}"
        for name, value in self.overrides.items():
            yield _words(name), f"{value:,g}" if name == _RATE else f"{value:g} s"


AS_THE_SCENARIO = Conditions()
AS_PROVED = Conditions(librdkafka=True)
"""The conditions of lessons and presets, which are proved with librdkafka."""


def java_release(pipeline: Pipeline, scenario: Scenario) -> str | None:
    """Returns the Kafka release whose Java clients can stage a scenario for this pipeline, or None.

    It is the release of the pipeline's line, the newest for a line that is newer than all of them,
    and the nearest if the client decides what happens.
    """
    workload = workload_by_commit(scenario.workload, advisor.in_force(pipeline))
    if pipeline.family is not Family.JAVA or workload not in JAVA:
        return None
    releases = kafka_versions()
    if scenario.client_decides or at_least(pipeline.version, kafka_line(releases[0])):
        return nearest(pipeline.version, releases)
    return next((version for version in releases if kafka_line(version) == pipeline.version), None)


def clients_for(
    pipeline: Pipeline, scenario: Scenario, chosen: Conditions = AS_THE_SCENARIO
) -> str | None:
    """Returns the release of the Java clients that run it, or None for librdkafka.

    Java clients run a Java pipeline if they can, unless librdkafka was chosen, or values of a given
    size, which they do not send. There is no choice if the client decides what happens.
    """
    java = chosen.java_clients or java_release(pipeline, scenario)
    if scenario.client_decides:
        return java
    return None if chosen.librdkafka or chosen.value_bytes else java


class ConditionsForm(forms.Form):
    """The choices for one scenario; an empty answer means the value of the scenario.

    `java` is the release of the Java clients that may, or must, be used.
    """

    clients = forms.ChoiceField(
        choices=[("", _LIBRDKAFKA)], required=False,
        help_text="If Java 3.3 or later is described, Kafka’s own clients run where brokers or the "
        "network fail, and where an application reads, processes and writes to another topic. "
        "In all other cases librdkafka runs.",
    )  # fmt: skip
    controllers = forms.ChoiceField(
        label="Dedicated controllers", choices=list(_CONTROLLERS.items()), required=False,
        help_text="KRaft controllers in separate processes, not in the brokers. If neither "
        "the scenario nor you request any, the brokers are controllers, too.",
    )  # fmt: skip
    partitions = forms.IntegerField(
        min_value=1, max_value=MOST_PARTITIONS, required=False,
        help_text=f"Of the topic: 1 to {MOST_PARTITIONS}. A fault hits the brokers by their role "
        "in partition 0.",
    )  # fmt: skip
    rate_per_s = forms.IntegerField(
        label="Messages a second", min_value=RATES_PER_S[0], max_value=RATES_PER_S[1],
        required=False,
    )  # fmt: skip
    value_bytes = forms.IntegerField(
        label="Bytes a message", min_value=VALUE_BYTES[0], max_value=VALUE_BYTES[1], required=False,
        help_text=f"{VALUE_BYTES[0]} to {VALUE_BYTES[1]:,}; if empty, a message is only its "
        f"number. All together at most {MOST_BYTES_PER_S:,} bytes a second.",
    )  # fmt: skip

    def __init__(
        self, scenario: Scenario, *args: Any, java: str | None = None, **options: Any
    ) -> None:
        super().__init__(*args, **options)
        self._usual_rate = scenario.rate_per_s
        self._java, self._java_plays = java, bool(java) and scenario.client_decides
        if java:
            clients = cast(forms.ChoiceField, self.fields["clients"])
            alternatives = [] if scenario.client_decides else [(LIBRDKAFKA, _LIBRDKAFKA)]
            copier = (
                [(COPIER, f"Java {java}, in place of {KAFKA_COPIER}")] if scenario.copier else []
            )
            clients.choices = [(java, f"Java {java}, Kafka’s own"), *copier, *alternatives]
        least, most = RATES_PER_S
        rate = self.fields[_RATE]
        rate.help_text = f"{least} to {most:,}; the scenario's default is {scenario.rate_per_s:,}."
        for name, (low, high) in scenario.durations.items():
            self.fields[name] = forms.FloatField(
                label=f"{_words(name)}, in seconds", min_value=0, max_value=LONGEST_S,
                required=False,
                help_text=f"0 to {LONGEST_S}; the seed draws from {low:g} to {high:g}.",
            )  # fmt: skip
        for form_field in self.fields.values():
            form_field.widget.attrs["class"] = "input"

    def clean(self) -> dict[str, Any]:
        """Refuses impossible conditions, and those that the machine cannot run three times."""
        data: dict[str, Any] = super().clean() or self.cleaned_data
        size, rate = data.get("value_bytes"), data.get(_RATE) or self._usual_rate
        if size and size * rate > MOST_BYTES_PER_S:
            self.add_error(
                "value_bytes",
                f"{size:,} bytes {rate:,} times a second are {size * rate:,}: choose at most "
                f"{MOST_BYTES_PER_S // size:,} messages a second, or smaller ones.",
            )
        if size and (data.get("clients") not in ("", LIBRDKAFKA) or self._java_plays):
            self.add_error(
                "value_bytes",
                "Kafka’s own Java clients send only the number."
                + ("" if self._java_plays else " Choose librdkafka for values of a given size."),
            )
        return data

    def conditions(self) -> Conditions:
        """Returns the choices of a valid form."""
        data = {name: value for name, value in self.cleaned_data.items() if value is not None}
        controllers, partitions = int(data.pop("controllers") or 0), data.pop("partitions", None)
        size, clients = data.pop("value_bytes", None), data.pop("clients") or None
        copier = clients == COPIER
        librdkafka = clients == LIBRDKAFKA
        java = self._java if copier else None if librdkafka else clients
        return Conditions(controllers, partitions, data, size, java, copier, librdkafka)

    def problems(self) -> list[str]:
        """Returns the problems, one sentence each."""
        return [
            f"{self[name].label}: {message}"
            for name, errors in self.errors.items()
            for message in errors
        ]


def _words(name: str) -> str:
    """`lead_in_s` → `Lead in`."""
    if name == _RATE:
        return "Messages a second"
    return name.removesuffix("_s").replace("_", " ").capitalize()
