"""Disks of a compose file that are lost with their container, and the number of servers that lose
them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from advisor.catalog import Component
from advisor.intake.clients.placeholders import COMPOSE
from advisor.intake.deployments.compose.disks import logs_in_memory
from advisor.intake.deployments.compose.servers import ZOOKEEPER_CONNECT, count_servers
from advisor.intake.deployments.compose.volumes import log_volume, loses_logs, loses_metadata
from advisor.intake.formats.yaml_nodes import Leaf
from advisor.intake.reading import Reading

_ZOOKEEPER_IMAGES = ("zookeeper", "cp-zookeeper")
_RECREATED = (
    "a container that is created again, as after `docker compose down` or with another image,"
)
_NO_VOLUME = (
    f"no volume holds a %s: {_RECREATED} comes back by itself, on an empty disk (application.%s)"
)
_LOGS_LOST, _METADATA_LOST = "disk.lost", "metadata.disk.lost"
_LossTest = Callable[[Sequence[Leaf], str, str, Mapping[str, str]], int]


@dataclass(frozen=True, slots=True)
class Servers:
    """The services of a compose file, with their roles.

    `variables` and `images` are by service. `brokers` keep logs, and `voting` are controllers.
    """

    leaves: Sequence[Leaf]
    variables: Mapping[str, Sequence[tuple[str, str, int]]]
    images: Mapping[str, str]
    brokers: Collection[str]
    voting: Collection[str]

    @property
    def ensemble(self) -> list[str]:
        """The servers of the ZooKeeper that the brokers use."""
        names = {name for service in self.brokers for name, _, _ in self.variables.get(service, ())}
        if not names.intersection(ZOOKEEPER_CONNECT):
            return []
        return [service for service, image in self.images.items() if _is_zookeeper(image)]

    def values(self, service: str) -> dict[str, str]:
        """The values of a service's variables, by name."""
        rows = self.variables.get(service, ())
        return {name: COMPOSE.sub(r"\2", value) for name, value, _ in rows}


def say_shared(reading: Reading, servers: Servers) -> None:
    """Counts brokers with the same log folder once: the second does not get its lock, and does not
    start (LogManager.lockLogDirs). Notes that all brokers run on one machine."""
    owners: dict[str, str] = {}
    shared = 0
    for service in sorted(servers.brokers):
        image = servers.images.get(service, "")
        volume = log_volume(servers.leaves, service, image, servers.values(service))
        number = count_servers(reading, servers.leaves, servers.variables, [service])
        excess = max(number - 1, 0) if volume else 0
        if volume and owners.setdefault(volume, service) != service:
            excess = number
        if excess:
            shared += excess
            line = _line(servers.leaves, service)
            words = "brokers with one volume for their logs: the second cannot lock it"
            reading.note(line, f"{words}, and does not start")
    if shared and "brokers" in reading.heads:
        reading.heads["brokers"] = str(int(reading.heads["brokers"]) - shared)
    if len(servers.brokers) > 1 and not shared:
        line = _line(servers.leaves, min(servers.brokers))
        words = "brokers of one compose file run on one machine, and lose their disks with it"
        reading.note(line, f"{words}: that failure is not taken into account")


def lose_disks(reading: Reading, servers: Servers) -> None:
    """States the data that is lost with a container, and the number of ZooKeeper's servers."""
    ensemble = servers.ensemble
    if ensemble:
        number = count_servers(reading, servers.leaves, {}, ensemble)
        line = _line(servers.leaves, ensemble[0])
        reading.add_setting(Component.APPLICATION, "zookeeper.servers", str(number), line)
    _lose_logs(reading, servers)
    _lose_metadata(reading, servers, [*sorted(servers.voting), *ensemble])


def _lose_logs(reading: Reading, servers: Servers) -> None:
    for service in sorted(servers.brokers):
        if line := logs_in_memory(servers.leaves, service, servers.values(service)):
            reading.lose_disks(line, "the broker's logs are on a tmpfs", "that is stopped")
            return
    if line := _first_loss(servers, sorted(servers.brokers), loses_logs):
        reading.add_setting(Component.APPLICATION, _LOGS_LOST, "returns-empty", line)
        reading.note(line, _NO_VOLUME % ("broker's logs", _LOGS_LOST))


def _lose_metadata(reading: Reading, servers: Servers, keepers: Sequence[str]) -> None:
    owner = "controller's metadata" if servers.voting else "ZooKeeper's data"
    for service in sorted(servers.voting):
        if line := logs_in_memory(servers.leaves, service, servers.values(service)):
            reading.add_setting(Component.APPLICATION, _METADATA_LOST, "each-restart", line)
            words = f"the {owner} are on a tmpfs: it comes back by itself, on an empty disk"
            reading.note(line, f"{words} (application.{_METADATA_LOST})")
            return
    if line := _first_loss(servers, keepers, loses_metadata):
        reading.add_setting(Component.APPLICATION, _METADATA_LOST, "returns-empty", line)
        reading.note(line, _NO_VOLUME % (owner, _METADATA_LOST))


def _first_loss(servers: Servers, services: Iterable[str], loses: _LossTest) -> int:
    """The line of the first service whose data is lost with its container; 0 if there is none."""
    lines = (
        loses(servers.leaves, service, servers.images.get(service, ""), servers.values(service))
        for service in services
    )
    return next((line for line in lines if line), 0)


def _is_zookeeper(image: str) -> bool:
    return image.rpartition("/")[2].partition(":")[0] in _ZOOKEEPER_IMAGES


def _line(leaves: Sequence[Leaf], service: str) -> int:
    return min(leaf.line for leaf in leaves if leaf.path[:2] == ("services", service))
