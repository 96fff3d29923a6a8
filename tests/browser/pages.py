"""The pages of the layout and picture tests, with fixed data, in each of their states."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page

from advisor import services
from labs.challenges import all_challenges
from labs.incidents import all_incidents
from labs.lessons import all_lessons
from labs.models import State
from labs.runs import plays
from tests.advisor.answers import RISKY
from tests.advisor.pipelines import described
from tests.browser.visited import VISITED
from tests.engine import histories
from tests.labs import make, watched


def _advice() -> str:
    return f"/pipelines/{services.save(described(RISKY)).slug}/"


def _run_page(state: State, *verdicts: str, suffix: str = "") -> Callable[[], str]:
    return lambda: make.experiment(state, *verdicts).get_absolute_url() + suffix


def _three_arms() -> str:
    experiment = make.experiment(State.DONE, "broken", "holds")
    make.run(experiment, 2, "third", "holds", make.SETTINGS)
    return experiment.get_absolute_url()


def _comparison() -> str:
    first, second = (make.experiment(State.DONE, "broken", "holds") for _ in range(2))
    return f"{first.get_absolute_url()}compare/?with={second.slug}"


def _experiment_list() -> str:
    make.one_in_each_state()
    return "/experiments/"


def _incident_play() -> str:
    first = all_incidents()[0]
    return f"/incidents/{first.slug}/plays/{plays.start(first, list(first.releases)).slug}/"


def _series(index: int) -> str:
    """The address of one of three series: a finished one, a cancelled one and a running one."""
    pipeline = str(services.save(described(RISKY)).slug)
    return make.series_in_each_state(pipeline)[index].get_absolute_url()


def _message() -> str:
    return f"{make.recorded().get_absolute_url()}described/message/?value={histories.LOST}"


LESSON = all_lessons()[0].name

PAGES: dict[str, Callable[[], str]] = {
    "home": lambda: "/",
    "describe": lambda: "/describe/producer/",
    "from-files": lambda: "/describe/from-files/",
    "advice": _advice,
    "report": lambda: f"{_advice()}report/",
    "reasons": lambda: f"{_advice()}reasons/",
    "settings": lambda: f"{_advice()}settings/",
    "waiting": _run_page(State.QUEUED),
    "running": lambda: watched.experiment(4.0).get_absolute_url(),
    "done": _run_page(State.DONE, "broken", "holds"),
    "done-unknown": _run_page(State.DONE, "unknown", "holds"),
    "three-arms": _three_arms,
    "replay": lambda: make.recorded().get_absolute_url(),
    "failed": _run_page(State.FAILED),
    "interrupted": _run_page(State.INTERRUPTED),
    "cancelled": _run_page(State.CANCELLED),
    "experiments-empty": lambda: "/experiments/",
    "experiments": _experiment_list,
    "compare-empty": _run_page(State.DONE, "broken", "holds", suffix="compare/"),
    "compare": _comparison,
    "repetitions": _run_page(State.DONE, "broken", "holds", suffix="repetitions/"),
    "repetitions-failed": _run_page(State.FAILED, suffix="repetitions/"),
    "message": _message,
    "scenarios": lambda: "/scenarios/?harm=lost_write&layer=spark",
    "scenarios-shown": lambda: "/scenarios/?harm=effect_duplicated&layer=spark",
    "toy": lambda: "/toy/",
    "lessons": lambda: "/learn/",
    "lesson": lambda: f"/learn/{LESSON}/story/",
    "lesson-run": lambda: f"/learn/{LESSON}/run/",
    "challenge": lambda: f"/challenges/{all_challenges()[0].name}/",
    "class": lambda: "/class/",
    "class-room": lambda: f"/class/{make.rooms()[0].code}/",
    "incidents": lambda: "/incidents/",
    "incident": lambda: f"/incidents/{all_incidents()[0].slug}/",
    "incident-waiting": _incident_play,
    "evidence-failure": lambda: "/evidence/failures/leader-killed/",
    "lines": lambda: "/evidence/lines/",
    "series": lambda: _series(0),
    "series-cancelled": lambda: _series(1),
    "series-running": lambda: _series(2),
    "concepts": lambda: "/concepts/",
    "concept": lambda: "/concepts/high-watermark/",
    "reference": lambda: "/reference/",
    "setting": lambda: "/reference/settings/producer/acks/",
    "rule": lambda: "/reference/rules/P001/",
    "failure": lambda: "/reference/failures/leader-killed/",
    "sign-in": lambda: "/account/sign-in/",
    "missing": lambda: "/nothing-here/",
}
"""By the name of each page, a function that creates it and returns its address."""

ALL_PAGES = (*PAGES, *VISITED)
"""The names of these pages and of those that need actions of a visitor."""


def opened(page: Page, name: str) -> str:
    """Opens one of the pages and returns its address."""
    address = VISITED[name](page) if name in VISITED else PAGES[name]()
    page.goto(address)
    wait_until_drawn(page, name)
    return address


def wait_until_drawn(page: Page, name: str) -> None:
    """Waits until scripts have drawn the page and its fonts are loaded."""
    if name in {"replay", "lesson-done"}:
        page.locator("[data-chart] canvas").first.wait_for()
    if name == "home":
        page.locator("[data-stage]").wait_for()
    if name == "toy":
        page.get_by_role("button", name="Kill the leader").wait_for()
    page.evaluate("document.fonts.ready.then(() => true)")
