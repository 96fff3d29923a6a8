"""Everything that the image is built from exists and is not excluded by .dockerignore."""

from __future__ import annotations

import importlib.util
import re

from labs.calibration import lines
from tests.house.files import ROOT, name
from tests.image import image


def test_every_path_that_is_copied_exists_and_is_not_ignored() -> None:
    copied = [rest.split()[0] for word, rest in image.instructions() if word == "COPY"]
    sources = [source for source in copied if not source.startswith(("--", "."))]
    assert "config/locks/app.txt" in sources
    for source in sources:
        assert (ROOT / source).exists(), source
        assert not image.ignored(source), source


def test_the_image_has_the_programs_and_not_the_tests() -> None:
    inside = set(image.content())
    assert {"manage.py", "docker-compose.yml", "config/web.py", "spark_jobs/verify.py"} <= inside
    assert not [name for name in inside if name.startswith(("tests/", ".git/", ".venv/", "var/"))]
    for package in ("advisor", "config", "labs", "spark_jobs", "templates"):
        package_files = {name(path) for path in (ROOT / package).rglob("*.py")}
        assert package_files <= inside


def test_records_that_pages_show_are_in_the_image() -> None:
    for record in (lines.RECORD, ROOT / "labs/calibration/record/explore.jsonl"):
        assert record.is_file()
        assert name(record) in image.content()


def test_every_module_that_is_started_exists() -> None:
    text = " ".join(rest for _, rest in image.instructions()) + str(image.services())
    modules = re.findall(r"-m[\s',\"]+([a-z_]+(?:\.\w+)+)", text)
    assert {"labs.engine.cluster.prepare", "config.web"} <= {*modules}
    for module in modules:
        assert importlib.util.find_spec(module), module


def test_the_user_of_the_image_is_unprivileged_and_owns_only_data_and_cache() -> None:
    (run,) = (rest for word, rest in image.last_stage() if word == "RUN")
    assert "useradd --create-home --uid 10001 lab" in run
    assert "--owner lab --group lab --mode 700 /data" in run
    owned = [rest.split()[-1] for word, rest in image.last_stage() if "--chown=lab" in rest]
    assert owned == ["/cache"]
    assert ("USER", "lab") in image.last_stage()
