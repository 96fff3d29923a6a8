"""The releases that a pasted text mentions: versions, image tags, names of jars and packages.

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
from advisor.advisories.releases import VersionError, line, possible_releases, releases

_NUMBER = r"v?(?P<version>\d{1,2}(?:\.\d{1,4}){1,8})(?P<confluent>-(?:ccs|ce)\b)?"
"""Confluent marks its own builds: `7.6.0-ccs` is of Confluent Platform 7.6, and so Kafka 3.6."""
_ALONE = r"(?<![\w.-])(?<!debezium/)"
"""The condition before a name, so that it is not the end of another product's name."""
_JAR = r"(?:[-:]|</artifactId>\s*<version>|['\"],\s*version:\s*['\"])"
_ALL = (Part.PRODUCER, Part.CONSUMER, Part.BROKER, Part.STREAMS, Part.CONNECT)
_CLIENTS = (Part.PRODUCER, Part.CONSUMER)
_BROKER, _STREAMS, _CONNECT = (Part.BROKER,), (Part.STREAMS, *_CLIENTS), (Part.CONNECT, *_CLIENTS)
_LIBRDKAFKA = (Part.LIBRDKAFKA,)
_PATTERNS: tuple[tuple[str, tuple[Part, ...]], ...] = (
    (rf"cp-(?:kafka|server)-connect(?:-base)?:{_NUMBER}", _CONNECT),
    (rf"cp-ksqldb-server:{_NUMBER}", _STREAMS),
    (rf"(?:cp-(?:kafka|server|enterprise-kafka)|confluent-local):{_NUMBER}", _BROKER),
    (rf"strimzi/kafka:[\w.-]*?kafka-{_NUMBER}", _BROKER),
    (r"amq-streams[/-]kafka-(?P<version>\d\d)-rhel", _BROKER),
    (rf"{_ALONE}kafka(?:-native)?:(?:2\.1\d-)?{_NUMBER}", _BROKER),
    (rf"kafka_2\.1\d[-:]{_NUMBER}", _BROKER),
    (rf"kafka-clients{_JAR}{_NUMBER}", _CLIENTS),
    (rf"kafka-streams(?:-scala_2\.1\d)?{_JAR}{_NUMBER}", _STREAMS),
    (rf"connect-runtime{_JAR}{_NUMBER}", _CONNECT),
    (rf"spark-(?:sql-kafka-0-10|streaming-kafka-0-10|core|sql)_2\.1\d[-:]{_NUMBER}", (Part.SPARK,)),
    (rf"\b(?:py)?spark[\s=:@v-]{{1,3}}{_NUMBER}", (Part.SPARK,)),
    (
        rf"\b(?:librdkafka(?:1|-dev|-devel)?|confluent[-_]kafka)[\s=:@v(-]{{1,3}}{_NUMBER}",
        _LIBRDKAFKA,
    ),
    (rf"\bconfluent-kafka-go(?:/v2)?[\s@]{{1,3}}{_NUMBER}", _LIBRDKAFKA),
    (rf"\bConfluent\.Kafka\"?\s+(?:Version=\"|--version )?{_NUMBER}", _LIBRDKAFKA),
    (rf"\brdkafka-sys[\s=\"]+[\d.]+\+{_NUMBER}", _LIBRDKAFKA),
    (rf"{_NUMBER} \(Commit:", _BROKER),
    (rf"\bclients?[\s:=v]{{1,3}}{_NUMBER}", _CLIENTS),
    (rf"\bbrokers?[\s:=v]{{1,3}}{_NUMBER}", _BROKER),
    (rf"\bMSK(?: version)?[\s:=v]{{1,3}}{_NUMBER}", _BROKER),
    (rf"\bkafka:\s+version:\s*['\"]?{_NUMBER}", _BROKER),
    (rf"{_ALONE}kafka[ _]?(?:version)?['\"]?[\s=:@v'\"-]{{1,4}}{_NUMBER}", _ALL),
)
_CONFLUENT = re.compile(r"cp-|confluent-local")
_OWN_NUMBERS = re.compile(
    r"\b(?:spring-kafka|reactor-kafka|flink-connector-kafka|camel-kafka|micronaut-kafka|"
    r"debezium/\w+|node-rdkafka|kafka-javascript|php-rdkafka|rdkafka(?!-sys)|kafkajs|"
    r"kafka-python|aiokafka|sarama|franz-go|strimzi/operator|zookeeper|schema-registry|kafka-ui)\b",
    re.IGNORECASE,
)
_OWN = (
    "{} has version numbers of its own, which do not show the version of Kafka. State the version "
    "of kafka-clients, librdkafka or the brokers that it runs with."
)
_OTHER_BROKERS = re.compile(r"redpanda|warpstream|automq|event ?hubs", re.IGNORECASE)
_OTHER = (
    "{} is not Apache Kafka, so the bugs of Kafka’s brokers do not apply to it. The bugs of your "
    "clients do: state the version of kafka-clients or librdkafka."
)
_BARE = re.compile(rf"{_NUMBER}(?:\.x)?(?:\.(?:kraft|tiered))?")
"""A version alone, with the suffixes of Amazon's MSK."""
_NAMES = {Product.KAFKA: "Kafka", Product.LIBRDKAFKA: "librdkafka", Product.SPARK: "Spark"}
MAX_TEXT = 100_000
"""The number of characters that are read; the output of a large cluster is shorter."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A version in a text: its parts, and the words of the text."""

    parts: tuple[Part, ...]
    version: str
    words: str


