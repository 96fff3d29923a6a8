"""Readers of Dockerfile, .dockerignore and docker-compose.yml that need no container engine."""

from __future__ import annotations

import json
import re
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import yaml

from tests.house.files import ROOT, files, name


def instructions() -> list[tuple[str, str]]:
    """The lines of the Dockerfile, each as its instruction and the rest."""
    text = re.sub(r"\\\n", " ", (ROOT / "Dockerfile").read_text("utf-8"))
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(word, rest.strip()) for word, _, rest in (line.partition(" ") for line in lines)]


def last_stage() -> list[tuple[str, str]]:
    """The instructions of the last stage, which builds the image itself."""
    results = instructions()
    begins = max(index for index, (word, _) in enumerate(results) if word == "FROM")
    return results[begins:]


def command() -> list[str]:
    """The image's default command, without tini, which reaps processes."""
    (data,) = (json.loads(rest) for word, rest in last_stage() if word == "CMD")
    return list(data)


def environment() -> dict[str, str]:
    """The variables of the image; PATH includes the folders of the base image."""
    (text,) = (rest for word, rest in last_stage() if word == "ENV")
    stated = dict(pair.split("=", 1) for pair in text.split())
    return {**stated, "PATH": stated["PATH"].replace("$PATH", "/usr/bin:/bin")}


def ignored(path: str) -> bool:
    """Whether .dockerignore excludes this path; the last line that matches decides."""
    excluded = False
    for line in (ROOT / ".dockerignore").read_text("utf-8").split():
        pattern = line.removeprefix("!").removeprefix("**/")
        parts = Path(path).parts
        begins = range(len(parts)) if "**/" in line else (0,)
        tails = ["/".join(parts[index : index + length]) for index in begins
                 for length in range(1, len(parts) - index + 1)]  # fmt: skip
        if any(fnmatch(tail, pattern) and tail.count("/") == pattern.count("/") for tail in tails):
            excluded = not line.startswith("!")
    return excluded


def content() -> list[str]:
    """The files that `COPY . .` copies."""
    return [text for path in files() if not ignored(text := name(path))]


def services() -> dict[str, Any]:
    """The services of docker-compose.yml, with the defaults of their variables."""
    text = (ROOT / "docker-compose.yml").read_text("utf-8")
    plain = re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", text)
    data: dict[str, Any] = yaml.safe_load(plain)["services"]
    return data
