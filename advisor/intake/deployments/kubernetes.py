"""Kubernetes manifests: the files in ConfigMaps, and the variables of containers.

A file in a ConfigMap or a Secret is read in the format that it has. Source: Kubernetes API
reference, ConfigMap v1 (`data`) and Container v1 (`env`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain

from advisor.catalog import Component
from advisor.intake.absent_files import absence
from advisor.intake.application_file import ApplicationFile, file_profile, rank
from advisor.intake.clients.known_settings import decides
from advisor.intake.deployments import kustomization, strimzi
from advisor.intake.deployments.application_variables import (
    OPTIONS,
    refuse_clients,
    refuse_unprefixed,
)
from advisor.intake.deployments.command_settings import (
    refuse_written,
    with_exported_variables,
)
from advisor.intake.deployments.commands import (
    container_commands,
    overrides,
    take_altered,
    take_topics,
)
from advisor.intake.deployments.compose.servers import is_server
from advisor.intake.deployments.compose.services import (
    OTHER_PRODUCTS,
    Variable,
    drop_skipped_variables,
    is_of_broker,
    is_spring_variable,
    refuse_client_variables,
    server_variables,
    take_application_variables,
    take_variables,
)
from advisor.intake.deployments.images import (
    is_kafka,
    kafka_line_of_image,
    refuse_other_brokers,
    setting_name,
    state_image_file,
)
from advisor.intake.deployments.init_containers import without_init_variables
from advisor.intake.deployments.instance_ids import note_instances, with_named_pod
from advisor.intake.deployments.kubernetes_disks import logs_end_with_their_pod, share_a_claim
from advisor.intake.deployments.kubernetes_kinds import is_read, likeness
from advisor.intake.deployments.kubernetes_references import (
    handed_on,
    has_application,
    refuse_unmounted,
    refuse_unused,
    source_of,
    with_config_map_variables,
    with_names,
    with_references,
)
from advisor.intake.deployments.script_commands import take_script
from advisor.intake.deployments.settings_elsewhere import refuse_entry
from advisor.intake.deployments.several_clusters import refuse_several
from advisor.intake.deployments.spring_names import with_spring_names
from advisor.intake.formats.yaml_nodes import Leaf
from advisor.intake.frameworks.spring.arguments import JSON, NOT_HERE, is_argument
from advisor.intake.frameworks.spring.profiles import DEFAULT
from advisor.intake.frameworks.startup import VARIABLE
from advisor.intake.reading import Profiles, Reader, Reading
from advisor.intake.registry import detect
from advisor.intake.text import IntakeError, shown, with_lines_shifted

_WORKLOADS = ("StatefulSet", "Deployment", "DaemonSet", "Pod", "Rollout", "DeploymentConfig")
_CLIENTS = (Component.PRODUCER, Component.CONSUMER)
_VARIABLE = re.compile(r"KAFKA_\w{1,200}|SPRING_\w{1,200}")
_OTHERS = re.compile(f"{_VARIABLE.pattern}|{OTHER_PRODUCTS.pattern}")
_NO_SETTINGS = (
    "no file of Kafka's and no variable KAFKA_… of a broker, or SPRING_KAFKA_…, is in "
    "these resources."
)


def read(text: str) -> Reading:
    """Returns the settings of files and variables. Raises `IntakeError`."""
    return read_resources([*strimzi.resources(text)], ())


def read_resources(every: Sequence[list[Leaf]], profiles: Sequence[str]) -> Reading:
    """Reads resources with these profiles of Spring, or with those that its files activate."""
    reading, variables, images = Reading(), dict[str, list[Variable]](), dict[str, Leaf]()
    choices, commands = dict[tuple[str, ...], int](), dict[str, tuple[str, int]]()
    config_map_rows, uses = list[tuple[str, Variable]](), list[tuple[str, str]]()
    exported = map(with_exported_variables, map(with_spring_names, with_references(every)))
    resources = without_init_variables(reading, exported)
    refuse_several(chain.from_iterable(map(_plain_variables, resources)))
    here = {place for leaves in resources for place in source_of(leaves)}
    refuse_unmounted(resources)
    several = sum(map(has_application, resources)) > 1
    for name, leaves in with_names(resources):
        config_map_rows += [(name, row) for row in _config_map_variables(leaves)]
        uses += handed_on(leaves, partial(_container_key, name))
        files = [leaf for leaf in leaves if leaf.path[:1] == ("data",) and len(leaf.path) == 2]
        choices |= _take_files(reading, files, profiles, name if several else "")
        _take_application_variables(reading, leaves)
        for container, row in (rows := list(_variables(leaves, name))):
            variables.setdefault(container, []).append(row)
        image_leaves = [leaf for leaf in leaves if leaf.path[-1:] == ("image",)]
        images |= {_container_key(name, leaf.path[:-1]): leaf for leaf in image_leaves}
        _take_brokers(reading, leaves, {name: text for _, (name, text, _) in rows})
        commands |= {
            _container_key(name, path): row for path, row in container_commands(leaves).items()
        }
        _say_unread(reading, leaves, name, here)
        _say_others(reading, leaves)
    if images:
        refuse_unused(config_map_rows, uses)
    variables = with_config_map_variables(config_map_rows, uses, variables)
    drop_skipped_variables(reading, variables, {name: leaf.text for name, leaf in images.items()})
    refuse_client_variables(variables)
    take_topics(reading, commands.values(), {})
    take_variables(reading, server_variables(reading, variables), commands)
    _take_commands(reading, commands, variables, images)
    if choices:
        reading.profiles = Profiles(choices, partial(read_resources, every), DEFAULT)
    if not (reading.items or reading.problems or choices):
        reading.empty_reason = kustomization.files_message(resources) or _NO_SETTINGS
    return reading


def _say_others(reading: Reading, leaves: list[Leaf]) -> None:
    """Notes the files of a kustomization, and refuses settings that decide in a resource that is
    not read, except in its variables."""
    kustomization.say_unread(reading, leaves)
    if not is_read(leaves):
        strimzi.refuse_unread(reading, [it for it in leaves if it.path[-3:-2] != ("env",)])


def _take_commands(
    reading: Reading, commands: Mapping[str, tuple[str, int]],
    variables: Mapping[str, list[Variable]], images: Mapping[str, Leaf],
) -> None:  # fmt: skip
    """Takes the settings in the images of containers, and those that their commands set."""
    for container, leaf in images.items():
        names = [name for name, _, _ in variables.get(container, ())]
        if is_server(names):
            state_image_file(reading, leaf.text, names, leaf.line, container)
    for container, (text, line) in commands.items():
        for name, value in overrides(text):
            reading.add_setting(Component.BROKER, name, value, line, process=container)
        names = [name for name, _, _ in variables.get(container, ())]
        is_kafka_image = container in images and is_kafka(images[container].text)
        refuse_written(reading, text, line, of_server=is_kafka_image or is_server(names))
    take_altered(reading, commands.values())


def _take_application_variables(reading: Reading, leaves: Sequence[Leaf]) -> None:
    """Takes the variables and commands of a team's own applications. Raises `IntakeError` for a
    variable that decides."""
    for variable, _, line in _config_map_entries(leaves):
        if variable.isupper() and not _OTHERS.match(variable):
            refuse_unprefixed(variable, line)
    plain = [*_plain_variables(leaves), *_config_map_entries(leaves)]
    take_application_variables(reading, plain, container_commands(leaves).values())


def _config_map_variables(leaves: Iterable[Leaf]) -> Iterator[Variable]:
    """Yields the variables in a ConfigMap that may count."""
    for leaf in leaves:
        match leaf.path:
            case ("data", name) if _is_variable(leaf):
                yield name, leaf.text, leaf.line
            case _:
                pass


def _is_variable(leaf: Leaf) -> bool:
    """Whether an entry of a ConfigMap is a variable that may count, not a file."""
    name = leaf.path[1]
    return bool(_VARIABLE.fullmatch(name)) or (name.isidentifier() and is_argument(leaf.text))


def _config_map_entries(leaves: Iterable[Leaf]) -> Iterator[Variable]:
    """Yields the entries of a ConfigMap that may be variables (`envFrom`)."""
    for leaf in leaves:
        match leaf.path:
            case ("data", name) if name.isidentifier():
                yield name, leaf.text, leaf.line
            case _:
                pass


def _container_key(name: str, path: Sequence[str]) -> str:
    """The key of a container: the name of its resource and its path there."""
    return "/".join((name, *path))


def _say_unread(
    reading: Reading, leaves: list[Leaf], resource: str, here: Collection[tuple[str, str]]
) -> None:
    """Notes ids that several instances share, and variables and files of relevant containers that
    are in none of the resources in `here`: a problem where an answer depends on one. Raises
    `IntakeError` for brokers that are not Apache Kafka."""
    note_instances(reading, leaves)
    names, servers = _names_and_servers(leaves)
    ours = set(_containers(leaves, resource))
    for leaf in leaves:
        match leaf.path:
            case (*_, "env", _, "name"):
                if not _OTHERS.match(leaf.text):
                    refuse_unprefixed(leaf.text, leaf.line)
                continue
            case (*before, "env", number, "valueFrom", _, "key" | "fieldPath"):
                if _container_key(resource, before) in ours:
                    name = names.get((*before, "env", number), "")
                    _say_elsewhere(reading, name, leaf, of_server=tuple(before) in servers)
                continue
            case (*before, "envFrom", _, kind, "name") if _container_key(resource, before) in ours:
                if (kind, leaf.text) in here:
                    continue
                words = absence(
                    f"envFrom: variables come from a {shown(kind)} that is not here and is not read"
                )
            case (*_, "volumes", _, "configMap", "name") if ours and (
                ("configMapRef", leaf.text) not in here
            ):
                words = absence("a volume mounts a ConfigMap that is not here and is not read")
            case (*_, "image"):
                refuse_other_brokers(leaf.text, leaf.line)
                continue
            case _:
                continue
        reading.note(leaf.line, words)


_Path = tuple[str, ...]


def _names_and_servers(leaves: Iterable[Leaf]) -> tuple[dict[_Path, str], set[_Path]]:
    """Returns the name of each variable, and the containers that are servers of Kafka."""
    names, by_container, servers = dict[_Path, str](), dict[_Path, list[str]](), set[_Path]()
    for leaf in leaves:
        match leaf.path:
            case (*before, "env", number, "name"):
                names[*before, "env", number] = leaf.text
                by_container.setdefault(tuple(before), []).append(leaf.text)
            case (*before, "image") if is_kafka(leaf.text):
                servers.add(tuple(before))
            case _:
                pass
    return names, servers | {
        place for place, variable_names in by_container.items() if is_server(variable_names)
    }


def _say_elsewhere(reading: Reading, name: str, leaf: Leaf, *, of_server: bool) -> None:
    """Notes a variable whose value is not here: a problem where an answer depends on it. Raises
    `IntakeError` for a client's."""
    if not any(pattern.fullmatch(name) for pattern in (_VARIABLE, VARIABLE, OPTIONS)):
        return
    if name == JSON[0]:
        raise IntakeError(f"Line {leaf.line}: {name} {NOT_HERE}.")
    is_spring = is_spring_variable(name, "")
    if not (is_spring or of_server):
        refuse_clients(name, leaf.line)
    kind, what = leaf.path[-2:]
    if decides(setting_name(name)) and (is_of_broker(name) or is_spring):
        words = f"comes from a {shown(kind)}. Write the value that counts"
        setting = shown(setting_name(name))
        reading.add_problem(Component.APPLICATION, setting, leaf.line, f"{setting} {words}")
    elif what == "key":  # a field holds the name of a pod, or its place
        reading.note(leaf.line, f"{shown(name)} comes from a {shown(kind)}: not read")


