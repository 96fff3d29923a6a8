"""Which releases a pasted text speaks of: versions, image tags, names of jars and packages.

Sources: the names under which Apache, Confluent, Bitnami, Strimzi and others publish images;
Confluent's "Supported Versions and Interoperability": 7.6 is Kafka 3.6, 8.0 is 4.0. Confluent
patches lines on its own, so that an image of Confluent says a line and no release.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from advisor.advisories import api_versions
from advisor.advisories.model import Part, Product
from advisor.advisories.releases import VersionError, meant

_NUMBER = r"v?(?P<version>\d{1,2}(?:\.\d{1,3}){1,3})"
_ALL = (Part.PRODUCER, Part.CONSUMER, Part.BROKER, Part.STREAMS, Part.CONNECT)
_CLIENTS = (Part.PRODUCER, Part.CONSUMER)
_BROKER, _STREAMS = (Part.BROKER,), (Part.STREAMS, *_CLIENTS)
_PATTERNS: tuple[tuple[str, tuple[Part, ...]], ...] = (
    (rf"cp-(?:kafka-connect(?:-base)?):{_NUMBER}", (Part.CONNECT, *_CLIENTS)),
    (rf"cp-(?:kafka|server|enterprise-kafka):{_NUMBER}", _BROKER),
    (rf"strimzi/kafka:[\w.-]*?kafka-{_NUMBER}", _BROKER),
    (rf"kafka(?:-native)?:(?:2\.1\d-)?{_NUMBER}", _BROKER),
    (rf"kafka_2\.1\d[-:]{_NUMBER}", _BROKER),
    (rf"kafka-clients[-:]{_NUMBER}", _CLIENTS),
    (rf"kafka-streams(?:-scala_2\.1\d)?[-:]{_NUMBER}", _STREAMS),
    (rf"connect-runtime[-:]{_NUMBER}", (Part.CONNECT, *_CLIENTS)),
    (rf"spark-(?:sql-kafka-0-10|streaming-kafka-0-10|core|sql)_2\.1\d[-:]{_NUMBER}", (Part.SPARK,)),
    (rf"\b(?:py)?spark[\s=:@v-]{{1,3}}{_NUMBER}", (Part.SPARK,)),
    (rf"\b(?:librdkafka|confluent[-_]kafka)[\s=:@v(-]{{1,3}}{_NUMBER}", (Part.LIBRDKAFKA,)),
    (rf"{_NUMBER} \(Commit:", _BROKER),
    (rf"\bkafka[\s=:@v-]{{1,3}}{_NUMBER}", _ALL),
)
_CONFLUENT = re.compile(r"cp-")
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
    """The versions that a text mentions, each once. Raises `VersionError` without any."""
    text = text[:MAX_TEXT]
    mentions = list(_mentions(text))
    if not mentions:
        shown = " ".join(text.split())[:40]
        raise VersionError(f"No version of Kafka, librdkafka or Spark is in {shown!r}.")
    return tuple(dict.fromkeys(mentions))


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
        major, minor = (int(value) for value in version.split(".")[:2])
        version = f"2.{minor + 6}" if major == 6 else f"{major - 4}.{minor}"
    return Mention(parts, version, match[0])


def _sound(mention: Mention) -> Mention:
    """The mention. Raises `VersionError` if no release can be meant."""
    of = {Part.SPARK: Product.SPARK, Part.LIBRDKAFKA: Product.LIBRDKAFKA}
    product = of.get(mention.parts[0], Product.KAFKA)
    if not meant(product, mention.version):
        raise VersionError(f"No release of {product} {mention.version} is known.")
    return mention
