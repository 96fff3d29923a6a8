"""Settings of brokers and topics that are not modelled and that brokers refuse, with their
messages.

Sources: KafkaConfig.validateValues, GroupCoordinatorConfig and
ShareGroupConfig, LogConfig.validate, and Sensor.RecordingLevel.forName, of Kafka 3.3 to 4.3;
checked against them by tests/contracts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from advisor.catalog.facts import facts
from advisor.catalog.model import Component, Problem
from advisor.catalog.structure import PROTOCOLS
from advisor.catalog.texts import STATED, TEMPORARY
from advisor.catalog.values import gzip_level, items, number, printable
from advisor.catalog.versions import at_least, kafka_line

Texts = Mapping[str, str]
Complaints = Iterator[tuple[str, str]]

_FAILED = "requirement failed: "
_QUEUED, _REQUEST = "queued.max.request.bytes", "socket.request.max.bytes"
_PER_ADDRESS = "max.connections.per.ip"
_DELAY, _IDLE = "connection.failed.authentication.delay.ms", "connections.max.idle.ms"
_BUFFER, _CLEANERS = "log.cleaner.dedupe.buffer.size", "log.cleaner.threads"
_CODECS = ("offsets.topic.compression.codec", "share.coordinator.state.topic.compression.codec")
"""Settings with the numbers of CompressionType.forId as values."""
_SESSION, _HEARTBEAT, _ASSIGNMENT = (
    "session.timeout.ms", "heartbeat.interval.ms", "assignment.interval.ms",
)  # fmt: skip
_BOUNDED = {
    "consumer": (_ASSIGNMENT,),
    "share": (_HEARTBEAT, _SESSION, _ASSIGNMENT),
    "streams": (_ASSIGNMENT,),
}
"""The settings of each kind of group that the brokers limit, in the order in which they check them;
the others are modelled (`limits`)."""
_STANDBYS, _MOST_STANDBYS = (
    "group.streams.num.standby.replicas",
    "group.streams.max.standby.replicas",
)
_AT_LEAST = tuple(
    (f"group.share.{one}", f"group.share.{other}")
    for one, other in (
        ("record.lock.duration.ms", "min.record.lock.duration.ms"),
        ("max.record.lock.duration.ms", "record.lock.duration.ms"),
        ("delivery.count.limit", "min.delivery.count.limit"),
        ("max.delivery.count.limit", "delivery.count.limit"),
        ("partition.max.record.locks", "min.partition.max.record.locks"),
        ("max.partition.max.record.locks", "partition.max.record.locks"),
        ("max.share.sessions", "max.size"),
    )
)
"""Further conditions for share groups, if the line has both settings: the first is at least the
second."""
_ASSIGNORS = {"consumer": ("uniform", "range"), "share": ("simple",)}
"""Kafka's own assignors of each kind of group."""
_ASSIGNOR_PACKAGE = "org.apache.kafka.coordinator.group.assignor."
_POOLS = tuple(f"remote.log.manager.{pool}.thread.pool.size" for pool in ("copier", "expiration"))
_KINDS = {"consumer": "3.7", "classic": "3.7", "share": "3.9", "streams": "4.1"}
_UPDATES = "share.coordinator.snapshot.update.records.per.snapshot"
_LEVEL, _LEVELS = "metrics.recording.level", ("INFO", "DEBUG", "TRACE")
_BROKER_ID, _NODE_ID = "broker.id", "node.id"
_MOST_OWN_ID = 1_000
"""Kafka's default `reserved.broker.max.id` (ServerConfigs)."""
_REMOTE, _POLICY = "remote.storage.enable", "cleanup.policy"
_REMOTE_OF_BROKERS = "remote.log.storage.system.enable"
_LEAST_LAG, _MOST_LAG = "min.compaction.lag.ms", "max.compaction.lag.ms"
_FOR_EVER = 2**63 - 1
_SEGMENT, _LEAST = "log.segment.bytes", "Value must be at least 1048576"
_NO_COPIES = "remote.log.copy.disable"
_CORDONED = "cordoned.log.dirs"
_LONGEST = 80
_VERSION = re.compile(r"(\d{1,3})\.(\d{1,3})(?!\d)", re.ASCII)
_LIMIT = re.compile(r"\s*[^\s:][^\s]*:\s*[0-9]{1,10}\s*", re.ASCII)
_REPLICAS = re.compile(r"(?:[0-9]+:[0-9]+)?", re.ASCII)


