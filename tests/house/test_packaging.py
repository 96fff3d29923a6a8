"""The Docker files, as far as they can be checked without building the image."""

from __future__ import annotations

import re
import shutil
import subprocess
import warnings
from functools import cache

import pytest
import yaml

from tests.house.files import ROOT

pytestmark = pytest.mark.process

COMPOSE = (["docker", "compose"], ["docker-compose"])
"""The plug-in of Docker, and the program that Debian packages; both have `config`."""


def rendered_compose(profile: str) -> str | None:
    """The file as Docker Compose reads it. None if Compose is not installed."""
    for command in COMPOSE:
        if shutil.which(command[0]) is None or _run([*command, "version"]).returncode != 0:
            continue
        read = _run([*command, "--profile", profile, "config"])
        assert read.returncode == 0, read.stderr
        return read.stdout
    return None


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)


@cache
def compose():
    text = rendered_compose("spark")
    if text is None:
        warnings.warn(
            "no `docker compose` here: docker-compose.yml was read by PyYAML", stacklevel=1
        )
        text = (ROOT / "docker-compose.yml").read_text("utf-8")
    return yaml.safe_load(text)


def services():
    return compose()["services"]


def volumes(service):
    """Pairs of source and target. Compose 1 prints them as strings, Compose 2 as mappings."""
    stated = services()[service]["volumes"]
    return [
        tuple(volume.split(":")[:2])
        if isinstance(volume, str)
        else (volume["source"], volume["target"])
        for volume in stated
    ]


def test_compose_has_every_service_and_waits_for_health():
    result = services()
    assert {"web", "worker", "postgres", "redis", "spark-master", "spark-worker"} <= set(result)
    for name in ("web", "worker", "postgres", "redis"):
        assert result[name]["healthcheck"]["test"], name
    for name in ("web", "worker"):
        assert result[name]["depends_on"]["redis"]["condition"] == "service_healthy"
        assert (
            result[name]["depends_on"]["migrate"]["condition"] == "service_completed_successfully"
        )


def test_web_and_worker_share_the_data_volume_and_only_the_web_port_is_published():
    result = services()
    assert result["web"]["volumes"] == result["worker"]["volumes"]
    assert {name for name, service in result.items() if service.get("ports")} == {"web"}
    assert "127.0.0.1" in str(result["web"]["ports"])


def test_downloaded_releases_survive_the_container():
    """Old releases are downloaded into the cache folder, a named volume of web and worker."""
    (cache_dir,) = re.findall(r"LAB_CACHE_DIR=(\S+) LAB_DATA", (ROOT / "Dockerfile").read_text())
    named = compose()["volumes"]
    for name in ("web", "worker"):
        sources = [source for source, target in volumes(name) if target == cache_dir]
        assert len(sources) == 1, f"{name} keeps nothing in {cache_dir}"
        assert sources[0] in named, f"{sources[0]} is no named volume"


def test_the_worker_can_download_and_run_old_releases_on_its_own_loopback():
    """Only the worker downloads and boots releases, on its own loopback.

    Incidents and experiments over release lines also need Java and a writable cache in the image.
    """
    result = services()
    environment = result["worker"]["environment"]
    assert {"LAB_MAVEN_REPOSITORY", "PIP_INDEX_URL", "LAB_CACHE_LIMIT_MB"} <= set(environment)
    assert "LAB_CACHE_DIR" not in environment, "the image's own, where today's jars are"
    dockerfile = (ROOT / "Dockerfile").read_text("utf-8")
    assert "COPY --from=build --chown=lab:lab /cache /cache" in dockerfile
    assert "LAB_CACHE_DIR=/cache" in dockerfile
    for name in ("web", "worker"):
        assert result[name]["environment"] == environment, "both see the same limits"
        assert not {"mem_limit", "memswap_limit", "network_mode"} & set(result[name])
    assert not result["worker"].get("ports")
    # Spark's executors read the brokers, so they alone share the worker's loopback.
    sharing = {name for name, service in result.items() if "network_mode" in service}
    assert sharing == {"spark-worker"}
    assert result["spark-worker"]["network_mode"] == "service:worker"


def test_services_depend_only_on_defined_services():
    result = services()
    for name, service in result.items():
        assert set(service.get("depends_on", ())) <= set(result), name


def test_the_image_is_built_from_locks_and_runs_without_privileges():
    text = (ROOT / "Dockerfile").read_text("utf-8")
    assert "--require-hashes -r config/locks/app.txt" in text
    users = re.findall(r"^USER (\S+)", text, re.MULTILINE)
    assert users[-1:] not in ([], ["root"])
    for source in re.findall(r"^COPY (?!--from)(\S+) ", text, re.MULTILINE):
        assert (ROOT / source).exists(), source
