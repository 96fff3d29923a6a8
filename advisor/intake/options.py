"""Options `--set COMPONENT.KEY=VALUE` and pipeline files: what the product's own file may state,
they may state as well.

What the catalog weighs is judged with all other fields. A real setting that it does not weigh is
told like a file's line: what becomes of it, and what the product refuses context the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from advisor.catalog import (
    Component,
    Family,
    Problem,
    SettingError,
    UnknownSetting,
)
from advisor.intake.catalog_check import is_open_ended, weigh
from advisor.intake.clients.known_settings import known_keys
from advisor.intake.clients.streams_properties import clients_with
from advisor.intake.cluster.folders_in_memory import in_memory
from advisor.intake.cluster.mode import KRAFT
from advisor.intake.intake import Intake
from advisor.intake.origins import Origin
from advisor.intake.programs.code_facts import OF_CODE
from advisor.intake.programs.facts import SKIP
from advisor.intake.reading import Item, Product, Reading
from advisor.intake.spark import query as spark_query
from advisor.intake.spark import starting_offsets as spark_starting_offsets
from advisor.intake.text import shown


def weigh_options(
    stated: Mapping[str, str],
    product: Product,
    lines: Mapping[str, int] = MappingProxyType({}),
    context: Iterable[Item] = (),
) -> tuple[dict[str, str], Intake]:
    """The fields that are judged with all others, and what is found of the rest.

    `lines` says where each field stands, if it does anywhere; `context` are settings of files.
    Raises `SettingError` for a version that is not known.
    """
    context = [*context]
    stated, lines = _handed_on(stated, product, lines)
    stated, notes = _of_query(stated, product, lines)
    items = {name: _item(name, text, lines.get(name, 0)) for name, text in stated.items()}
    others = [item for item in items.values() if item and _only_real(item, product)]
    weighed = [item for item in items.values() if item and item not in others]
    result = weigh(Reading(items=others, notes=notes), product, [*context, *weighed])
    result.items = [*others, *weighed]
    result.problems += [_no_broker(item) for item in others if _is_controllers(item)]
    fields = {name: stated[name] for name, item in items.items() if item not in others}
    for item, lost, words in in_memory([*context, *weighed]):
        if item in weighed:
            fields[f"{lost.component}.{lost.name}"] = lost.text
            result.notes.append(f"Line {item.line}: {item.name} {words}.")
    return fields, result


def _is_controllers(item: Item) -> bool:
    """Whether it says that the settings of brokers here are those of controllers."""
    roles = {role.strip() for role in item.text.split(",")}
    return item.name == KRAFT and roles == {"controller"}


def _no_broker(item: Item) -> Problem:
    words = f"{item.name}=controller is of a server that keeps no topic, and what is stated here "
    return Problem(item.component, item.name, f"{words}is of brokers. Leave it out.")


def _handed_on(
    stated: Mapping[str, str], product: Product, lines: Mapping[str, int]
) -> tuple[Mapping[str, str], Mapping[str, int]]:
    """What is stated of Kafka Streams, where its clients have it, is stated of each of them, unless
    that one has its own, as in the application's file; and the lines."""
    of_streams, own, places = f"{Component.STREAMS}.", dict(stated), dict(lines)
    names = stated if product.family is Family.STREAMS else ()
    for name in (name for name in names if name.startswith(of_streams)):
        key = name.removeprefix(of_streams)
        having = clients_with(key) if key in known_keys(product, Component.STREAMS) else ()
        for client in having:
            own.setdefault(f"{client}.{key}", stated[name])
            places.setdefault(f"{client}.{key}", lines.get(name, 0))
        if having:
            del own[name]
    return own, places


def _of_query(
    stated: Mapping[str, str], product: Product, lines: Mapping[str, int]
) -> tuple[Mapping[str, str], list[str]]:
    """What is stated, with one word for the place where a Spark query begins, and with what the
    query's own options say of the application, unless that is stated itself; and notes of it."""
    if product.family is not Family.SPARK:
        return stated, []
    names = [name for name in stated if _is_of_query(*name.split(".", 1))]
    items = [_item(name, stated[name], lines.get(name, 0)) for name in names]
    reading = Reading(items=[item for item in items if item])
    spark_starting_offsets.resolve_start(reading)
    spark_query.resolve_options(reading)
    found = {f"{item.component}.{item.name}": item.text for item in reading.items}
    return found | {name: stated[name] for name in stated if name not in names}, reading.notes


def _is_of_query(component: str, name: str = "") -> bool:
    is_place = component == Component.CONSUMER and spark_starting_offsets.is_start_option(name)
    is_client = component in (Component.CONSUMER, Component.PRODUCER)
    return is_place or (is_client and spark_query.is_query_option(name))


def _item(name: str, text: str, line: int) -> Item | None:
    part, _, key = name.partition(".")
    return Item(Component(part), key, text, line) if part in list(Component) else None


def _only_real(item: Item, product: Product) -> bool:
    """Whether the product has this setting and the catalog does not weigh it."""
    try:
        product.setting(item.component, item.name)
    except UnknownSetting as error:
        names = {item.name, f"kafka.{item.name}", error.problem.setting}
        is_known = bool(names & known_keys(product, item.component))
        return is_known or is_open_ended(item.component, item.name)
    except SettingError:
        return False
    return False


def twice(given: Iterable[tuple[str, str]]) -> Iterator[str]:
    """What is said of fields that several options state, each with another value."""
    given = [*given]
    last = dict(given)
    for name in dict.fromkeys(name for name, text in given if text != last[name]):
        yield f"{shown(name)} is stated twice, and the last one counts."


def against_program(
    options: Mapping[str, str], fields: Mapping[str, str], origins: Mapping[str, Origin]
) -> tuple[list[str], list[Problem]]:
    """What is said, and what is wrong, where options state what a file's code shows otherwise.

    What a container of Spring does with an error begins where the listener lets it out.
    """
    notes, problems = list[str](), list[Problem]()
    shown_by_listener = {
        "application.framework": "spring",
        "application.processing.errors": SKIP,
        "application.dead.letter": "none",
    }
    passed_over = all(fields.get(name) == text for name, text in shown_by_listener.items())
    for name, text in options.items():
        component, _, key = name.partition(".")
        before = fields.get(name, text)
        if before == text:
            continue
        if passed_over and name in shown_by_listener:
            words = f"{name}={text} is what the container does with an error, and {origins[name]} "
            words += "lets none out. Let it out there, or leave this option out."
            problems.append(Problem(Component.APPLICATION, key, words))
        elif component == Component.APPLICATION and key in OF_CODE:
            notes.append(f"{name}={text} goes before {before}, which {origins[name]} shows.")
    return notes, problems
