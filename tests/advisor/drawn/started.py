"""Launchers of an application: files with its variables and arguments."""

from __future__ import annotations

import json
from collections.abc import Iterable
from random import Random

from tests.advisor.drawn.effective import VALUES, File
from tests.advisor.drawn.texts import Row

_ALTERNATIVES = {value: values for values in VALUES.values() for value in values}
"""All values of the setting that may have this value."""


def filled_in(
    random: Random, rows: list[Row], variables: list[Row], prefixes: tuple[str, ...]
) -> list[Row]:
    """The rows, with some values from another property, a default or a variable."""
    places = [
        index
        for index, (name, _) in enumerate(rows)
        if name.startswith(prefixes) and rows[index][1] in _ALTERNATIVES
    ]
    result = [*rows]
    for index in places:
        name, value = rows[index]
        other = random.choice(_ALTERNATIVES.get(value, ["1"]))
        variable = f"{index}_{random.randrange(10**9)}"  # no other file uses it
        match random.choice(["", "", "", "own", "default", "given", "both", "nested"]):
            case "own":
                result[index] = (name, f"${{app.value-{index}}}")
                result.insert(0, (f"app.value-{index}", value))
                return result
            case "default":
                result[index] = (name, f"${{VALUE_{variable}:{value}}}")
            case "given":
                result[index] = (name, f"${{VALUE_{variable}}}")
                variables.append((f"VALUE_{variable}", value))
            case "both":
                result[index] = (name, f"${{VALUE_{variable}:{other}}}")
                variables.append((f"VALUE_{variable}", value))
            case "nested":
                result[index] = (name, f"${{VALUE_{variable}:${{OTHER_{variable}:{value}}}}}")
            case _:
                pass
    return result


def started(random: Random, variables: list[Row], arguments: Iterable[str]) -> File:
    arguments = [*arguments]
    kinds = ["compose", "list", "kubernetes"] + ([] if arguments else ["env", "systemd"])
    kind = random.choice(kinds)
    if kind == "env":
        return "orders.env", "".join(f"{name}={value}\n" for name, value in variables)
    if kind == "systemd":
        lines = "".join(f"Environment='{name}={value}'\n" for name, value in variables)
        return "orders.service", f"[Service]\n{lines}ExecStart=/usr/bin/java -jar /opt/orders.jar\n"
    if kind == "kubernetes":
        text = (
            "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: orders\nspec:\n"
            "  template:\n    spec:\n      containers:\n        - name: orders\n"
            "          image: registry.example/orders:1\n"
        )
        if arguments:
            text += "          args:\n" + "".join(
                f'            - "{argument}"\n' for argument in arguments
            )
        if variables:
            text += "          env:\n" + "".join(
                f"            - name: {name}\n              value: {_quoted(value)}\n"
                for name, value in variables
            )
        return "deployment.yaml", text
    text = "services:\n  orders:\n    image: registry.example/orders:1\n"
    if arguments:
        text += f"    command: [{', '.join(json.dumps(argument) for argument in arguments)}]\n"
    if variables:
        text += "    environment:\n"
        for name, value in variables:
            text += (
                f"      {name}: {_quoted(value)}\n"
                if kind == "compose"
                else f"      - {_quoted(f'{name}={value}')}\n"
            )
    return "docker-compose.yml", text


def _quoted(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
