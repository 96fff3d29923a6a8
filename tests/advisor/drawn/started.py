"""What starts an application, with its variables and arguments."""

from __future__ import annotations

import json
from collections.abc import Iterable
from random import Random

from tests.advisor.drawn.effective import VALUES, File
from tests.advisor.drawn.texts import Row

_LIKE = {value: values for values in VALUES.values() for value in values}
"""What else a setting may be that has this value."""


def filled_in(
    random: Random, rows: list[Row], variables: list[Row], begins: tuple[str, ...]
) -> list[Row]:
    """Rows of which one has its value from another property, a default or a variable."""
    places = [
        at for at, (name, _) in enumerate(rows) if name.startswith(begins) and rows[at][1] in _LIKE
    ]
    result = [*rows]
    for at in places:
        name, value = rows[at]
        other = random.choice(_LIKE.get(value, ["1"]))
        variable = f"{at}_{random.randrange(10**9)}"  # no other file uses it
        match random.choice(["", "", "", "own", "default", "given", "both", "nested"]):
            case "own":
                result[at] = (name, f"${{app.value-{at}}}")
                result.insert(0, (f"app.value-{at}", value))
                return result
            case "default":
                result[at] = (name, f"${{VALUE_{variable}:{value}}}")
            case "given":
                result[at] = (name, f"${{VALUE_{variable}}}")
                variables.append((f"VALUE_{variable}", value))
            case "both":
                result[at] = (name, f"${{VALUE_{variable}:{other}}}")
                variables.append((f"VALUE_{variable}", value))
            case "nested":
                result[at] = (name, f"${{VALUE_{variable}:${{OTHER_{variable}:{value}}}}}")
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
            text += "          args:\n" + "".join(f'            - "{one}"\n' for one in arguments)
        if variables:
            text += "          env:\n" + "".join(
                f"            - name: {name}\n              value: {_quoted(value)}\n"
                for name, value in variables
            )
        return "deployment.yaml", text
    text = "services:\n  orders:\n    image: registry.example/orders:1\n"
    if arguments:
        text += f"    command: [{', '.join(json.dumps(one) for one in arguments)}]\n"
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
