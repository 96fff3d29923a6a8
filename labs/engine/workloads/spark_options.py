"""An arm's settings as options of Spark's Kafka source and sink."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from advisor.catalog import written
from advisor.catalog.facts import spark_option
from labs.engine.clients.translate import Pinned, Value
from labs.engine.workloads.arm_context import ArmContext

_MICRO_BATCH = "micro-batch"
_OF_NO_EFFECT = frozenset({"default.api.timeout.ms"})
"""No call of a query waits for it, and Spark's AdminClient does not start where it is stated and
below request.timeout.ms (KafkaAdminClient.configureDefaultApiTimeoutMs)."""


def options(arm: ArmContext, role: str, *pinned: Mapping[str, Pinned]) -> dict[str, str]:
    """The settings of the `producer` or the `consumer`, with what the lab sets itself.

    Spark's own have their names, the client's `kafka.` before theirs.
    """
    stated = dict(arm.settings.get(role, {}))
    for settings in pinned:
        stated |= {name: setting.lab for name, setting in settings.items()}
    options = {
        spark_option(name): written(value)
        for name, value in stated.items()
        if name not in _OF_NO_EFFECT
    }
    return {**options, "kafka.bootstrap.servers": arm.bootstrap}


def omitted_options(application: Mapping[str, Value]) -> Iterator[str]:
    """The team's options that the query of a run leaves out."""
    trigger = application.get("trigger", _MICRO_BATCH)
    if trigger != _MICRO_BATCH:
        yield f"application trigger={trigger} is left out: a run's Spark query has micro-batches"
    yield from skipped_messages(application)


def skipped_messages(application: Mapping[str, Value]) -> Iterator[str]:
    """Code that goes on without a message that it cannot process, which no run's code does."""
    if (errors := application.get("processing.errors", "retry")) != "retry":
        yield (
            f"application processing.errors={errors} is left out: a run's code catches no error of "
            "a message"
        )
