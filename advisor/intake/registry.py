"""The registry of readers: every `READERS` in a module of this package."""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib import import_module
from itertools import chain

from advisor.catalog import Component, Family, Problem, SettingError, kafka_line, versions
from advisor.intake.application_file import ApplicationFile
from advisor.intake.catalog_check import check_settings
from advisor.intake.clients.known_settings import decides
from advisor.intake.clients.other_brokers import refuse_hosts
from advisor.intake.clients.other_products_text import refuse_others
from advisor.intake.clients.properties_files import (
    may_be_topic,
    reader_by_typos,
    recognize_librdkafka,
)
from advisor.intake.clients.several_clients import line_owners, select_clients
from advisor.intake.clients.sure_names import sure_setting
from advisor.intake.cluster.mode import assume_zookeeper
from advisor.intake.formats.java_properties import without_first_line
from advisor.intake.formats.yaml_nodes import documents
from advisor.intake.formats.yaml_styles import in_block_style
from advisor.intake.frameworks.chosen_profile import choose, compare_profiles
from advisor.intake.frameworks.spring.containers import in_transaction, unfitting, unread
from advisor.intake.intake import Intake
from advisor.intake.programs.code_facts import (
    ASSIGNS,
    KINDS,
    LISTENERS,
    NOTE,
    TOPOLOGY,
    is_program,
    manual_assignment_line,
)
from advisor.intake.programs.python.normal_form.rewriting import is_python
from advisor.intake.reading import Item, Product, Reader, Reading
from advisor.intake.spark.options import refuse_own_names
from advisor.intake.text import (
    MARK,
    IntakeError,
    check_text,
    is_no_program,
    line_of,
    shown,
    yaml_begins,
)

_HAS_BYTE_ORDER_MARK = (
    "Line 1: it begins with a byte order mark, which Java takes for a part of the first name: "
    "the setting on this line has no effect. Save the file without the mark."
)


_UNKNOWN = (
    "Nothing here looks like a file that Delivery Lab reads. Say which kind it is, or give the "
    "settings of each client, topic or broker as properties, one a line."
)
_DOTTED_FIELD = re.compile(
    rf"^[ \t]*({'|'.join(component.value for component in Component)})\.([\w.-]+)[ \t]*[=:]",
    re.MULTILINE,
)
"""A setting prefixed with its component, as in `--set` and in a pipeline file."""
_YAML = (
    "YAML of a kind that we do not know. Give its settings as properties, one file "
    "for each client, topic or broker, or say which kind it is. Of a Helm chart, give what "
    "`helm template` prints: its manifests are read."
)
_KUSTOMIZE_PATCH = re.compile(
    r"^kind:[ \t]*Kustomization\b|^(?:patches\w*|(?:configMap|secret)Generator|bases):"
    r"|(?:^-?[ \t]+|[{,][ \t]*)[\"']?op[\"']?:[ \t]*[\"']?(?:add|replace|remove)\b",
    re.MULTILINE,
)
PATCHED = (
    "this changes manifests that are elsewhere. Give what `kubectl kustomize` prints: there they "
    "are as they count."
)

_MARKDOWN_FENCE = re.compile(r"^(?:```|~~~)", re.MULTILINE)
_MARKDOWN = (
    "this looks like Markdown, whose parts may be of several files. Give each as a file of its own."
)

_TOPIC_OR_BROKER = (
    "this may be of one topic, or of a broker for all topics without settings of their own. Say "
    "its kind: topic-properties or broker-properties."
)

_PROPERTIES = "-properties"
"""The suffix of the kinds of properties files."""

_PROGRAM_KINDS = ("python-dict", "spark-options")
"""Kinds whose readers look for fragments of a program, which other files may contain as well."""

_VARIABLES, _CONTAINER_KINDS = "environment", ("compose", "kubernetes", "systemd", "dockerfile")
_DEPLOYMENT_KINDS = (_VARIABLES, *_CONTAINER_KINDS)
"""Kinds whose files may contain settings of other products only."""

_STREAM_BINDINGS = re.compile(
    r"^[ \t]*(?:spring\.cloud\.)?stream(?:\.bindings\.|:[ \t]*$)", re.MULTILINE
)
_UNNAMED_BINDER = (
    "This looks like Spring Cloud Stream, and no line names its binder. Where that is Kafka's, say "
    "the kind: spring."
)


@dataclass(frozen=True, slots=True)
class Parsed:
    """A text with its reader and its content before it is judged for a product."""

    text: str
    reader: Reader
    reading: Reading


