"""Terraform: topics, `kafka_topic`, `confluent_kafka_topic` or `aiven_kafka_topic`, and Amazon MSK.

Source: documentation of the providers Mongey/kafka, confluentinc/confluent and aiven/aiven (which
has underscores in the names of a topic's settings). Literal values are read, and those of variables
and locals of the same file. Other values that Terraform computes (`each.value…`, `${…}`,
`merge(…)`) are noted, and refused where the default of a service would count.
"""

from __future__ import annotations

import re
from math import prod

from advisor.catalog import Component, Family
from advisor.intake.absent_files import absence
from advisor.intake.clients.created_topics import combine_topics
from advisor.intake.clients.known_settings import decides, known_keys, newest
from advisor.intake.cluster import internal_topics
from advisor.intake.deployments import terraform_msk
from advisor.intake.deployments.terraform_counts import without_unmade
from advisor.intake.deployments.terraform_each import with_each
from advisor.intake.deployments.terraform_maps import (
    LOCALS,
    VARIABLE_FILES,
    plain_lines,
    variable_map_place,
    with_maps,
)
from advisor.intake.deployments.terraform_others import refuse_elsewhere
from advisor.intake.reading import Reader, Reading, Subject
from advisor.intake.text import IntakeError, line_of, shown

_RESOURCE = re.compile(
    r"^[ \t]*resource[ \t]+\"(?P<kind>(?:(?:confluent|aiven)_)?kafka_topic)\""
    r"(?:[ \t]+\"(?P<label>[^\"\n]{1,200})\")?",
    re.MULTILINE,
)
_MANAGED = re.compile(
    r"^[ \t]*resource[ \t]+\"(?P<kind>(?:aiven_kafka(?!_(?:topic|user|acl)\b)"
    r"|redpanda|ccloud_kafka|instaclustr_kafka|upstash_kafka|digitalocean_database_kafka|yandex_mdb_kafka)\w*)\"",
    re.MULTILINE,
)
_PRODUCT = re.compile(r"\d{1,10}(?:[ \t]*\*[ \t]*\d{1,10}){1,9}")
"""`7 * 24 * 3600 * 1000`, as durations are written."""
_LITERAL = re.compile(r'"?(?:-?[0-9]{1,20}|true|false)"?')
_PAIR = re.compile(
    r"(?<![\w.\"])\"?(?P<name>[A-Za-z][\w.]{0,80})\"?[ \t]*[=:](?!=)"
    r"[ \t]*(?P<value>(?:\"[^\"]{0,500}\"|[^\s,#{}\"]{1,500})"
    r"(?:[ \t]*(?:[?:+*%<>=!&|(\[-]|/(?!/))[^,#}\n]{0,500})?)"
)
"""An argument or an entry, with the whole of an expression that begins with a literal."""
_COMMENT = re.compile(r"^(?P<code>(?:[^\"#/]|\"[^\"]*\"|/(?!/))*+).*$")
_COMMENT_OR_STRING = re.compile(
    r"<<-?(?P<end>\w{1,80})[ \t]*\n.*?(?:^[ \t]*(?P=end)[ \t]*$|\Z)"
    r"|\"(?:\\.|[^\"\\\n])*+\"?|#[^\n]*|//[^\n]*|(?P<comment>/\*.*?(?:\*/|\Z))",
    re.MULTILINE | re.DOTALL,
)
"""A comment of several lines, or a string or single-line comment, in which none can begin."""
_DEFAULT = re.compile(
    r"^[ \t]*variable[ \t]+\"(?P<name>\w{1,80})\"[ \t]*\{[^{}]{0,500}?\bdefault[ \t]*=[ \t]*"
    r"(?P<value>\"[^\"\n]{0,200}\"|[\w.-]{1,40})[ \t]*\}?[ \t]*$",
    re.MULTILINE,
)
_COPIES = "replication_factor"
_NO_SETTINGS = frozenset(
    {"name", "topic_name", "partitions", "partitions_count", "rest_endpoint", "id"}
)
"""Arguments of the resources that are not settings of a topic."""
_COMPUTED_NAME = re.compile(
    r"^[ \t]*(?:\([^()]{1,200}\)|\"[^\"=]{0,200}\$\{[^\"]{0,200}\")[ \t]*[=:]"
    r"|\bfor[ \t]+\w+(?:[ \t]*,[ \t]*\w+)?[ \t]+in\b"
)
_AIVEN_DEFAULTS = (
    "for a setting that is not stated here, Aiven's service has its own default, but Kafka's is "
    "used: state it, or give the output of kafka-configs.sh --describe --all"
)
_COMPUTED_NAME_WORDS = "a name in config is computed by Terraform here. Write it out"
_COMPUTED = "is computed by Terraform. Write its value here"
_DIFFERS = (
    "differs between the elements of for_each, or they are not in this file. A pipeline has one "
    "topic: write its value"
)
_TOPIC_NAME = re.compile(r'\b(?:topic_)?name[ \t]*=[ \t]*"([\w.-]+)"')


