"""Options `--set COMPONENT.KEY=VALUE` and pipeline files: they may set whatever a configuration
file of the product may set.

Settings that the catalog models are judged with all other fields. A real setting that it does not
model is treated like a line of a file: a note, or a problem if the product refuses it together with
other settings.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from advisor.catalog import (
    Component,
    Family,
    Problem,
    SettingError,
    UnknownSetting,
    kafka_versions,
)
from advisor.catalog.texts import IN_MEMORY
from advisor.intake.catalog_check import check_settings, is_open_ended
from advisor.intake.clients.known_settings import known_keys, versions_with
from advisor.intake.clients.streams_properties import clients_with
from advisor.intake.cluster.folders_in_memory import folders_in_memory
from advisor.intake.cluster.mode import KRAFT
from advisor.intake.cluster.precedence import unread_options
from advisor.intake.file_text import FileProblem
from advisor.intake.intake import Intake
from advisor.intake.origins import Origin
from advisor.intake.programs.code_facts import PROGRAM_FACTS
from advisor.intake.programs.facts import SKIP
from advisor.intake.reading import Item, Product, Reading
from advisor.intake.spark import query as spark_query
from advisor.intake.spark import starting_offsets as spark_starting_offsets
from advisor.intake.text import shown

_CLIENTS = (Component.PRODUCER, Component.CONSUMER, Component.STREAMS)


def parse_option(text: str) -> tuple[str, str]:
    """Returns the field and the value of an option `--set COMPONENT.KEY=VALUE`.

    Raises `FileProblem` for a malformed option; whether the setting exists is not checked.
    """
    name, equals, value = text.partition("=")
    if not equals or "." not in name:
        raise FileProblem(f"--set {text!r}: write COMPONENT.KEY=VALUE, such as producer.acks=1")
    if not value.strip(" ") and name != "topic.cleanup.policy":
        raise FileProblem(f"--set {text!r}: there is no value. Leave it out for the default.")
    return name, value


def check_options(
    stated: Mapping[str, str],
    product: Product,
    lines: Mapping[str, int] = MappingProxyType({}),
    context: Iterable[Item] = (),
) -> tuple[dict[str, str], Intake]:
    """Returns the fields that are judged with all others, and the notes and problems of the rest.

    `lines` has the line of each field, if it has one; `context` are settings of files. Raises
    `SettingError` for an unknown version.
    """
    context = [*context]
    stated, lines = _client_options(stated, product, lines)
    stated, notes = _with_query_options(stated, product, lines)
    unread = dict(unread_options(stated, context, product))
    stated = {name: text for name, text in stated.items() if name not in unread}
    notes += [f"{name} has no effect: {other} takes precedence." for name, other in unread.items()]
    items = {name: _item(name, text, lines.get(name, 0)) for name, text in stated.items()}
    unused = [item for item in items.values() if item and _is_unused_setting(item, product)]
    rest = [item for item in items.values() if item and item not in unused]
    absent = {item: words for item in rest if (words := _versions_with(item, product))}
    modelled = [item for item in rest if item not in absent]
    result = check_settings(Reading(items=unused, notes=notes), product, [*context, *modelled])
    result.items = [*unused, *modelled]
    result.problems += [_controller_problem(item) for item in unused if _is_controller_role(item)]
    result.problems += [Problem(item.component, item.name, words) for item, words in absent.items()]
    fields = {name: stated[name] for name, item in items.items() if item not in (*unused, *absent)}
    for item, lost_disk, words in folders_in_memory([*context, *modelled]):
        if item in modelled:
            fields[f"{lost_disk.component}.{lost_disk.name}"] = lost_disk.text
            result.notes.append(f"Line {item.line}: {item.name} {words}.")
    return fields, result


def _is_controller_role(item: Item) -> bool:
    """Whether an item sets `process.roles=controller`, so that the settings are not a broker's."""
    roles = {role.strip() for role in item.text.split(",")}
    return item.name == KRAFT and roles == {"controller"}


def _controller_problem(item: Item) -> Problem:
    words = f"{item.name}=controller is for a server without topics, and what is stated here "
    return Problem(item.component, item.name, f"{words}is for brokers. Leave it out.")


def _client_options(
    stated: Mapping[str, str], product: Product, lines: Mapping[str, int]
) -> tuple[Mapping[str, str], Mapping[str, int]]:
    """Returns the fields and their lines, where a setting of Kafka Streams that its clients have is
    a setting of each client that does not set it itself, as in the application's file."""
    streams_prefix, result, result_lines = f"{Component.STREAMS}.", dict(stated), dict(lines)
    streams_names = stated if product.family is Family.STREAMS else ()
    for name in (name for name in streams_names if name.startswith(streams_prefix)):
        key = name.removeprefix(streams_prefix)
        clients = clients_with(key) if key in known_keys(product, Component.STREAMS) else ()
        for client in clients:
            result.setdefault(f"{client}.{key}", stated[name])
            result_lines.setdefault(f"{client}.{key}", lines.get(name, 0))
        if clients:
            del result[name]
    return result, result_lines