def _take_brokers(reading: Reading, leaves: list[Leaf], variables: Mapping[str, str]) -> None:
    """Takes the number of brokers of a workload, their line of Kafka, and lost disks."""
    ours = any(name.startswith("KAFKA_") for name in variables)
    roles = next((text for name, text in variables.items() if name.endswith("PROCESS_ROLES")), "")
    kind = next((leaf.text for leaf in leaves if leaf.path == ("kind",)), "")
    if not ours or kind not in _WORKLOADS:
        return
    if "controller" in roles and (lost_line := logs_end_with_their_pod(leaves, variables)):
        reading.lose_metadata(lost_line, "a controller without a volume that outlives its pod")
    if roles and "broker" not in roles:
        return
    images = [leaf for leaf in leaves if leaf.path[-1:] == ("image",)]
    lines = [(leaf.line, line) for leaf in images if (line := kafka_line_of_image(reading, leaf))]
    if not lines and not is_server(variables):
        return
    counts = [leaf.text for leaf in leaves if leaf.path == ("spec", "replicas")]
    count = int(counts[0]) if counts and counts[0].isdecimal() else 1
    if count > 1 and share_a_claim(leaves):
        words = "pods with one claim for their logs: the second broker cannot lock it"
        reading.note(images[0].line, f"{words}, and does not start")
        count = 1
    reading.heads["brokers"] = str(int(reading.heads.get("brokers", "0")) + count)
    if lines:
        reading.heads["kafka"] = lines[0][1]
    if lost_line := logs_end_with_their_pod(leaves, variables):
        reading.lose_disks(lost_line, "logs without a volume that outlives its pod")


