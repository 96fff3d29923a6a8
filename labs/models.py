"""Experiments, their arms, and how far a visitor is in a lesson.

The database is the truth about an experiment; Redis only carries a nudge to look at it. So
every change of state is a compare-and-set on `state`, `attempt` and `owner`
(`labs/runs/lifecycle.py`), and nothing else writes these columns.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from labs.engine.plan.spec import ExperimentSpec
from labs.engine.run.result import JUDGED
from labs.incidents.runner import PlaySpec
from labs.lessons.classroom import LONGEST_NICKNAME, OPEN_FOR, Place, Stage

_ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"
_SLUG_LENGTH = 10
"""31 letters, 10 places: 49 bits, so a permalink is as good as a secret between its readers."""


def new_slug() -> str:
    """An unguessable name without letters that are easily mistaken for others."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(_SLUG_LENGTH))


def settings_key(values: Any) -> str:
    """The same short text for the same settings, however they are ordered."""
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:32]


class State(models.TextChoices):
    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    INTERRUPTED = "interrupted"
    CANCELLED = "cancelled"


LIVE = (State.QUEUED, State.RUNNING)
"""The states that change by themselves; every other is an end."""


class Series(models.Model):
    """One scenario and one pipeline on release after release: the time machine of the web.

    `releases` are those that were asked for, oldest first. With `bisect` only those are run that
    show where the verdict changed, and then patch releases besides. `conditions` has the fields of
    `labs.runs.conditions.Conditions`. `impossible` says of releases why nothing can be staged
    there. What ran are its experiments, a release each, and the verdicts are theirs. `ended_at`
    is null as long as runs are still added; `reason` says why none is any more, if that is not
    because all are there. `labs/runs/series.py` alone writes it.
    """

    slug = models.CharField(max_length=16, unique=True, default=new_slug, editable=False)
    pipeline = models.CharField(max_length=16, db_index=True)
    scenario = models.CharField(max_length=64)
    seed = models.BigIntegerField()
    releases = models.JSONField()
    bisect = models.BooleanField(default=True)
    conditions = models.JSONField(default=dict)
    impossible = models.JSONField(default=dict)
    visitor = models.CharField(max_length=40, blank=True, default="", db_index=True)
    address = models.CharField(max_length=64, blank=True, default="")
    created_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True, db_index=True)
    reason = models.TextField(blank=True, default="")

    class Meta:
        ordering = ("-created_at", "-pk")

    def __str__(self) -> str:
        return f"{self.slug} ({self.scenario})"

    def get_absolute_url(self) -> str:
        return reverse("labs:series", args=[self.slug])

    @property
    def is_live(self) -> bool:
        """Whether its page can still change by itself."""
        return self.ended_at is None or any(run.is_live for run in self.experiments.all())


class Experiment(models.Model):
    """Arms under one fault schedule: what was asked, and how far it has come.

    With `is_incident` it is a play of an incident, whose address is `scenario`: its arms are the
    sides, and what was seen is in their results. A play has no verdict, no seed and no ledger.

    `attempt` counts how often it was put into the queue. `owner` is the token of the worker
    that claimed the attempt, `heartbeat_at` its last sign of life; both are empty unless it
    runs. `visitor` is the key of who started it, `address` a
    mark of where it came from (`labs.runs.visitors`); both are empty if a command did.
    `nudged_at` is when a task was last handed to Redis, null if Redis did not take it.
    `pruned_at` is when its ledgers were removed (`labs/runs/pruning.py`). One of a `series` has one
    arm, on one release of those that are compared.
    """

    slug = models.CharField(max_length=16, unique=True, default=new_slug, editable=False)
    pipeline = models.CharField(max_length=16, blank=True, default="", db_index=True)
    lesson = models.CharField(max_length=64, blank=True, default="")
    visitor = models.CharField(max_length=40, blank=True, default="", db_index=True)
    address = models.CharField(max_length=64, blank=True, default="", db_index=True)
    scenario = models.CharField(max_length=64)
    is_incident = models.BooleanField(default=False)
    seed = models.BigIntegerField()
    kafka = models.CharField(max_length=16)
    spec = models.JSONField()
    series = models.ForeignKey(
        Series, null=True, blank=True, on_delete=models.SET_NULL, related_name="experiments"
    )

    state = models.CharField(max_length=12, choices=State.choices, default=State.QUEUED)
    attempt = models.PositiveIntegerField(default=1)
    owner = models.CharField(max_length=64, blank=True, default="")
    reason = models.TextField(blank=True, default="")

    created_at = models.DateTimeField(auto_now_add=True)
    queued_at = models.DateTimeField()
    nudged_at = models.DateTimeField(null=True, blank=True)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    pruned_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-created_at", "-pk")
        indexes = (models.Index(fields=("state", "queued_at")),)
        constraints = (
            models.CheckConstraint(condition=Q(state__in=State.values), name="experiment_state"),
            models.CheckConstraint(condition=Q(attempt__gte=1), name="experiment_attempt"),
            models.CheckConstraint(
                condition=~Q(state=State.RUNNING)
                | (~Q(owner="") & Q(heartbeat_at__isnull=False) & Q(started_at__isnull=False)),
                name="experiment_running_has_owner",
            ),
            models.CheckConstraint(
                condition=Q(state__in=LIVE) | Q(ended_at__isnull=False),
                name="experiment_end_has_time",
            ),
        )

    def __str__(self) -> str:
        return f"{self.slug} ({self.scenario}, {self.state})"

    def get_absolute_url(self) -> str:
        if self.is_incident:
            return reverse("labs:incident-play", args=[self.scenario, self.slug])
        return reverse("labs:experiment", args=[self.slug])

    @property
    def is_live(self) -> bool:
        return self.state in LIVE

    @property
    def folder(self) -> Path:
        """Where this attempt keeps its ledgers; another attempt has another folder."""
        return Path(settings.LAB_RUNS_DIR) / self.slug / str(self.attempt)

    @property
    def releases(self) -> str:
        """The releases of its brokers, in words: `4.3.1`, or `3.9.2 and 4.3.1`."""
        return " and ".join(dict.fromkeys(map(self.release, self._arms))) or self.kafka

    def release(self, arm: str) -> str:
        """The release of the brokers of one arm."""
        return self._arms.get(arm) or self.kafka

    @property
    def _arms(self) -> dict[str, str | None]:
        """Each arm, with the release of its brokers where it has its own."""
        return {arm["name"]: arm.get("kafka") for arm in self.spec.get("arms", ())}

    def request(self) -> ExperimentSpec:
        """What the runner is asked to do, where it is no play."""
        return ExperimentSpec.from_json(json.dumps(self.spec))

    def play(self) -> PlaySpec:
        """What the runner is asked to do, where it is a play of an incident."""
        return PlaySpec.from_json(json.dumps(self.spec))


