"""Looks up settings by family, version, component and name."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from advisor.catalog import other_settings
from advisor.catalog.load import Entry, entries
from advisor.catalog.model import Component, Family, Problem, Setting, SettingError, UnknownSetting
from advisor.catalog.nearest import nearest
from advisor.catalog.versions import client_line, effective_client, kafka_line

_SHOWN = 60
"""How many characters of an unknown name a message shows."""


def settings_of(
    family: Family, version: str, kafka: str, component: Component, *, every: bool = False
) -> tuple[Setting, ...]:
    """Returns the settings that can be stated, in the catalog's order, with this version's
    defaults.

    With `every`, those that are not modelled follow, by name. Raises `SettingError` for an unknown
    version.
    """
    find = known_to if every else in_force
    by_name = find(family, client_line(family, version), kafka_line(kafka), component)
    return tuple(setting for setting in by_name.values() if not setting.refused)


def has(family: Family, version: str, kafka: str, component: Component, name: str) -> bool:
    """Whether these versions have a modelled setting with that name."""
    return name in in_force(family, client_line(family, version), kafka_line(kafka), component)


def lookup(
    family: Family, version: str, kafka: str, component: Component, name: str,
    *, every: bool = False,
) -> Setting:  # fmt: skip
    """Returns the setting with that name or alias; with `every`, also one that is not modelled.

    Raises `UnknownSetting` with the nearest known name as suggestion, and `SettingError` for a
    setting that cannot be stated, with the reason.
    """
    key = (family, client_line(family, version), kafka_line(kafka), component)
    settings = in_force(*key)
    setting = settings.get(canonical(family, component, name, settings))
    if setting is None:
        setting = _other_setting(key, name, every=every)
    if setting.refused:
        raise SettingError(Problem(component, setting.name, f"{setting.refused}."))
    return setting


def canonical(family: Family, component: Component, name: str, by_name: dict[str, Setting]) -> str:
    """Returns the catalog's name for a name that may be an alias.

    Spark prefixes the clients' settings with `kafka.`, and ignores the case of its own options.
    """
    if name in by_name:
        return name
    client = component in (Component.PRODUCER, Component.CONSUMER)
    if family is Family.SPARK and client:
        client_key = name.removeprefix("kafka.")
        return client_key if client_key in by_name else _in_any_case(name, by_name)
    aliases = {alias: key for key, setting in by_name.items() for alias in setting.aliases}
    return aliases.get(name, name)


def _in_any_case(name: str, by_name: dict[str, Setting]) -> str:
    return next((key for key in by_name if key.lower() == name.lower()), name)


@cache
def in_force(family: Family, line: str, kafka: str, component: Component) -> dict[str, Setting]:
    """Returns every setting of a component by name, including those that cannot be stated.

    An entry in a later file replaces an earlier one with the same name (`spark.toml` comes after
    `java_producer.toml`). Do not modify the result: it is cached.
    """
    client = effective_client(family, line)
    return {
        entry.setting.name: _at(entry, client if entry.by_client else kafka)
        for entry in entries()
        if family in entry.families
        and entry.setting.component is component
        and entry.exists_at(client if entry.by_client else kafka)
    }


@cache
def known_to(family: Family, line: str, kafka: str, component: Component) -> dict[str, Setting]:
    """Returns the settings of `in_force`, followed by every other setting of the product."""
    modelled = in_force(family, line, kafka, component)
    others = other_settings.settings(family, line, kafka, component, modelled)
    return modelled | {setting.name: setting for setting in others}


def _other_setting(key: tuple[Family, str, str, Component], name: str, *, every: bool) -> Setting:
    family, _, _, component = key
    settings = known_to(*key)
    setting = settings.get(canonical(family, component, name, settings))
    if setting is None:
        raise UnknownSetting(
            _unknown(family, component, name, settings if every else in_force(*key))
        )
    if not every:
        message = f"{setting.name} is a setting of the {component} that is not taken into account."
        raise UnknownSetting(Problem(component, setting.name, message))
    return setting


def _at(entry: Entry, line: str) -> Setting:
    pattern = entry.pattern.at(line)
    return replace(
        entry.setting, default=entry.default.at(line), pattern=str(pattern) if pattern else ""
    )


def _unknown(
    family: Family, component: Component, name: str, by_name: dict[str, Setting]
) -> Problem:
    offered = {key for key, setting in by_name.items() if not setting.refused}
    offered |= {alias for key in offered for alias in by_name[key].aliases}
    near = nearest(name, frozenset(offered))
    shown = name if len(name) <= _SHOWN else f"{name[:_SHOWN]}…"
    message = f"There is no {component} setting {shown!r} for {family}."
    if near:
        message += f" Did you mean {near}?"
    return Problem(component, name[:_SHOWN], message, suggestion=near)
