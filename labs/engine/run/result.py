"""The results of an arm and of an experiment as plain data (as `--json` prints them)."""

from __future__ import annotations

import os
import platform
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

import confluent_kafka

from labs.engine.base.processes import ROOT
from labs.engine.clients.translate import Pinned
from labs.engine.cluster.properties import SHORTENED
from labs.engine.faults.record import FaultRow
from labs.engine.plan.spec import ArmSpec, ExperimentSpec, Settings
from spark_jobs.count_table import COUNTS

JUDGED = ("holds", "broken")
"""The verdicts that are conclusive; `unknown` is not, whatever was counted."""


def unjudged(reason: str) -> dict[str, Any]:
    """The result without a judge's answer: `unknown`, with every count null."""
    return {
        "verdict": "unknown",
        "reason": reason,
        "counts": dict.fromkeys(COUNTS),
        "examples": {},
        "groups": [],
        "ack_latency_ms": {"p50": None, "p99": None, "max": None},
        "timeline": None,
    }


def arm_result(
    arm: ArmSpec, answer: Mapping[str, Any], ledger: Path, context: Mapping[str, Any]
) -> dict[str, Any]:
    """The result of one arm: the request, the judge's answer, and the circumstances (`context`)."""
    counts = {**dict.fromkeys(COUNTS), **answer["counts"]}
    return {
        "name": arm.name,
        "settings": arm.settings,
        "guarantee": arm.guarantee,
        "want": arm.want,
        "verdict": answer["verdict"],
        "reason": answer["reason"],
        "counts": counts,
        "examples": answer["examples"],
        "groups": answer.get("groups", []),
        "unavailable_ms": counts["unavailable_ms"],
        "ack_latency_ms": answer["ack_latency_ms"],
        "timeline": answer["timeline"],
        "ledger": str(ledger),
        **context,
    }


def experiment_result(spec: ExperimentSpec, arms: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The result of an experiment, with the arms in the order of the request."""
    return {
        "scenario": spec.scenario,
        "seed": spec.seed,
        "kafka": spec.kafka,
        "zookeeper": spec.zookeeper,
        "instead_of": spec.instead_of,
        "controllers": spec.controllers,
        "partitions": spec.partitions,
        "value_bytes": spec.value_bytes,
        "java_clients": spec.java_clients,
        "copier": spec.copier,
        "arms": list(arms),
    }


def fault_data(row: FaultRow, at_s: float) -> dict[str, Any]:
    """A fault row as the page receives it; `at_s` is on the experiment's time axis."""
    data = asdict(row)
    del data["time_ns"]
    return {**data, "at_s": at_s}


def versions(kafka: str, java: str | None) -> dict[str, str | None]:
    """The versions of the brokers, the client library, the judge, Java, and this project."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return {
        "kafka": kafka,
        "librdkafka": str(confluent_kafka.libversion()[0]),
        "confluent-kafka": version("confluent-kafka"),
        "spark": version("pyspark"),
        "java": java,
        "delivery-lab": project["version"],
    }


def machine() -> dict[str, Any]:
    """The machine that it ran on."""
    return {
        "system": platform.platform(),
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
    }


def shortened(
    cluster: Mapping[str, tuple[int, int]],
    settings: Settings,
    pins: Mapping[str, Mapping[str, Pinned]],
) -> list[dict[str, str | int | bool]]:
    """The settings of the lab's brokers and clients that differ from the product's.

    They differ so that a run is short. `cluster` is `Cluster.shortened`: setting → (the lab's
    value, the product's default). `pins` holds the scenario's settings by component, and the lab's
    settings of every `client`. In a row, `described` is the team's value, if it was described.
    """
    brokers: list[dict[str, str | int | bool]] = [
        {
            "setting": f"broker {name}", "lab": lab, "product": product,
            "why": SHORTENED[name].why,
            **_described(settings, "broker", name),
        }
        for name, (lab, product) in cluster.items()
    ]  # fmt: skip
    pinned: list[dict[str, str | int | bool]] = [
        {"setting": f"{component} {name}", **asdict(pin), **_described(settings, component, name)}
        for component, component_pins in pins.items()
        for name, pin in component_pins.items()
    ]
    return brokers + pinned


def _described(settings: Settings, component: str, name: str) -> dict[str, str | int | bool]:
    stated = settings.get(component, {})
    return {"described": stated[name]} if name in stated else {}
