"""Each service of docker-compose.yml starts in the image's tree and is healthy by its check."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.image import image
from tests.image.pod import Pod

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(1200)]

LIMIT_S = 300
SERVICES: dict[str, Any] = image.services()
OURS: dict[str, str] = {
    key: str(item or "") for key, item in SERVICES["web"]["environment"].items()
}
STATIC = ["python", "manage.py", "collectstatic", "--noinput"]


def check(service: str) -> list[str]:
    """Its health check, as the compose file has it."""
    test: list[str] = SERVICES[service]["healthcheck"]["test"]
    assert test[0] == "CMD"
    return test[1:]


@pytest.fixture(scope="module")
def pod(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pod]:
    """With PostgreSQL and Redis of Debian, healthy, and its database migrated."""
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
    """The container's own start, by hand: a cluster, its user and its database."""
    stated: dict[str, str] = SERVICES["postgres"]["environment"]
    user = stated["POSTGRES_USER"]
    script = (
        f"echo {stated['POSTGRES_PASSWORD']} >/tmp/password && initdb -D /state/pg "
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


def test_web_and_worker_become_healthy_and_find_each_other(pod: Pod) -> None:
    pod.start("web", image.command(), env=OURS)
    pod.start("worker", SERVICES["worker"]["command"], env=OURS)
    pod.healthy("web", check("web"), LIMIT_S)
    pod.healthy("worker", check("worker"), LIMIT_S)
    text = pod.run(["python", "manage.py", "doctor"], env=OURS).stdout
    assert "postgresql, up to date" in text, text
