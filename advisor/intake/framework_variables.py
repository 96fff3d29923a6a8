"""Variables that Quarkus and Micronaut bind to properties of an application's own files.

They go before what those state (SmallRye Config, "Environment Variables"; Micronaut guide,
"Property Sources"). Which words of a name are a channel's is known by the files alone. Where
anything is left open (two containers, a profile that states the same), a variable stays where it
is, and is refused if it decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from advisor.catalog import Component, Family
from advisor.intake.application_file import file_profile, rank
from advisor.intake.clients.known_settings import known_keys, newest
from advisor.intake.deployments import systemd
from advisor.intake.deployments.kubernetes_references import handed_on, source_of, with_references
from advisor.intake.deployments.strimzi import resources
from advisor.intake.env_files import hands_env_on
from advisor.intake.formats.dotted import leaves
from advisor.intake.formats.yaml_nodes import Leaf, documents
from advisor.intake.kinds import has_workloads, kind_by_name, kind_of, of_application
from advisor.intake.text import MARK, IntakeError

_VARIABLE = re.compile(
    r"(?:_(?P<profile>[A-Z0-9]{1,40})_)?(?P<head>MP_MESSAGING_(?:INCOMING|OUTGOING)|KAFKA_(?:CONSUMERS|PRODUCERS))_(?P<rest>\w{3,200})"
)
_PROPERTY = re.compile(
    r"(?P<head>mp\.messaging\.(?:incoming|outgoing)|kafka\.(?:consumers|producers))"
    r"\.(?P<client>\"[^\"]+\"|[^.\"]+)\..+"
)
_LINE = re.compile(r"[ \t]*(?:export[ \t]+)?(?P<name>\w{1,200})=(?P<value>.*)")
_PROFILE = re.compile(r"\"?%[^.]{1,200}\.")
_NOT_PLAIN = re.compile(r"[\\\n$\"']|\A\s*\Z")
_HANDED_ON = re.compile(r"\binitContainers:|\bprefix:")
"""What may give a ConfigMap's variables to something else, or change their names."""
_READ = ("smallrye", "micronaut")
_ATTRIBUTES = (
    "connector", "failure-strategy", "commit-strategy", "waitForWriteCompletion", "assign-seek",
    "fail-on-deserialization-failure", "kafka-configuration", "dead-letter-queue.topic",
    "dead-letter-queue.acks", "key-deserialization-failure-handler",
    "value-deserialization-failure-handler",
)  # fmt: skip
"""What the connector of a channel has, beside the settings of its client."""

Source = tuple[str, str]
"""A file's name and its text."""


@dataclass(frozen=True, slots=True)
class Bound:
    """All files; the names of the application's own, and what its variables state as one more."""

    texts: Sequence[Source]
    files: Sequence[str] = ()
    stated: Sequence[Source] = ()


@dataclass(frozen=True, slots=True)
class _Found:
    """A variable that a container, or what this file is handed to, has."""

    owner: tuple[str, ...]
    name: str
    value: str
    line: int


def bound(texts: Sequence[Source]) -> Bound:
    """The files, where variables of one that starts an application state properties of it."""
    own = sorted((name for name, _ in texts if file_profile(name) is not None), key=rank)
    reader = of_application((text for name, text in texts if name in own), "") if own else None
    others = [row for row in texts if row[0] not in own and _VARIABLE.search(row[1])]
    folders = {re.sub(r"(?:^|/)config$", "", name.rpartition("/")[0]) for name in own}
    is_one = len(others) == len(folders) == 1 and len({name for name, _ in texts}) == len(texts)
    if not (reader and reader.kind in _READ and is_one) or _is_of_compose(others[0][0], texts):
        return Bound(texts)
    try:
        plain, of_profiles = _stated(row for row in texts if row[0] in own)
        found = [
            *_variables(*others[0], [text for row in texts if (text := row[1]) != others[0][1]])
        ]
    except IntakeError:  # told where the file is read
        return Bound(texts)
    clients = _clients(plain | of_profiles)
    names = [_property(one.name, clients) for one in found]
    lines = {one.line for one in found}
    is_open = len({one.owner for one in found}) != 1 or len(lines) < len(found)
    if is_open or {*map(_upper, of_profiles)}.intersection(map(_upper, names)):
        return Bound(texts)
    taken = [(one, name) for one, name in zip(found, names, strict=True)
             if name and not _NOT_PLAIN.search(one.value)]  # fmt: skip
    return _moved(texts, others[0], own, taken) if taken else Bound(texts)


def _is_of_compose(name: str, texts: Iterable[Source]) -> bool:
    """Whether a file is one that compose has for itself, and containers perhaps have not."""
    composes = [text for _, text in texts if kind_of(text) == "compose"]
    is_env = name.rpartition("/")[2] == ".env"
    return is_env and bool(composes) and not any(map(hands_env_on, composes))


def _moved(
    texts: Sequence[Source], source: Source, own: Sequence[str],
    taken: Iterable[tuple[_Found, str]],
) -> Bound:  # fmt: skip
    """The files, with these variables as properties and no longer where they stand."""
    rows = source[1].split("\n")
    stated = [""] * len(rows)
    for one, name in taken:
        # Another name leaves a file of what it is, and has no weight.
        rows[one.line - 1] = rows[one.line - 1].replace(one.name, f"MP_MESSAGING_{one.line}", 1)
        stated[one.line - 1] = f"{name}={one.value.strip()}"
    rest = (source[0], "\n".join(rows))
    return Bound(
        [rest if row == source else row for row in texts], own, [(source[0], "\n".join(stated))]
    )


