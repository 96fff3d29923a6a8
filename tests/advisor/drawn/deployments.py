"""Spring applications in one manifest: what is read must hold for each, or it is refused."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from tests.advisor.drawn.effective import CONSUMER, VALUES, Drawn, Name
from tests.advisor.drawn.texts import Row

_PLACES = ("config", "secret", "reference", "own")


@dataclass(slots=True)
class _Container:
    """The variables of a container by place, and its effective settings."""

    rows: dict[str, list[Row]] = field(default_factory=dict)
    effective: dict[Name, str] = field(default_factory=dict)


def _containers(random: Random) -> list[_Container]:
    names = random.sample(list(VALUES), random.randint(1, 3))
    common = {name: random.choice(VALUES[name]) for name in names}
    differs = random.random() < 0.3
    containers = list[_Container]()
    for _ in range(random.choice([1, 2, 2])):
        container = _Container()
        places = [place for place in _PLACES if random.random() < 0.5] or ["own"]
        for name in names:
            value = random.choice(VALUES[name]) if differs else common[name]
            last = random.choice(places)
            for place in places[: places.index(last)]:
                if random.random() < 0.3:
                    container.rows.setdefault(place, []).append(
                        (_variable(name), random.choice(VALUES[name]))
                    )
            container.rows.setdefault(last, []).append((_variable(name), value))
            container.effective[name] = value
        if any(name[0] is CONSUMER for name in names):
            container.effective.setdefault((CONSUMER, "enable.auto.commit"), "false")
        containers.append(container)
    return containers


def _variable(name: Name) -> str:
    component, key = name
    return f"SPRING_KAFKA_{component}_PROPERTIES_{key.replace('.', '_')}".upper()


def applications(random: Random) -> Drawn:
    """One or two Deployments with variables in `env`, ConfigMaps and Secrets."""
    containers = _containers(random)
    parts = list[str]()
    is_pod = len(containers) == 2 and random.random() < 0.3
    texts = list[str]()
    for number, container in enumerate(containers):
        sources, env_rows = "", [*container.rows.get("own", [])]
        for place in ("config", "secret"):
            if rows := container.rows.get(place):
                parts.append(_source(random, f"app{number}-{place}", place, rows))
                kind = "configMapRef" if place == "config" else "secretRef"
                sources += f"            - {kind}:\n                name: app{number}-{place}\n"
        env = "".join(f"            - name: {key}\n              value: '{value}'\n"
                      for key, value in env_rows)  # fmt: skip
        if rows := container.rows.get("reference"):
            entries = [(f"value-{index}", value) for index, (_, value) in enumerate(rows)]
            parts.append(_source(random, f"app{number}-values", "config", entries))
            own_names = {key for key, _ in env_rows}
            env += "".join(
                f"            - name: {key}\n              valueFrom:\n"
                f"                configMapKeyRef: {{name: app{number}-values, key: value-{at}}}\n"
                for at, (key, _) in enumerate(rows)
                if key not in own_names
            )
        text = f"        - name: app{number}\n          image: registry.example/app{number}:1\n"
        text += f"          envFrom:\n{sources}" if sources else ""
        text += f"          env:\n{env}" if env else ""
        texts.append(text)
    for number, text in enumerate(["".join(texts)] if is_pod else texts):
        parts.append(
            f"apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: app{number}\nspec:\n"
            f"  template:\n    spec:\n      containers:\n{text}"
        )
    random.shuffle(parts)
    first, *others = containers
    files = [("apps.yaml", "---\n".join(parts))]
    if random.random() < 0.4:
        files = [(f"{index}.yaml", part) for index, part in enumerate(parts)]
    return Drawn(files, first.effective, others=[container.effective for container in others])


def _source(random: Random, name: str, place: str, rows: Sequence[Row]) -> str:
    encoded = place == "secret" and random.random() < 0.5
    part = "stringData" if place == "secret" and not encoded else "data"
    kind = "Secret" if place == "secret" else "ConfigMap"
    lines = "".join(
        f"  {key}: '{base64.b64encode(value.encode()).decode() if encoded else value}'\n"
        for key, value in rows
    )
    return f"apiVersion: v1\nkind: {kind}\nmetadata:\n  name: {name}\n{part}:\n{lines}"


def services(random: Random) -> Drawn:
    """One or two services of a compose file with variables in `environment` and `env_file`."""
    containers = _containers(random)
    text, files, env_file_rows = "services:\n", list[tuple[str, str]](), list[Row]()
    for number, container in enumerate(containers):
        text += f"  app{number}:\n    image: registry.example/app{number}:1\n"
        env_rows = [*container.rows.get("reference", []), *container.rows.get("own", [])]
        env_rows = [*{key: (key, value) for key, value in env_rows}.values()]
        env_rows = [
            _with_placeholder(random, f"V_{number}_{index}", row, env_file_rows)
            for index, row in enumerate(env_rows)
        ]
        names = [place for place in ("config", "secret") if place in container.rows]
        for place in names:
            rows = "".join(f"{key}={value}\n" for key, value in container.rows[place])
            files.append((f"app{number}-{place}.env", rows))
        if names:
            text += "    env_file:\n" + "".join(f"      - app{number}-{it}.env\n" for it in names)
        if env_rows:
            text += "    environment:\n"
            text += "".join(f"      {key}: '{value}'\n" for key, value in env_rows)
    first, *others = containers
    files = [("compose.yml", text), *files]
    if env_file_rows:
        files.append((".env", "".join(f"{key}={value}\n" for key, value in env_file_rows)))
    random.shuffle(files)
    return Drawn(files, first.effective, others=[container.effective for container in others])


def _with_placeholder(random: Random, variable: str, row: Row, env_file_rows: list[Row]) -> Row:
    """A variable of a service, perhaps with a placeholder that a default or the `.env` fills."""
    name, value = row
    match random.choice(["", "", "default", "given", "both", "empty"]):
        case "default":
            return name, f"${{{variable}:-{value}}}"
        case "given":
            env_file_rows.append((variable, value))
            return name, random.choice([f"${{{variable}}}", f"${variable}"])
        case "both":
            env_file_rows.append((variable, value))
            return name, f"${{{variable}:-{random.choice(['all', '0', 'true', 'latest'])}}}"
        case "empty":
            env_file_rows.append((variable, ""))
            return name, f"${{{variable}:-{value}}}"
        case _:
            return row