def refused_by_servers(kafka: str, component: Component, texts: Texts) -> Problem | None:
    """Returns the first problem in a broker's file or a topic that brokers refuse, or None.

    It does not check what `validate` checks. Raises `SettingError` for an unknown version.
    """
    check = _CHECKS.get(component)
    for setting, message in check(texts, kafka_line(kafka)) if check else ():
        return Problem(component, setting, message, product=True)
    return None


def refused_tiering(component: Component, texts: Texts, of_brokers: Texts) -> Problem | None:
    """Returns the brokers' error for a tiered topic if their file disables tiered storage, or None
    (LogConfig.validateRemoteStorageOnlyIfSystemEnabled, since 3.6).

    It is also disabled by default, but then the brokers' file may just be missing here.
    """
    tiered = component is Component.TOPIC and texts.get(_REMOTE, "").strip().lower() == "true"
    if not tiered or of_brokers.get(_REMOTE_OF_BROKERS, "").strip().lower() != "false":
        return None
    message = "Tiered Storage functionality is disabled in the broker. Topic cannot be configured "
    return Problem(component, _REMOTE, f"{message}with remote log storage.", product=True)


def _shown(value: str) -> str:
    """Returns a value for a message: printable, and not longer than a line."""
    plain = printable(value)
    return plain if len(plain) <= _LONGEST else f"{plain[: _LONGEST - 1]}…"


def _broker(texts: Texts, line: str) -> Complaints:
    yield from gzip_level(texts, line)
    yield from _versions(
        texts, line, ("inter.broker.protocol.version", "log.message.format.version")
    )
    yield from _protocols(texts, line)
    if at_least(line, "3.9"):
        yield from _groups(texts, line, "equal to" if at_least(line, "4.0") else "equals to")
    elif at_least(line, "3.5") and not at_least(line, "3.7"):  # modelled since 3.7 (`limits`)
        for ending in (_HEARTBEAT, _SESSION):
            for name, message in _group_bounds(texts, line, "consumer", ending, "equals to"):
                yield name, f"{_FAILED}{message}"
    if not at_least(line, "4.3") and at_least(line, "4.0") and _number(texts, _UPDATES, 0) > 500:
        yield _UPDATES, f"{_UPDATES} must be between [0, 500]"
    yield from _lists(texts, line)
    yield from _identity(texts, line)
    if line == "4.0" and (size := _number(texts, _SEGMENT, 2**20)) < 2**20:  # for topics since 4.1
        yield _SEGMENT, f"Invalid value {size} for configuration {_SEGMENT}: {_LEAST}"
    if (level := texts.get(_LEVEL, "").strip().upper()) and level not in _LEVELS:
        message = f"No enum constant org.apache.kafka.common.metrics.Sensor.RecordingLevel.{level}"
        yield _LEVEL, message
    for name in _POOLS if line == "3.9" else ():  # 4.0 has two bounds instead
        if (size := _number(texts, name, -1)) < -1 or size == 0:
            rule = "Value can be -1 or greater than 0"
            yield name, f"Invalid value {size} for configuration {name}: {rule}"
    yield from _logs(texts, line)
    if _number(texts, _CLEANERS, 1) == 0:
        yield _CLEANERS, "/ by zero"  # when the following check divides the buffer
    if _number(texts, _BUFFER, 2**27) // max(_number(texts, _CLEANERS, 1), 1) <= 2**20:
        key = _BUFFER if _BUFFER in texts else _CLEANERS
        yield key, f"{_FAILED}{_BUFFER} must be at least 1MB per cleaner thread."
    if 0 < _number(texts, _QUEUED, -1) < _number(texts, _REQUEST, 104_857_600):
        yield _QUEUED, f"{_FAILED}{_QUEUED} must be larger or equal to {_REQUEST}"
    for name in _CODECS:
        if not 0 <= (codec := _number(texts, name, 0)) <= 4:
            yield name, f"Unknown compression type id: {codec}"
    yield from _connections(texts)


