"""Which bindings of Spring Cloud Stream read, and which write.

The name of a function's binding shows it (`-in-0`, `-out-0`), unless
`spring.cloud.stream.function.bindings` gives the binding another name. StreamBridge writes to the
bindings of `output-bindings`. The annotations of releases before 4.0 had bindings `input` and
`output` (Spring Cloud Stream reference, Functional binding names, StreamBridge; Processor).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from advisor.catalog import Component
from advisor.intake.formats.yaml_nodes import Leaf
from advisor.intake.frameworks.spring.names import relaxed

_ROOT = re.escape("spring.cloud.stream.")
_PRODUCER, _CONSUMER = Component.PRODUCER, Component.CONSUMER
BINDING = re.compile(rf"{_ROOT}(?:kafka\.)?bindings\.(?P<name>[^.]+)\.(?P<setting>.+)")
_MAPPED = re.compile(
    rf"{_ROOT}function\.bindings\.\[?[\w-]+?-(?P<way>in|out)-\d+\]?", re.IGNORECASE
)
_STATED = re.compile(rf"{_ROOT}(?P<way>input|output)-?bindings", re.IGNORECASE)
_NAME = re.compile(r".+-(?P<way>in|out)-\d+")
OTHER_BINDERS = (
    "rabbit", "kinesis", "pulsar", "solace", "eventhubs", "servicebus", "gcp", "sqs", "jms",
)  # fmt: skip
"""Binders of other products."""
_COMPONENTS = {
    "in": _CONSUMER, "input": _CONSUMER, "consumer": _CONSUMER, "group": _CONSUMER,
    "out": _PRODUCER, "output": _PRODUCER, "producer": _PRODUCER,
}  # fmt: skip
Bindings = Mapping[Component, Mapping[str, int]]
"""The names of the bindings that read and of those that write, each with its first line."""


def bindings_by_direction(leaves: Sequence[Leaf]) -> Bindings:
    """Returns the bindings that read and those that write."""
    bindings: dict[Component, dict[str, int]] = {_PRODUCER: {}, _CONSUMER: {}}
    mapped, others = _mapped_names(leaves), _names_of_other_binders(leaves)
    for leaf in leaves:
        name = ".".join(leaf.path)
        if match := _STATED.fullmatch(name):
            way = _COMPONENTS[match["way"].lower()]
            for word in filter(None, re.split(r"[;,\s]+", leaf.text.strip().lower())):
                ending = "" if _NAME.fullmatch(word) else f"-{match['way'][:-3].lower()}-0"
                bindings[way].setdefault(word + ending, leaf.line)
        match = BINDING.fullmatch(name)
        if match and match["name"] not in others:
            for component in _components_of(match["name"], match["setting"], mapped):
                bindings[component].setdefault(match["name"], leaf.line)
    return bindings


def unclear_binding(leaves: Sequence[Leaf]) -> Leaf | None:
    """The first binding with a destination that neither its name nor its settings show to read or
    write; None without one."""
    bindings = bindings_by_direction(leaves)
    known = {*bindings[_PRODUCER], *bindings[_CONSUMER], *_names_of_other_binders(leaves)}
    for leaf in leaves:
        match = BINDING.fullmatch(".".join(leaf.path))
        if match and relaxed(match["setting"]) == "destination" and match["name"] not in known:
            return leaf
    return None


def _names_of_other_binders(leaves: Sequence[Leaf]) -> set[str]:
    """The names of bindings that state a binder of another product."""
    matches = ((BINDING.fullmatch(".".join(leaf.path)), leaf) for leaf in leaves)
    return {
        match["name"] for match, leaf in matches
        if match and match["setting"] == "binder" and leaf.text.strip().lower() in OTHER_BINDERS
    }  # fmt: skip


def _mapped_names(leaves: Sequence[Leaf]) -> dict[str, Component]:
    """The names that a file gives to the bindings of its functions."""
    matches = ((_MAPPED.fullmatch(".".join(leaf.path)), leaf) for leaf in leaves)
    return {
        leaf.text.strip().lower(): _COMPONENTS[match["way"].lower()]
        for match, leaf in matches
        if match
    }


def _components_of(name: str, setting: str, mapped: Mapping[str, Component]) -> set[Component]:
    """Whether a binding reads or writes; both for one with settings for both."""
    if match := _NAME.fullmatch(name):
        return {_COMPONENTS[match["way"]]}
    if name in mapped:
        return {mapped[name]}
    head = setting.partition(".")[0]
    words = [way for way in (head, name) if way in _COMPONENTS and way not in ("in", "out")]
    return {_COMPONENTS[way] for way in words[:1]}