@cache
def all_readers() -> tuple[Reader, ...]:
    """Returns every reader: modules by their first kind, the readers of a module in its order."""
    package = __name__.rpartition(".")[0]
    modules = pkgutil.walk_packages(import_module(package).__path__, f"{package}.")
    tuples: Iterator[tuple[Reader, ...]] = (
        getattr(import_module(module.name), "READERS", ()) for module in modules
    )
    ordered = sorted(filter(None, tuples), key=lambda readers: readers[0].kind)
    return tuple(chain.from_iterable(ordered))


def find_reader(kind: str) -> Reader | None:
    """Returns the reader of that kind, or None."""
    return next((reader for reader in all_readers() if reader.kind == kind), None)


@lru_cache(maxsize=8)
def detect(text: str) -> Reader | None:
    """Returns the reader with the highest likeness, or None if there is none.

    A nested text is neither a properties file nor a file of variables. Misspelled names of settings
    count if no reader matches. Cached, because several parts of the intake ask for the kind of each
    file.
    """
    block_style = in_block_style(text)
    is_nested, is_no_program_text = yaml_begins(text) > 0, is_no_program(text)
    readers = [
        reader for reader in all_readers()
        if not (is_nested and reader.kind.endswith((_PROPERTIES, _VARIABLES)))
        and not (is_no_program_text and reader.kind in _PROGRAM_KINDS)
    ]  # fmt: skip
    scores = [
        (reader.likeness(block_style if reader.is_yaml else text), reader) for reader in readers
    ]
    best = max(scores, key=lambda row: row[0])
    return best[1] if best[0] > 0 else None if is_nested else reader_by_typos(text)


def parse(text: str, kind: str = "") -> Parsed:
    """Returns the content of a text; without `kind`, the kind is detected.

    Raises `IntakeError` for a text that cannot be read, and `KeyError` for an unknown kind.
    """
    has_mark, notes = text.startswith(MARK), list[str]()
    text = text.removeprefix(MARK)
    _check(text)
    reader = (
        {reader.kind: reader for reader in all_readers()}[kind] if kind else _detect_reader(text)
    )
    if has_mark and reader.kind.endswith(_PROPERTIES):
        text, is_lost = without_first_line(text)
        notes += [_HAS_BYTE_ORDER_MARK] if is_lost else []
    reading = reader.read(text)
    reading.notes += notes
    return Parsed(text, reader, reading)


def read(
    text: str, product: Product, kind: str = "", family: str = "", context: Iterable[Item] = (),
    only: Collection[str] = (), started: Sequence[str] = (), *, assumed: bool = False,
    among: bool = False, stated: bool = False, parsed: Parsed | None = None,
) -> Intake:  # fmt: skip
    """Reads a file and judges its settings. A file that cannot be read is one problem, with its
    line.

    - `kind`: without it, the kind is detected.
    - `family`: the client that the user chose. Without it, a file that shows which client it is for
      is read for that client, in its newest version if it is not that of `product`.
    - `context`: settings of other files for the same products.
    - `only`: the clients and profiles that the user chose, of a file with several.
    - `started`: the profiles in which another file starts the application.
    - `assumed`: whether the version of the brokers is an assumption, so that it may be replaced by
      one that has the settings of the file.
    - `stated`: whether the user stated that version. It replaces the one of the file.
    - `among`: whether other files have settings, or problems.
    - `parsed`: the result of `parse`, if there is one already.

    Raises `SettingError` for an unknown version, and `KeyError` for an unknown kind.
    """
    other_items = [*context]
    try:
        parsed = parsed or parse(text, kind)
        text, reader, reading = parsed.text, parsed.reader, parsed.reading
        if assumed:
            assume_zookeeper(reading)
        intake, count = _check_chosen(reading, product, family, other_items, only, started, stated)
        intake.subject = replace(intake.subject, program=reader.kind in KINDS)
        if reader.read_files:
            _with_all_clients(intake)
    except IntakeError as error:
        return _unreadable(error)
    if is_program(reader.kind, text):
        intake.program = True
        intake.notes.append(NOTE)
        if line := manual_assignment_line(text):
            words = f"Line {line}: {ASSIGNS}."
            intake.problems.append(Problem(Component.CONSUMER, "assign", words))
    doubts = (
        [reading.empty_reason]
        if reading.empty_reason
        else _doubts(intake, text, reader, kind, count)
    )
    is_completed = _is_completed(reader, intake, reading, other_items, among=among)
    problems = [
        Problem(Component.APPLICATION, "file", f"Line 1: {words}")
        for words in (() if is_completed else doubts)
    ]
    if reader.read_files and not kind:
        intake.idle_problems = problems
    else:
        intake.problems += problems
    intake.idle_problems += unread(reading.compared_items, other_items)
    return intake


