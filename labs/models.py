"""Experiments with their arms, and the progress of visitors.

The database has the state of an experiment; Redis only transports a nudge to read it. So
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
"""10 of 31 characters: 49 bits, so a permalink cannot be guessed."""


def new_slug() -> str:
    """Returns an unguessable name without characters that are easily confused."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(_SLUG_LENGTH))


def settings_key(values: Any) -> str:
    """Returns a hash of settings that does not depend on their order."""
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:32]


class State(models.TextChoices):
    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    INTERRUPTED = "interrupted"
    CANCELLED = "cancelled"


LIVE = (State.QUEUED, State.RUNNING)
"""The states that change by themselves; all others are final."""


class Series(models.Model):
    """One scenario and one pipeline on several releases: the time machine of the web.

    `releases` are the requested ones, oldest first. With `bisect`, only those are run that show
    where the verdict changed, and then patch releases. `conditions` has the fields of
    `labs.runs.conditions.Conditions`. `impossible` maps releases to the reason why nothing can be
    staged on them. Its experiments, one per release, have the verdicts. `ended_at` is null as long
    as runs are added; `reason` is why the series ended before it was complete. Only
    `labs/runs/series.py` writes it.
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
    """Arms under one fault schedule: the request and its state.

    With `is_incident`, it is a play of an incident, whose slug is `scenario`. Its arms are the
    sides, and their results have the observations. A play has no verdict, no seed and no ledger.

    `attempt` is the number of times that it was queued. `owner` is the token of the worker
    that claimed the attempt, `heartbeat_at` the time of its last heartbeat; both are empty
    unless it is running. `visitor` is the key of the visitor who started it, `address` a hash of
    their address (`labs.runs.visitors`); both are empty if a command did. `nudged_at` is the time
    of the last task that Redis accepted. `pruned_at` is the time when its ledgers were removed
    (`labs/runs/pruning.py`). An experiment of a `series` has one arm, on one of its releases.
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
        """The folder of the ledgers of this attempt."""
        return Path(settings.LAB_RUNS_DIR) / self.slug / str(self.attempt)

    @property
    def releases(self) -> str:
        """The releases of its brokers, in words: `4.3.1`, or `3.9.2 and 4.3.1`."""
        return " and ".join(dict.fromkeys(map(self.release, self._arms))) or self.kafka

    def release(self, arm: str) -> str:
        """Returns the release of the brokers of one arm."""
        return self._arms.get(arm) or self.kafka

    @property
    def _arms(self) -> dict[str, str | None]:
        """The arms by name, with the release of their brokers if it differs from `kafka`."""
        return {arm["name"]: arm.get("kafka") for arm in self.spec.get("arms", ())}

    def request(self) -> ExperimentSpec:
        """Returns the request to the runner of an experiment that is not a play."""
        return ExperimentSpec.from_json(json.dumps(self.spec))

    def play(self) -> PlaySpec:
        """Returns the request to the runner of a play of an incident."""
        return PlaySpec.from_json(json.dumps(self.spec))


class Run(models.Model):
    """One arm of an experiment. `live` and `samples` are for display; `result` is the evidence."""

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
        """Whether it has a conclusive verdict; the counts of other runs are no evidence."""
        return self.verdict in JUDGED

    @property
    def counts(self) -> Mapping[str, int | None]:
        """The counts of a judged run; empty for any other."""
        return (self.result.get("counts") or {}) if self.judged else {}


class Worker(models.Model):
    """A worker process; it increments `beat` while it is alive (`labs/runs/presence.py`)."""

    name = models.CharField(max_length=64, unique=True)
    beat = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return self.name


class Trial(models.Model):
    """The claim of the advisor that an experiment of `manage.py calibrate` checks.

    Its arms are the pipelines of an edge (`labs.calibration.edges`): they differ in one setting,
    and `event` permits different anomalies on either side. `pipelines` has what
    `advisor.reasoning.serial` writes, by arm; predictions are computed from it, not stored. `code`
    is the fingerprint of the code (`labs.calibration.fingerprint`), empty in old rows.
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
        """Returns the label of a side: the setting in which it differs, and its value."""
        if self.setting == "kafka":  # the line of the brokers is not a setting
            return f"Kafka {self.pipelines[arm]['kafka']}"
        value = self.pipelines[arm]["settings"][self.component][self.setting]
        return f"{self.setting}={json.dumps(value) if isinstance(value, bool) else value}"


class Progress(models.Model):
    """The progress of one visitor (`labs.runs.visitors.key`) in one lesson.

    `prediction` has the `answer` and the `confidence` of each prediction; `turn` the `choice` of
    the visitor's turn and the prediction for it, with the run `turn_experiment`; `answers` the
    index of the first answer to each question; `reviews` the time of the last review of each wrong
    answer, and the number of right answers since (`labs.pages.lessons.review`). A reset keeps the
    row with `reset_at`, so that it can be undone.
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
        """Whether it has only the step that was reached."""
        return not (self.prediction or self.experiment_id or self.turn or self.answers)

    def put_aside(self) -> None:
        """Sets the row aside so that it can be restored; a bare one is deleted."""
        if self.is_bare:
            self.delete()
        else:
            self.reset_at = timezone.now()
            self.save(update_fields=["reset_at"])


def new_code() -> str:
    """Returns a code for a class room: 8 letters and digits, easy to read aloud, 40 bits."""
    return new_slug()[:8]


class Classroom(models.Model):
    """A class that takes a lab together, with one run; `labs.lessons.classroom` has the rules.

    `teacher` is the key of the visitor who opened it, `address` the hash of their address.
    `version` counts the changes to everybody's page, `touches` the actions of pupils: a browser
    that sends the current values is told that nothing has changed.
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
        """The current place of the class."""
        return Place(Stage(self.stage), self.question, self.revealed)

    @property
    def is_open(self) -> bool:
        """Whether it still accepts actions."""
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
    """One attempt of one visitor (`labs.runs.visitors.key`) at a challenge.

    `levers` are the settings as typed, `day` the date of a daily schedule. In a
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
    """A challenge that a visitor (`labs.runs.visitors.key`) gave up, to see the optimum."""

    visitor = models.CharField(max_length=40)
    challenge = models.CharField(max_length=64)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("visitor", "challenge"), name="given_up_once"),
        )

    def __str__(self) -> str:
        return f"{self.challenge}, given up"
