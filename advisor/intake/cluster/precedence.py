"""Names of a brokers' setting of which one takes precedence, in options and in files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from advisor.catalog import RETENTIONS, Component, SettingError, parse
from advisor.intake.reading import Item, Product

_BROKER = f"{Component.BROKER}."
_DIRS = ("log.dirs", "log.dir")
_NAMES = (tuple(RETENTIONS), _DIRS)
"""Names of which brokers read only the first one that is stated
(KafkaConfig.logRetentionTimeMillis; ServerLogConfigs)."""


def unread_options(
    stated: Mapping[str, str], files: Iterable[Item], product: Product
) -> Iterator[tuple[str, str]]:
    """Yields each stated field that brokers do not read, because another name takes precedence, and
    that name with its place. An invalid value is refused nevertheless (ConfigDef)."""
    places = {item.name: f" of {item.place}" for item in files if _is_of_broker(item)}
    places |= {name.removeprefix(_BROKER): "" for name in stated if name.startswith(_BROKER)}
    for names in _NAMES:
        first = next((name for name in names if name in places), "")
        for name in names:
            text = stated.get(f"{_BROKER}{name}", "")
            if name != first and text and _is_valid(name, text, product):
                yield f"{_BROKER}{name}", f"{first}{places[first]}"


def _is_of_broker(item: Item) -> bool:
    return item.component is Component.BROKER


def _is_valid(name: str, text: str, product: Product) -> bool:
    try:
        parse(product.setting(Component.BROKER, name, every=True), text)
    except SettingError:
        return False
    return True