def _stated(files: Iterable[Source]) -> tuple[set[str], set[str]]:
    """The names of properties that files of an application state: plainly, and in profiles. Raises
    `IntakeError`."""
    plain, of_profiles = set[str](), set[str]()
    for name, text in files:
        for leaf in leaves(text.removeprefix(MARK)):
            own = _PROFILE.sub("", leaf.path[0], count=1)
            is_plain = own == leaf.path[0] and not file_profile(name)
            (plain if is_plain else of_profiles).add(own)
    return plain, of_profiles


def _clients(names: Iterable[str]) -> Mapping[tuple[str, str], set[str]]:
    """The clients that properties are of, by what their variables begin with."""
    found = {(head, "DEFAULT"): {"default"} for head in ("kafka.consumers", "kafka.producers")}
    for match in filter(None, map(_PROPERTY.fullmatch, names)):
        client = match["client"].strip('"')
        found.setdefault((match["head"], _upper(client)), set()).add(client)
    return found


def _property(variable: str, clients: Mapping[tuple[str, str], set[str]]) -> str:
    """The property that a variable states, of a client that is there; empty for any other.
    `_PROD_MP_MESSAGING_…` counts in profile prod (SmallRye Config, "Environment Variables")."""
    match = _VARIABLE.fullmatch(variable)
    if match is None:
        return ""
    head, words = match["head"].lower().replace("_", "."), match["rest"].split("_")
    keys, found = _keys(head), list[str]()
    for ends in range(1, len(words)):
        key = keys.get("_".join(words[ends:]))
        named = clients.get((head, "_".join(words[:ends])), ())
        found += [f"{head}.{client}.{key}" for client in named if key]
    profile = f"%{match['profile'].lower()}." if match["profile"] else ""
    return f"{profile}{found[0]}" if len(found) == 1 else ""


@cache
def _keys(head: str) -> Mapping[str, str]:
    """What a client of this kind has, by the ends of its variables."""
    reads = head.endswith(("incoming", "consumers"))
    part = Component.CONSUMER if reads else Component.PRODUCER
    more = _ATTRIBUTES if head.startswith("mp.") else ()
    return {_upper(name): name for name in [*known_keys(newest(Family.JAVA), part), *more]}


def _upper(name: str) -> str:
    return re.sub(r"\W", "_", name.replace('"', "")).upper()


def _variables(source: str, text: str, others: Sequence[str]) -> Iterator[_Found]:
    """The variables of channels and clients; what they refer to may be in other texts. Raises
    `IntakeError`."""
    kind = kind_by_name(source, text) or kind_of(text)
    if kind == "systemd":
        yield from (_Found((), *row) for row in systemd.variables(text))
    if kind == "environment":
        for number, line in enumerate(text.split("\n"), start=1):
            if (row := _LINE.fullmatch(line.rstrip())) and _VARIABLE.fullmatch(row["name"]):
                value = row["value"].strip()
                value = value[1:-1] if re.fullmatch(r"([\"']).*\1", value) else value
                yield _Found((), row["name"], value, number)
    is_open = _HANDED_ON.search(text) is not None
    parts = [*documents(text)] if kind == "compose" else [*_resources(text, others)]
    for at, document in enumerate(parts):
        for one in _of_containers(document):
            is_left = "initContainers" in one.owner or (is_open and not one.owner)
            if _VARIABLE.fullmatch(one.name) and not is_left:
                yield _Found((str(at), *one.owner), one.name, one.value, one.line)


def _resources(text: str, others: Iterable[str]) -> Iterator[list[Leaf]]:
    """The resources of a text, with what their variables refer to, without a ConfigMap that no
    container of all texts is given. Raises `IntakeError`."""
    own = [*resources(text)] if has_workloads(text) else []
    beside = (part for other in others if own and has_workloads(other) for part in resources(other))
    every = with_references([*own, *beside])
    handed = {name for part in every for _, name in handed_on(part, "/".join)}
    runs = any("containers" in leaf.path for part in every for leaf in part)
    for part in every[: len(own)]:
        named = [name for _, name in source_of(part)]
        if not (runs and named and handed.isdisjoint(named)):
            yield part


def _of_containers(document: Sequence[Leaf]) -> Iterator[_Found]:
    """All variables of a document, each with whose it is."""
    named = dict[tuple[str, ...], Leaf]()
    kind = next((leaf.text for leaf in document if leaf.path == ("kind",)), "")
    for leaf in document:
        match leaf.path:
            case ("services", _, "environment", name):
                listed = leaf.text.partition("=")
                name, value = (listed[0], listed[2]) if name.isdecimal() else (name, leaf.text)
                yield _Found(leaf.path[:2], name, value, leaf.line)
            case (*before, "env", number, "name"):
                named[*before, number] = leaf
            case (*before, "env", number, "value") if (*before, number) in named:
                own = named[*before, number]
                yield _Found(tuple(before), own.text, leaf.text, own.line)
            case ("data", name) if kind == "ConfigMap":
                yield _Found((), name, leaf.text, leaf.line)
            case _:
                pass