def _is_completed(
    reader: Reader, intake: Intake, reading: Reading, other_items: Collection[Item], *, among: bool
) -> bool:
    """Whether other files have the settings that this one lacks: a file that runs an application,
    or sets its variables, need not have a setting, and a topology has its settings in another
    file."""
    if reading.empty_reason == LISTENERS:
        return bool(other_items) or among
    if reading.empty_reason == TOPOLOGY:
        return any(item.component is Component.STREAMS for item in other_items) or (
            among and not other_items
        )
    return bool(
        (other_items or among) and (intake.variable_values or reader.kind in _CONTAINER_KINDS)
    )


def read_application(
    reader: Reader, files: Sequence[ApplicationFile], product: Product, family: str = "",
    context: Iterable[Item] = (), only: Collection[str] = (), started: Sequence[str] = (),
) -> Intake:  # fmt: skip
    """Reads the files of one application together, as `read` reads one. The last file takes
    precedence over the first."""
    try:
        for file in files:
            _check(file.text)
        if reader.read_files is None:
            raise ValueError(f"{reader.kind} has one file")
        reading = reader.read_files(files)
        intake, _ = _check_chosen(reading, product, family, [*context], only, started)
        _with_all_clients(intake)
        return intake
    except IntakeError as error:
        return _unreadable(error)


def _with_all_clients(intake: Intake) -> None:
    """Adds each client with a setting in the file to the clients that the application creates."""
    component_lines = (
        (Component(name.partition(".")[0]), line) for name, line in intake.lines.items()
    )
    intake.subject = replace(
        intake.subject,
        created_clients=intake.subject.created_clients | line_owners(component_lines),
    )


def _unreadable(error: IntakeError) -> Intake:
    return Intake(problems=[Problem(Component.APPLICATION, "file", str(error))])


def _check_chosen(
    reading: Reading, product: Product, family: str, context: list[Item], only: Collection[str],
    started: Sequence[str], stated: bool = False,
) -> tuple[Intake, int]:  # fmt: skip
    """Returns a reading, judged for the chosen clients and profiles, and its number of settings. If
    the version of the brokers is `stated`, that of the file is only noted."""
    reading, profiles, chosen_profiles = choose(reading, only, started)

    def check_clients(reading: Reading) -> tuple[Intake, int]:
        reading, chosen_clients = select_clients(reading, only)
        if not family and product.family is not Family.LIBRDKAFKA and "family" not in reading.heads:
            recognize_librdkafka(reading)
        reading.heads.update({"family": family} if family else {})
        own = reading.heads.pop("kafka", "") if stated else ""
        intake = judge(reading, product, context)
        intake.heads |= {"kafka": ".".join(own.split(".")[:2])} if own else {}
        intake.chosen_names = chosen_clients | chosen_profiles
        return intake, len(reading.items)

    intake, setting_count = check_clients(reading)
    if profiles and not intake.problems:
        file_product = _product(product, reading)
        intake.problems += compare_profiles(
            profiles, intake, file_product, lambda other: check_clients(other)[0]
        )
    return intake, setting_count


def _doubts(
    intake: Intake, text: str, reader: Reader, kind: str, setting_count: int
) -> Iterator[str]:
    """Yields the reasons why a file may be of another kind; `kind` is the one that the user
    chose."""
    if intake.unknown_count == setting_count and (setting_count or not intake.notes):
        likely = detect(text)
        if likely and likely != reader:
            yield f"no setting of Kafka is in this file; it looks like: {likely.title}."
    elif kind and not intake.settings and 2 * intake.other_component_count > setting_count:
        likely = detect(text)
        looks = f" It looks like: {likely.title}." if likely and likely != reader else ""
        yield f"nothing that counts in this file is of the {kind.partition('-')[0]}.{looks}"
    elif not kind and _is_of_another_product(reader, intake, setting_count):
        yield (
            f"{intake.unknown_count + intake.other_component_count} of {setting_count} names in "
            "this file are not settings of such a file, and no other one decides anything. It may "
            "be a file of another product, with other defaults. If it is not, say its kind: "
            f"{reader.kind}."
        )
    are_all_ignored = intake.unknown_count + intake.other_component_count == setting_count
    is_foreign = not intake.notes or (reader.kind in _DEPLOYMENT_KINDS and are_all_ignored)
    is_empty = not (intake.settings or intake.problems or intake.heads.keys() - {"family"})
    if is_empty and is_foreign:
        yield " ".join(["no setting of Kafka is in this file.", *intake.notes[:1]])


