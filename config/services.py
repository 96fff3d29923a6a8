"""The three services: Redis, the Celery worker, the web server."""

from __future__ import annotations

import http.client
import os
import sys
import uuid
from pathlib import Path

import redis
from django.conf import settings
from kombu.exceptions import OperationalError

from config.celery import app
from config.redis_server import find_redis
from config.supervisor import Service

LOOPBACK = "127.0.0.1"


def redis_service() -> Service:
    """Returns a private Redis on a socket in the data folder. Raises `RedisMissing`."""
    folder = settings.LAB_DATA_DIR / "redis"
    folder.mkdir(parents=True, exist_ok=True)
    return Service(
        name="queue (Redis)",
        argv=find_redis().arguments(settings.LAB_REDIS_SOCKET, folder),
        log=_log("redis"),
        answers=redis_answers,
        limit_s=20,
        grace_s=5,
        env=os.environ,
    )


def worker_service() -> Service:
    """Returns the Celery worker: one process; each experiment is a thread and a runner process."""
    name = f"lab-{uuid.uuid4().hex[:8]}@{LOOPBACK}"
    return Service(
        name="worker",
        argv=[
            *(sys.executable, "-m", "celery", "--app", "config.celery", "worker"),
            *("--hostname", name, "--loglevel", "INFO"),
            *("--without-gossip", "--without-mingle"),  # there is no other worker
        ],
        log=_log("worker"),
        answers=lambda: worker_answers([name]),
        limit_s=60,
        grace_s=20,  # its experiments are ended first, and their brokers with them
        env=_environment(),
        vital=False,  # pages and advice work without it
    )


def web_service(port: int, host: str = LOOPBACK) -> Service:
    """Returns the web server, by default on loopback only."""
    return Service(
        name="web server",
        argv=[sys.executable, "-m", "config.web", "--host", host, "--port", str(port)],
        log=_log("web"),
        answers=lambda: web_answers(port, host),
        limit_s=60,
        grace_s=6,
        env=_environment(),
    )


def redis_answers() -> bool:
    """Whether the Redis of the settings answers a PING within a second."""
    try:
        with redis.Redis.from_url(
            settings.REDIS_URL, socket_timeout=1, socket_connect_timeout=1
        ) as client:
            return bool(client.ping())
    except (redis.RedisError, OSError):
        return False


def worker_answers(names: list[str] | None = None) -> bool:
    """Whether a worker (one of `names`, if given) answers within a second."""
    try:
        return bool(app.control.ping(destination=names, timeout=1.0, limit=1))
    except (OperationalError, redis.RedisError, OSError):
        return False


def web_answers(port: int, host: str = LOOPBACK) -> bool:
    """Whether the web server responds without a server error."""
    # http.client and not urllib, which would use a proxy of the environment even for loopback.
    local = {"0.0.0.0": LOOPBACK, "::": "::1"}.get(host, host)  # noqa: S104 - asked, not bound
    connection = http.client.HTTPConnection(local, port, timeout=5)
    try:
        connection.request("GET", "/")
        return connection.getresponse().status < 500
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _log(name: str) -> Path:
    return Path(settings.LAB_LOGS_DIR) / f"{name}.log"


def _environment() -> dict[str, str]:
    """Returns our environment, with the root of the project on the Python path."""
    paths = [str(settings.BASE_DIR), os.environ.get("PYTHONPATH", "")]
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(path for path in paths if path),
        "PYTHONUNBUFFERED": "1",
        "LAB_DATA_DIR": str(settings.LAB_DATA_DIR),
    }
