"""Several applications of Spring's in one manifest: what is read must hold for each, or none is."""

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
    """What a container has of each place, and what counts."""

    rows: dict[str, list[Row]] = field(default_factory=dict)
    effective: dict[Name, str] = field(default_factory=dict)


def _containers(random: Random) -> list[_Container]:
    names = random.sample(list(VALUES), random.randint(1, 3))
    alike = {name: random.choice(VALUES[name]) for name in names}
    differs = random.random() < 0.3
    found = list[_Container]()
    for _ in range(random.choice([1, 2, 2])):
        one = _Container()
        places = [place for place in _PLACES if random.random() < 0.5] or ["own"]
        for name in names:
            value = random.choice(VALUES[name]) if differs else alike[name]
            last = random.choice(places)
            for place in places[: places.index(last)]:
                if random.random() < 0.3:
                    one.rows.setdefault(place, []).append(
                        (_variable(name), random.choice(VALUES[name]))
                    )
            one.rows.setdefault(last, []).append((_variable(name), value))
            one.effective[name] = value
        if any(name[0] is CONSUMER for name in names):
            one.effective.setdefault((CONSUMER, "enable.auto.commit"), "false")
        found.append(one)
    return found


def _variable(name: Name) -> str:
    component, key = name
    return f"SPRING_KAFKA_{component}_PROPERTIES_{key.replace('.', '_')}".upper()


def applications(random: Random) -> Drawn:
    """One or two Deployments, each with variables of its own and of ConfigMaps and Secrets."""
    containers = _containers(random)
    parts = list[str]()
    is_pod = len(containers) == 2 and random.random() < 0.3
    texts = list[str]()
    for number, one in enumerate(containers):
        sources, own = "", [*one.rows.get("own", [])]
        for place in ("config", "secret"):
            if rows := one.rows.get(place):
                parts.append(_source(random, f"app{number}-{place}", place, rows))
                kind = "configMapRef" if place == "config" else "secretRef"
                sources += f"            - {kind}:\n                name: app{number}-{place}\n"
        env = "".join(f"            - name: {key}\n              value: '{value}'\n"
                      for key, value in own)  # fmt: skip
        if rows := one.rows.get("reference"):
            entries = [(f"value-{at}", value) for at, (_, value) in enumerate(rows)]
            parts.append(_source(random, f"app{number}-values", "config", entries))
            kept = {key for key, _ in own}
            env += "".join(
                f"            - name: {key}\n              valueFrom:\n"
                f"                configMapKeyRef: {{name: app{number}-values, key: value-{at}}}\n"
                for at, (key, _) in enumerate(rows)
                if key not in kept
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
        files = [(f"{at}.yaml", part) for at, part in enumerate(parts)]
    return Drawn(files, first.effective, others=[one.effective for one in others])


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
    """One or two services of a compose file, each with variables of its own and of files."""
    containers = _containers(random)
    text, files, beside = "services:\n", list[tuple[str, str]](), list[Row]()
    for number, one in enumerate(containers):
        text += f"  app{number}:\n    image: registry.example/app{number}:1\n"
        own = [*one.rows.get("reference", []), *one.rows.get("own", [])]
        own = [*{key: (key, value) for key, value in own}.values()]
        own = [_filled_in(random, f"V_{number}_{at}", row, beside) for at, row in enumerate(own)]
        names = [place for place in ("config", "secret") if place in one.rows]
        for place in names:
            rows = "".join(f"{key}={value}\n" for key, value in one.rows[place])
            files.append((f"app{number}-{place}.env", rows))
        if names:
            text += "    env_file:\n" + "".join(f"      - app{number}-{it}.env\n" for it in names)
        if own:
            text += "    environment:\n"
            text += "".join(f"      {key}: '{value}'\n" for key, value in own)
    first, *others = containers
    files = [("compose.yml", text), *files]
    if beside:
        files.append((".env", "".join(f"{key}={value}\n" for key, value in beside)))
    random.shuffle(files)
    return Drawn(files, first.effective, others=[one.effective for one in others])


def _filled_in(random: Random, variable: str, row: Row, beside: list[Row]) -> Row:
    """A variable of a service that compose perhaps fills in, from a default or the `.env`."""
    name, value = row
    match random.choice(["", "", "default", "given", "both", "empty"]):
        case "default":
            return name, f"${{{variable}:-{value}}}"
        case "given":
            beside.append((variable, value))
            return name, random.choice([f"${{{variable}}}", f"${variable}"])
        case "both":
            beside.append((variable, value))
            return name, f"${{{variable}:-{random.choice(['all', '0', 'true', 'latest'])}}}"
        case "empty":
            beside.append((variable, ""))
            return name, f"${{{variable}:-{value}}}"
        case _:
            return row
