"""The complete system with web server, worker, Redis and brokers: what survives a kill -9.

The ordinary tests kill a worker and a keeper in different phases and do not wait for a run to end.
The thorough ones also kill processes that a run does not depend on, and wait for a restarted run.
`python -m benchmarks.survival` kills every process in every phase.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from labs.engine.base.wait import until
from tests.stack.house import House, house, processes_of
from tests.stack.victims import (
    CLIENT,
    KEEPER,
    REDIS,
    RUN_LIMIT_S,
    RUNNER,
    SPARK,
    WEB,
    WORKER,
    Victim,
    arms,
    await_phase,
    strike,
    went_on,
)
from tests.stack.visitor import OVER, Visitor

pytestmark = [pytest.mark.whole, pytest.mark.stack, pytest.mark.timeout(1500)]

INTERRUPTED_LIMIT_S = 5
JUDGED = ("holds", "broken")
LEADER_KILLED = "/experiments/start/"
SMALL = "/scenarios/producer-killed/start/"
"""Boots one broker per arm instead of three: enough where the result of the run does not matter."""


OLD_RELEASE = "/incidents/kafka-9254/start/"
"""Boots two brokers of 2.4.0 with ZooKeeper."""


def brokers_of(data: Path) -> list[int]:
    return [pid for pid, command in processes_of(data).items() if "kafka.Kafka" in command]


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with house(tmp_path_factory.mktemp("survival") / "data") as started:
        started.wait_until_ready()
        yield started


@pytest.fixture
def visitor(installation: House) -> Visitor:
    return Visitor(installation)


@contextmanager
def started(installation: House, visitor: Visitor, address: str) -> Iterator[str]:
    """The page of an experiment that was just started."""
    until(lambda: not brokers_of(installation.data), 60, "brokers outlived the run of another test")
    page = visitor.post(address)
    yield page
    visitor.post(f"{page}cancel/")


@pytest.fixture
def running(installation: House, visitor: Visitor) -> Iterator[str]:
    with started(installation, visitor, LEADER_KILLED) as page:
        yield page


def folders_without_verdict(installation: House, page: str) -> list[Path]:
    """The folders of the arms without a verdict. A judged arm keeps its ledger."""
    judged = {
        name for name, verdict in arms(installation, page, "name, verdict") if verdict in JUDGED
    }
    attempts = installation.data / "runs" / page.strip("/").rsplit("/", 1)[-1]
    paths = [path for path in attempts.glob("*/*") if path.is_dir()]
    return [arm for arm in paths if arm.name not in judged]


def assert_nothing_left(installation: House, page: str) -> None:
    until(lambda: not brokers_of(installation.data), 60, "brokers outlived their owner")
    until(lambda: not folders_without_verdict(installation, page), 60, "the folder was not cleaned")


@pytest.mark.parametrize(
    "address", [SMALL, pytest.param(LEADER_KILLED, marks=pytest.mark.thorough)]
)
def test_a_killed_worker_leaves_an_interrupted_run_that_can_be_run_again(
    installation: House, visitor: Visitor, address: str
) -> None:
    with started(installation, visitor, address) as page:
        await_phase(installation, page, "healing")
        assert folders_without_verdict(installation, page)
        WORKER.kill(installation)
        killed_at = time.monotonic()
        visitor.waits_for(page, WORKER.says, INTERRUPTED_LIMIT_S)
        assert time.monotonic() - killed_at <= INTERRUPTED_LIMIT_S
        assert_nothing_left(installation, page)

        assert visitor.post(f"{page}again/") == page
        visitor.waits_for(page, "attempt 2", RUN_LIMIT_S)
        await_phase(installation, page, "healing")
        if address == LEADER_KILLED:
            visitor.waits_for(page, OVER, RUN_LIMIT_S)
            assert arms(installation, page, "verdict") == [("broken",), ("holds",)]


@pytest.mark.parametrize(
    ("victim", "phase", "address"),
    [
        pytest.param(KEEPER, "producing", SMALL, id="keeper-producing"),
        pytest.param(
            CLIENT, "faulting", LEADER_KILLED, id="client-faulting", marks=pytest.mark.thorough
        ),
        pytest.param(RUNNER, "reading", SMALL, id="runner-reading", marks=pytest.mark.thorough),
    ],
)
def test_a_killed_part_of_the_run_interrupts_it(
    installation: House, visitor: Visitor, victim: Victim, phase: str, address: str
) -> None:
    with started(installation, visitor, address) as page:
        became = strike(installation, visitor, page, victim, phase)
        assert became in ("interrupted", "went on"), became
        if became == "interrupted":
            assert_nothing_left(installation, page)


@pytest.mark.thorough
def test_the_run_continues_after_web_server_spark_and_redis_are_killed(
    installation: House, visitor: Visitor, running: str
) -> None:
    another = Visitor(installation)
    waiting = another.post(LEADER_KILLED)
    for victim, phase in ((WEB, "booting"), (SPARK, "ready"), (REDIS, "judging")):
        await_phase(installation, running, phase)
        victim.kill(installation)
    assert went_on(visitor.waits_for(running, OVER, RUN_LIMIT_S))
    await_phase(installation, waiting, "ready")
    another.post(f"{waiting}cancel/")


def test_cancelling_ends_the_brokers(installation: House, visitor: Visitor) -> None:
    # Clusters are limited per machine: other experiments on it may run first.
    with started(installation, visitor, SMALL) as page:
        until(
            lambda: len(brokers_of(installation.data)) >= 2, RUN_LIMIT_S, "no brokers were started"
        )
        visitor.post(f"{page}cancel/")
        assert "Cancelled by a visitor." in visitor.get(page)
        assert_nothing_left(installation, page)


def test_no_process_of_an_old_release_survives_its_killed_worker(
    installation: House, visitor: Visitor
) -> None:
    def commands_of_release() -> list[str]:
        return [word for word in processes_of(installation.data).values() if "/past-2.4.0/" in word]

    until(lambda: not brokers_of(installation.data), 60, "brokers outlived the run of another test")
    page = visitor.post(OLD_RELEASE, side="affected")
    until(lambda: len(commands_of_release()) >= 3, RUN_LIMIT_S, "brokers and ZooKeeper do not run")
    assert any("QuorumPeerMain" in command for command in commands_of_release())
    assert folders_without_verdict(installation, page)
    WORKER.kill(installation)
    until(lambda: not commands_of_release(), 60, "an old release outlived its play")
    until(lambda: not folders_without_verdict(installation, page), 60, "the folder was not cleaned")
    visitor.waits_for(page, "Interrupted.", INTERRUPTED_LIMIT_S)
