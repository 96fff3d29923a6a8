"""Resolves the dependency trees of new locks with Apache Ivy, whose jar is in the pyspark package.

It is used only to make locks; `labs.engine.distributions` downloads the locked jars.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from xml.sax.saxutils import quoteattr

from labs.engine.distributions.download import Module
from labs.engine.distributions.java import Java
from labs.engine.distributions.spark_java import pyspark_jars
from labs.maintenance.trust import network_options


def resolve(java: Java, modules: Iterable[Module], into: Path, *, transitive: bool) -> None:
    """Fetches jars as `<into>/jars/<group>/<artifact>/<version>/jar.jar`.

    Without `transitive` no POM is read, and exactly these jars are fetched. They come from the
    repository that Ivy calls central, or from those of the Ivy settings file LAB_IVY_SETTINGS. The
    output of Ivy goes to standard error. Raises `subprocess.CalledProcessError`.
    """
    (into / "ivy.xml").write_text(_ivy_xml(modules, transitive), "utf-8")
    settings = Path(os.environ.get("LAB_IVY_SETTINGS") or into / "ivysettings.xml")
    if settings.parent == into:
        settings.write_text(_settings_xml(transitive), "utf-8")
    command: list[str | Path] = [
        java.path, *network_options(java), f"-Duser.home={into}",
        "-jar", next(pyspark_jars().glob("ivy-*.jar")),
        "-settings", settings, "-cache", into / "cache", "-ivy", into / "ivy.xml",
        "-types", "jar", "bundle",
        "-retrieve", f"{into}/jars/[organisation]/[artifact]/[revision]/jar.[ext]",
    ]  # fmt: skip
    subprocess.run(command, cwd=into, stdin=subprocess.DEVNULL, stdout=sys.stderr, check=True)


def _ivy_xml(modules: Iterable[Module], transitive: bool) -> str:
    dependencies = "".join(
        f"<dependency org={quoteattr(group)} name={quoteattr(artifact)} rev={quoteattr(version)}"
        f' transitive="{str(transitive).lower()}" conf="default"/>'
        for group, artifact, version in modules
    )
    return (
        '<ivy-module version="2.0"><info organisation="delivery-lab" module="jars"/>'
        f"<dependencies>{dependencies}</dependencies></ivy-module>"
    )


def _settings_xml(use_poms: bool) -> str:
    # No checksum files are fetched: the lock records the SHA-256 of each jar instead.
    return (
        '<ivysettings><property name="ivy.checksums" value=""/>'
        '<settings defaultResolver="central"/><resolvers>'
        f'<ibiblio name="central" m2compatible="true" usepoms="{str(use_poms).lower()}"/>'
        "</resolvers></ivysettings>"
    )