def _logs(texts: Texts, line: str) -> Complaints:
    for name, least in (("log.roll.ms", 1), ("log.roll.jitter.ms", 0)):
        if _number(texts, name, least) < least:
            yield name, f"{_FAILED}{name} must be greater than or equal to {least}"
    yield from _cordoned(texts) if at_least(line, "4.3") else ()


def _cordoned(texts: Texts) -> Complaints:
    """Checks the folders that get no new partitions (KafkaConfig.validateCordonedLogDirs).

    Where log.dirs is a placeholder, or in a file that was read before, its folders are not known.
    """
    cordoned = [folder for part in texts.get(_CORDONED, "").split(",") if (folder := part.strip())]
    if "broker" not in items(texts.get("process.roles", "broker")):
        return
    if "*" in cordoned:
        if len(cordoned) > 1:
            rule = "is set to *, it must not contain other values"
            yield _CORDONED, f"{_FAILED}When {_CORDONED} {rule}"
        return
    logs = texts.get("log.dirs", texts.get("log.dir", STATED)).strip()
    if logs in (STATED, *TEMPORARY):
        return
    folders = [folder.strip() for folder in logs.split(",")]
    if missing := [folder for folder in cordoned if folder not in folders]:
        rule = "must be present in log.dirs or log.dir. Missing entries :"
        yield _CORDONED, f"{_FAILED}All entries in {_CORDONED} {rule} {_shown(', '.join(missing))}"


def _protocols(texts: Texts, line: str) -> Complaints:
    """Checks the kinds of groups (GroupCoordinatorConfig; Group.GroupType)."""
    if PROTOCOLS not in texts or not at_least(line, "3.7"):
        return
    kinds = [kind for kind, since in _KINDS.items() if at_least(line, since)]
    stated = [name.strip() for name in texts[PROTOCOLS].split(",")]  # their case matters
    if unknown := next((name for name in stated if name not in kinds), None):
        rule = f"String must be one of: {', '.join(kinds)}"
        yield PROTOCOLS, f"Invalid value {_shown(unknown)} for configuration {PROTOCOLS}: {rule}"
    if "classic" not in stated:
        yield PROTOCOLS, "Disabling the 'classic' protocol is not supported."


def _lists(texts: Texts, line: str) -> Complaints:
    """Assignors are classes or, since 4.0, names of Kafka's own (GroupCoordinatorConfig)."""
    since_4_2 = at_least(line, "4.2")  # ConfigDef.ValidList, KIP-1161
    needed = {
        "listeners": True, "advertised.listeners": "broker" in texts.get("process.roles", "broker"),
        "controller.listener.names": "process.roles" in texts,
    }  # fmt: skip
    for name in (*needed, *(f"group.{kind}.assignors" for kind in _ASSIGNORS)):
        if (since_4_2 or needed.get(name)) and not texts.get(name, "unset").strip():
            rule = "must not be empty. Valid values include: any non-empty value"
            older = f"{_FAILED}{name} must contain at least one value"
            yield name, f"Configuration '{name}' {rule}" if since_4_2 else older
    for kind, built_in in _ASSIGNORS.items():
        name = f"group.{kind}.assignors"
        # Kafka 3.5 has the setting, but does not check it when it starts.
        if name not in texts or name not in facts("broker", line) or not at_least(line, "3.6"):
            continue
        stated = [item for item in map(str.strip, texts[name].split(",")) if item]
        stated = [*dict.fromkeys(stated)] if since_4_2 else stated
        known = {f"{_ASSIGNOR_PACKAGE}{short.title()}Assignor" for short in built_in}
        known |= {*built_in} if at_least(line, "4.0") else set()
        for item in stated:
            if item not in known and ("." not in item or item.startswith(_ASSIGNOR_PACKAGE)):
                yield name, f"{item} ClassNotFoundException exception occurred"
        if kind == "share" and len(stated) != 1:
            yield name, f"{name} must contain exactly one assignor, but found {len(stated)}"


