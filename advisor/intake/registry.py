"""The readers that there are: whatever modules of these rooms call `READERS`."""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from itertools import chain

from advisor.catalog import Component, Family, Problem, SettingError, kafka_line, versions
from advisor.intake.application_file import ApplicationFile
from advisor.intake.catalog_check import weigh
from advisor.intake.clients.known_settings import decides
from advisor.intake.clients.other_brokers import refuse_hosts
from advisor.intake.clients.other_products_text import refuse_others
from advisor.intake.clients.properties_files import (
    by_slips,
    claim_for_librdkafka,
    may_be_of_topic,
)
from advisor.intake.clients.several_clients import kept, with_own_lines
from advisor.intake.clients.sure_names import sure
from advisor.intake.cluster.mode import assume_zookeeper
from advisor.intake.formats.java_properties import without_first
from advisor.intake.formats.yaml_nodes import documents
from advisor.intake.formats.yaml_styles import in_blocks
from advisor.intake.frameworks.chosen_profile import choose, differing
from advisor.intake.frameworks.spring.containers import in_transaction, unacknowledged
from advisor.intake.intake import Intake
from advisor.intake.programs.code_facts import (
    ASSIGNS,
    KINDS,
    LISTENERS,
    NOTE,
    TOPOLOGY,
    assigned,
    is_program,
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

_MARKED = (
    "Line 1: a byte order mark stands before it, which Java takes for a part of the first name: "
    "what this line states does not count. Save the file without the mark."
)


_UNKNOWN = (
    "Nothing here looks like a file that Delivery Lab reads. Say which kind it is, or give the "
    "settings of each client, topic or broker as properties, one a line."
)
_FIELD = re.compile(
    rf"^[ \t]*({'|'.join(component.value for component in Component)})\.([\w.-]+)[ \t]*[=:]",
    re.MULTILINE,
)
"""A setting with its component before it, as `--set` and a pipeline's file name it."""
_YAML = (
    "YAML of a kind that we do not know. Give its settings as properties, one file "
    "for each client, topic or broker, or say which kind it is. Of a Helm chart, give what "
    "`helm template` prints: its manifests are read."
)
_PATCHES = re.compile(
    r"^kind:[ \t]*Kustomization\b|^(?:patches\w*|(?:configMap|secret)Generator|bases):"
    r"|(?:^-?[ \t]+|[{,][ \t]*)[\"']?op[\"']?:[ \t]*[\"']?(?:add|replace|remove)\b",
    re.MULTILINE,
)
PATCHED = (
    "this changes manifests that are elsewhere. Give what `kubectl kustomize` prints: there they "
    "are as they count."
)

_FENCE = re.compile(r"^(?:```|~~~)", re.MULTILINE)
_MARKDOWN = (
    "this looks like Markdown, whose parts may be of several files. Give each as a file of its own."
)

_WHOSE = (
    "this may be of one topic, or of a broker for all topics without settings of their own. Say "
    "its kind: topic-properties or broker-properties."
)

_PROPERTIES = "-properties"
"""How the kinds of properties files end."""

_PROGRAMS = ("python-dict", "spark-options")
"""Kinds whose readers look for pieces of a program, which other files may have, too."""

_VARIABLES, _RUNS = "environment", ("compose", "kubernetes", "systemd", "dockerfile")
_DEPLOYED = (_VARIABLES, *_RUNS)
"""Kinds that may hold nothing but what is of other products."""

_BINDINGS = re.compile(r"^[ \t]*(?:spring\.cloud\.)?stream(?:\.bindings\.|:[ \t]*$)", re.MULTILINE)
_UNNAMED_BINDER = (
    "This looks like Spring Cloud Stream, and no line names its binder. Where that is Kafka's, say "
    "the kind: spring."
)


@dataclass(frozen=True, slots=True)
class Parsed:
    """A text with its reader, and what it states whoever asks, which is weighed once."""

    text: str
    reader: Reader
    reading: Reading


@cache
def all_readers() -> tuple[Reader, ...]:
    """Every reader, those of a module as it orders them, and modules by their first kind."""
    package = __name__.rpartition(".")[0]
    modules = pkgutil.walk_packages(import_module(package).__path__, f"{package}.")
    there: Iterator[tuple[Reader, ...]] = (
        getattr(import_module(module.name), "READERS", ()) for module in modules
    )
    found = sorted(filter(None, there), key=lambda readers: readers[0].kind)
    return tuple(chain.from_iterable(found))


def find(kind: str) -> Reader | None:
    """The reader of that kind, or None."""
    return next((reader for reader in all_readers() if reader.kind == kind), None)


def detect(text: str) -> Reader | None:
    """The kind that the text looks most like, or None if it looks like none. What nests is no
    properties file, and no variables are.

    Names that are only near real ones count where nothing else does.
    """
    blocks = in_blocks(text)
    nests, other = yaml_begins(text) > 0, is_no_program(text)
    readers = [
        reader for reader in all_readers()
        if not (nests and reader.kind.endswith((_PROPERTIES, _VARIABLES)))
        and not (other and reader.kind in _PROGRAMS)
    ]  # fmt: skip
    scores = [(reader.likeness(blocks if reader.is_yaml else text), reader) for reader in readers]
    best = max(scores, key=lambda row: row[0])
    return best[1] if best[0] > 0 else None if nests else by_slips(text)


def parse(text: str, kind: str = "") -> Parsed:
    """What a text states; without a kind it is detected. Raises `IntakeError` and `KeyError`."""
    marked, notes = text.startswith(MARK), list[str]()
    text = text.removeprefix(MARK)
    _check(text)
    reader = {reader.kind: reader for reader in all_readers()}[kind] if kind else _reader(text)
    if marked and reader.kind.endswith(_PROPERTIES):
        text, stated = without_first(text)
        notes += [_MARKED] if stated else []
    reading = reader.read(text)
    reading.notes += notes
    return Parsed(text, reader, reading)


def read(
    text: str, product: Product, kind: str = "", family: str = "", context: Iterable[Item] = (),
    only: Collection[str] = (), started: Sequence[str] = (), *, assumed: bool = False,
    among: bool = False, parsed: Parsed | None = None,
) -> Intake:  # fmt: skip
    """Reads a file; never raises for what it says, but for a version or kind that is not known.

    Without a kind it is detected. A file that tells which client it is for is read for that one,
    in its newest line if it is not `product`'s, unless a family was chosen (`family`). `context`
    are settings of other files, which the same products read. `only` names the clients and profiles
    that are asked for, of a file with several, `started` the profiles that another file starts it
    in. `assumed` says that nobody stated the brokers' version, which is then one that may have what
    the file states. `among` says that another file has settings, or what was wrong with them.
    `parsed` is what `parse` gave, where it did already.

    A file that cannot be read is one problem, with its line. Raises `SettingError` and `KeyError`.
    """
    others = [*context]
    try:
        parsed = parsed or parse(text, kind)
        text, reader, reading = parsed.text, parsed.reader, parsed.reading
        if assumed:
            assume_zookeeper(reading)
        intake, names = _weighed(reading, product, family, others, only, started)
        intake.subject = replace(intake.subject, program=reader.kind in KINDS)
        if reader.read_files:
            _set_up_all(intake)
    except IntakeError as error:
        return _unreadable(error)
    if is_program(reader.kind, text):
        intake.program = True
        intake.notes.append(NOTE)
        if line := assigned(text):
            words = f"Line {line}: {ASSIGNS}."
            intake.problems.append(Problem(Component.CONSUMER, "assign", words))
    doubts = [reading.empty] if reading.empty else _doubts(intake, text, reader, kind, names)
    is_completed = _is_completed(reader, intake, reading, others, among=among)
    wrong = [
        Problem(Component.APPLICATION, "file", f"Line 1: {words}")
        for words in (() if is_completed else doubts)
    ]
    if reader.read_files and not kind:
        intake.idle = wrong
    else:
        intake.problems += wrong
    return intake


def _is_completed(
    reader: Reader, intake: Intake, reading: Reading, others: Collection[Item], *, among: bool
) -> bool:
    """Whether other files have what one lacks: variables that are given to their application need
    no setting among them, nor does what runs it, and a topology has its settings there."""
    if reading.empty == LISTENERS:
        return bool(others) or among
    if reading.empty == TOPOLOGY:
        return any(item.component is Component.STREAMS for item in others) or (among and not others)
    return bool((others or among) and (intake.given or reader.kind in _RUNS))


def read_application(
    reader: Reader, files: Sequence[ApplicationFile], product: Product, family: str = "",
    context: Iterable[Item] = (), only: Collection[str] = (), started: Sequence[str] = (),
) -> Intake:  # fmt: skip
    """Reads files of one application together, as `read` reads one. The last of them goes before
    the first."""
    try:
        for file in files:
            _check(file.text)
        if reader.read_files is None:
            raise ValueError(f"{reader.kind} has one file")
        reading = reader.read_files(files)
        intake, _ = _weighed(reading, product, family, [*context], only, started)
        _set_up_all(intake)
        return intake
    except IntakeError as error:
        return _unreadable(error)


def _set_up_all(intake: Intake) -> None:
    """Says that an application sets up each client that it tells anything."""
    places = ((Component(name.partition(".")[0]), line) for name, line in intake.lines.items())
    intake.subject = replace(intake.subject, whole=intake.subject.whole | with_own_lines(places))


def _unreadable(error: IntakeError) -> Intake:
    return Intake(problems=[Problem(Component.APPLICATION, "file", str(error))])


def _weighed(
    reading: Reading, product: Product, family: str, context: list[Item], only: Collection[str],
    started: Sequence[str],
) -> tuple[Intake, int]:  # fmt: skip
    """What counts of a reading for the clients and profiles that are asked for, and of how many
    settings that is."""
    reading, profiles, named = choose(reading, only, started)

    def weighed(reading: Reading) -> tuple[Intake, int]:
        reading, there = kept(reading, only)
        if not family and product.family is not Family.LIBRDKAFKA and "family" not in reading.heads:
            claim_for_librdkafka(reading)
        reading.heads.update({"family": family} if family else {})
        intake = judge(reading, product, context)
        intake.chosen = there | named
        return intake, len(reading.items)

    intake, names = weighed(reading)
    if profiles and not intake.problems:
        of = _product(product, reading)
        intake.problems += differing(profiles, intake, of, lambda other: weighed(other)[0])
    return intake, names


def _doubts(intake: Intake, text: str, reader: Reader, kind: str, names: int) -> Iterator[str]:
    """Why a file may not be what it was taken for; `kind` is what somebody said."""
    if intake.strangers == names and (names or not intake.notes):
        likely = detect(text)
        if likely and likely != reader:
            yield f"no setting of Kafka is in this file; it looks like: {likely.title}."
    elif kind and not intake.settings and 2 * intake.others > names:
        likely = detect(text)
        looks = f" It looks like: {likely.title}." if likely and likely != reader else ""
        yield f"nothing that counts in this file is of the {kind.partition('-')[0]}.{looks}"
    elif not kind and _is_of_others(reader, intake, names):
        yield (
            f"{intake.strangers + intake.others} of {names} names in this file are no settings of "
            "such a file, and no other one decides anything. It may be a file of another product, "
            f"with defaults of its own. If it is not, say its kind: {reader.kind}."
        )
    passed_over = intake.strangers + intake.others == names
    is_other = not intake.notes or (reader.kind in _DEPLOYED and passed_over)
    nothing = not (intake.settings or intake.problems or intake.heads.keys() - {"family"})
    if nothing and is_other:
        yield " ".join(["no setting of Kafka is in this file.", *intake.notes[:1]])


def _check(text: str) -> None:
    """Raises `IntakeError` for what is not a file's text, or is for brokers that are not Kafka."""
    check_text(text)
    refuse_hosts(text)


def _reader(text: str) -> Reader:
    """The reader of a text whose kind nobody said. Raises `IntakeError` that says why there is
    none."""
    refuse_others(text)
    reader = detect(text)
    fence = _FENCE.search(text) if reader and reader.kind != _PROGRAMS[0] else None
    if fence and not (reader and reader.kind in _PROGRAMS and is_python(text)):
        line = line_of(text, fence.start())
        raise IntakeError(f"Line {line}: {_MARKDOWN}")
    if reader and reader.kind == _PROGRAMS[1]:
        refuse_own_names(text)
    if reader and reader.kind == "broker-properties" and may_be_of_topic(text):
        raise IntakeError(f"Line 1: {_WHOSE}")
    if reader is not None:
        return reader
    if _BINDINGS.search(text):
        raise IntakeError(_UNNAMED_BINDER)
    if line := yaml_begins(text):
        line, words = (line, PATCHED) if _PATCHES.search(text) else _of_unknown_yaml(text, line)
        raise IntakeError(f"Line {line}: {words}")
    if field := _FIELD.search(text):
        part, name = field[1], shown(field[2])
        words = f"{part}.{name} is a name for --set and for a pipeline's file (TOML). In a file of "
        words += f"{part} settings, write {name} alone, and give each part a file of its own."
        raise IntakeError(f"Line {line_of(text, field.start(1))}: {words}")
    raise IntakeError(_UNKNOWN)


def _of_unknown_yaml(text: str, begins: int) -> tuple[int, str]:
    """Why YAML is not read, with the line of a setting in it that decides, if there is one."""
    try:
        leaves = [leaf for document in documents(text) for leaf in document if leaf.path]
    except IntakeError:
        return begins, f"this looks like {_YAML}"
    for leaf in leaves:
        name = leaf.path[-1]
        if sure(name) or ("." in name and decides(name)):
            *above, _ = leaf.path
            where = f" under {shown('.'.join(above))}" if above else ""
            return leaf.line, f"{shown(name)} stands{where} in {_YAML}"
    return begins, f"this looks like {_YAML}"


def _is_of_others(reader: Reader, intake: Intake, names: int) -> bool:
    """Whether nothing but defaults would be answered for, in a file of mostly unknown names."""
    of_client = reader.kind.endswith(_PROPERTIES) and reader.kind != "streams-properties"
    unknown = intake.strangers and intake.strangers + intake.others
    return of_client and not intake.settings and 2 * unknown > names


def judge(reading: Reading, product: Product, context: Iterable[Item] = ()) -> Intake:
    """What was read, weighed for the client and brokers that it speaks of, else for `product`."""
    context = [*context]
    if reading.empty == LISTENERS:
        in_transaction(reading, context)
    intake = weigh(reading, _product(product, reading), context)
    intake.items += reading.compared
    intake.problems += unacknowledged(reading.compared, context)
    intake.defaulted, intake.given = reading.defaulted, reading.given
    intake.started = reading.started
    return intake


def _product(product: Product, reading: Reading) -> Product:
    """The product that the file itself speaks of, as far as it does."""
    heads = reading.heads
    family = Family(heads.get("family", product.family))
    if family is not product.family:
        product = replace(product, family=family, version=versions(family)[0])
    if "kafka" in heads:
        try:
            heads["kafka"] = kafka_line(heads["kafka"])
        except SettingError as error:
            reading.problems.append(error.problem)
            reading.items = []  # what they mean depends on it
        else:
            product = replace(product, kafka=heads["kafka"])
    return product
