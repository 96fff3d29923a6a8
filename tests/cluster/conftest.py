"""Real brokers for tests: jars and warm judge per session, a cluster of three per module."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest

from labs.engine.base.slots import slot
from labs.engine.base.wait import until
from labs.engine.cluster.cluster import Cluster
from labs.engine.cluster.prepare import prepared
from labs.engine.distributions.distribution import Distribution, kafka_versions
from labs.engine.distributions.java import Java, find_java
from labs.engine.judge.warm import WarmJudge
from labs.engine.plan.spec import ExperimentSpec
from labs.engine.protocol.admin import quiet_admin
from labs.engine.run.launch import Launch

Outcome = tuple[dict[str, Any], list[dict[str, Any]]]
"""The arms' results by name, and every event."""


class Run(Protocol):
    """Runs an experiment, and once more if the verdict of an arm is `unknown`.

    A user on a busy machine would do the same. A wrong verdict is never retried.
    """

    def __call__(self, spec: ExperimentSpec, *, runs: int = 2) -> Outcome: ...


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """All experiments are judged by one warm session."""
    with tempfile.TemporaryDirectory() as short:  # a socket's path is at most 107 bytes long
        judge = WarmJudge(Path(short) / "judge.sock", practice=0)
        judge.start()

        def run(spec: ExperimentSpec, *, runs: int = 2) -> Outcome:
            folder = tmp_path_factory.mktemp("experiment") / "run"
            with Launch(spec, folder, judge.socket) as started:
                events = list(started)
            arms = {event["name"]: event for event in events[-1]["experiment"]["arms"]}
            unknown = [arm["reason"] for arm in arms.values() if arm["verdict"] == "unknown"]
            if unknown and runs > 1:
                warnings.warn(f"{spec.scenario} is run once more: {unknown}", stacklevel=2)
                return run(spec, runs=runs - 1)
            return arms, events

        yield run
        judge.stop()


@pytest.fixture(scope="session")
def java() -> Java:
    return find_java()


@pytest.fixture(scope="session")
def distribution(java: Java) -> Distribution:
    """The newest Kafka, with everything that its first cluster would otherwise have to make."""
    return prepared(kafka_versions()[0], java, lambda line: None)


@pytest.fixture(scope="module")
def booted(
    distribution: Distribution, java: Java, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Cluster]:
    """A cluster of three for all tests of a module."""
    folder: Path = tmp_path_factory.mktemp("cluster")
    with slot(), Cluster(distribution, java, folder) as cluster:
        yield cluster


def remove_topics(bootstrap: str) -> None:
    """Removes the topics of a failed first attempt, so that a second one can create them."""
    with quiet_admin(bootstrap) as admin:

        def topics() -> list[str]:
            names = admin.list_topics(timeout=10).topics
            return [name for name in names if not name.startswith("__")]  # internal ones stay

        if topics_left := topics():
            for future in admin.delete_topics(topics_left, request_timeout=10).values():
                future.result()
        until(lambda: not topics(), 60, "the topics of the first attempt are still there")


@pytest.fixture
def cluster(booted: Cluster, request: pytest.FixtureRequest) -> Iterator[Cluster]:
    """The module's cluster with all brokers running; they are started again after the test."""
    if getattr(request.node, "execution_count", 1) > 1:  # a rerun by pytest-rerunfailures
        remove_topics(booted.bootstrap)
    yield booted
    for broker in booted.brokers.values():
        if broker.state == "paused":
            broker.resume()
        elif broker.state == "dead":
            broker.start()
    until(lambda: set(booted.states().values()) == {"running"}, 60, "a broker does not run")
    booted.wait_ready(60)
