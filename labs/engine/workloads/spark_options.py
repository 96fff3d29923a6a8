"""An arm's settings as options of Spark's Kafka source and sink."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from advisor.catalog import written
from advisor.catalog.facts import spark_option
from labs.engine.clients.translate import Pinned, Value
from labs.engine.workloads.arm_context import ArmContext

_MICRO_BATCH = "micro-batch"
_UNUSED = frozenset({"default.api.timeout.ms"})
"""No call of a query uses it, and Spark's AdminClient does not start if the stated value is below
request.timeout.ms (KafkaAdminClient.configureDefaultApiTimeoutMs)."""


def options(arm: ArmContext, role: str, *pinned: Mapping[str, Pinned]) -> dict[str, str]:
    """Returns the settings of the `producer` or the `consumer`, including the `pinned` ones.

    Spark's own options keep their names; settings of the Kafka client get the prefix `kafka.`.
    """
    stated = dict(arm.settings.get(role, {}))
    for settings in pinned:
        stated |= {name: setting.lab for name, setting in settings.items()}
    options = {
        spark_option(name): written(value) for name, value in stated.items() if name not in _UNUSED
    }
    return {**options, "kafka.bootstrap.servers": arm.bootstrap}


def unused_options(application: Mapping[str, Value]) -> Iterator[str]:
    """Yields a sentence for each option of the team that the query of a run does not use."""
    trigger = application.get("trigger", _MICRO_BATCH)
    if trigger != _MICRO_BATCH:
        yield f"application trigger={trigger} is left out: a run's Spark query has micro-batches"
    yield from skipped_messages(application)


def skipped_messages(application: Mapping[str, Value]) -> Iterator[str]:
    """Yields a sentence if the team's code skips messages that it cannot process."""
    if (errors := application.get("processing.errors", "retry")) != "retry":
        yield (
            f"application processing.errors={errors} is left out: a run's code catches no "
            "processing errors"
        )
