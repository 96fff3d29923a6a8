"""Properties of clients, servers and topics: the last of two lines of one key counts."""

from __future__ import annotations

import json
from random import Random

from tests.advisor.drawn.effective import (
    BROKER,
    CONSUMER,
    OF_SERVERS,
    OF_TOPIC,
    PRODUCER,
    TOPIC,
    VALUES,
    Drawn,
    Name,
)  # fmt: skip
from tests.advisor.drawn.texts import Row, properties

_FILES = {PRODUCER: "producer.properties", CONSUMER: "consumer.properties",
          BROKER: "server.properties", TOPIC: "topic.properties"}  # fmt: skip
_OTHER_ROWS = {
    PRODUCER: [("bootstrap.servers", "a:9092"), ("key.serializer", "x.StringSerializer")],
    CONSUMER: [("group.id", "orders"), ("key.deserializer", "x.StringDeserializer")],
    BROKER: [("process.roles", "broker,controller"), ("node.id", "1"), ("log.dirs", "/var/kafka")],
    TOPIC: [("cleanup.policy", "delete"), ("segment.bytes", "1073741824")],
}
_ALL_VALUES = {**VALUES, **OF_SERVERS, **OF_TOPIC}


def plain(random: Random) -> Drawn:
    """Property files, each for one component."""
    parts = random.sample(list(_FILES), random.randint(1, 3))
    parts = [part for part in parts if part is not TOPIC or BROKER not in parts]
    effective, files = dict[Name, str](), []
    for part in parts:
        names = [name for name in _ALL_VALUES if name[0] == part]
        rows: list[Row] = [*_OTHER_ROWS[part]]
        for name in random.sample(names, random.randint(1, min(4, len(names)))):
            for _ in range(random.choice([1, 1, 2])):
                value = random.choice(_ALL_VALUES[name])
                rows.insert(random.randint(0, len(rows)), (name[1], value))
        random.shuffle(rows)
        effective |= {(part, key): value for key, value in rows if (part, key) in _ALL_VALUES}
        files.append((_FILES[part], properties(random, rows)))
    modelled = {name: values for name, values in _ALL_VALUES.items() if name[0] in parts}
    return Drawn(files, effective, modelled)


def shared(random: Random) -> Drawn:
    """One property file for a producer and a consumer."""
    rows: list[Row] = [("bootstrap.servers", "a:9092"), ("group.id", "orders")]
    for name in random.sample(list(VALUES), random.randint(2, 6)):
        for _ in range(random.choice([1, 1, 2])):
            rows.append((name[1], random.choice(VALUES[name])))
    random.shuffle(rows)
    rows = [
        ("acks", random.choice(VALUES[PRODUCER, "acks"])),
        ("auto.offset.reset", random.choice(VALUES[CONSUMER, "auto.offset.reset"])),
        *rows,
    ]
    by_key = {name[1]: name for name in VALUES}
    effective = {by_key[key]: value for key, value in rows if key in by_key}
    return Drawn([("client.properties", properties(random, rows))], effective)


_LIBRDKAFKA_KEYS: dict[Name, tuple[tuple[str, ...], tuple[str, ...]]] = {
    (PRODUCER, "acks"): (("acks", "request.required.acks"), ("all", "-1", "1", "0")),
    (PRODUCER, "enable.idempotence"): (("enable.idempotence",), ("true", "false")),
    (PRODUCER, "retries"): (("retries", "message.send.max.retries"), ("0", "3", "2147483647")),
    (PRODUCER, "max.in.flight.requests.per.connection"): (
        ("max.in.flight", "max.in.flight.requests.per.connection"), ("1", "5", "1000000")),
    (PRODUCER, "delivery.timeout.ms"): (
        ("delivery.timeout.ms", "message.timeout.ms"), ("300000", "30000")),
    (CONSUMER, "enable.auto.commit"): (("enable.auto.commit",), ("true", "false")),
    (CONSUMER, "isolation.level"): (
        ("isolation.level",), ("read_committed", "read_uncommitted")),
    (CONSUMER, "auto.offset.reset"): (("auto.offset.reset",), ("earliest", "latest")),
    (CONSUMER, "enable.auto.offset.store"): (("enable.auto.offset.store",), ("true", "false")),
}  # fmt: skip


def librdkafka(random: Random) -> Drawn:
    """JSON with settings of librdkafka and their aliases: the last entry counts."""
    part = random.choice([PRODUCER, CONSUMER])
    names = [name for name in _LIBRDKAFKA_KEYS if name[0] == part]
    rows: list[Row] = [("bootstrap.servers", "a:9092")]
    rows += [("group.id", "orders")] if part is CONSUMER else []
    rows += [("queue.buffering.max.messages", "100000"), ("socket.timeout.ms", "60000")]
    for name in random.sample(names, random.randint(1, 4)):
        keys, values = _LIBRDKAFKA_KEYS[name]
        rows.insert(random.randint(0, len(rows)), (random.choice(keys), random.choice(values)))
        if random.random() < 0.2:
            rows.append(
                (rows[-1][0] if rows[-1][0] in keys else random.choice(keys), random.choice(values))
            )
    name_by_key = {key: name for name, (keys, _) in _LIBRDKAFKA_KEYS.items() for key in keys}
    effective = {name_by_key[key]: value for key, value in rows if key in name_by_key}
    modelled = {name: values for name, (_, values) in _LIBRDKAFKA_KEYS.items() if name[0] == part}
    text = ",\n  ".join(f"{json.dumps(key)}: {_json(random, value)}" for key, value in rows)
    return Drawn([(f"{part}.json", f"{{\n  {text}\n}}\n")], effective, modelled=modelled)


def _json(random: Random, value: str) -> str:
    if value in ("true", "false") or value.lstrip("-").isdecimal():
        return random.choice([value, f'"{value}"'])
    return f'"{value}"'
