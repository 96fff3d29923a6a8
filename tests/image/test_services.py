"""The services of docker-compose.yml start in a pod and pass their health checks."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator
from typing import Any

import pytest

from labs.engine.base.wait import until
from labs.engine.distributions.distribution import past_clients
from tests.image import image
from tests.image.pod import Pod

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(1200)]

LIMIT_S = 300
SERVICES: dict[str, Any] = image.services()
ENVIRONMENT: dict[str, str] = {
    key: str(item or "") for key, item in SERVICES["web"]["environment"].items()
}
STATIC = ["python", "manage.py", "collectstatic", "--noinput"]
BROKER = "kafka.Kafka"
_PAST = ("3.1.0", "3.1.1")
_INCIDENT = "http://127.0.0.1:8000/incidents/kafka-13598/"
_START = """
import re, sys, urllib.parse, urllib.request as request
visitor = request.build_opener(request.HTTPCookieProcessor())
page = visitor.open(sys.argv[1]).read().decode()
token = re.search('name="csrfmiddlewaretoken" value="([^"]+)"', page)[1]
form = [("csrfmiddlewaretoken", token), *(("side", side) for side in sys.argv[2:])]
print(visitor.open(sys.argv[1] + "start/", urllib.parse.urlencode(form).encode()).url)
"""
_READ = "import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1]).read().decode())"


def check(service: str) -> list[str]:
    """The health check of a service, from docker-compose.yml."""
    test: list[str] = SERVICES[service]["healthcheck"]["test"]
    assert test[0] == "CMD"
    return test[1:]


@pytest.fixture(scope="module")
def pod(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pod]:
    """A pod with Debian's PostgreSQL and Redis, both healthy, and a migrated database."""
    for release in _PAST:
        past_clients(release)  # the pod has no network; it gets a copy of the cache
    made = Pod(tmp_path_factory.mktemp("pod"))
    try:
        built = made.run(STATIC, user="root", env={"SECRET_KEY": "x" * 60})
        assert built.returncode == 0, built.stdout
        start_postgres(made)
        command = SERVICES["redis"]["command"]
        made.start("redis", command, user="nobody", cwd="/state")
        made.healthy("redis", check("redis"), LIMIT_S)
        migrated = made.run(SERVICES["migrate"]["command"], env=ENVIRONMENT)
        assert migrated.returncode == 0, migrated.stdout
        yield made
    finally:
        made.close()


def start_postgres(pod: Pod) -> None:
    """Starts PostgreSQL as its container does: with a cluster, a user and a database.

    The container has a UTF-8 locale; without one a cluster would accept only ASCII.
    """
    stated: dict[str, str] = SERVICES["postgres"]["environment"]
    user = stated["POSTGRES_USER"]
    script = (
        f"echo {stated['POSTGRES_PASSWORD']} >/tmp/password && initdb -D /state/pg --encoding UTF8 "
        f"--username {user} --pwfile /tmp/password --auth-host scram-sha-256 --auth-local trust"
    )
    made = pod.run(["sh", "-c", script], user="postgres", cwd="/state")
    assert made.returncode == 0, made.stdout
    server = ["postgres", "-D", "/state/pg", "-k", "/run/postgresql"]
    pod.start("postgres", server, user="postgres", cwd="/state")
    pod.healthy("postgres", ["pg_isready", "--username", user], LIMIT_S)
    create_database = [
        "createdb",
        "--username",
        user,
        "-h",
        "/run/postgresql",
        stated["POSTGRES_DB"],
    ]
    assert pod.run(create_database, user="postgres", cwd="/state").returncode == 0
    pod.healthy("postgres", check("postgres"), LIMIT_S)


def test_the_user_of_the_image_may_write_data_and_cache_and_not_code(pod: Pod) -> None:
    for folder, writable in (("/app", False), ("/venv", False), ("/srv/static", False),
                        ("/data", True), ("/cache", True)):  # fmt: skip
        touched = pod.run(["touch", f"{folder}/written"])
        assert (touched.returncode == 0) is writable, folder
    assert pod.run(["ls", "/data"], user="nobody").returncode != 0


@pytest.fixture(scope="module")
def site(pod: Pod) -> Pod:
    """The pod with web and worker, healthy."""
    pod.start("web", image.command(), env=ENVIRONMENT)
    pod.healthy("web", check("web"), LIMIT_S)
    start_worker(pod)
    return pod


def start_worker(pod: Pod) -> None:
    pod.start("worker", SERVICES["worker"]["command"], env=ENVIRONMENT | {"LAB_WARM_POOL": "no"})
    pod.healthy("worker", check("worker"), LIMIT_S)


def test_web_and_worker_become_healthy_and_use_postgresql(site: Pod) -> None:
    text = site.run(["python", "manage.py", "doctor"], env=ENVIRONMENT).stdout
    assert "postgresql, up to date" in text, text


def test_an_incident_is_played_on_past_releases_from_its_page(site: Pod) -> None:
    address = start_play(site, "affected", "fixed")
    until(lambda: "Play it again" in read(site, address), LIMIT_S, "the play does not end")
    counts = re.findall(r"<dd>(\d+) of (\d+)</dd>", read(site, address))
    (harmed, of), (without, _) = ((int(number), int(of)) for number, of in counts)
    assert 0 < harmed <= of
    assert without == 0
    until(lambda: not site.processes(BROKER), LIMIT_S, "brokers outlive their play")


def test_the_brokers_of_a_play_end_when_the_worker_is_killed(site: Pod) -> None:
    start_play(site, "affected")
    until(lambda: bool(site.processes(BROKER)), LIMIT_S, "no broker was started")
    _, worker, *_ = site.processes("celery")  # the first one is nsenter
    os.kill(worker, signal.SIGKILL)
    until(lambda: not site.processes(BROKER), LIMIT_S, "brokers outlive their worker")
    start_worker(site)  # as a container engine would, for the next test


def start_play(pod: Pod, *sides: str) -> str:
    """Starts a play as a visitor does, and returns its address."""
    answer = pod.run(["python", "-c", _START, _INCIDENT, *sides])
    assert answer.returncode == 0, answer.stdout
    return answer.stdout.strip()


def read(pod: Pod, address: str) -> str:
    return pod.run(["python", "-c", _READ, address]).stdout