class Run(models.Model):
    """One arm of an experiment. `live` and `samples` are for watching; `result` is what counts."""

    experiment = models.ForeignKey(Experiment, on_delete=models.CASCADE, related_name="runs")
    name = models.CharField(max_length=64)
    position = models.PositiveSmallIntegerField()
    guarantee = models.CharField(max_length=16, default="none")
    want = models.CharField(max_length=16, blank=True, default="")
    settings = models.JSONField()
    settings_key = models.CharField(max_length=32, db_index=True)

    phase = models.CharField(max_length=16, blank=True, default="")
    live = models.JSONField(default=dict)
    samples = models.JSONField(default=list)
    faults = models.JSONField(default=list)
    verdict = models.CharField(max_length=8, blank=True, default="")
    result = models.JSONField(default=dict)

    class Meta:
        ordering = ("position",)
        constraints = (
            models.UniqueConstraint(fields=("experiment", "name"), name="run_name"),
            models.UniqueConstraint(fields=("experiment", "position"), name="run_position"),
            models.CheckConstraint(
                condition=Q(verdict__in=("", "holds", "broken", "unknown")), name="run_verdict"
            ),
        )

    def __str__(self) -> str:
        return f"{self.experiment_id}/{self.name}"

    @property
    def ledger(self) -> Path:
        """The folder of the ledger's tables, as `labs.engine.run.keeper` lays it out."""
        return self.experiment.folder / self.name / "ledger"

    @property
    def release(self) -> str:
        """The release of its brokers."""
        return self.experiment.release(self.name)

    @property
    def judged(self) -> bool:
        """Whether it came to a verdict; what was counted in any other run is no evidence."""
        return self.verdict in JUDGED

    @property
    def counts(self) -> Mapping[str, int | None]:
        """What a run that was judged counted; empty of any other."""
        return (self.result.get("counts") or {}) if self.judged else {}


class Worker(models.Model):
    """A worker process; `beat` is counted on while it lives (`labs/runs/presence.py`)."""

    name = models.CharField(max_length=64, unique=True)
    beat = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return self.name


class Trial(models.Model):
    """The claim of the advisor that an experiment of `manage.py calibrate` checks.

    Its arms are the pipelines of an edge (`labs.calibration.edges`): they differ in one setting,
    and `event` permits different anomalies on either side. `pipelines` has what
    `advisor.reasoning.serial` writes, by arm; predictions are computed from it, not stored. `code`
    is the fingerprint of what ran (`labs.calibration.fingerprint`), empty in old rows.
    """

    experiment = models.OneToOneField(Experiment, on_delete=models.CASCADE, related_name="trial")
    event = models.CharField(max_length=64)
    component = models.CharField(max_length=16)
    setting = models.CharField(max_length=64)
    pipelines = models.JSONField()
    code = models.JSONField(default=dict)

    def __str__(self) -> str:
        return f"{self.event}: {self.component}.{self.setting}"

    def label(self, arm: str) -> str:
        """How a side is called: the setting in which it differs, and its value."""
        if self.setting == "kafka":  # the line of the brokers, which no setting is
            return f"Kafka {self.pipelines[arm]['kafka']}"
        value = self.pipelines[arm]["settings"][self.component][self.setting]
        return f"{self.setting}={json.dumps(value) if isinstance(value, bool) else value}"


