"""A ConfigMap with the files of an application, and a Deployment with variables beside it."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from textwrap import indent

from tests.advisor.drawn.effective import Drawn, File
from tests.advisor.drawn.micronaut_files import micronaut
from tests.advisor.drawn.quarkus_files import quarkus
from tests.advisor.drawn.spring_files import spring

_WAYS: list[Callable[[Random], Drawn]] = [spring, quarkus, micronaut]


def in_config_map(random: Random) -> Drawn:
    """What another way draws, with its files in a ConfigMap, where a Deployment starts it."""
    draw = random.choice(_WAYS)
    drawn = draw(random)
    while not _fits(drawn):
        drawn = draw(random)
    own = [(name, text) for name, text in drawn.files if name.startswith("application")]
    entries = "".join(f"  {name}: |\n{indent(text, '    ')}" for name, text in own)
    text = f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: orders-files\ndata:\n{entries}"
    mounts = "      volumes:\n        - name: files\n          configMap:\n"
    mounts += "            name: orders-files\n"
    rest = [body for name, body in drawn.files if name == "deployment.yaml"]
    parts = [text, *(f"{body}{mounts}" for body in rest)]
    random.shuffle(parts)
    files: list[File] = [("all.yaml", "---\n".join(parts))]
    if random.random() < 0.5:
        files = [(f"{at}.yaml", part) for at, part in enumerate(parts)]
    return Drawn(files, drawn.effective, drawn.modelled)


def _fits(drawn: Drawn) -> bool:
    """Whether all is in one folder, and nothing but a Deployment starts it."""
    others = [name for name, _ in drawn.files if not name.startswith("application")]
    tabbed = any("\t" in text or "\\\n" in text for _, text in drawn.files)
    return others in ([], ["deployment.yaml"]) and not tabbed
