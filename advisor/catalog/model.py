"""The shape of the catalog: what a setting is, and what may be wrong with one."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

Value = str | int | bool | None
"""A parsed setting. Durations are milliseconds and sizes bytes, as the key's ending says."""


class Family(StrEnum):
    """A client family; defaults and validity differ between them."""

    JAVA = "java"
    LIBRDKAFKA = "librdkafka"
    SPARK = "spark"
    STREAMS = "streams"

    # Members are keys of tables with thousands of lookups: the hash of str is implemented in C.
    __hash__ = str.__hash__


class Component(StrEnum):
    """Which part of the pipeline a setting belongs to.

    `streams` is StreamsConfig, whose application has its own clients inside. `application` is the
    behaviour of the team's code around the clients (when it commits, whether it checks delivery
    errors): these are not Kafka settings, but they matter as much.
    """

    PRODUCER = "producer"
    CONSUMER = "consumer"
    STREAMS = "streams"
    TOPIC = "topic"
    BROKER = "broker"
    APPLICATION = "application"

    __hash__ = str.__hash__


class Kind(StrEnum):
    """How a value is written."""

    INT = "int"
    BOOL = "bool"
    CHOICE = "choice"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting of one component, for one client family and version.

    - `default`: the product's own; None if the product leaves the setting unset.
    - `choices`: maps the texts that are accepted to their values (`-1` and `all` are one value of
      `acks`). With `any_case` their case does not matter.
    - `pattern`: a regular expression for a text, for a value other than the choices, or for a
      number with a fraction, which is rounded up.
    - `between`: the bounds of a text that is such a number.
    - `items`: the values that a list may contain.
    - `by_librdkafka`: librdkafka parses the text. White space around it matters, and a switch may
      be t, f, 1 or 0.
    - `aliases`: other names of the setting in this family.
    - `source`: where the default was read.
    - `refused`: why the setting is in force but cannot be stated; else empty.
    - `modelled`: if false, the setting exists but no guarantee depends on it, and it has no
      `meaning` here.
    """

    component: Component
    name: str
    kind: Kind
    default: Value
    meaning: str
    source: str
    minimum: int | None = None
    maximum: int | None = None
    choices: tuple[tuple[str, Value], ...] = ()
    pattern: str = ""
    between: tuple[float, float] | None = None
    items: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    unit: str = ""
    refused: str = ""
    any_case: bool = False
    by_librdkafka: bool = False
    modelled: bool = True


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with the stated settings; `message` says what would be right.

    `product` is true if the message is the real client's or broker's own. `needs_more_brokers` is
    true if clients and brokers start with the setting, but it only works in a larger cluster.
    """

    component: Component
    setting: str
    message: str
    product: bool = False
    suggestion: str | None = None
    needs_more_brokers: bool = False


class SettingError(ValueError):
    """A setting that is not accepted; `problem` names it."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(f"{problem.component}.{problem.setting}: {problem.message}")
        self.problem = problem


class UnknownSetting(SettingError):
    """There is no setting with this name; the problem suggests a similar one if there is one."""
