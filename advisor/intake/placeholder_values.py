"""`${NAME}` in an application's files, where the file that starts the application sets the
variable.

A variable takes precedence over a property of the same name, and both over a default (Spring
Framework, "Placeholder Resolution"; SmallRye Config, "Property Expressions"; Micronaut guide,
"Property Placeholders"). Where several containers may be the application's and have different
values, the files are left as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from advisor.intake.application_file import file_profile
from advisor.intake.config_map_files import with_config_map_files
from advisor.intake.deployments.compose.extended import services
from advisor.intake.deployments.compose.servers import is_server
from advisor.intake.kinds import detect_kind, has_workloads
from advisor.intake.process_variables import Source, Variable, is_compose_env_file, variables
from advisor.intake.reading import MAX_ITEMS
from advisor.intake.text import IntakeError, is_secret, line_of, shown
from advisor.intake.variables import fill_from_env_files

_REFERENCE = re.compile(r"(?<![$\\])\$\{(?P<name>[A-Za-z][\w.-]{0,100})(?::[^${}\n]{0,1000})?\}")
_PLAIN_VALUE = re.compile(
    r"(?!(?:y|n|yes|no|on|off|null|nan|inf)$)[A-Za-z][\w.-]{0,100}|-?(?:0|[1-9]\d{0,18})",
    re.IGNORECASE,
)
"""A value with the same meaning wherever it is inserted."""
_PRODUCT_IMAGE = re.compile(
    r"(?:^|/)(?:kafka|cp-|zookeeper|postgres|mysql|mariadb|mongo|redis|valkey|elasticsearch|nginx"
    r"|kafdrop|akhq|redpanda|console|schema-registry|prometheus|grafana|rabbitmq|minio|localstack"
    r"|jaeger|zipkin|opentelemetry|otel|istio|proxyv2|envoy|keycloak|vault)"
)
"""Images of well-known products, which are not a team's application."""
_ANY_NAME = re.compile(r"\w{1,200}")
_Owner = tuple[str, ...]


@dataclass(slots=True)
class _Environments:
    """The values of variables by name and by owner (a container, or a file); `owners` are those
    that may be applications."""

    values: dict[str, dict[_Owner, str]] = field(default_factory=dict)
    owners: set[_Owner] = field(default_factory=set)

    def value(self, name: str) -> str | None:
        """Returns the value of a variable if all possible applications have the same one; otherwise
        None."""
        by_owner = self.values.get(name, {})
        is_shared = self.owners <= by_owner.keys() or len(self.owners) < 2
        distinct = {*by_owner.values()}
        return distinct.pop() if is_shared and len(distinct) == 1 else None


def fill_placeholders(texts: Sequence[Source]) -> tuple[list[Source], list[str]]:
    """Returns the files with the values that other files fill into them, and notes about it."""
    texts, notes = fill_from_env_files(with_config_map_files(texts))
    result, value_notes = _with_values(texts)
    return result, [*notes, *value_notes]


def _with_values(texts: Sequence[Source]) -> tuple[list[Source], list[str]]:
    """Returns the files with the values of placeholders, and notes about them."""
    application_files = [row for row in texts if file_profile(row[0]) is not None]
    names = {
        _variable(match["name"])
        for _, text in application_files
        for match in _REFERENCE.finditer(text)
    }
    if not 0 < len(names) <= MAX_ITEMS:
        return [*texts], []
    starting_files = [
        row for row in texts if row not in application_files and _contains_any(row[1], names)
    ]
    folders = {
        name.rpartition("/")[0].removesuffix("config").rstrip("/") for name, _ in application_files
    }
    if (
        not starting_files
        or len(folders) != 1
        or any(is_compose_env_file(name, texts) for name, _ in starting_files)
    ):
        return [*texts], []
    try:
        environments = _environments(starting_files, texts)
    except IntakeError:  # reported where the file is read
        return [*texts], []
    values = {name: value for name in names if (value := environments.value(name)) is not None}
    plain_values = {
        name: value for name, value in values.items()
        if _PLAIN_VALUE.fullmatch(value) and not is_secret(name.lower().replace("_", "."))
    }  # fmt: skip
    notes = list[str]()
    result = [
        (name, _fill(name, text, plain_values, notes))
        if (name, text) in application_files
        else (name, text)
        for name, text in texts
    ]
    return result, notes


def _fill(source: str, text: str, values: Mapping[str, str], notes: list[str]) -> str:
    """Returns the text with these values; adds a note with the first place of each."""
    first_places = dict[str, int]()

    def value(match: re.Match[str]) -> str:
        name = _variable(match["name"])
        if name in values:
            first_places.setdefault(match["name"], match.start())
        return values.get(name, match[0])

    result = _REFERENCE.sub(value, text)
    for name, at in first_places.items():
        message = f"{shown(name)} is filled in with what the application is given"
        notes.append(f"{source}:{line_of(text, at)}: {message}.")
    return result


def _environments(others: Sequence[Source], texts: Sequence[Source]) -> _Environments:
    """Returns the variables that these files set. Raises `IntakeError`."""
    variables_by_owner = dict[_Owner, list[Variable]]()
    environments = _Environments()
    for number, (name, text) in enumerate(texts):
        environments.owners |= {(str(number), *owner_path) for owner_path in _applications(text)}
        other_texts = [other for _, other in texts if other != text]
        for owner_path in (
            variables(_ANY_NAME, name, text, other_texts) if (name, text) in others else ()
        ):
            variables_by_owner.setdefault((str(number), *owner_path.owner), []).append(owner_path)
    for owner, rows in variables_by_owner.items():
        if is_server(row.name for row in rows):
            environments.owners.discard(owner)
            continue
        is_container = len(owner) > 2
        environments.owners |= {owner} if is_container else set()
        for row in rows:
            environments.values.setdefault(row.name, {})[owner] = row.value.strip()
    return environments


def _applications(text: str) -> Iterator[_Owner]:
    """Yields the containers of a text that may be an application's: those of no well-known
    product."""
    kind = detect_kind(text)
    parts = services(text) if kind == "compose" or has_workloads(text) else []
    for at, part in enumerate(parts):
        for leaf in part:
            match leaf.path:
                case ("services", name, "image" | "build") | ("services", name, "build", "context"):
                    if not _PRODUCT_IMAGE.search(leaf.text):
                        yield str(at), "services", name
                case (*before, "image") if "containers" in before:
                    if not _PRODUCT_IMAGE.search(leaf.text):
                        yield str(at), *before
                case _:
                    pass


def _contains_any(text: str, names: Iterable[str]) -> bool:
    return any(name in text for name in names)


def _variable(name: str) -> str:
    """Returns the name of the variable that sets a property (SystemEnvironmentPropertySource)."""
    return re.sub(r"\W", "_", name).upper()