def _connections(texts: Texts) -> Complaints:
    overrides = f"{_PER_ADDRESS}.overrides"
    if _number(texts, _PER_ADDRESS, 1) == 0 and not texts.get(overrides, "").strip():
        message = f"{_PER_ADDRESS} can be set to zero only if {overrides} property is set."
        yield _PER_ADDRESS, f"{_FAILED}{message}"
    if not all(map(_LIMIT.fullmatch, filter(str.strip, texts.get(overrides, "").split(",")))):
        yield overrides, f"Error parsing configuration property '{overrides}'"
    delay, idle = _number(texts, _DELAY, 100), _number(texts, _IDLE, 600_000)
    if 0 <= idle <= delay:
        message = f"{_DELAY}={delay} should always be less than {_IDLE}={idle} to prevent failed"
        key = _DELAY if _DELAY in texts else _IDLE
        yield key, f"{_FAILED}{message} authentication responses from timing out"


def _identity(texts: Texts, line: str) -> Complaints:
    """Checks a broker's id: node.id in KRaft mode, for which broker.id is a synonym
    (KafkaConfig)."""
    broker_id, with_zookeeper = _number(texts, _BROKER_ID, 0), "process.roles" not in texts
    most = _number(texts, "reserved.broker.max.id", _MOST_OWN_ID)
    if at_least(line, "4.0") and broker_id < 0:
        rule = "Value must be at least 0"
        yield _BROKER_ID, f"Invalid value {broker_id} for configuration {_NODE_ID}: {rule}"
    elif broker_id < -1 or (broker_id > most and with_zookeeper and "zookeeper.connect" in texts):
        rule = "must be greater than or equal to -1 and not greater than reserved.broker.max.id"
        yield _BROKER_ID, f"{_FAILED}{_BROKER_ID} {rule}"


def _groups(texts: Texts, line: str, equal: str) -> Complaints:
    """Checks the bounds of each kind of group, if the line has them."""
    known = facts("broker", line)
    for group, endings in _BOUNDED.items():
        for ending in endings:
            yield from _group_bounds(texts, line, group, ending, equal)
    for more, less in _AT_LEAST:
        stated = [name for name in (more, less) if name in texts]
        both = stated and {more, less} <= known.keys()
        if both and _value(texts, line, more) < _value(texts, line, less):
            yield stated[0], f"{more} must be greater than or {equal} {less}"
    if _STANDBYS in known and _value(texts, line, _STANDBYS) > _value(texts, line, _MOST_STANDBYS):
        key = _STANDBYS if _STANDBYS in texts else _MOST_STANDBYS
        yield key, f"{_STANDBYS} must be less than or {equal} {_MOST_STANDBYS}"


def _group_bounds(texts: Texts, line: str, group: str, ending: str, equal: str) -> Complaints:
    name, least, most = (f"group.{group}.{bound}{ending}" for bound in ("", "min.", "max."))
    if name in facts("broker", line) and {name, least, most} & texts.keys():
        yield from _bounds(texts, line, name, least, most, equal)


def _bounds(texts: Texts, line: str, setting: str, least: str, most: str, equal: str) -> Complaints:
    value, low, high = (_value(texts, line, name) for name in (setting, least, most))
    for is_violated, name, relation, other in (
        (high < low, most, "greater", least),
        (value < low, setting, "greater", least),
        (value > high, setting, "less", most),
    ):
        if is_violated:
            key = next(stated for stated in (name, other) if stated in texts)
            yield key, f"{name} must be {relation} than or {equal} {other}"


