"""Variables that Quarkus and Micronaut bind to properties of an application's own files.

They take precedence over those files (SmallRye Config, "Environment Variables"; Micronaut guide,
"Property Sources"). Only the files show which words of a variable's name are the channel's. Where
that is ambiguous (two containers), a variable stays where it is, and is refused if it decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from advisor.catalog import Component, Family
from advisor.intake.application_file import ApplicationFile, file_profile, rank
from advisor.intake.clients.known_settings import known_keys, newest
from advisor.intake.code_of_applications import with_code
from advisor.intake.formats.dotted import leaves
from advisor.intake.kinds import application_reader
from advisor.intake.process_variables import Variable, is_compose_env_file, variables
from advisor.intake.text import MARK, IntakeError

VARIABLE = re.compile(
    r"(?:_(?P<profile>[A-Z0-9]{1,40})_)?(?P<head>MP_MESSAGING_(?:INCOMING|OUTGOING)|KAFKA_(?:CONSUMERS|PRODUCERS))_(?P<rest>\w{3,200})"
)
_PROPERTY = re.compile(
    r"(?P<head>mp\.messaging\.(?:incoming|outgoing)|kafka\.(?:consumers|producers))"
    r"\.(?P<client>\"[^\"]+\"|[^.\"]+)\..+"
)
_PROFILE_PREFIX = re.compile(r"\"?%[^.]{1,200}\.")
_NOT_PLAIN = re.compile(r"[\\\n$\"']|\A\s*\Z")
_FRAMEWORKS = ("smallrye", "micronaut")
_CHANNEL_ATTRIBUTES = (
    "connector", "failure-strategy", "commit-strategy", "waitForWriteCompletion", "assign-seek",
    "fail-on-deserialization-failure", "kafka-configuration", "dead-letter-queue.topic",
    "dead-letter-queue.acks", "key-deserialization-failure-handler",
    "value-deserialization-failure-handler",
)  # fmt: skip
"""The attributes of a channel's connector, besides the settings of its client."""

Source = tuple[str, str]
"""A file's name and its text."""


@dataclass(frozen=True, slots=True)
class BoundVariables:
    """All files; the names of the application's files, and its variables, or what its code states,
    as more of them."""

    texts: Sequence[Source]
    files: Sequence[str] = ()
    properties: Sequence[Source] = ()

    def application(self, files: Sequence[str], texts: Iterable[Source]) -> list[Source]:
        """Returns these files of an application, the last of which counts, and what takes
        precedence over them."""
        members = [row for row in texts if row[0] in files]
        return [*sorted(members, key=lambda row: files.index(row[0])), *self.properties]


def bind_variables(texts: Sequence[Source]) -> BoundVariables:
    """Returns the files, with the variables of the file that starts an application turned into
    properties of that application."""
    if by_code := with_code(texts):
        return BoundVariables(texts, *by_code)
    names = sorted((name for name, _ in texts if file_profile(name) is not None), key=rank)
    files = (text for name, text in texts if name in names)
    reader = application_reader(files, "") if names else None
    others = [row for row in texts if row[0] not in names and VARIABLE.search(row[1])]
    folders = {re.sub(r"(?:^|/)config$", "", name.rpartition("/")[0]) for name in names}
    is_one = len(others) == len(folders) == 1 and len({name for name, _ in texts}) == len(texts)
    has_reader = reader and reader.kind in _FRAMEWORKS
    if not (has_reader and is_one) or is_compose_env_file(others[0][0], texts):
        return BoundVariables(texts)
    try:
        clients = _clients(_property_names(row for row in texts if row[0] in names))
        assigned = [
            *variables(
                VARIABLE,
                *others[0],
                [text for row in texts if (text := row[1]) != others[0][1]],
            )
        ]
    except IntakeError:  # reported where the file is read
        return BoundVariables(texts)
    properties = [_property(variable.name, clients) for variable in assigned]
    lines = {variable.line for variable in assigned}
    is_open = len({variable.owner for variable in assigned}) != 1 or len(lines) < len(assigned)
    if is_open:
        return BoundVariables(texts)
    bound = [(variable, name) for variable, name in zip(assigned, properties, strict=True)
             if name and not _NOT_PLAIN.search(variable.value)]  # fmt: skip
    return _with_properties(texts, others[0], names, bound) if bound else BoundVariables(texts)


def _with_properties(
    texts: Sequence[Source], source: Source, names: Sequence[str],
    bound: Iterable[tuple[Variable, str]],
) -> BoundVariables:  # fmt: skip
    """Returns the files, with these variables as properties and no longer in their own file."""
    rows = source[1].split("\n")
    properties = [""] * len(rows)
    for variable, name in bound:
        # The kind of the file must not change: the variable gets a name that no setting has.
        rows[variable.line - 1] = rows[variable.line - 1].replace(
            variable.name, f"MP_MESSAGING_{variable.line}", 1
        )
        properties[variable.line - 1] = f"{name}={variable.value.strip()}"
    remainder = (source[0], "\n".join(rows))
    return BoundVariables(
        [remainder if row == source else row for row in texts],
        names,
        [(source[0], "\n".join(properties))],
    )


def _property_names(files: Iterable[Source]) -> set[str]:
    """Returns the names of the properties in an application's files, in any profile. Raises
    `IntakeError`."""
    names = set[str]()
    for name, text in files:
        file = ApplicationFile.from_name(name, text.removeprefix(MARK), 0)
        names |= {
            _PROFILE_PREFIX.sub("", leaf.path[0], count=1)
            for leaf in leaves(file.text, file.ending)
        }
    return names


def _clients(names: Iterable[str]) -> Mapping[tuple[str, str], set[str]]:
    """Returns the clients that have these properties, by the beginning of their variables."""
    clients = {(head, "DEFAULT"): {"default"} for head in ("kafka.consumers", "kafka.producers")}
    for match in filter(None, map(_PROPERTY.fullmatch, names)):
        client = match["client"].strip('"')
        clients.setdefault((match["head"], _upper(client)), set()).add(client)
    return clients


def _property(variable: str, clients: Mapping[tuple[str, str], set[str]]) -> str:
    """Returns the property that a variable sets, of one of the clients; otherwise an empty string.
    `_PROD_MP_MESSAGING_…` sets it in profile prod (SmallRye Config, "Environment Variables")."""
    match = VARIABLE.fullmatch(variable)
    if match is None:
        return ""
    head, words = match["head"].lower().replace("_", "."), match["rest"].split("_")
    keys, candidates = _keys(head), list[str]()
    for ends in range(1, len(words)):
        key = keys.get("_".join(words[ends:]))
        matching = clients.get((head, "_".join(words[:ends])), ())
        candidates += [f"{head}.{client}.{key}" for client in matching if key]
    profile = f"%{match['profile'].lower()}." if match["profile"] else ""
    return f"{profile}{candidates[0]}" if len(candidates) == 1 else ""


@cache
def _keys(head: str) -> Mapping[str, str]:
    """Returns the properties of a client of this kind, by the ends of their variables."""
    is_consumer = head.endswith(("incoming", "consumers"))
    component = Component.CONSUMER if is_consumer else Component.PRODUCER
    attributes = _CHANNEL_ATTRIBUTES if head.startswith("mp.") else ()
    return {
        _upper(name): name for name in [*known_keys(newest(Family.JAVA), component), *attributes]
    }


def _upper(name: str) -> str:
    return re.sub(r"\W", "_", name.replace('"', "")).upper()