def _take_files(
    reading: Reading, leaves: Iterable[Leaf], chosen: Sequence[str], application: str
) -> dict[tuple[str, ...], int]:
    """Takes the settings of a ConfigMap's files; returns the profiles that may be chosen.

    Files of one application are read together, and named `application` if there are several.
    """
    files = [leaf for leaf in leaves if not _is_variable(leaf)]
    readers = {leaf.path[1]: detect(leaf.text) for leaf in files}
    application_readers = {
        name: reader for name, reader in readers.items() if file_profile(name) is not None
    }
    framework = next(
        (value for value in application_readers.values() if value and value.read_files), None
    )
    together = {*application_readers} if framework else set[str]()
    for leaf in files:
        name, reader = leaf.path[1], readers[leaf.path[1]]
        if reader is None and name not in together:
            if not (take_script(reading, leaf.text, leaf.line) or refuse_entry(reading, leaf)):
                reading.note(leaf.line, f"{shown(name)} looks like no file that we know: not read")
        elif reader and name not in together:
            _take_file(reading, reader, leaf)
    if framework is None or framework.read_files is None:
        return {}
    application_files = sorted(
        (leaf for leaf in files if leaf.path[1] in together), key=lambda it: rank(it.path[1])
    )
    inner = framework.read_files([
        ApplicationFile.from_name(leaf.path[1], leaf.text, leaf.line) for leaf in application_files
    ])  # fmt: skip
    choices = dict(inner.profiles.choices) if inner.profiles else {}
    inner = inner.profiles.read(chosen) if inner.profiles and chosen else inner
    if application:
        _name_clients(inner, application)
    _add(reading, inner)
    return choices


