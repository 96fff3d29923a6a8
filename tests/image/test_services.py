"""Each service of docker-compose.yml starts in the image's tree and is healthy by its check."""

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
OURS: dict[str, str] = {
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
    """Its health check, as the compose file has it."""
    test: list[str] = SERVICES[service]["healthcheck"]["test"]
    assert test[0] == "CMD"
    return test[1:]


@pytest.fixture(scope="module")
def pod(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pod]:
    """With PostgreSQL and Redis of Debian, healthy, and its database migrated."""
    for release in _PAST:
        past_clients(release)  # the pod has no network, and gets the cache as it is
    made = Pod(tmp_path_factory.mktemp("pod"))
    try:
        built = made.run(STATIC, user="root", env={"SECRET_KEY": "x" * 60})
        assert built.returncode == 0, built.stdout
        postgres(made)
        command = SERVICES["redis"]["command"]
        made.start("redis", command, user="nobody", cwd="/state")
        made.healthy("redis", check("redis"), LIMIT_S)
        migrated = made.run(SERVICES["migrate"]["command"], env=OURS)
        assert migrated.returncode == 0, migrated.stdout
        yield made
    finally:
        made.close()


def postgres(pod: Pod) -> None:
    """The container's own start, by hand: a cluster, its user and its database.

    The container has a locale of UTF-8; without one a cluster takes ASCII only.
    """
    stated: dict[str, str] = SERVICES["postgres"]["environment"]
    user = stated["POSTGRES_USER"]
    script = (
        f"echo {stated['POSTGRES_PASSWORD']} >/tmp/password && initdb -D /state/pg --encoding UTF8 "
        f"--username {user} --pwfile /tmp/password --auth-host scram-sha-256 --auth-local trust"
    )
    made = pod.run(["sh", "-c", script], user="postgres", cwd="/state")
    assert made.returncode == 0, made.stdout
    served = ["postgres", "-D", "/state/pg", "-k", "/run/postgresql"]
    pod.start("postgres", served, user="postgres", cwd="/state")
    pod.healthy("postgres", ["pg_isready", "--username", user], LIMIT_S)
    begun = ["createdb", "--username", user, "-h", "/run/postgresql", stated["POSTGRES_DB"]]
    assert pod.run(begun, user="postgres", cwd="/state").returncode == 0
    pod.healthy("postgres", check("postgres"), LIMIT_S)


def test_the_user_of_the_image_may_write_data_and_cache_and_no_code(pod: Pod) -> None:
    for folder, may in (("/app", False), ("/venv", False), ("/srv/static", False),
                        ("/data", True), ("/cache", True)):  # fmt: skip
        tried = pod.run(["touch", f"{folder}/written"])
        assert (tried.returncode == 0) is may, folder
    assert pod.run(["ls", "/data"], user="nobody").returncode != 0


@pytest.fixture(scope="module")
def site(pod: Pod) -> Pod:
    """The pod with web and worker, healthy."""
    pod.start("web", image.command(), env=OURS)
    pod.healthy("web", check("web"), LIMIT_S)
    work(pod)
    return pod


def work(pod: Pod) -> None:
    pod.start("worker", SERVICES["worker"]["command"], env=OURS | {"LAB_WARM_POOL": "no"})
    pod.healthy("worker", check("worker"), LIMIT_S)


def test_web_and_worker_become_healthy_and_find_each_other(site: Pod) -> None:
    text = site.run(["python", "manage.py", "doctor"], env=OURS).stdout
    assert "postgresql, up to date" in text, text


def test_an_incident_is_played_from_the_web_on_releases_of_the_past(site: Pod) -> None:
    address = started(site, "affected", "fixed")
    until(lambda: "Play it again" in read(site, address), LIMIT_S, "the play does not end")
    counts = re.findall(r"<dd>(\d+) of (\d+)</dd>", read(site, address))
    (harmed, of), (without, _) = ((int(number), int(of)) for number, of in counts)
    assert 0 < harmed <= of
    assert without == 0
    until(lambda: not site.processes(BROKER), LIMIT_S, "brokers outlive their play")


def test_brokers_of_a_play_end_with_a_worker_that_is_killed(site: Pod) -> None:
    started(site, "affected")
    until(lambda: bool(site.processes(BROKER)), LIMIT_S, "no broker was started")
    _, worker, *_ = site.processes("celery")  # the first let it in
    os.kill(worker, signal.SIGKILL)
    until(lambda: not site.processes(BROKER), LIMIT_S, "brokers outlive their worker")
    work(site)  # as the engine does it, for the test that is next


def started(pod: Pod, *sides: str) -> str:
    """Starts a play as a visitor does; its address."""
    answer = pod.run(["python", "-c", _START, _INCIDENT, *sides])
    assert answer.returncode == 0, answer.stdout
    return answer.stdout.strip()


def read(pod: Pod, address: str) -> str:
    return pod.run(["python", "-c", _READ, address]).stdout
