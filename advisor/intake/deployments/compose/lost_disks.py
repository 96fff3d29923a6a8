"""What a compose file says of lost disks: those that end with a container, and of how many
servers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from advisor.catalog import Component
from advisor.intake.clients.placeholders import COMPOSE
from advisor.intake.deployments.compose.disks import logs_in_memory
from advisor.intake.deployments.compose.servers import count
from advisor.intake.deployments.compose.volumes import loses_logs, loses_metadata, volume_of_logs
from advisor.intake.formats.yaml_nodes import Leaf
from advisor.intake.reading import Reading

_ZOOKEEPER = ("zookeeper", "cp-zookeeper")
_CONNECTS = ("KAFKA_ZOOKEEPER_CONNECT", "KAFKA_CFG_ZOOKEEPER_CONNECT")
_ANEW = "a container that is made anew, as by `docker compose down` or another image,"
_BARE = f"no volume holds a %s: {_ANEW} comes back by itself, on an empty disk (application.%s)"
_LOGS, _METADATA = "disk.lost", "metadata.disk.lost"
_Test = Callable[[Sequence[Leaf], str, str, Mapping[str, str]], int]


@dataclass(frozen=True, slots=True)
class Servers:
    """The services of a compose file, with who of them has which part.

    `variables` are those of each service, `images` what it runs; `brokers` keep logs, `voting`
    are controllers.
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
        if not names.intersection(_CONNECTS):
            return []
        return [service for service, image in self.images.items() if _is_zookeeper(image)]

    def of(self, service: str) -> dict[str, str]:
        """What the variables of a service say."""
        own = self.variables.get(service, ())
        return {name: COMPOSE.sub(r"\2", value) for name, value, _ in own}


def say_shared(reading: Reading, servers: Servers) -> None:
    """Counts brokers with one folder for their logs once: the second does not get its lock, and
    does not start (LogManager.lockLogDirs). And says that all are on one machine."""
    places: dict[str, str] = {}
    shared = 0
    for service in sorted(servers.brokers):
        image = servers.images.get(service, "")
        volume = volume_of_logs(servers.leaves, service, image, servers.of(service))
        many = count(reading, servers.leaves, servers.variables, [service])
        more = max(many - 1, 0) if volume else 0
        if volume and places.setdefault(volume, service) != service:
            more = many
        if more:
            shared += more
            line = _line(servers.leaves, service)
            words = "brokers with one volume for their logs: the second does not get its lock"
            reading.note(line, f"{words}, and does not start")
    if shared and "brokers" in reading.heads:
        reading.heads["brokers"] = str(int(reading.heads["brokers"]) - shared)
    if len(servers.brokers) > 1 and not shared:
        line = _line(servers.leaves, min(servers.brokers))
        words = "brokers of one compose file run on one machine, and lose their disks with it"
        reading.note(line, f"{words}: that failure is not taken into account")


def lose_disks(reading: Reading, servers: Servers) -> None:
    """States what ends with a container, and how many servers ZooKeeper has."""
    ensemble = servers.ensemble
    if ensemble:
        number = count(reading, servers.leaves, {}, ensemble)
        line = _line(servers.leaves, ensemble[0])
        reading.state(Component.APPLICATION, "zookeeper.servers", str(number), line)
    _lose_logs(reading, servers)
    _lose_metadata(reading, servers, [*sorted(servers.voting), *ensemble])


def _lose_logs(reading: Reading, servers: Servers) -> None:
    for service in sorted(servers.brokers):
        if line := logs_in_memory(servers.leaves, service, servers.of(service)):
            reading.lose_disks(line, "the broker's logs are on a tmpfs", "that is stopped")
            return
    if line := _first(servers, sorted(servers.brokers), loses_logs):
        reading.state(Component.APPLICATION, _LOGS, "returns-empty", line)
        reading.note(line, _BARE % ("broker's logs", _LOGS))


def _lose_metadata(reading: Reading, servers: Servers, keepers: Sequence[str]) -> None:
    who = "controller's metadata" if servers.voting else "ZooKeeper's data"
    for service in sorted(servers.voting):
        if line := logs_in_memory(servers.leaves, service, servers.of(service)):
            reading.state(Component.APPLICATION, _METADATA, "each-restart", line)
            words = f"the {who} are on a tmpfs: it comes back by itself, on an empty disk"
            reading.note(line, f"{words} (application.{_METADATA})")
            return
    if line := _first(servers, keepers, loses_metadata):
        reading.state(Component.APPLICATION, _METADATA, "returns-empty", line)
        reading.note(line, _BARE % (who, _METADATA))


def _first(servers: Servers, services: Iterable[str], loses: _Test) -> int:
    """The line of the first service whose data end with its container; 0 if there is none."""
    lines = (
        loses(servers.leaves, service, servers.images.get(service, ""), servers.of(service))
        for service in services
    )
    return next((line for line in lines if line), 0)


def _is_zookeeper(image: str) -> bool:
    return image.rpartition("/")[2].partition(":")[0] in _ZOOKEEPER


def _line(leaves: Sequence[Leaf], service: str) -> int:
    return min(leaf.line for leaf in leaves if leaf.path[:2] == ("services", service))
