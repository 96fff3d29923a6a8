"""A ConfigMap with the files of an application, and a Deployment that starts it."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from textwrap import indent

from tests.advisor.drawn.effective import Drawn, File
from tests.advisor.drawn.micronaut_files import micronaut
from tests.advisor.drawn.quarkus_files import quarkus
from tests.advisor.drawn.spring_files import spring

_APPLICATIONS: list[Callable[[Random], Drawn]] = [spring, quarkus, micronaut]


def in_config_map(random: Random) -> Drawn:
    """An application of Spring, Quarkus or Micronaut with its files in a ConfigMap."""
    draw = random.choice(_APPLICATIONS)
    drawn = draw(random)
    while not _fits(drawn):
        drawn = draw(random)
    config_files = [(name, text) for name, text in drawn.files if name.startswith("application")]
    entries = "".join(f"  {name}: |\n{indent(text, '    ')}" for name, text in config_files)
    text = f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: orders-files\ndata:\n{entries}"
    mounts = "      volumes:\n        - name: files\n          configMap:\n"
    mounts += "            name: orders-files\n"
    deployments = [body for name, body in drawn.files if name == "deployment.yaml"]
    parts = [text, *(f"{body}{mounts}" for body in deployments)]
    random.shuffle(parts)
    files: list[File] = [("all.yaml", "---\n".join(parts))]
    if random.random() < 0.5:
        files = [(f"{index}.yaml", part) for index, part in enumerate(parts)]
    return Drawn(files, drawn.effective, drawn.modelled)


def _fits(drawn: Drawn) -> bool:
    """Whether all files are in one folder, and only a Deployment starts the application."""
    others = [name for name, _ in drawn.files if not name.startswith("application")]
    tabbed = any("\t" in text or "\\\n" in text for _, text in drawn.files)
    return others in ([], ["deployment.yaml"]) and not tabbed
