"""What is stored of the settings of a file, so that later files are judged together with them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from advisor.catalog import Component, Kind, SettingError, is_format, is_own_assignor, parse
from advisor.catalog.texts import is_free, kept_text
from advisor.intake.clients import streams_properties
from advisor.intake.clients.setting_notes import PLUGINS
from advisor.intake.cluster.disagreements import LOG_DIRS
from advisor.intake.cluster.folders_in_memory import LOG_FOLDERS
from advisor.intake.cluster.racks import RACK, hashed
from advisor.intake.reading import Item, Product

_VERSION = re.compile(r"[0-9.]{1,20}(?:-IV[0-9]{1,3})?")
_REPLICAS = re.compile(r"[0-9:,* ]{1,250}")


def stored_items(items: Iterable[Item], product: Product) -> Iterator[Item]:
    """Yields what is stored of each item: no confidential text, and a hash for the name of its
    process, which may be confidential."""
    for item in items:
        if item.component is Component.BROKER and item.name in LOG_FOLDERS:
            item = replace(item, text=kept_text(LOG_DIRS, item.text))
        elif item.component is Component.BROKER and item.name == RACK:
            item = replace(item, text=hashed(item.text))
        elif not _may_be_stored(item, product):
            continue
        yield replace(item, process=item.process and str(hash(item.process)))


def _may_be_stored(item: Item, product: Product) -> bool:
    """Whether an item has a valid value that is no confidential text."""
    if is_format(item.component, item.name):
        return bool(_VERSION.fullmatch(item.text.strip()))
    if item.name.startswith(PLUGINS):
        is_topic_setting = item.name.endswith((".topic.replication.factor", ".topic.retention.ms"))
        return is_topic_setting and item.text.strip().isdecimal()
    if "replication.throttled." in item.name:
        return bool(_REPLICAS.fullmatch(item.text))
    try:
        setting = product.setting(item.component, item.name, every=True)
        parse(setting, item.text)
    except SettingError:
        return streams_properties.is_isolation(item)
    is_text = setting.kind is Kind.TEXT and not is_own_assignor(setting.name, item.text)
    return not is_text and not is_free(setting.name)