def _with_query_options(
    stated: Mapping[str, str], product: Product, lines: Mapping[str, int]
) -> tuple[Mapping[str, str], list[str]]:
    """Returns the fields and notes about them: the starting offsets of a Spark query as one
    setting, and what the options of the query imply for the application, unless a field sets
    that."""
    if product.family is not Family.SPARK:
        return stated, []
    names = [name for name in stated if _is_query_option(*name.split(".", 1))]
    items = [_item(name, stated[name], lines.get(name, 0)) for name in names]
    reading = Reading(items=[item for item in items if item])
    spark_starting_offsets.resolve_start(reading)
    spark_query.resolve_options(reading)
    implied = {f"{item.component}.{item.name}": item.text for item in reading.items}
    return implied | {name: stated[name] for name in stated if name not in names}, reading.notes


def _is_query_option(component: str, name: str = "") -> bool:
    is_place = component == Component.CONSUMER and spark_starting_offsets.is_start_option(name)
    is_client = component in (Component.CONSUMER, Component.PRODUCER)
    return is_place or (is_client and spark_query.is_query_option(name))


def _item(name: str, text: str, line: int) -> Item | None:
    part, _, key = name.partition(".")
    return Item(Component(part), key, text, line) if part in list(Component) else None


def _versions_with(item: Item, product: Product) -> str:
    """Returns the message for a setting that only other versions have; empty for all others."""
    component = item.component
    if _is_known(item, product):
        return ""
    if component is Component.APPLICATION:
        others = [line for line in reversed(kafka_versions())
                  if _is_known(item, replace(product, kafka=line))]  # fmt: skip
        known = f"{others[0]} to {others[-1]}" if others else ""
    else:
        known = versions_with(item.name, product, component)
    of_client = component in _CLIENTS
    where = f"{product.family} {product.version}" if of_client else f"Kafka {product.kafka}"
    words = f"There is no {component} setting {shown(item.name)} in {where}: it is one of {known}."
    return words if known else ""


def _is_known(item: Item, product: Product) -> bool:
    """Whether the product has a modelled setting with this name or alias."""
    try:
        product.setting(item.component, item.name)
    except SettingError:
        return False
    return True


def _is_unused_setting(item: Item, product: Product) -> bool:
    """Whether the product has this setting and the catalog does not model it."""
    try:
        product.setting(item.component, item.name)
    except UnknownSetting as error:
        names = {item.name, f"kafka.{item.name}", error.problem.setting}
        is_known = bool(names & known_keys(product, item.component))
        return is_known or is_open_ended(item.component, item.name)
    except SettingError:
        return False
    return False


def drop_replaced_facts(
    options: Collection[str], fields: dict[str, str], origins: dict[str, Origin], notes: list[str]
) -> None:
    """Drops the fields, and the notes about them, that follow from a file's folder in memory if an
    option replaces that folder."""
    logs = f"{Component.BROKER}.log.dirs"
    if logs not in options or fields.get(logs) not in IN_MEMORY:
        return
    facts = (f"{Component.APPLICATION}.{name}" for name in ("disk.lost", "metadata.disk.lost"))
    for name in facts:
        if name in fields and origins[name] == origins[logs]:
            del fields[name], origins[name]
    place = f"{origins[logs]}: "
    notes[:] = [note for note in notes if not (note.startswith(place) and "in memory" in note)]


def _duplicate_notes(options: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yields a note for each field that several options set to different values."""
    last = dict(options)
    for name in dict.fromkeys(name for name, text in options if text != last[name]):
        yield f"{shown(name)} is stated twice, and the last one counts."


def conflicts(
    pairs: Sequence[tuple[str, str]], fields: Mapping[str, str], origins: Mapping[str, Origin]
) -> tuple[list[str], list[Problem]]:
    """Returns notes and problems for options that contradict each other or the code of a file."""
    notes, problems = _conflicts_with_program(dict(pairs), fields, origins)
    return [*_duplicate_notes(pairs), *notes], problems


def _conflicts_with_program(
    options: Mapping[str, str], fields: Mapping[str, str], origins: Mapping[str, Origin]
) -> tuple[list[str], list[Problem]]:
    """Returns notes and problems for options that contradict the code of a file.

    The error handler of a Spring container is called only if the listener rethrows the error.
    """
    notes, problems = list[str](), list[Problem]()
    listener_fields = {
        "application.framework": "spring",
        "application.processing.errors": SKIP,
        "application.dead.letter": "none",
    }
    swallows_errors = all(fields.get(name) == text for name, text in listener_fields.items())
    for name, text in options.items():
        component, _, key = name.partition(".")
        before = fields.get(name, text)
        if before == text:
            continue
        if swallows_errors and name in listener_fields:
            words = f"{name}={text} is what the container does with an error, and {origins[name]} "
            words += "rethrows none. Rethrow it there, or leave this option out."
            problems.append(Problem(Component.APPLICATION, key, words))
        elif component == Component.APPLICATION and key in PROGRAM_FACTS:
            notes.append(
                f"{name}={text} takes precedence over {before}, which {origins[name]} shows."
            )
    return notes, problems