def _value(texts: Texts, line: str, name: str) -> int:
    """Returns the stated value, or the default of the line."""
    return _number(texts, name, int(facts("broker", line)[name].default or 0))


def _topic(texts: Texts, line: str) -> Complaints:
    yield from gzip_level(texts, line)
    yield from _versions(texts, line, ("message.format.version",))
    yield from _throttled(texts)
    least, most = _number(texts, _LEAST_LAG, 0), _number(texts, _MOST_LAG, _FOR_EVER)
    if least > most >= 1:  # another validator refuses values below 1
        message = f"conflict topic config setting {_LEAST_LAG} ({least}) > {_MOST_LAG} ({most})"
        yield _LEAST_LAG, message
    if texts.get(_REMOTE, "").strip().lower() == "true" and at_least(line, "3.6"):
        yield from _remote(texts, line)


def _versions(texts: Texts, line: str, names: Iterable[str]) -> Complaints:
    """MetadataVersionValidator, before 3.3 ApiVersionValidator; Kafka 4.0 has none of the names."""
    for name in () if at_least(line, "4.0") else names:
        stated = texts.get(name, "").strip()
        parts = _VERSION.match(stated)
        version = tuple(map(int, parts.groups())) if parts else (0, 0)
        if stated and not (0, 8) <= version <= tuple(map(int, line.split("."))):
            value = _shown(stated)
            quoted = value if at_least(line, "3.3") else f"`{value}`"
            rule = f"Version {quoted} is not a valid version"
            yield name, f"Invalid value {value} for configuration {name}: {rule}"


def _throttled(texts: Texts) -> Complaints:
    """ThrottledReplicaListValidator."""
    for side in ("leader", "follower"):
        name = f"{side}.replication.throttled.replicas"
        stated = [replica.strip() for replica in texts.get(name, "").split(",")]
        if stated[0] != "*" and not all(map(_REPLICAS.fullmatch, stated)):
            rule = f"{name} must be the literal '*' or a list of replicas in the following format:"
            rule += " [partitionId]:[brokerId],[partitionId]:[brokerId],..."
            value = _shown(texts[name])
            yield name, f"Invalid value {value} for configuration {name}: {rule}"


def _remote(texts: Texts, line: str) -> Complaints:
    """Checks a topic whose older segments are in a remote storage (KIP-405)."""
    if "compact" in items(texts.get(_POLICY, "")):
        message = "Remote log storage only supports topics with cleanup.policy=delete"
        if at_least(line, "4.2"):
            message += " or cleanup.policy being an empty list."
        elif not at_least(line, "4.1"):
            message = "Remote log storage is unsupported for the compacted topics"
        yield _REMOTE, message
    copying_stops = at_least(line, "3.9") and texts.get(_NO_COPIES, "").strip().lower() == "true"
    for ending, default in (("bytes", -1), ("ms", 604_800_000)):
        local, total = f"local.retention.{ending}", f"retention.{ending}"
        local_limit, limit = _number(texts, local, -2), _number(texts, total, default)
        if limit > -1 and local_limit != -2 and (local_limit == -1 or local_limit > limit):
            message = f"Value must not be more than {total} property value: {limit}"
            if local_limit == -1:
                message = f"Value must not be -1 as {total} value is set as {limit}."
            yield local, f"Invalid value {local_limit} for configuration {local}: {message}"
        if copying_stops and local_limit not in (-2, limit):
            message = (
                f"When `{_NO_COPIES}` is set to true, the `{local}` and `{total}` must be set "
            )
            message += "to the identical value because there will be no more logs copied to the "
            yield local, f"{message}remote storage."


def _number(texts: Texts, name: str, default: int) -> int:
    return number(texts, name, default, signed=True)


_CHECKS: Mapping[Component, Callable[[Texts, str], Complaints]] = {
    Component.BROKER: _broker,
    Component.TOPIC: _topic,
}
