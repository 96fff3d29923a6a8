"""Plays an incident on the release that has the bug and on the one that fixed it."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from labs.engine.base.processes import state
from labs.engine.cluster.broker import Broker
from labs.engine.cluster.cluster import Cluster
from labs.engine.cluster.nodes import Layout
from labs.engine.distributions.distribution import (
    kafka,
    past,
    past_clients,
    past_streams,
    tools_path,
)
from labs.engine.distributions.java import Java, find_java
from labs.incidents import exhibits, wheels
from labs.incidents.model import SIDES, Incident, Outcome
from labs.incidents.past_client import PastClient, Server
from labs.incidents.past_cluster import PastCluster
from labs.incidents.past_python import PastPython

Report = Callable[[str], None]
_PREFIX = "delivery-lab-incident-"
_ENDED = (None, "Z", "X")


def _ignore(_: str) -> None:
    """The default `enter`: ignores phases."""


@dataclass(frozen=True, slots=True)
class Side:
    """One release of an incident and its plays; `side` is `affected`, `fixed` or `today`."""

    incident: str
    side: str
    release: str
    outcomes: tuple[Outcome, ...]

    @property
    def harmed(self) -> int:
        """The number of plays in which the harm was seen."""
        return sum(outcome.is_harm for outcome in self.outcomes)


def verify(
    incident: Incident, times: int, tell: Report, sides: Collection[str] = SIDES
) -> Iterator[Side]:
    """Yields the sides of an incident, each played `times` times, each time on new brokers.

    Raises the errors of `play`.
    """
    for side, release in incident.releases.items():
        if side not in sides:
            continue
        outcomes = []
        for number in range(1, times + 1):
            outcome = play(incident, release, tell)
            tell(f"{incident.id} on {release}, {number} of {times}: {outcome.harmed} of "
                 f"{outcome.of} {incident.harm}")  # fmt: skip
            outcomes.append(outcome)
        yield Side(incident.id, side, release, tuple(outcomes))


def play(
    incident: Incident,
    release: str,
    tell: Report,
    enter: Report = _ignore,
    home: Path | None = None,
) -> Outcome:
    """Plays an incident once on new brokers, in a folder that is removed afterwards.

    The brokers have the release; for a client, they have today's, or the one that it needs. The
    steps are `play` of the incident's module, called with a `PastCluster`, `PastClient` or
    `PastPython`. `tell` is called for each download, `enter` for each phase that begins
    (`model.PHASES`). With `home`, the play uses that folder, which the caller removes.

    Raises `distribution.WrongChecksum`, `download.DownloadFailed`, `java.JavaMissing`,
    `wait.WaitTimeout`, `ChildProcessError`, `ProgramFailed`, `KafkaException`.
    """
    steps, java = import_module(incident.module), find_java()
    with _temporary_folder() if home is None else nullcontext(home) as folder:
        enter("fetching")
        if incident.component == "broker":
            jars, size = past(release, tell), steps.BROKERS
            enter("booting")
            with PastCluster(jars, java, folder, steps.SETTINGS, size) as brokers:
                enter("playing")
                outcome = _played(incident, steps.play, brokers)
                return _with_exhibits(outcome, brokers.brokers, release, brokers.tools_path, folder)
        client = _fetched(incident, release, java, folder, tell)
        server = _server(incident, release, steps, java, folder, tell)
        enter("booting")
        with server as served:
            enter("playing")
            outcome = _played(incident, steps.play, client(served))
            return _with_exhibits(
                outcome, served.brokers, served.version, served.tools_path, folder
            )


def _played(
    incident: Incident, steps: Callable[[Any], Outcome], past: PastCluster | PastClient | PastPython
) -> Outcome:
    """Runs the steps. The last moment is the count of the harm."""
    outcome = steps(past)
    past.timeline.add(f"{outcome.harmed} of {outcome.of} {incident.harm}")
    return replace(outcome, moments=past.timeline.moments)


def _with_exhibits(
    outcome: Outcome, brokers: Mapping[int, Broker], version: str, tools_path: str, folder: Path
) -> Outcome:
    """Returns the outcome with exhibits of the brokers, whose files are about to be removed."""
    java = find_java()
    logs = exhibits.log_exhibit(brokers, folder)
    segments = exhibits.segment_exhibit(brokers[1], version, tools_path, java, folder)
    return replace(outcome, exhibits=(*outcome.exhibits, logs, segments))


@contextmanager
def _booted(cluster: Cluster | PastCluster, version: str, tools: str) -> Iterator[Server]:
    """Boots the brokers for clients."""
    with cluster:
        yield Server(cluster.bootstrap, version, cluster.brokers, tools)


def _server(
    incident: Incident, release: str, steps: ModuleType, java: Java, folder: Path, tell: Report
) -> AbstractContextManager[Server]:
    """Fetches the brokers for clients of this release: today's, or those that they can use.

    There is one broker, unless the steps define `BROKERS` and `SETTINGS`.
    """
    home, version = folder / "cluster", incident.brokers
    size, settings = getattr(steps, "BROKERS", 1), getattr(steps, "SETTINGS", {})
    if version and release != incident.today:
        old = PastCluster(past(version, tell), java, home, settings, size)
        return _booted(old, version, old.tools_path)
    today = kafka(progress=tell)
    cluster = Cluster(today, java, home, Layout(size), settings)
    return _booted(cluster, today.version, tools_path(today, tell))


def _fetched(
    incident: Incident, release: str, java: Java, folder: Path, tell: Report
) -> Callable[[Server], PastClient | PastPython]:
    """Fetches a client of this release; returns a function that creates it for a server."""
    if incident.component == "librdkafka":
        modules = None if release == wheels.installed() else folder / "modules"
        if modules:
            wheels.unpack(release, modules, tell)
        return lambda server: PastPython(server.bootstrap, folder, modules)
    fetch = past_streams if incident.component == "streams" else past_clients
    clients = fetch(release, tell)
    return lambda server: PastClient(clients, java, folder, server)


@contextmanager
def _temporary_folder() -> Iterator[Path]:
    """A temporary folder; first, the folders of killed plays are removed."""
    for leftover in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        owner = leftover.name.removeprefix(_PREFIX).partition("-")[0]
        if owner.isdigit() and state(int(owner)) in _ENDED:
            shutil.rmtree(leftover, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=f"{_PREFIX}{os.getpid()}-") as name:
        yield Path(name)
