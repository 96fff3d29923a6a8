"""Brokers of one cluster with different settings: the weakest value is read."""

from __future__ import annotations

from random import Random

from tests.advisor.drawn.effective import OF_SERVERS, Drawn, File, Name
from tests.advisor.drawn.texts import Row, properties

_VOTERS = "1@kafka1:9093,2@kafka2:9093,3@kafka3:9093"


def _brokers(random: Random) -> list[dict[Name, str]]:
    names = random.sample(list(OF_SERVERS), random.randint(1, 3))
    common = {name: random.choice(OF_SERVERS[name]) for name in names}
    brokers = list[dict[Name, str]]()
    for _ in range(3):
        settings = {name: value for name, value in common.items() if random.random() < 0.9}
        if random.random() < 0.3:
            name = random.choice(names)
            settings[name] = random.choice(OF_SERVERS[name])
        brokers.append(settings)
    return brokers


def server_files(random: Random) -> Drawn:
    """A property file for each broker."""
    brokers, files = _brokers(random), list[File]()
    for number, settings in enumerate(brokers, start=1):
        rows: list[Row] = [
            ("node.id", str(number)), ("process.roles", "broker,controller"),
            ("controller.quorum.voters", _VOTERS), ("controller.listener.names", "CONTROLLER"),
            ("listeners", f"PLAINTEXT://kafka{number}:9092,CONTROLLER://kafka{number}:9093"),
            ("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT"),
            ("log.dirs", "/var/kafka"), *((key, value) for (_, key), value in settings.items()),
        ]  # fmt: skip
        random.shuffle(rows)
        files.append((f"server-{number}.properties", properties(random, rows)))
    random.shuffle(files)
    return Drawn(files, brokers[0], OF_SERVERS, brokers[1:])


def differing_services(random: Random) -> Drawn:
    """A compose service for each broker, with the common settings in an anchor."""
    brokers = _brokers(random)
    shared = {name: random.choice(OF_SERVERS[name]) for name in OF_SERVERS if random.random() < 0.3}
    text = "x-kafka: &kafka\n  KAFKA_PROCESS_ROLES: broker,controller\n"
    text += f"  KAFKA_CONTROLLER_QUORUM_VOTERS: '{_VOTERS}'\n"
    text += "  KAFKA_CONTROLLER_LISTENER_NAMES: CONTROLLER\n"
    text += "  KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT\n"
    text += "".join(f"  {_variable(name)}: '{value}'\n" for name, value in shared.items())
    text += "services:\n"
    for number, settings in enumerate(brokers, start=1):
        text += f"  kafka{number}:\n    image: apache/kafka:4.1.0\n    environment:\n"
        text += f"      <<: *kafka\n      KAFKA_NODE_ID: {number}\n"
        text += f"      KAFKA_LISTENERS: PLAINTEXT://kafka{number}:9092,CONTROLLER://:9093\n"
        text += "".join(f"      {_variable(name)}: '{value}'\n" for name, value in settings.items())
        text += f"    volumes: ['data{number}:/var/lib/kafka/data']\n"
    first, *others = [shared | settings for settings in brokers]
    return Drawn([("compose.yml", text)], first, OF_SERVERS, others)


def _variable(name: Name) -> str:
    return f"KAFKA_{name[1].replace('.', '_')}".upper()