def read(text: str) -> Reading:
    """Returns the settings and copies of the topics. Raises `IntakeError`."""
    reading, text = Reading(), _COMMENT_OR_STRING.sub(_blank_comment, text)
    if (place := variable_map_place(text)) is not None:
        words = "config has the default of a variable here, which another value may replace"
        reading.note(line_of(text, place), words)
    text = without_unmade(reading, with_maps(with_each(text)), _known_values(text))
    terraform_msk.take(reading, text, _known_values(text))
    refuse_elsewhere(reading, text)
    resources = list(_RESOURCE.finditer(text))
    if managed := _MANAGED.search(text):
        number = line_of(text, managed.start())
        raise IntakeError(
            f"Line {number}: {managed['kind']} belongs to a service whose brokers have settings "
            "that are not in this file, or that is not Apache Kafka. It is not read: give the "
            "output of kafka-topics.sh --describe and kafka-configs.sh --describe --all."
        )
    if not resources and terraform_msk.RESOURCE.search(text):
        return reading
    if not resources:
        raise IntakeError("Line 1: this file creates no topic.")
    parts, lines = list[Reading](), list[int]()
    for resource in resources:
        part, first = Reading(), line_of(text, resource.start())
        service = resource["kind"].partition("_")[0]
        _take_block(part, text, first, managed=service != "kafka")
        if service == "confluent":
            _state_confluent_cloud(part, first)
        elif service == "aiven":
            part.note(first, _AIVEN_DEFAULTS)
        if internal := _internal_topic(text, resource.end()):
            internal_topics.take(reading, internal, part.items)
            continue
        parts.append(part)
        lines.append(first)
    combine_topics(reading, parts, lines)
    labels = {resource["label"] for resource in resources if resource["label"]}
    reading.subject = Subject.by_name(labels, labels=True)
    return reading


def _internal_topic(text: str, begins: int) -> str:
    """The internal topic of Kafka that a resource describes; empty for any other topic."""
    following = _RESOURCE.search(text, begins)
    name = _TOPIC_NAME.search(text, begins, following.start() if following else len(text))
    return internal_topics.internal_name(name and name[1])


def _blank_comment(match: re.Match[str]) -> str:
    """The empty lines that replace a comment, so that line numbers do not change."""
    return "\n" * match[0].count("\n") if match["comment"] else match[0]


def _blank_here_document(match: re.Match[str]) -> str:
    """The empty lines that replace a here-document, so that line numbers do not change."""
    return "\n" * match[0].count("\n") if match["end"] else match[0]