def _take_file(reading: Reading, reader: Reader, leaf: Leaf) -> None:
    """Takes the settings of a file; its lines begin after the line of its name."""
    try:
        inner = reader.read(leaf.text)
    except IntakeError as error:
        raise IntakeError(with_lines_shifted(str(error), leaf.line)) from None
    inner.items = [replace(item, line=item.line + leaf.line) for item in inner.items]
    inner.defaulted_settings = [
        replace(entry, default=replace(entry.default, line=entry.default.line + leaf.line))
        for entry in inner.defaulted_settings
    ]
    inner.notes = [with_lines_shifted(note, leaf.line) for note in inner.notes]
    inner.problems = [
        replace(problem, message=with_lines_shifted(problem.message, leaf.line))
        for problem in inner.problems
    ]
    is_taken = any(item.process == leaf.path[1] for item in reading.items)
    _name_clients(inner, f"{leaf.path[1]}:{leaf.line}" if is_taken else leaf.path[1])
    _add(reading, inner)


def _name_clients(inner: Reading, name: str) -> None:
    """Labels the settings of a file with `name`, to distinguish them from those of other files."""
    kinds = {item.component for item in inner.items}
    inner.items = [replace(item, process=item.process or name) for item in inner.items]
    inner.clients |= {(kind, name) for kind in kinds if kind in _CLIENTS and not inner.clients}


def _add(reading: Reading, inner: Reading) -> None:
    reading.items += inner.items
    reading.heads |= inner.heads
    reading.notes += inner.notes
    reading.problems += inner.problems
    reading.defaulted_settings += inner.defaulted_settings
    reading.clients |= inner.clients


def _variables(leaves: Iterable[Leaf], resource: str) -> Iterable[tuple[str, Variable]]:
    """Yields the variables of each container that have a literal value and may count."""
    for before, variable in _literal_variables(leaves):
        if _VARIABLE.fullmatch(variable[0]) or is_argument(variable[1]):
            yield _container_key(resource, before), variable


def _containers(leaves: Iterable[Leaf], resource: str) -> Iterator[str]:
    """Yields the containers with variables that may count, wherever their values are."""
    for leaf in leaves:
        match leaf.path:
            case (*before, "env", _, "name") if _VARIABLE.fullmatch(leaf.text):
                yield _container_key(resource, before)
            case (*before, "env", _, "value") if is_argument(leaf.text):
                yield _container_key(resource, before)
            case _:
                pass


def _plain_variables(leaves: Iterable[Leaf]) -> Iterator[Variable]:
    return (variable for _, variable in _literal_variables(leaves))


def _literal_variables(leaves: Iterable[Leaf]) -> Iterator[tuple[Sequence[str], Variable]]:
    """Yields each variable with a literal value, after the path of its container."""
    names: dict[tuple[str, ...], Leaf] = {}
    for leaf in leaves:
        match leaf.path:
            case (*before, "env", number, "name"):
                names[(*before, number)] = leaf
            case (*before, "env", number, "value"):
                if (name := names.get((*before, number))) is not None:
                    yield before, (name.text, with_named_pod(name.text, leaf.text), leaf.line)
            case _:
                pass


READERS = (
    Reader("kubernetes", "Kubernetes manifests (ConfigMap, env)", likeness, read, is_yaml=True),
)
