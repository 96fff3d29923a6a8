"""Amazon MSK in Terraform: `aws_msk_configuration` and `aws_msk_cluster`.

What `server_properties` does not state has MSK's own default, which is not always Kafka's (Amazon
MSK Developer Guide, "Default Amazon MSK configuration"): an unclean election is allowed, and a
topic has as many copies as there are zones. Sources: those, and the provider hashicorp/aws.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from advisor.catalog import Component, SettingError, kafka_line
from advisor.intake.cluster.mode import ZOOKEEPER
from advisor.intake.formats.java_properties import properties
from advisor.intake.reading import Reading
from advisor.intake.text import OTHER_CLUSTER, IntakeError, line_of, shown

CLUSTER, CONFIGURATION = "aws_msk_cluster", "aws_msk_configuration"
RESOURCE = re.compile(
    rf"^[ \t]*resource[ \t]+\"(?P<kind>{CLUSTER}|{CONFIGURATION})\"", re.MULTILINE
)
_FILE = re.compile(r"^[ \t]*server_properties[ \t]*=[ \t]*(?P<begin><<[-~]?(?P<end>\w+))?")
_PAIR = re.compile(
    r"^[ \t]*(?P<name>kafka_version|number_of_broker_nodes)[ \t]*=[ \t]*(?P<value>.+)"
)
_LINE = re.compile(r"\"(\d+\.\d+)[\w.]*\"")
_TIERED = re.compile(r"^[ \t]*storage_mode[ \t]*=[ \t]*\"TIERED\"", re.MULTILINE)
_EXPRESS = re.compile(r"^[ \t]*instance_type[ \t]*=[ \t]*\"express\.", re.MULTILINE)
_ALWAYS_KRAFT = 4
_UNCLEAN = "unclean.leader.election.enable"


def take(reading: Reading, text: str) -> None:
    """Takes the brokers' settings, their number and their line; and says what is MSK's own.
    Raises `IntakeError` for two clusters."""
    resources = list(RESOURCE.finditer(text))
    if not resources:
        return
    line = line_of(text, resources[0].start())
    _refuse_several(resources, text)
    stated = set[str]()
    for number, name, value in _settings(reading, text):
        stated.add(name)
        reading.state(Component.BROKER, name, value, number)
    for number, row in enumerate(text.splitlines(), start=1):
        if match := _PAIR.match(row):
            _head(reading, match["name"], match["value"].strip(), number)
    is_plain = not (_TIERED.search(text) or _EXPRESS.search(text))
    if _UNCLEAN not in stated and is_plain:
        reading.state(Component.BROKER, _UNCLEAN, "true", line)
        words = f"Amazon MSK has {_UNCLEAN}=true where nobody states it (Express brokers do not)"
        reading.note(line, f"{words}; a topic's own goes before it")
    words = "what is not stated here has Amazon MSK's own default, and Kafka's is taken: state the"
    reading.note(line, f"{words} topic's copies and min.insync.replicas")


def _refuse_several(resources: Iterable[re.Match[str]], text: str) -> None:
    """Raises `IntakeError` for a second configuration, or cluster."""
    seen = dict[str, int]()
    for resource in resources:
        line = line_of(text, resource.start())
        begins = seen.setdefault(resource["kind"], line)
        if begins != line:
            words = f"a second {resource['kind']}, beside that on line {begins}: {OTHER_CLUSTER}"
            raise IntakeError(f"Line {line}: {words}.")


def _settings(reading: Reading, text: str) -> Iterator[tuple[int, str, str]]:
    """The lines of `server_properties`, which is a text between two marks."""
    rows = text.splitlines()
    end = ""
    for number, row in enumerate(rows, start=1):
        if end:
            if row.strip() == end:
                end = ""
                continue
            if "${" in row:
                reading.note(number, "a line is worked out by Terraform: not read")
                continue
            for found in properties(row.strip()):
                yield number, found.key, found.value
        elif match := _FILE.match(row):
            end = match["end"] or ""
            if not end:
                reading.note(number, "server_properties is worked out by Terraform: not read")


def _head(reading: Reading, name: str, value: str, line: int) -> None:
    version = _LINE.match(value)
    if name == "number_of_broker_nodes" and value.isdecimal():
        reading.heads["brokers"] = value
    elif name == "kafka_version" and version:
        try:
            reading.heads["kafka"] = kafka_line(version[1])
        except SettingError:
            reading.note(line, f"Kafka {version[1]} is not known here: not taken")
            return
        if ".kraft" not in value and int(version[1].partition(".")[0]) < _ALWAYS_KRAFT:
            reading.state(Component.BROKER, ZOOKEEPER, "msk", line)
    else:
        reading.note(line, f"{shown(name)} is worked out by Terraform: not read")