def _check(text: str) -> None:
    """Raises `IntakeError` for a text that is no configuration, or is for brokers other than
    Kafka."""
    check_text(text)
    refuse_hosts(text)


def _detect_reader(text: str) -> Reader:
    """Returns the reader of a text without a known kind. Raises `IntakeError` with the reason if
    there is none."""
    refuse_others(text)
    reader = detect(text)
    fence = _MARKDOWN_FENCE.search(text) if reader and reader.kind != _PROGRAM_KINDS[0] else None
    if fence and not (reader and reader.kind in _PROGRAM_KINDS and is_python(text)):
        line = line_of(text, fence.start())
        raise IntakeError(f"Line {line}: {_MARKDOWN}")
    if reader and reader.kind == _PROGRAM_KINDS[1]:
        refuse_own_names(text)
    if reader and reader.kind == "broker-properties" and may_be_topic(text):
        raise IntakeError(f"Line 1: {_TOPIC_OR_BROKER}")
    if reader is not None:
        return reader
    if _STREAM_BINDINGS.search(text):
        raise IntakeError(_UNNAMED_BINDER)
    if line := yaml_begins(text):
        is_patch = _KUSTOMIZE_PATCH.search(text)
        line, words = (line, PATCHED) if is_patch else _unknown_yaml(text, line)
        raise IntakeError(f"Line {line}: {words}")
    if field := _DOTTED_FIELD.search(text):
        component, name = field[1], shown(field[2])
        words = f"{component}.{name} is a name for --set and for a pipeline file (TOML). In a "
        words += f"file of {component} settings, write {name}, and use one file for each component."
        raise IntakeError(f"Line {line_of(text, field.start(1))}: {words}")
    raise IntakeError(_UNKNOWN)


def _unknown_yaml(text: str, start: int) -> tuple[int, str]:
    """Returns why YAML is not read, with the line of a setting in it that decides, or `start`."""
    try:
        leaves = [leaf for document in documents(text) for leaf in document if leaf.path]
    except IntakeError:
        return start, f"this looks like {_YAML}"
    for leaf in leaves:
        name = leaf.path[-1]
        if sure_setting(name.lower()) or ("." in name and decides(name)):
            parents = [part for part in leaf.path[:-1] if not part.isdecimal()]  # no list indexes
            where = f" under {shown('.'.join(parents))}" if parents else ""
            return leaf.line, f"{shown(name)} stands{where} in {_YAML}"
    return start, f"this looks like {_YAML}"


def _is_of_another_product(reader: Reader, intake: Intake, setting_count: int) -> bool:
    """Whether most names of a file are unknown and no setting is left, so that the answer would be
    for defaults only."""
    is_client_file = reader.kind.endswith(_PROPERTIES) and reader.kind != "streams-properties"
    ignored_count = intake.unknown_count and intake.unknown_count + intake.other_component_count
    return is_client_file and not intake.settings and 2 * ignored_count > setting_count


def judge(reading: Reading, product: Product, context: Iterable[Item] = ()) -> Intake:
    """Judges a reading for the client and brokers that the file names, otherwise for `product`."""
    context = [*context]
    if reading.empty_reason == LISTENERS:
        in_transaction(reading, context)
    intake = check_settings(reading, _product(product, reading), context)
    intake.items += reading.compared_items
    intake.problems += unfitting(reading.compared_items, context)
    intake.defaulted_settings, intake.variable_values = (
        reading.defaulted_settings,
        reading.variable_values,
    )
    intake.start_profiles = reading.start_profiles
    return intake


def _product(product: Product, reading: Reading) -> Product:
    """Returns the product, with the client and the version of Kafka that the file names."""
    heads = reading.heads
    family = Family(heads.get("family", product.family))
    if family is not product.family:
        product = replace(product, family=family, version=versions(family)[0])
    if "kafka" in heads:
        try:
            heads["kafka"] = kafka_line(heads["kafka"])
        except SettingError as error:
            reading.problems.append(error.problem)
            reading.items = []  # their meaning depends on the version
        else:
            product = replace(product, kafka=heads["kafka"])
    return product