def mentions(text: str) -> tuple[Mention, ...]:
    """Returns the versions that a text mentions, each once. Raises `VersionError` without any.

    A version of Kafka as a whole does not apply to parts that have their own version in the text.
    """
    text = text[:MAX_TEXT]
    mentions = list(_mentions(text))
    if not mentions:
        for pattern, message in ((_OTHER_BROKERS, _OTHER), (_OWN_NUMBERS, _OWN)):
            if match := pattern.search(text):
                raise VersionError(message.format(match[0]))
        shown = " ".join(text.split())[:40]
        raise VersionError(f"No version of Kafka, librdkafka or Spark is in {shown!r}.")
    specific_parts = {
        part for mention in mentions if mention.parts != _ALL for part in mention.parts
    }
    remaining = (
        replace(mention, parts=tuple(part for part in mention.parts if part not in specific_parts))
        if mention.parts == _ALL else mention
        for mention in mentions
    )  # fmt: skip
    return tuple(dict.fromkeys(mention for mention in remaining if mention.parts))


def _mentions(text: str) -> Iterator[Mention]:
    lines = api_versions.release_lines(text)
    if lines is not None:
        yield from (Mention(_BROKER, line, "kafka-broker-api-versions") for line in lines)
        return
    if bare := _BARE.fullmatch(text.strip()):
        yield _checked(_mention(bare, _ALL))
        return
    spans: list[tuple[int, int]] = []
    for pattern, parts in _PATTERNS:
        for match in re.finditer(pattern, text, re.IGNORECASE):
            start, end = match.span()
            if not any(start < other_end and other < end for other, other_end in spans):
                spans.append((start, end))
                yield _checked(_mention(match, parts))


def _mention(match: re.Match[str], parts: tuple[Part, ...]) -> Mention:
    numbers = match["version"].split(".")
    if len(numbers) == 1:  # kafka-37 of AMQ Streams
        numbers = [*match["version"]]
    if _CONFLUENT.match(match[0]) or match.groupdict().get("confluent"):
        version = _line_of_confluent(int(numbers[0]), int(numbers[1]))
    elif numbers[0] != "0" and len(numbers) > 3:  # a vendor's build: 3.4.1.7.1.9.0 of Cloudera
        version = ".".join(numbers[:2])
    else:
        version = ".".join(numbers)
    return Mention(parts, version, match[0])


def _line_of_confluent(major: int, minor: int) -> str:
    """Returns the line of Kafka in a line of Confluent Platform."""
    match major:
        case 1 | 2:
            return f"0.{major + 7}.{minor}"
        case 3:
            return f"0.10.{minor}" if minor < 3 else "0.11.0"
        case 4 | 5:
            return f"{major - 3}.{minor}"
        case 6:
            return f"2.{minor + 6}"
        case _:
            return f"{major - 4}.{minor}"


def _checked(mention: Mention) -> Mention:
    """Returns the mention. Raises `VersionError` if its line is unknown.

    Every bug would seem to be absent from an unknown line.
    """
    products = {Part.SPARK: Product.SPARK, Part.LIBRDKAFKA: Product.LIBRDKAFKA}
    product = products.get(mention.parts[0], Product.KAFKA)
    listed = releases(product)
    may_be = possible_releases(product, mention.version)
    if may_be and {line(version) for version in may_be} <= {line(version) for version in listed}:
        return mention
    message = (
        f"No release of {_NAMES[product]} {mention.version} is known here, only {listed[0]} to "
        f"{listed[-1]}."
    )
    if product is Product.KAFKA and (confluent := _confluent_hint(mention.version)):
        message += f" {confluent}"
    raise VersionError(message)


def _confluent_hint(version: str) -> str:
    """Returns a hint if the version is probably one of Confluent Platform; otherwise empty."""
    major, minor = (int(number) for number in version.split(".")[:2])
    if not 5 <= major <= 8:
        return ""
    kafka = _line_of_confluent(major, minor)
    if not possible_releases(Product.KAFKA, kafka):
        return ""
    return f"If it is Confluent Platform, it brings Kafka {kafka}: write cp-kafka:{version}."