def _take_block(reading: Reading, text: str, first: int, *, managed: bool) -> None:
    """Takes the arguments of the resource that begins on line `first`."""
    known, depth = _known_values(text), 0
    for number, line in enumerate(text.splitlines()[first - 1 :], start=first):
        code = _code(line)
        if number > first and _COMPUTED_NAME.search(code):
            reading.add_problem(Component.TOPIC, "config", number, _COMPUTED_NAME_WORDS)
        for pair in _PAIR.finditer(code if number > first else code.partition("{")[2]):
            value = known.get(pair["value"].strip('"').removeprefix("${").removesuffix("}"))
            if value is not None:
                # Any other default may be a secret.
                value_text = value if _LITERAL.fullmatch(value) else "its default"
                reading.note(
                    number, f"{shown(pair['name'])} is {value_text} unless it is given another"
                )
            stated = value or pair["value"].strip()
            if _PRODUCT.fullmatch(stated):
                stated = str(prod(int(factor) for factor in stated.split("*")))
            _take_argument(reading, pair["name"], stated, number, managed=managed)
        depth += code.count("{") - code.count("}")
        if depth <= 0 and "}" in code:
            break


def _code(line: str) -> str:
    match = _COMMENT.match(line)
    return match["code"] if match else line


def _known_values(text: str) -> dict[str, str]:
    """The values of locals and variables (set or by default), by reference."""
    code = "\n".join(map(_code, _COMMENT_OR_STRING.sub(_blank_here_document, text).splitlines()))
    values = {f"var.{match['name']}": match["value"] for match in _DEFAULT.finditer(code)}
    for head, kind in ((LOCALS, "local"), (VARIABLE_FILES, "var")):
        for body in plain_lines(code, head):
            for line in body.splitlines():
                for pair in _PAIR.finditer(line):
                    values[f"{kind}.{pair['name']}"] = pair["value"]
    return {name: value for name, value in values.items() if _is_literal(value)}


def _is_literal(value: str) -> bool:
    return "${" not in value and bool(re.fullmatch(r'"[^"]*"|-?\d+|true|false', value))


def _state_confluent_cloud(reading: Reading, line: int) -> None:
    """States the defaults of Confluent Cloud: 3 copies, and a minimum of 2 unless the topic sets
    another one (Confluent Cloud documentation, Custom topic settings)."""
    stated = {item.name for item in reading.items}
    for name, value in (("replication.factor", "3"), ("min.insync.replicas", "2")):
        if name not in stated:
            reading.add_setting(Component.TOPIC, name, value, line)
    reading.note(
        line, "a topic of Confluent Cloud has 3 replicas, and min.insync.replicas=2 if not stated"
    )


def _take_argument(reading: Reading, name: str, value: str, line: int, *, managed: bool) -> None:
    """Takes an argument. A computed value is refused where an answer depends on it, and for every
    setting of a service with its own defaults (`managed`)."""
    if name in _NO_SETTINGS:
        return
    dotted = "replication.factor" if name == "replication" else name.replace("_", ".")
    if name != _COPIES and dotted in known_keys(newest(Family.JAVA), Component.TOPIC):
        name = dotted
    if name == "ignore_changes":
        reading.note(line, absence(f"{name}: {terraform_msk.IGNORED}"))
        return
    text = value.strip('"')
    is_setting = name in (_COPIES, "config") or "." in name
    if name == "config" or not _is_literal(value):
        if name in (_COPIES, "config") or decides(name) or (managed and is_setting):
            words = _DIFFERS if value.startswith("each.value") else _COMPUTED
            words = f"{shown(name)} {words}"
            reading.add_problem(Component.TOPIC, name, line, words)
        else:
            reading.note(line, f"{shown(name)} is computed by Terraform: not read")
    elif is_setting:
        setting = "replication.factor" if name == _COPIES else name
        reading.add_setting(Component.TOPIC, setting, text, line)


def _likeness(text: str) -> float:
    patterns = (_RESOURCE, terraform_msk.RESOURCE, _MANAGED)
    return 0.97 if any(pattern.search(text) for pattern in patterns) else 0.0


READERS = (Reader("terraform", "Terraform (topics, Amazon MSK)", _likeness, read),)
