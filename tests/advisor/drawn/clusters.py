"""Brokers in containers: their variables in compose files and manifests, in several places.

In a compose service `environment` overrides `env_file`, a later `env_file` overrides an earlier
one, and an override file overrides its base (Compose file reference, `env_file`, "Fragments" and
"Merge"). In a container `env` overrides `envFrom`, and the last of several entries of one name in
`env` counts (Kubernetes API reference, Container v1).
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from random import Random

from tests.advisor.drawn.effective import OF_SERVERS, Drawn, File, Name
from tests.advisor.drawn.texts import Row

_BASE: list[Row] = [
    ("KAFKA_PROCESS_ROLES", "broker,controller"),
    ("KAFKA_CONTROLLER_LISTENER_NAMES", "CONTROLLER"),
    ("KAFKA_LISTENERS", "PLAINTEXT://:9092,CONTROLLER://:9093"),
    ("KAFKA_LISTENER_SECURITY_PROTOCOL_MAP", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT"),
    ("KAFKA_CONTROLLER_QUORUM_VOTERS", "1@kafka1:9093,2@kafka2:9093,3@kafka3:9093"),
]
_COMPOSE = ("image", "env_file", "later_env_file", "merged", "own", "over")
_MANIFEST = ("config", "secret", "env", "later_env")
StatedRows = Mapping[str, list[Row]]


def _variable(name: Name) -> str:
    return f"KAFKA_{name[1].replace('.', '_')}".upper()


def _draw(random: Random, places: tuple[str, ...]) -> tuple[dict[str, list[Row]], dict[Name, str]]:
    used = sorted(random.sample(places, random.randint(1, 3)), key=places.index)
    stated, effective = dict[str, list[Row]](), dict[Name, str]()
    for name in random.sample(list(OF_SERVERS), random.randint(1, 4)):
        stating = [place for place in used if random.random() < 0.6] or [used[-1]]
        for place in stating:
            value = random.choice(OF_SERVERS[name])
            stated.setdefault(place, []).append((_variable(name), value))
            effective[name] = value
    return stated, effective


def compose(random: Random) -> Drawn:
    """Three brokers with the same settings in a compose file."""
    stated, effective = _draw(random, _COMPOSE[1:])
    is_list = random.random() < 0.4
    merged = stated.get("merged", [])
    inline = random.choice(["anchor", "whole", "own"])
    inline = "own" if is_list else inline
    env_file_rows = _with_placeholders(random, stated)
    text = _anchors(inline, merged)
    text += "services:\n"
    for number in (1, 2, 3):
        text += _service(random, stated, number, inline, is_list=is_list)
    files: list[File] = [("docker-compose.yml", text)]
    if "over" in stated:
        over = "".join(
            f"  kafka{number}:\n    environment:\n"
            + "".join(_row(random, row, is_list) for row in stated["over"])
            for number in (1, 2, 3)
        )
        files.append(("docker-compose.override.yml", f"services:\n{over}"))
    for place, file in (("env_file", "kafka.env"), ("later_env_file", "more.env")):
        if place in stated:
            files.append((file, "".join(f"{name}={value}\n" for name, value in stated[place])))
    if env_file_rows:
        files.append((".env", "".join(f"{name}={value}\n" for name, value in env_file_rows)))
    random.shuffle(files)
    return Drawn(files, effective, OF_SERVERS)


def _with_placeholders(random: Random, stated: dict[str, list[Row]]) -> list[Row]:
    """Replaces some values by placeholders. Returns the rows of the `.env` file."""
    env_file_rows = list[Row]()
    for place in ("merged", "own"):
        for index, (name, value) in enumerate(stated.get(place, [])):
            other = "3" if value.isdecimal() else "false"
            match random.choice(["", "", "", "default", "given", "both"]):
                case "default":
                    value = f"${{V_{place}_{index}:-{value}}}"
                case "given":
                    env_file_rows.append((f"V_{place}_{index}", value))
                    value = f"${{V_{place}_{index}}}"
                case "both":
                    env_file_rows.append((f"V_{place}_{index}", value))
                    value = f"${{V_{place}_{index}:-{other}}}"
                case _:
                    pass
            stated[place][index] = (name, value)
    return env_file_rows


def _anchors(inline: str, merged: list[Row]) -> str:
    if inline == "anchor":
        rows = "".join(f"  {name}: '{value}'\n" for name, value in [*_BASE, *merged])
        return f"x-kafka: &kafka\n{rows}"
    if inline == "whole":
        rows = "".join(f"    {name}: '{value}'\n" for name, value in [*_BASE, *merged])
        return f"x-broker: &broker\n  image: apache/kafka:4.1.0\n  environment: &of-all\n{rows}"
    return ""


def _service(random: Random, stated: StatedRows, number: int, inline: str, *, is_list: bool) -> str:
    text = f"  kafka{number}:\n"
    rows = [("KAFKA_NODE_ID", str(number)), *stated.get("own", [])]
    rows.append(("KAFKA_ADVERTISED_LISTENERS", f"PLAINTEXT://kafka{number}:9092"))
    random.shuffle(rows)
    match inline:
        case "whole":
            text += "    <<: *broker\n"
        case "own":
            text += "    image: apache/kafka:4.1.0\n"
            rows = [*_BASE, *stated.get("merged", []), *rows]
            rows = [*{name: (name, value) for name, value in rows}.values()]
        case _:
            text += "    image: apache/kafka:4.1.0\n"
    names = [file for place, file in (("env_file", "kafka.env"), ("later_env_file", "more.env"))
             if place in stated]  # fmt: skip
    if names:
        text += "    env_file:\n" + "".join(f"      - {name}\n" for name in names)
    text += "    environment:\n"
    if inline in ("anchor", "whole"):
        merge = f"      <<: *{'kafka' if inline == 'anchor' else 'of-all'}\n"
        lines = [_row(random, row, is_list) for row in rows]
        lines.insert(random.choice([0, len(lines)]), merge)
        text += "".join(lines)
    else:
        text += "".join(_row(random, row, is_list) for row in rows)
    return f"{text}    volumes: ['data{number}:/var/lib/kafka/data']\n"


def _row(random: Random, row: Row, is_list: bool) -> str:
    name, value = row
    if is_list:
        return (
            f"      - {name}={value}\n" if random.random() < 0.7 else f'      - "{name}={value}"\n'
        )
    quoted = ":" in value or "$" in value or random.random() < 0.4
    return f"      {name}: '{value}'\n" if quoted else f"      {name}: {value}\n"


def manifests(random: Random) -> Drawn:
    """A StatefulSet of three brokers, with a ConfigMap and a Secret."""
    stated, effective = _draw(random, _MANIFEST)
    parts = list[str]()
    sources = ""
    for place, kind in (("config", "ConfigMap"), ("secret", "Secret")):
        if place not in stated:
            continue
        encoded = place == "secret" and random.random() < 0.5
        field = "stringData" if place == "secret" and not encoded else "data"
        rows = "".join(
            f"  {name}: {base64.b64encode(value.encode()).decode() if encoded else repr(value)}\n"
            for name, value in stated[place]
        )
        parts.append(
            f"apiVersion: v1\nkind: {kind}\nmetadata:\n  name: kafka-{place}\n{field}:\n{rows}"
        )
        reference = "configMapRef" if place == "config" else "secretRef"
        sources += f"            - {reference}:\n                name: kafka-{place}\n"
    text = _workload(random, [*stated.get("env", []), *stated.get("later_env", [])], sources)
    parts.append(text)
    random.shuffle(parts)
    if random.random() < 0.5:
        return Drawn([("kafka.yaml", "---\n".join(parts))], effective, OF_SERVERS)
    files = [(f"kafka-{index}.yaml", part) for index, part in enumerate(parts)]
    return Drawn(files, effective, OF_SERVERS)


def _workload(random: Random, env: list[Row], sources: str) -> str:
    rows = [*_BASE, *env]
    text = (
        "apiVersion: apps/v1\nkind: StatefulSet\nmetadata:\n  name: kafka\nspec:\n  replicas: 3\n"
        "  template:\n    spec:\n      containers:\n        - name: kafka\n"
        "          image: apache/kafka:4.1.0\n"
    )
    if sources:
        text += f"          envFrom:\n{sources}"
    text += "          env:\n" + "".join(
        f"            - name: {name}\n              value: '{value}'\n" for name, value in rows
    )
    text += "          volumeMounts:\n            - name: data\n"
    text += "              mountPath: /var/lib/kafka\n"
    text += "  volumeClaimTemplates:\n    - metadata:\n        name: data\n"
    return text
