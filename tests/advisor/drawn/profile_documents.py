"""Documents of one application.yml for profiles: those of active profiles apply, in order.

Source: Spring Boot reference, "Profiles" (groups, include), "Activation Properties" and "Working
With Multi-Document Files".
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from random import Random

from tests.advisor.drawn.effective import CONSUMER, VALUES, Drawn, File, Name
from tests.advisor.drawn.started import started
from tests.advisor.drawn.texts import Row, properties, yaml

_CONDITIONS: Mapping[str, Callable[[Collection[str]], bool]] = {
    "": lambda active: True,
    "prod": lambda active: "prod" in active,
    "dev": lambda active: "dev" in active,
    "!prod": lambda active: "prod" not in active,
    "prod & eu": lambda active: {"prod", "eu"} <= {*active},
    "prod | dev": lambda active: bool({"prod", "dev"} & {*active}),
    "dev,prod": lambda active: bool({"prod", "dev"} & {*active}),
    "!(prod | dev)": lambda active: not {"prod", "dev"} & {*active},
    "default": lambda active: not active,
}
_ACTIVE: tuple[tuple[str, ...], ...] = ((), ("prod",), ("prod",), ("dev",), ("prod", "eu"))


def profiles(random: Random) -> Drawn:
    """An application whose active profiles are set in its file, by a variable, or not at all."""
    active = random.choice(_ACTIVE)
    names = random.sample(list(VALUES), random.randint(1, 3))
    parts, effective = list[tuple[str, list[Row]]](), dict[Name, str]()
    for number in range(random.randint(2, 4)):
        condition = random.choice(list(_CONDITIONS)) if number else ""
        rows = list[Row]()
        for name in names:
            if random.random() < 0.6 or not number:
                value = random.choice(VALUES[name])
                rows.append((f"spring.kafka.{name[0]}.properties.{name[1]}", value))
                if _CONDITIONS[condition](active):
                    effective[name] = value
        parts.append((condition, rows))
    variables, first = list[Row](), list[Row]()
    _choose(random, active, variables, first)
    parts[0] = ("", [("spring.kafka.bootstrap-servers", "a:9092"), *first, *parts[0][1]])
    if any(component is CONSUMER for component, _ in effective):
        effective.setdefault((CONSUMER, "enable.auto.commit"), "false")
    files: list[File] = [_file(random, parts)]
    if variables:
        files.append(started(random, variables, []))
    random.shuffle(files)
    return Drawn(files, effective)


def _choose(
    random: Random, active: tuple[str, ...], variables: list[Row], first: list[Row]
) -> None:
    """States the active profiles."""
    text = ",".join(active)
    match random.choice(["file", "variable", "include", "group"]) if active else "":
        case "file":
            first.append(("spring.profiles.active", text))
        case "variable":
            variables.append(("SPRING_PROFILES_ACTIVE", text))
        case "include":
            first.append(("spring.profiles.include", text))
        case "group":
            first.append(("spring.profiles.group.live", text))
            variables.append(("SPRING_PROFILES_ACTIVE", "live"))
        case _:
            pass


def _file(random: Random, parts: list[tuple[str, list[Row]]]) -> File:
    is_yaml, texts = random.random() < 0.7, list[str]()
    for condition, rows in parts:
        condition_row = [("spring.config.activate.on-profile", condition)] if condition else []
        all_rows = [*condition_row, *rows] if random.random() < 0.8 else [*rows, *condition_row]
        if all_rows:
            texts.append(yaml(random, all_rows) if is_yaml else properties(random, all_rows))
    if is_yaml:
        return "application.yml", "---\n".join(texts)
    return "application.properties", "#---\n".join(texts)
