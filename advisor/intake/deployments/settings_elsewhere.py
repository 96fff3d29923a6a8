"""Settings of clients in text that is not read: charts, tasks, resources of other products."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from advisor.catalog import Component
from advisor.intake.clients.known_settings import decides
from advisor.intake.clients.sure_names import sure_setting
from advisor.intake.deployments.images import setting_name
from advisor.intake.deployments.kubernetes_kinds import is_unrelated
from advisor.intake.formats.yaml_nodes import Leaf
from advisor.intake.reading import Reading
from advisor.intake.text import shown

_NAME = re.compile(
    r"(?<![\w.-])(?:[A-Za-z][\w-]{0,40}\.){0,8}"
    r"(?P<variable>(?:SPRING_)?KAFKA_\w{3,100}|MP_MESSAGING_\w{3,200})(?=\\?\"|[ \t]*[=:])"
    r"|\"(?:config\.)?(?P<name>[A-Za-z][\w-]{0,30}(?:\.[\w-]{1,30}){1,8})\""
    r"|(?<![\w-])(?:-D|--)(?P<argument>[a-z]{2,20}(?:\.[a-z-]{2,30}){1,8})="
    r"|^[ \t]*(?P<nested>[a-z][a-z.-]{2,40}):[ \t]",
    re.MULTILINE,
)
"""A variable, perhaps after the keys of a chart, a property, an argument, or an entry of YAML."""
_SPRING_PREFIX = re.compile(r"^SPRING_KAFKA_(?:PRODUCER_|CONSUMER_)?(?:PROPERTIES_)?")
_REMOVE = "Remove it if it belongs to another topic or application; otherwise give it as properties"


def deciding_settings(
    text: str, begins: int = 0, ends: int | None = None
) -> Iterator[tuple[int, str]]:
    """Yields the offset and the name of each setting that decides, in a range of a text."""
    for match in _NAME.finditer(text, begins, len(text) if ends is None else ends):
        nested = match["nested"]
        name = match["name"] or match["argument"] or nested or _variable_setting(match["variable"])
        if sure_setting(name) is not None if nested else decides(name):
            yield match.start(), name


def refuse_resource(reading: Reading, kind: Leaf, leaves: Iterable[Leaf]) -> None:
    """Refuses a setting that decides in a resource of a kind that is not read."""
    for leaf in leaves if not is_unrelated(kind.text) else ():
        key = leaf.path[-1]
        of_kafka = any("kafka" in part.lower() for part in leaf.path[:-1])
        setting = key if sure_setting(key) is not None or (of_kafka and decides(key)) else ""
        setting = setting or next(
            (name for _, name in deciding_settings(f'"{key}": "{leaf.text}"')), ""
        )
        setting = setting or next((name for _, name in deciding_settings(leaf.text)), "")
        if setting:
            words = f"stands in {shown(kind.text)}, of which nothing is read. {_REMOVE}"
            reading.add_problem(
                Component.APPLICATION, setting, leaf.line, f"{shown(setting)} {words}"
            )
            return


def refuse_entry(reading: Reading, leaf: Leaf) -> bool:
    """Refuses a setting that decides in an entry of a ConfigMap that is not read as a file; returns
    whether there is one."""
    key = leaf.path[-1]
    setting = (
        key
        if sure_setting(key) is not None
        else next((name for _, name in deciding_settings(leaf.text)), "")
    )
    if setting:
        words = f"is in an entry that is not read. {_REMOVE}"
        reading.add_problem(Component.APPLICATION, setting, leaf.line, f"{shown(setting)} {words}")
    return bool(setting)


def _variable_setting(variable: str) -> str:
    property_name = _SPRING_PREFIX.sub("", variable)
    return (
        property_name.lower().replace("_", ".")
        if property_name != variable
        else setting_name(variable)
    )
