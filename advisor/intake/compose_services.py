"""What a compose file says of its servers beside their settings: how many, and on which disks."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from advisor.intake.reading import Reading
from advisor.intake.yaml_nodes import Leaf

_IDS = ("KAFKA_NODE_ID", "KAFKA_BROKER_ID", "KAFKA_CFG_NODE_ID", "KAFKA_CFG_BROKER_ID")
_ZOOKEEPER = ("zookeeper", "cp-zookeeper")


def count(
    reading: Reading,
    leaves: Sequence[Leaf],
    variables: Mapping[str, Iterable[tuple[str, str, int]]],
    services: Collection[str],
) -> int:
    """How many servers the services are: each once, or as often as it is replicated.

    Replicas with one id are one server: brokers refuse a second with the same
    (Compose file reference, `scale` and `deploy.replicas`; DUPLICATE_BROKER_REGISTRATION).
    """
    number = 0
    for service in services:
        replicas, line = _replicas(leaves, service)
        fixed = any(name in _IDS for name, _, _ in variables.get(service, ()))
        if fixed and replicas > 1:
            words = "replicas of one id: brokers refuse the second with an id that is taken"
            if not any(words in note for note in reading.notes):
                reading.note(line, words)
        number += 1 if fixed else replicas
    return number


def _replicas(leaves: Iterable[Leaf], service: str) -> tuple[int, int]:
    for leaf in leaves:
        match leaf.path:
            case ("services", name, "scale") | ("services", name, "deploy", "replicas"):
                if name == service and leaf.text.isdecimal():
                    return int(leaf.text), leaf.line
            case _:
                pass
    return 1, 1


def say_volumes(reading: Reading, leaves: Sequence[Leaf], brokers: Collection[str]) -> None:
    """Says what no setting tells: logs that go with their container, and a lone ZooKeeper."""
    of_services = [leaf for leaf in leaves if leaf.path[:1] == ("services",) and leaf.path[2:]]
    kept = {leaf.path[1] for leaf in of_services if leaf.path[2] in ("volumes", "tmpfs")}
    bare = [leaf.line for leaf in of_services if leaf.path[1] in {*brokers} - kept]
    if bare:
        words = "no volume holds a broker's logs: a container that is made anew has an empty disk"
        reading.note(bare[0], f"{words}, which is not reckoned with here")
    ensemble = [
        leaf.line
        for leaf in of_services
        if leaf.path[2:] == ("image",)
        and leaf.text.rpartition("/")[2].partition(":")[0] in _ZOOKEEPER
    ]
    if brokers and len(ensemble) == 1:
        reading.note(ensemble[0], LONE_ZOOKEEPER)


LONE_ZOOKEEPER = (
    "ZooKeeper is one server here: with its disk the metadata of all brokers are lost, which is "
    "not reckoned with here"
)
