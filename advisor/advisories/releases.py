"""The releases of each product, and the meaning of a version that a user enters.

Sources: the tags of apache/kafka and confluentinc/librdkafka, PyPI's list of pyspark. Of Kafka
after 3.9.0, the releases that this project has run or whose jars it has locked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from packaging.version import Version

from advisor.advisories.model import Product

_RELEASES: Mapping[Product, str] = {
    Product.KAFKA: """
        0.10.0.0 0.10.0.1 0.10.1.0 0.10.1.1 0.10.2.0 0.10.2.1 0.10.2.2
        0.11.0.0 0.11.0.1 0.11.0.2 0.11.0.3 1.0.0 1.0.1 1.0.2 1.1.0 1.1.1
        2.0.0 2.0.1 2.1.0 2.1.1 2.2.0 2.2.1 2.2.2 2.3.0 2.3.1 2.4.0 2.4.1 2.5.0 2.5.1
        2.6.0 2.6.1 2.6.2 2.6.3 2.7.0 2.7.1 2.7.2 2.8.0 2.8.1 2.8.2
        3.0.0 3.0.1 3.0.2 3.1.0 3.1.1 3.1.2 3.2.0 3.2.1 3.2.2 3.2.3 3.3.0 3.3.1 3.3.2
        3.4.0 3.4.1 3.5.0 3.5.1 3.5.2 3.6.0 3.6.1 3.6.2 3.7.0 3.7.1 3.7.2 3.8.0 3.8.1
        3.9.0 3.9.1 3.9.2 4.0.0 4.0.1 4.0.2 4.1.0 4.1.1 4.1.2 4.2.0 4.2.1 4.3.0 4.3.1 4.4.0
    """,
    Product.LIBRDKAFKA: """
        1.0.0 1.0.1 1.1.0 1.2.0 1.2.1 1.2.2 1.3.0 1.4.0 1.4.2 1.4.4 1.5.0 1.5.2 1.5.3
        1.6.0 1.6.1 1.6.2 1.7.0 1.8.0 1.8.2 1.9.0 1.9.1 1.9.2 2.0.0 2.0.1 2.0.2 2.1.0 2.1.1
        2.2.0 2.2.1 2.3.0 2.4.0 2.5.0 2.5.3 2.6.0 2.6.1 2.7.0 2.8.0 2.9.0 2.10.0 2.10.1
        2.11.0 2.11.1 2.12.0 2.12.1 2.13.0 2.13.2 2.14.0 2.14.1 2.14.2 2.15.0 2.16.0
    """,
    Product.SPARK: """
        2.1.0 2.1.1 2.1.2 2.1.3 2.2.0 2.2.1 2.2.2 2.2.3 2.3.0 2.3.1 2.3.2 2.3.3 2.3.4
        2.4.0 2.4.1 2.4.2 2.4.3 2.4.4 2.4.5 2.4.6 2.4.7 2.4.8 3.0.0 3.0.1 3.0.2 3.0.3
        3.1.1 3.1.2 3.1.3 3.2.0 3.2.1 3.2.2 3.2.3 3.2.4 3.3.0 3.3.1 3.3.2 3.3.3 3.3.4
        3.4.0 3.4.1 3.4.2 3.4.3 3.4.4 3.5.0 3.5.1 3.5.2 3.5.3 3.5.4 3.5.5 3.5.6 3.5.7 3.5.8 3.5.9
        4.0.0 4.0.1 4.0.2 4.0.3 4.0.4 4.0.5 4.1.0 4.1.1 4.1.2 4.1.3 4.1.4 4.2.0 4.2.1 4.3.0
    """,
}
_TEXT = re.compile(r"v?(?:0\.\d{1,2}\.\d{1,2}(?:\.\d{1,2})?|[1-9]\d?\.\d{1,3}(?:\.\d{1,3})?)")


class VersionError(ValueError):
    """A text that is not the version of a release or of a line."""


@cache
def releases(product: Product) -> tuple[Version, ...]:
    """Returns every known release, oldest first."""
    return tuple(sorted(Version(name) for name in _RELEASES[product].split()))


@cache
def possible_releases(product: Product, text: str) -> tuple[Version, ...]:
    """Returns the releases that a version may mean.

    A release (`3.6.1`) means itself, known or not; a line (`3.6`, or `0.10.2`) means any of its
    known releases. Raises `VersionError` for any other text.
    """
    if not _TEXT.fullmatch(text):
        raise VersionError(f"{text[:30]!r} is no version such as 3.6.1 or 3.6.")
    version = Version(text)
    if len(version.release) > len(line(version)):
        return (version,)
    return tuple(release for release in releases(product) if line(release) == version.release)


def line(release: Version) -> tuple[int, ...]:
    """Returns the line of a release: 3.6 for 3.6.1, 0.10.2 for 0.10.2.1."""
    return release.release[: 3 if release.major == 0 else 2]
