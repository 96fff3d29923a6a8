"""`${NAME}` in an application's files, where what starts the application states the variable.

A variable goes before a property of the same name, and both before a default (Spring Framework,
"Placeholder Resolution"; SmallRye Config, "Property Expressions"; Micronaut guide, "Property
Placeholders"). Where several containers may be the application's and do not have the same, the
files are left as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from advisor.intake.application_file import file_profile
from advisor.intake.config_map_files import taken_out
from advisor.intake.deployments.compose.extended import services
from advisor.intake.deployments.compose.servers import is_server
from advisor.intake.kinds import has_workloads, kind_of
from advisor.intake.reading import MAX_ITEMS
from advisor.intake.started_variables import Found, Source, is_of_compose, variables
from advisor.intake.text import IntakeError, is_secret, line_of, shown
from advisor.intake.variables import filled

_REFERENCE = re.compile(r"(?<![$\\])\$\{(?P<name>[A-Za-z][\w.-]{0,100})(?::[^${}\n]{0,1000})?\}")
_PLAIN = re.compile(
    r"(?!(?:y|n|yes|no|on|off|null|nan|inf)$)[A-Za-z][\w.-]{0,100}|-?(?:0|[1-9]\d{0,18})",
    re.IGNORECASE,
)
"""A value that means the same wherever it is put in."""
_PRODUCT = re.compile(
    r"(?:^|/)(?:kafka|cp-|zookeeper|postgres|mysql|mariadb|mongo|redis|valkey|elasticsearch|nginx"
    r"|kafdrop|akhq|redpanda|console|schema-registry|prometheus|grafana|rabbitmq|minio|localstack"
    r"|jaeger|zipkin|opentelemetry|otel|istio|proxyv2|envoy|keycloak|vault)"
)
"""Images that run beside an application, and are not applications of a team."""
_ANY = re.compile(r"\w{1,200}")
_Owner = tuple[str, ...]


@dataclass(slots=True)
class _Given:
    """What variables are given, and who has which; `owners` are those that may be applications."""

    values: dict[str, dict[_Owner, str]] = field(default_factory=dict)
    owners: set[_Owner] = field(default_factory=set)

    def value(self, name: str) -> str | None:
        """The value that each application has which this one may be."""
        own = self.values.get(name, {})
        shared = self.owners <= own.keys() or len(self.owners) < 2
        one = {*own.values()}
        return one.pop() if shared and len(one) == 1 else None


def filled_in(texts: Sequence[Source]) -> tuple[list[Source], list[str]]:
    """The files with all that others fill into them, and notes that say so."""
    texts, notes = filled(taken_out(texts))
    result, more = _with_values(texts)
    return result, [*notes, *more]


def _with_values(texts: Sequence[Source]) -> tuple[list[Source], list[str]]:
    """The files with the values that are given, and notes that say so."""
    own = [row for row in texts if file_profile(row[0]) is not None]
    names = {_variable(match["name"]) for _, text in own for match in _REFERENCE.finditer(text)}
    if not 0 < len(names) <= MAX_ITEMS:
        return [*texts], []
    others = [row for row in texts if row not in own and _states(row[1], names)]
    folders = {name.rpartition("/")[0].removesuffix("config").rstrip("/") for name, _ in own}
    if not others or len(folders) != 1 or any(is_of_compose(name, texts) for name, _ in others):
        return [*texts], []
    try:
        given = _given(others, texts)
    except IntakeError:  # told where the file is read
        return [*texts], []
    values = {name: value for name in names if (value := given.value(name)) is not None}
    usable = {
        name: value for name, value in values.items()
        if _PLAIN.fullmatch(value) and not is_secret(name.lower().replace("_", "."))
    }  # fmt: skip
    notes = list[str]()
    result = [
        (name, _filled(name, text, usable, notes)) if (name, text) in own else (name, text)
        for name, text in texts
    ]
    return result, notes


def _filled(source: str, text: str, values: Mapping[str, str], notes: list[str]) -> str:
    """The text with these values; a note names the first place of each."""
    first = dict[str, int]()

    def value(match: re.Match[str]) -> str:
        name = _variable(match["name"])
        if name in values:
            first.setdefault(match["name"], match.start())
        return values.get(name, match[0])

    filled = _REFERENCE.sub(value, text)
    for name, at in first.items():
        words = f"{shown(name)} is filled in with what the application is given"
        notes.append(f"{source}:{line_of(text, at)}: {words}.")
    return filled


def _given(others: Sequence[Source], texts: Sequence[Source]) -> _Given:
    """Raises `IntakeError`."""
    found = dict[_Owner, list[Found]]()
    given = _Given()
    for number, (name, text) in enumerate(texts):
        given.owners |= {(str(number), *one) for one in _applications(text)}
        beside = [other for _, other in texts if other != text]
        for one in variables(_ANY, name, text, beside) if (name, text) in others else ():
            found.setdefault((str(number), *one.owner), []).append(one)
    for owner, rows in found.items():
        if is_server(row.name for row in rows):
            given.owners.discard(owner)
            continue
        is_container = len(owner) > 2
        given.owners |= {owner} if is_container else set()
        for row in rows:
            given.values.setdefault(row.name, {})[owner] = row.value.strip()
    return given


def _applications(text: str) -> Iterator[_Owner]:
    """The containers of a text that may be an application's: those of no well-known product."""
    kind = kind_of(text)
    parts = services(text) if kind == "compose" or has_workloads(text) else []
    for at, part in enumerate(parts):
        for leaf in part:
            match leaf.path:
                case ("services", name, "image" | "build") | ("services", name, "build", "context"):
                    if not _PRODUCT.search(leaf.text):
                        yield str(at), "services", name
                case (*before, "image") if "containers" in before:
                    if not _PRODUCT.search(leaf.text):
                        yield str(at), *before
                case _:
                    pass


def _states(text: str, names: Iterable[str]) -> bool:
    return any(name in text for name in names)


def _variable(name: str) -> str:
    """The variable that gives a property (SystemEnvironmentPropertySource)."""
    return re.sub(r"\W", "_", name).upper()
