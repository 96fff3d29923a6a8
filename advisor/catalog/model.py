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

    # Members are keys of tables that are asked thousands of times: the text's own hash is C.
    __hash__ = str.__hash__


class Component(StrEnum):
    """Which part of the pipeline a setting belongs to.

    `streams` is StreamsConfig, whose application has clients of its own inside. `application` is
    what the team's own code does around the clients (when it commits, whether it looks at
    delivery errors): not a Kafka setting, but it decides as much.
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

    `default` is the product's own; `None` means that the product leaves it unset. `choices`
    maps what a person may write to what it means (`-1` and `all` are one value of `acks`);
    `pattern` is a regular expression for what a text, or a value beside the choices, must be, or
    for a number with a fraction, of which the next whole one is taken; `between` are the least and
    the most of a text that is such a number, `items` what the members of a list may be;
    `any_case` if the letters' case of a choice does not count; `by_librdkafka` if librdkafka reads
    the text: white space around it counts, and a switch may be t, f, 1 or 0.
    `aliases` are other names of the same key in this family. `source` says where the default
    was read. A setting with `refused` is in force but cannot be stated, for the reason given.
    One that is not `weighed` is real and has no `meaning` here: no guarantee is derived from it.
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
    weighed: bool = True


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
    """A setting that cannot be taken; carries the `Problem` that names it."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(f"{problem.component}.{problem.setting}: {problem.message}")
        self.problem = problem


class UnknownSetting(SettingError):
    """There is no setting of this name; the problem suggests the nearest one, if any is near."""
