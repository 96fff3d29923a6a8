"""Formatted storage without a JVM for each broker.

`StorageTool format` takes a second and writes two files: `bootstrap.checkpoint`, the feature levels
of a new cluster, and `meta.properties`, four plain lines. The first contains neither cluster nor
node, so the tool creates it once per version and it is copied. The second is written here.
"""

from __future__ import annotations

import base64
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path

from labs.engine.base.cache import cache_dir, exclusive_lock, scratch_folder
from labs.engine.cluster.nodes import Layout, nodes
from labs.engine.cluster.properties import node_properties
from labs.engine.distributions.distribution import Distribution
from labs.engine.distributions.java import Java

_CHECKPOINT = "bootstrap.checkpoint"


class FormatFailed(Exception):
    """Kafka's StorageTool failed; the message includes its output."""


def new_id() -> str:
    """Returns a random id in the form of org.apache.kafka.common.Uuid, without a leading dash."""
    while True:
        text = base64.urlsafe_b64encode(uuid.uuid4().bytes).rstrip(b"=").decode()
        if not text.startswith("-"):
            return text


def format_storage(checkpoint: Path, folder: Path, cluster_id: str, node: int) -> None:
    """Makes `folder` a formatted log folder of `node` (meta.properties, version 1: KIP-858)."""
    folder.mkdir(parents=True)
    shutil.copyfile(checkpoint, folder / _CHECKPOINT)
    (folder / "meta.properties").write_text(
        f"version=1\ncluster.id={cluster_id}\nnode.id={node}\ndirectory.id={new_id()}\n",
        "ascii",
    )


def reformat(folder: Path) -> None:
    """Empties a log folder, as if its disk were new.

    In KRaft mode the folder is formatted again for the same cluster and node, with a new id. With
    ZooKeeper it stays empty, because the broker formats it at its start.
    """
    meta = _meta(folder)
    if not (folder / _CHECKPOINT).exists():
        shutil.rmtree(folder)
        folder.mkdir()
        return
    with tempfile.TemporaryDirectory() as scratch:
        copy = shutil.copy2(folder / _CHECKPOINT, scratch)
        shutil.rmtree(folder)
        format_storage(Path(copy), folder, meta["cluster.id"], int(meta["node.id"]))


def directory_id(folder: Path) -> str:
    """Returns the directory id of a formatted log folder (KIP-858); '' if it has none."""
    return _meta(folder).get("directory.id", "")


def _meta(folder: Path) -> dict[str, str]:
    file = folder / "meta.properties"
    lines = file.read_text("ascii").splitlines() if file.exists() else []
    settings = (line.partition("=") for line in lines if not line.startswith("#"))
    return {name: value for name, _, value in settings}


def checkpoint(
    distribution: Distribution, java: Java, features: Mapping[str, int] | None = None
) -> Path:
    """Returns the bootstrap.checkpoint of a release; its StorageTool creates it at the first call.

    Feature levels are the release's defaults, except for `features` (name → level; KIP-1022, since
    4.0). Eligible leader replicas are on by default since 4.1 (KIP-966). Raises `FormatFailed`.
    """
    levels = [f"{name}={level}" for name, level in sorted((features or {}).items())]
    name = "-".join([f"kafka-{distribution.version}", *levels])
    prepared = cache_dir() / "storage" / f"{name}.checkpoint"
    if not prepared.exists():
        with exclusive_lock(prepared), scratch_folder(prepared) as temporary:
            if not prepared.exists():
                _run_tool(distribution, java, temporary, levels)
                (temporary / "data" / _CHECKPOINT).replace(prepared)
    return prepared


def _run_tool(distribution: Distribution, java: Java, folder: Path, levels: Sequence[str]) -> None:
    # The tool only needs a complete configuration; nothing listens on these ports.
    (node,) = nodes(iter((9092, 9093)), Layout(1))
    properties = node_properties(node, (node,), {}, distribution.version)
    (folder / "server.properties").write_text(properties, "ascii")
    result = subprocess.run(
        [java.path, "-Xmx128m", "-cp", distribution.class_path, "kafka.tools.StorageTool",
         "format", "--cluster-id", new_id(), "--config", "server.properties",
         *(word for level in levels for word in ("--feature", level))],
        cwd=folder, capture_output=True, text=True, errors="replace", timeout=120, check=False,
    )  # fmt: skip
    if result.returncode != 0:
        raise FormatFailed(f"Kafka's StorageTool failed:\n{result.stdout}{result.stderr}")
