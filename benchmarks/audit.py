"""The findings of bandit in the code and of pip-audit in the locks: `python -m benchmarks.audit`.

Reviewed findings are in `TRIAGED` with the reason why they are accepted. Exit code 1 if there is
another one, if one of these no longer exists, or if a locked release has a known vulnerability. If
the service of pip-audit cannot be reached, this is printed, and nothing is claimed.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
CODE = ("advisor", "config", "labs", "spark_jobs", "manage.py")
LOCKS = ("app", "java", "redis")

EVERYWHERE = {
    "B404": "the product starts processes: brokers, Spark, clients",
    "B603": "each process gets a list of arguments, never a shell line",
}
TRIAGED: Mapping[tuple[str, str], str] = {
    ("advisor/catalog/texts.py", "B108"): "folders that are recognized in what a team states",
    ("advisor/pages/concept_views.py", "B308"): "texts and drawings of our own files",
    ("advisor/pages/concept_views.py", "B703"): "texts and drawings of our own files",
    ("advisor/intake/deployments/compose/disks.py", "B108"): "a folder that a team's container has",
    ("advisor/intake/deployments/compose/volumes.py", "B108"): "folders of a team's container",
    ("advisor/reasoning/rules/streams_state_in_tmp.py", "B108"): "Kafka Streams' own default",
    ("config/services.py", "B104"): "an address to connect to, not to bind",
    (
        "labs/calibration/draw.py",
        "B311",
    ): "seeded, to be repeatable; nothing is secret",
    (
        "labs/calibration/edges.py",
        "B311",
    ): "seeded, to be repeatable; nothing is secret",
    (
        "labs/engine/scenarios/model.py",
        "B311",
    ): "seeded, to be repeatable; nothing is secret",
    ("labs/maintenance/ivy.py", "B406"): "`quoteattr` writes XML; nothing is parsed",
    (
        "labs/maintenance/trust.py",
        "B105",
    ): "Java wants a password for a public list of names",
    ("labs/lessons/drawing.py", "B405"): "reads drawings of our own files",
    ("labs/lessons/drawing.py", "B314"): "reads drawings of our own files",
    ("labs/pages/classes/pages.py", "B308"): "made by our own templates, which escape",
    ("labs/pages/classes/pages.py", "B703"): "made by our own templates, which escape",
    ("labs/pages/incidents/views.py", "B703"): "a text of our own files, in which HTML is escaped",
    ("labs/pages/lessons/pages.py", "B308"): "texts of our own files, with counts of a run",
    ("labs/pages/lessons/pages.py", "B703"): "texts of our own files, with counts of a run",
    ("advisor/templatetags/refer.py", "B703"): "made of `format_html`, which escapes each part",
    (
        "labs/pages/experiments/offline.py",
        "B308",
    ): "our own files, and JSON without a `<`",
    (
        "labs/pages/experiments/offline.py",
        "B703",
    ): "our own files, and JSON without a `<`",
    ("labs/templatetags/labs_tags.py", "B308"): "a constant",
    ("spark_jobs", "B608"): "SQL of its own words and of numbers; paths go through Spark's reader",
}
"""File or folder and bandit's number → the reason why the finding is accepted."""


def bandit() -> list[dict[str, Any]]:
    """All findings of bandit, of any severity. Raises `CalledProcessError` if it fails."""
    arguments = ["-m", "bandit", "-q", "-f", "json", "--exit-zero", "-r", *CODE]
    process = subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, check=True
    )
    data: list[dict[str, Any]] = json.loads(process.stdout)["results"]
    return data


def untriaged(results: list[dict[str, Any]]) -> Iterator[str]:
    """Yields a line for each finding that was not reviewed, and for each unused reason."""
    needed = set()
    for row in results:
        file, number = row["filename"].removeprefix("./"), row["test_id"]
        reasons = {key for key in TRIAGED if file.startswith(key[0]) and key[1] == number}
        needed |= reasons
        if not reasons and number not in EVERYWHERE:
            yield f"{file}:{row['line_number']}: {number} {row['issue_text']}"
    for file, number in TRIAGED.keys() - needed:
        yield f"{file}: {number} is not found any more: remove its reason from TRIAGED"


def audited(lock: str) -> tuple[int, list[str]]:
    """The number of a lock's releases that pip-audit knows, and their vulnerabilities."""
    arguments = ["-m", "pip_audit", "--disable-pip", "--require-hashes", "--format", "json"]
    process = subprocess.run(
        [sys.executable, *arguments, "-r", f"config/locks/{lock}.txt"],
        cwd=ROOT, capture_output=True, text=True,
    )  # fmt: skip
    try:
        releases = json.loads(process.stdout)["dependencies"]
    except ValueError:  # the error is on standard error: the service was not reached
        return 0, []
    wrong = [
        f"{lock}: {release['name']} {release['version']}: {vulnerability['id']}, "
        f"fixed in {vulnerability['fix_versions']}"
        for release in releases
        for vulnerability in release.get("vulns", ())
    ]
    return sum("vulns" in release for release in releases), wrong


def main() -> int:
    results = bandit()
    lines = list(untriaged(results))
    print(f"bandit: {len(results)} findings, {len(lines)} to be looked at")
    for lock in LOCKS:
        count, wrong = audited(lock)
        lines += wrong
        if count:
            print(f"pip-audit: {count} releases of {lock}, {len(wrong)} with a vulnerability")
        else:
            print(f"pip-audit: its service did not answer for {lock}: not audited")
    for line in lines:
        print(line)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
