"""Which releases a pasted text speaks of: versions, image tags, names of jars and packages.

Sources: the names under which Apache, Confluent, Bitnami, Strimzi and others publish images;
Confluent's "Supported Versions and Interoperability": 5.5 is Kafka 2.5, 7.6 is 3.6, 8.0 is 4.0.
Confluent patches lines on its own, so that an image of Confluent says a line and no release.
Confluent's clients for Python, Go and .NET have the numbers of the librdkafka inside. Other
products around Kafka have numbers of their own, which say nothing here (`_OWN_NUMBERS`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from advisor.advisories import api_versions
from advisor.advisories.model import Part, Product
from advisor.advisories.releases import VersionError, meant

_NUMBER = r"v?(?P<version>\d{1,2}(?:\.\d{1,3}){1,3})"
_ALONE = r"(?<![\w.-])(?<!debezium/)"
"""Before a name that is no end of another product's name."""
_JAR = r"(?:[-:]|</artifactId>\s*<version>)"
_ALL = (Part.PRODUCER, Part.CONSUMER, Part.BROKER, Part.STREAMS, Part.CONNECT)
_CLIENTS = (Part.PRODUCER, Part.CONSUMER)
_BROKER, _STREAMS = (Part.BROKER,), (Part.STREAMS, *_CLIENTS)
_LIBRDKAFKA = (Part.LIBRDKAFKA,)
_PATTERNS: tuple[tuple[str, tuple[Part, ...]], ...] = (
    (rf"cp-(?:kafka-connect(?:-base)?):{_NUMBER}", (Part.CONNECT, *_CLIENTS)),
    (rf"cp-(?:kafka|server|enterprise-kafka):{_NUMBER}", _BROKER),
    (rf"strimzi/kafka:[\w.-]*?kafka-{_NUMBER}", _BROKER),
    (rf"{_ALONE}kafka(?:-native)?:(?:2\.1\d-)?{_NUMBER}", _BROKER),
    (rf"kafka_2\.1\d[-:]{_NUMBER}", _BROKER),
    (rf"kafka-clients{_JAR}{_NUMBER}", _CLIENTS),
    (rf"kafka-streams(?:-scala_2\.1\d)?{_JAR}{_NUMBER}", _STREAMS),
    (rf"connect-runtime{_JAR}{_NUMBER}", (Part.CONNECT, *_CLIENTS)),
    (rf"spark-(?:sql-kafka-0-10|streaming-kafka-0-10|core|sql)_2\.1\d[-:]{_NUMBER}", (Part.SPARK,)),
    (rf"\b(?:py)?spark[\s=:@v-]{{1,3}}{_NUMBER}", (Part.SPARK,)),
    (rf"\b(?:librdkafka1?|confluent[-_]kafka)[\s=:@v(-]{{1,3}}{_NUMBER}", _LIBRDKAFKA),
    (rf"\bconfluent-kafka-go(?:/v2)?[\s@]{{1,3}}{_NUMBER}", _LIBRDKAFKA),
    (rf"\bConfluent\.Kafka\"?\s+(?:Version=\"|--version )?{_NUMBER}", _LIBRDKAFKA),
    (rf"\brdkafka-sys[\s=\"]+[\d.]+\+{_NUMBER}", _LIBRDKAFKA),
    (rf"{_NUMBER} \(Commit:", _BROKER),
    (rf"\bclients?[\s:=v]{{1,3}}{_NUMBER}", _CLIENTS),
    (rf"\bbrokers?[\s:=v]{{1,3}}{_NUMBER}", _BROKER),
    (rf"\bMSK[\s:=v]{{1,3}}{_NUMBER}", _BROKER),
    (rf"{_ALONE}kafka(?: version)?[\s=:@v-]{{1,3}}{_NUMBER}", _ALL),
)
_CONFLUENT = re.compile(r"cp-")
_OWN_NUMBERS = re.compile(
    r"\b(?:spring-kafka|reactor-kafka|flink-connector-kafka|camel-kafka|micronaut-kafka|"
    r"debezium/\w+|node-rdkafka|kafka-javascript|php-rdkafka|rdkafka(?!-sys)|kafkajs|"
    r"kafka-python|aiokafka|sarama|franz-go|redpanda)\b",
    re.IGNORECASE,
)
_OWN = (
    "{} has version numbers of its own, and they say nothing of Kafka’s. State the version of "
    "kafka-clients, librdkafka or the brokers that it runs with."
)
_BARE = re.compile(_NUMBER)
MAX_TEXT = 100_000
"""Characters that are read; the output of a large cluster is shorter."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A version in a text: of which parts, and the words that say so."""

    parts: tuple[Part, ...]
    version: str
    words: str


def mentions(text: str) -> tuple[Mention, ...]:
    """The versions that a text mentions, each once. Raises `VersionError` without any.

    What is said of all of Kafka is not said of a part that has a version of its own in the text.
    """
    text = text[:MAX_TEXT]
    mentions = list(_mentions(text))
    if not mentions:
        if other := _OWN_NUMBERS.search(text):
            raise VersionError(_OWN.format(other[0]))
        shown = " ".join(text.split())[:40]
        raise VersionError(f"No version of Kafka, librdkafka or Spark is in {shown!r}.")
    named = {part for mention in mentions if mention.parts != _ALL for part in mention.parts}
    left = (
        replace(mention, parts=tuple(part for part in mention.parts if part not in named))
        if mention.parts == _ALL else mention
        for mention in mentions
    )  # fmt: skip
    return tuple(dict.fromkeys(mention for mention in left if mention.parts))


def _mentions(text: str) -> Iterator[Mention]:
    lines = api_versions.lines_of(text)
    if lines is not None:
        yield from (Mention(_BROKER, line, "kafka-broker-api-versions") for line in lines)
        return
    if bare := _BARE.fullmatch(text.strip()):
        yield _sound(Mention(_ALL, bare["version"], text.strip()))
        return
    taken: list[tuple[int, int]] = []
    for pattern, parts in _PATTERNS:
        for match in re.finditer(pattern, text, re.IGNORECASE):
            start, end = match.span()
            if not any(start < other_end and other < end for other, other_end in taken):
                taken.append((start, end))
                yield _sound(_mention(match, parts))


def _mention(match: re.Match[str], parts: tuple[Part, ...]) -> Mention:
    version = match["version"]
    if _CONFLUENT.match(match[0]):
        version = _line_of_confluent(*(int(value) for value in version.split(".")[:2]))
    return Mention(parts, version, match[0])


def _line_of_confluent(major: int, minor: int) -> str:
    """The line of Kafka in a line of Confluent Platform."""
    match major:
        case 3:
            return f"0.10.{minor}" if minor < 3 else "0.11.0"
        case 4 | 5:
            return f"{major - 3}.{minor}"
        case 6:
            return f"2.{minor + 6}"
        case _:
            return f"{major - 4}.{minor}"


def _sound(mention: Mention) -> Mention:
    """The mention. Raises `VersionError` if no release can be meant."""
    of = {Part.SPARK: Product.SPARK, Part.LIBRDKAFKA: Product.LIBRDKAFKA}
    product = of.get(mention.parts[0], Product.KAFKA)
    if not meant(product, mention.version):
        raise VersionError(f"No release of {product} {mention.version} is known.")
    return mention