class Progress(models.Model):
    """How far one visitor (`labs.runs.visitors.key`) is in one lesson.

    `prediction` has the `answer` and the `confidence` of each prediction; `turn` the `choice` of
    the visitor's turn and what was predicted of it, for the run `turn_experiment`; `answers` the
    place of the answer that was given to each question; `reviews` when what was wrong was last
    asked, and how often it was right since (`labs.pages.lessons.review`). A reset keeps the row
    with `reset_at`, so that it can be undone.
    """

    visitor = models.CharField(max_length=40, db_index=True)
    lesson = models.CharField(max_length=64)
    step = models.CharField(max_length=16, default="story")
    prediction = models.JSONField(default=dict)
    experiment = models.ForeignKey(
        Experiment, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    turn = models.JSONField(default=dict)
    turn_experiment = models.ForeignKey(
        Experiment, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    answers = models.JSONField(default=dict)
    reviews = models.JSONField(default=dict)
    reset_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("visitor", "lesson"),
                condition=Q(reset_at__isnull=True),
                name="progress_one_current",
            ),
        )

    def __str__(self) -> str:
        return f"{self.lesson}: {self.step}"

    @property
    def is_bare(self) -> bool:
        """Whether it holds nothing but the step that was reached."""
        return not (self.prediction or self.experiment_id or self.turn or self.answers)

    def put_aside(self) -> None:
        """Keeps the row so that it can be brought back; one that is bare is deleted."""
        if self.is_bare:
            self.delete()
        else:
            self.reset_at = timezone.now()
            self.save(update_fields=["reset_at"])


def new_code() -> str:
    """The code of a class room: 8 letters and digits that are easy to read aloud, 40 bits."""
    return new_slug()[:8]


class Classroom(models.Model):
    """A class that goes through a lab together, on one run; `labs.lessons.classroom` has the rules.

    `teacher` is the key of the visitor who opened it, `address` the mark of where that came from.
    `version` counts the changes to everybody's page, `touches` what the pupils do: a browser that
    has seen both gets the answer that nothing is new.
    """

    code = models.CharField(max_length=8, unique=True, default=new_code, editable=False)
    lesson = models.CharField(max_length=64)
    teacher = models.CharField(max_length=40)
    address = models.CharField(max_length=64, blank=True, default="")
    stage = models.CharField(max_length=12, default=Stage.PREDICT.value)
    question = models.PositiveSmallIntegerField(default=0)
    revealed = models.BooleanField(default=False)
    experiment = models.ForeignKey(
        Experiment, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    version = models.PositiveIntegerField(default=0)
    touches = models.PositiveIntegerField(default=0)
    opened_at = models.DateTimeField(default=timezone.now, db_index=True)
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=Q(stage__in=[item.value for item in Stage]), name="classroom_stage"
            ),
        )

    def __str__(self) -> str:
        return f"{self.code}: {self.lesson}, {self.stage}"

    def get_absolute_url(self) -> str:
        return reverse("labs:class-room", args=[self.code])

    @property
    def place(self) -> Place:
        """Where the class is."""
        return Place(Stage(self.stage), self.question, self.revealed)

    @property
    def is_open(self) -> bool:
        """Whether anything can still be done in it."""
        return self.closed_at is None and timezone.now() < self.opened_at + OPEN_FOR


class Pupil(models.Model):
    """One browser in a class room. `prediction` and `answers` are as in `Progress`."""

    classroom = models.ForeignKey(Classroom, on_delete=models.CASCADE, related_name="pupils")
    visitor = models.CharField(max_length=40)
    nickname = models.CharField(max_length=LONGEST_NICKNAME)
    name_key = models.CharField(max_length=8 * LONGEST_NICKNAME)
    prediction = models.JSONField(default=dict)
    answers = models.JSONField(default=dict)

    class Meta:
        ordering = ("pk",)
        constraints = (
            models.UniqueConstraint(fields=("classroom", "visitor"), name="pupil_browser"),
            models.UniqueConstraint(fields=("classroom", "name_key"), name="pupil_nickname"),
        )

    def __str__(self) -> str:
        return self.nickname


class Attempt(models.Model):
    """One try of one visitor (`labs.runs.visitors.key`) at a challenge.

    `levers` are the settings as they were typed, `day` the date whose schedule was played. In a
    case of forensics `answer` has the `cause`, the `message` and whether the ledger shows the harm
    in it (`harmed`). The grade is not stored: it follows from the run.
    """

    slug = models.CharField(max_length=16, unique=True, default=new_slug, editable=False)
    visitor = models.CharField(max_length=40, db_index=True)
    challenge = models.CharField(max_length=64)
    levers = models.JSONField(default=dict)
    day = models.DateField(null=True, blank=True)
    experiment = models.ForeignKey(
        Experiment, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    answer = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-created_at", "-pk")

    def __str__(self) -> str:
        return f"{self.slug} ({self.challenge})"


class GivenUp(models.Model):
    """A challenge whose optimum a visitor (`labs.runs.visitors.key`) asked to see unsolved."""

    visitor = models.CharField(max_length=40)
    challenge = models.CharField(max_length=64)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("visitor", "challenge"), name="given_up_once"),
        )

    def __str__(self) -> str:
        return f"{self.challenge}, given up"
