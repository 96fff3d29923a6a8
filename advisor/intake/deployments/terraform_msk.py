"""Amazon MSK in Terraform: `aws_msk_configuration` and `aws_msk_cluster`.

Settings that `server_properties` does not state have MSK's defaults, not always Kafka's (Amazon
MSK Developer Guide, "Default Amazon MSK configuration"): unclean elections are allowed, and a topic
has as many copies as there are zones. Sources: that guide, and the provider hashicorp/aws.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from advisor.catalog import Component, SettingError, kafka_line
from advisor.intake.absent_files import absence
from advisor.intake.clients.known_settings import decides
from advisor.intake.cluster.mode import ZOOKEEPER
from advisor.intake.formats.java_properties import properties
from advisor.intake.reading import Reading
from advisor.intake.text import OTHER_CLUSTER, IntakeError, line_of, shown

CLUSTER, CONFIGURATION = "aws_msk_cluster", "aws_msk_configuration"
RESOURCE = re.compile(
    rf"^[ \t]*resource[ \t]+\"(?P<kind>{CLUSTER}|{CONFIGURATION})\"", re.MULTILINE
)
_FILE = re.compile(
    r"^[ \t]*server_properties[ \t]*=[ \t]*(?:<<[-~]?(?P<end>\w+)"
    r"|\"(?P<text>[^\"]*)\"[ \t]*(?:(?:#|//).*)?$)?"
)
_JOINED = re.compile(r"^[ \t]*server_properties[ \t]*=[ \t]*join\(\"\\n\",[ \t]*\[(?P<rest>.*)$")
_LIST_ROW = re.compile(
    r"^[ \t]*(?P<texts>(?:\"[^\"]*\"[ \t]*(?:,[ \t]*|(?=\])|$))*)"
    r"(?P<end>\][ \t]*\))?[ \t]*(?:(?:#|//).*)?$"
)
"""A row of the list of strings that `join` combines into lines, and the end of the list."""
_INTERPOLATION = re.compile(r"\$\{([^{}]{0,200})\}")
_COMPUTED = "is computed by Terraform. Write its value here"
_PAIR = re.compile(
    r"^[ \t]*(?P<name>kafka_version|number_of_broker_nodes)[ \t]*=[ \t]*"
    r"(?P<value>.+?)[ \t]*(?:(?:#|//).*)?$"
)
_IGNORE_CHANGES = re.compile(r"^[ \t]*ignore_changes[ \t]*=")
IGNORED = (
    "Terraform does not set again what is named there, so that other values than this file's may "
    "count. Kafka's tools print those that do (kafka-topics.sh, kafka-configs.sh --describe)"
)
_KAFKA_VERSION = re.compile(r"\"(\d+\.\d+)[\w.]*\"")
_TIERED = re.compile(r"^[ \t]*storage_mode[ \t]*=[ \t]*\"TIERED\"", re.MULTILINE)
_EXPRESS = re.compile(r"^[ \t]*instance_type[ \t]*=[ \t]*\"express\.", re.MULTILINE)
_ALWAYS_KRAFT = 4
_ENSEMBLE = "z-1,z-2,z-3"
"""The ZooKeeper servers that MSK provides (Amazon MSK, `ZookeeperConnectString`)."""
_PLAIN = re.compile("-?[0-9]{1,20}|true|false")
_SERVER_PROPERTIES = "server_properties"
_COMPUTED_LINE = (
    "server_properties, or a part of it, is computed by Terraform. Write its settings here"
)
_UNCLEAN = "unclean.leader.election.enable"


def take(reading: Reading, text: str, known: Mapping[str, str]) -> None:
    """Takes the settings, the number and the line of the brokers, and notes MSK's own defaults.
    `known` holds locals and the defaults of variables. Raises `IntakeError` for two clusters."""
    resources = list(RESOURCE.finditer(text))
    if not resources:
        return
    line = line_of(text, resources[0].start())
    _refuse_several(resources, text)
    stated = set[str]()
    for number, name, value in _settings(reading, text, known):
        stated.add(name)
        reading.add_setting(Component.BROKER, name, value, number)
    for number, row in enumerate(text.splitlines(), start=1):
        if _IGNORE_CHANGES.match(row):
            reading.note(number, absence(f"ignore_changes: {IGNORED}"))
        if match := _PAIR.match(row):
            _take_head(reading, match["name"], match["value"].strip(), number)
    is_plain = not (_TIERED.search(text) or _EXPRESS.search(text))
    if _UNCLEAN not in stated and is_plain:
        reading.add_setting(Component.BROKER, _UNCLEAN, "true", line)
        words = f"Amazon MSK has {_UNCLEAN}=true where nobody states it (Express brokers do not)"
        reading.note(line, f"{words}; a topic's own takes precedence over it")
    words = (
        "for a setting that is not stated here, Amazon MSK has its own default, but Kafka's is used"
    )
    reading.note(line, f"{words}: state the topic's replicas and min.insync.replicas")


def _refuse_several(resources: Iterable[re.Match[str]], text: str) -> None:
    """Raises `IntakeError` for a second configuration, or cluster."""
    first_lines = dict[str, int]()
    for resource in resources:
        line = line_of(text, resource.start())
        first_line = first_lines.setdefault(resource["kind"], line)
        if first_line != line:
            words = f"a second {resource['kind']}, after that on line {first_line}: {OTHER_CLUSTER}"
            raise IntakeError(f"Line {line}: {words}.")


def _settings(
    reading: Reading, text: str, known: Mapping[str, str]
) -> Iterator[tuple[int, str, str]]:
    """Yields the settings in `server_properties`: a here-document, a string, or a `join`."""
    rows = text.splitlines()
    end, is_joined = "", False
    for number, row in enumerate(rows, start=1):
        if joined := _JOINED.match(row):
            is_joined, row = True, joined["rest"]
        if is_joined:
            list_row = _LIST_ROW.match(row)
            if list_row is None:
                reading.add_problem(Component.BROKER, _SERVER_PROPERTIES, number, _COMPUTED_LINE)
            for part in re.findall(r"\"([^\"]*)\"", list_row["texts"] if list_row else ""):
                yield from _line_settings(reading, part.strip(), number, known)
            is_joined = list_row is not None and not list_row["end"]
        elif end:
            if row.strip() == end:
                end = ""
                continue
            yield from _line_settings(reading, row.strip(), number, known)
        elif match := _FILE.match(row):
            end = match["end"] or ""
            if not end and match["text"] is None:
                reading.add_problem(Component.BROKER, _SERVER_PROPERTIES, number, _COMPUTED_LINE)
            for part in (match["text"] or "").split("\\n"):
                yield from _line_settings(reading, part.strip(), number, known)


def _line_settings(
    reading: Reading, row: str, number: int, known: Mapping[str, str]
) -> Iterator[tuple[int, str, str]]:
    """Yields the setting of one line, with the defaults of variables. A computed one is a problem
    where an answer depends on it, or where its name is computed."""
    filled = _INTERPOLATION.sub(lambda it: known.get(it[1].strip(), it[0]).strip('"'), row)
    for setting in properties(filled):
        is_open = "${" in setting.value or "%{" in setting.value
        if setting.key.startswith(("${", "%{")):
            if not any(problem.setting == _SERVER_PROPERTIES for problem in reading.problems):
                reading.add_problem(Component.BROKER, _SERVER_PROPERTIES, number, _COMPUTED_LINE)
        elif is_open and decides(setting.key):
            words = f"{shown(setting.key)} {_COMPUTED}"
            reading.add_problem(Component.BROKER, setting.key, number, words)
        elif is_open:
            reading.note(number, f"{shown(setting.key)} is computed by Terraform: not read")
        else:
            if filled != row:
                value_text = setting.value if _PLAIN.fullmatch(setting.value) else "its default"
                words = f"{shown(setting.key)} is {value_text} unless it is given another"
                reading.note(number, words)
            yield number, setting.key, setting.value


def _take_head(reading: Reading, name: str, value: str, line: int) -> None:
    version = _KAFKA_VERSION.match(value)
    if name == "number_of_broker_nodes" and value.isdecimal():
        reading.heads["brokers"] = value
    elif name == "kafka_version" and version:
        try:
            reading.heads["kafka"] = kafka_line(version[1])
        except SettingError:
            reading.note(line, f"Kafka {version[1]} is not known here and is not used")
            return
        if ".kraft" not in value and int(version[1].partition(".")[0]) < _ALWAYS_KRAFT:
            reading.add_setting(Component.BROKER, ZOOKEEPER, _ENSEMBLE, line)
    else:
        reading.note(line, f"{shown(name)} is computed by Terraform: not read")
