"""Variables that Quarkus and Micronaut bind to properties of an application's own files.

They go before what those state (SmallRye Config, "Environment Variables"; Micronaut guide,
"Property Sources"). Which words of a name are a channel's is known by the files alone. Where
anything is left open (two containers), a variable stays where it is, and is refused if it decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from advisor.catalog import Component, Family
from advisor.intake.application_file import ApplicationFile, file_profile, rank
from advisor.intake.clients.known_settings import known_keys, newest
from advisor.intake.formats.dotted import leaves
from advisor.intake.kinds import of_application
from advisor.intake.started_variables import Found, is_of_compose, variables
from advisor.intake.text import MARK, IntakeError

VARIABLE = re.compile(
    r"(?:_(?P<profile>[A-Z0-9]{1,40})_)?(?P<head>MP_MESSAGING_(?:INCOMING|OUTGOING)|KAFKA_(?:CONSUMERS|PRODUCERS))_(?P<rest>\w{3,200})"
)
_PROPERTY = re.compile(
    r"(?P<head>mp\.messaging\.(?:incoming|outgoing)|kafka\.(?:consumers|producers))"
    r"\.(?P<client>\"[^\"]+\"|[^.\"]+)\..+"
)
_PROFILE = re.compile(r"\"?%[^.]{1,200}\.")
_NOT_PLAIN = re.compile(r"[\\\n$\"']|\A\s*\Z")
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


def bound(texts: Sequence[Source]) -> Bound:
    """The files, where variables of one that starts an application state properties of it."""
    own = sorted((name for name, _ in texts if file_profile(name) is not None), key=rank)
    reader = of_application((text for name, text in texts if name in own), "") if own else None
    others = [row for row in texts if row[0] not in own and VARIABLE.search(row[1])]
    folders = {re.sub(r"(?:^|/)config$", "", name.rpartition("/")[0]) for name in own}
    is_one = len(others) == len(folders) == 1 and len({name for name, _ in texts}) == len(texts)
    if not (reader and reader.kind in _READ and is_one) or is_of_compose(others[0][0], texts):
        return Bound(texts)
    try:
        stated = _stated(row for row in texts if row[0] in own)
        found = [
            *variables(
                VARIABLE,
                *others[0],
                [text for row in texts if (text := row[1]) != others[0][1]],
            )
        ]
    except IntakeError:  # told where the file is read
        return Bound(texts)
    clients = _clients(stated)
    names = [_property(one.name, clients) for one in found]
    lines = {one.line for one in found}
    is_open = len({one.owner for one in found}) != 1 or len(lines) < len(found)
    if is_open:
        return Bound(texts)
    taken = [(one, name) for one, name in zip(found, names, strict=True)
             if name and not _NOT_PLAIN.search(one.value)]  # fmt: skip
    return _moved(texts, others[0], own, taken) if taken else Bound(texts)


def _moved(
    texts: Sequence[Source], source: Source, own: Sequence[str],
    taken: Iterable[tuple[Found, str]],
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


def _stated(files: Iterable[Source]) -> set[str]:
    """The names of properties that files of an application state, be it in profiles. Raises
    `IntakeError`."""
    found = set[str]()
    for name, text in files:
        file = ApplicationFile.named(name, text.removeprefix(MARK), 0)
        found |= {
            _PROFILE.sub("", leaf.path[0], count=1) for leaf in leaves(file.text, file.ending)
        }
    return found


def _clients(names: Iterable[str]) -> Mapping[tuple[str, str], set[str]]:
    """The clients that have these properties, by how their variables begin."""
    found = {(head, "DEFAULT"): {"default"} for head in ("kafka.consumers", "kafka.producers")}
    for match in filter(None, map(_PROPERTY.fullmatch, names)):
        client = match["client"].strip('"')
        found.setdefault((match["head"], _upper(client)), set()).add(client)
    return found


def _property(variable: str, clients: Mapping[tuple[str, str], set[str]]) -> str:
    """The property that a variable states, of a client that is there; empty for any other.
    `_PROD_MP_MESSAGING_…` counts in profile prod (SmallRye Config, "Environment Variables")."""
    match = VARIABLE.fullmatch(variable)
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
