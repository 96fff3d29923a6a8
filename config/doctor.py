"""Checks what this machine has and lacks, with the command that helps: `manage.py doctor`.

Each examination checks one thing and never raises: a check that fails is a finding itself.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

from config import preflight, services
from config.redis_server import RedisMissing, find_redis
from labs.engine.base import slots
from labs.engine.base.cache import cache_dir
from labs.engine.distributions import distribution
from labs.engine.distributions.java import JavaMissing, find_java

GB = 1 << 30
DISK_NEEDED = 2 * GB
"""Jars take 55 MB, an experiment 150 MB while it runs, and each ledger some MB."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check; `needed` is False if `make up` provides it or only tests need it."""

    name: str
    ok: bool
    state: str
    fix: str = ""
    needed: bool = True


def examine(*, full: bool = False) -> list[Finding]:
    """Returns every finding, in the order of repair; `full` hashes each jar again."""
    return [jars(full=full) if check is jars else check() for check in _EXAMINATIONS]


def python() -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    ok = sys.version_info >= (3, 11)
    return Finding("python", ok, f"{version} ({sys.executable})", "make PYTHON=python3.12 setup")


def packages() -> Finding:
    """Compares installed packages with the lock, ignoring markers for other systems."""
    lock = (settings.BASE_DIR / "config" / "locks" / "app.txt").read_text("utf-8")
    pinned = dict(re.findall(r"^([\w.-]+)==([^\s;]+) \\$", lock, re.MULTILINE))
    wrong = [
        f"{name} {_installed(name)} (locked: {version})"
        for name, version in pinned.items()
        if _installed(name) != version
    ]
    text = ", ".join(wrong) or f"{len(pinned)} packages as locked"
    return Finding("packages", not wrong, text, "make setup")


def java() -> Finding:
    try:
        java = find_java()
    except JavaMissing as missing:
        return Finding("java", False, str(missing), "make setup")
    return Finding("java", True, f"{java.version} ({java.path}, from {java.origin})")


def jars(*, full: bool = False) -> Finding:
    """Checks the jars; `make up` fetches missing ones, and their user replaces changed ones."""
    names = [
        f"kafka-{distribution.kafka_versions()[0]}",
        f"spark-connector-{distribution.SPARK}",
    ]
    try:
        installed = distribution.installed()
    except OSError as error:
        return Finding("jars", False, f"no cache folder ({error})", preflight.cure(error))
    wrong = [f"{name}/{jar}" for name in installed for jar in distribution.changed(name, full=full)]
    if wrong:
        text = f"not the ones that were recorded: {', '.join(wrong[:3])}"
        more = f" and {len(wrong) - 3} more" if len(wrong) > 3 else ""
        fix = "make up, or the run that needs them, fetches them again"
        return Finding("jars", False, f"{text}{more} ({cache_dir()})", fix)
    missing = [name for name in names if name not in installed]
    text = f"not yet fetched: {', '.join(missing)}" if missing else ", ".join(installed)
    return Finding("jars", not missing, f"{text} ({cache_dir()})", "make up", needed=False)


def redis_program() -> Finding:
    if settings.REDIS_URL != settings.OWN_REDIS:
        return Finding("redis", True, "REDIS_URL names one")
    try:
        redis = find_redis()
    except RedisMissing as missing:
        return Finding("redis", False, str(missing), "make setup")
    return Finding("redis", True, f"{redis.version} ({redis.path}, from {redis.origin})")


def redis_running() -> Finding:
    ok = services.redis_answers()
    return Finding("redis running", ok, "answers" if ok else "no answer", "make up", needed=False)


def database() -> Finding:
    try:
        executor = MigrationExecutor(connection)
        plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError as error:
        text = f"{connection.vendor}: {error}"
        return Finding("database", False, text, preflight.cure(error))
    text = f"{connection.vendor}, " + (f"{len(plan)} migrations wait" if plan else "up to date")
    return Finding("database", not plan, text, "make up", needed=False)


def worker() -> Finding:
    ok = services.redis_answers() and services.worker_answers()
    return Finding("worker", ok, "answers" if ok else "no answer", "make up", needed=False)


def capacity() -> Finding:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / GB
    at_once = slots.clusters_at_once()
    text = f"{os.cpu_count()} cores, {memory:.0f} GB: {at_once} clusters at once"
    return Finding("capacity", memory >= 3, text, "4 GB of memory carry one cluster and Spark")


def disk() -> Finding:
    folder = next(
        path for path in (settings.LAB_DATA_DIR, *settings.LAB_DATA_DIR.parents) if path.exists()
    )
    free = shutil.disk_usage(folder).free
    text = f"{free / GB:.1f} GB free below {folder}"
    return Finding("disk", free >= DISK_NEEDED, text, "set LAB_DATA_DIR to a larger disk")


def chromium_program() -> str | None:
    """Returns the system's Chromium for the browser tests; no wheel provides one.

    The one without a user interface comes first: it needs a third of the processor time for a page
    (docs/decisions/0157-chromium-without-a-user-interface.md).
    """
    names = ("chromium-headless-shell", "chromium", "chromium-browser")
    return next(filter(None, map(shutil.which, names)), None)


def chromium() -> Finding:
    path = chromium_program()
    text = path or "not found; only the browser tests need it"
    return Finding("chromium", bool(path), text, "apt install chromium", needed=False)


def _installed(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "missing"


_EXAMINATIONS: tuple[Callable[[], Finding], ...] = (
    *(python, packages, java, jars, redis_program, redis_running),
    *(database, worker, capacity, disk, chromium),
)
