"""The form of one step, built from the questionnaire and the catalog."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from django import forms

from advisor.catalog import (
    Component,
    Family,
    Kind,
    Problem,
    Setting,
    Value,
    kafka_versions,
    say,
    settings_of,
    versions,
)
from advisor.catalog.lookups import in_force
from advisor.catalog.texts import STATED, is_free
from advisor.questions.drafts import MAX_LENGTH, Draft
from advisor.questions.durations import MALFORMED, is_duration, milliseconds, spoken
from advisor.questions.question import Question, Step
from advisor.questions.questionnaire import DECIDES, DEFAULTS, FAMILIES
from advisor.reasoning import fields
from advisor.reasoning.pipeline import Pipeline

_NOT_STORED = f"A text of your own is not stored, only that it is {STATED}."

Choices = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """A question on the page, with its explanation, default and errors."""

    question: Question
    field: forms.BoundField
    hint: str
    default: str = ""
    owner: str = ""
    in_force: str = ""
    """The client's value without an answer, if the other answers make it differ from the
    default."""
    spoken: str = ""
    raw: str = ""
    """A duration in words, and in milliseconds."""
    default_spoken: str = ""


class StepForm(forms.Form):
    """One step of the questionnaire, filled from the draft.

    It validates nothing itself: the problems come from the catalog, in the client's words.
    """

    def __init__(
        self, step: Step, draft: Draft, pipeline: Pipeline | None, problems: Sequence[Problem]
    ) -> None:
        self.step, self.draft, self.pipeline, self.problems = step, draft, pipeline, problems
        self.settings = _settings(draft)
        questions = [question for question in step.questions if is_asked(question, self.settings)]
        answers = {question.name: draft.answer(question.name) for question in questions}
        super().__init__(answers, auto_id="%s", use_required_attribute=False)
        for question in questions:
            setting = self.settings.get(question.name)
            choices = _choices(question, setting, answers[question.name])
            self.fields[question.name] = _field(question, setting, choices)

    def clean(self) -> None:
        """Adds each problem to its field; problems of other steps are omitted."""
        for problem in self.problems:
            name = field_of(problem, self.draft.family)
            if name in self.fields:
                self.add_error(name, forms.ValidationError(problem.message))
        for name in self.errors:
            attrs = self.fields[name].widget.attrs
            attrs["aria-invalid"] = "true"
            attrs["aria-describedby"] = f"{name}-error {attrs['aria-describedby']}"

    def rows(self) -> Iterator[QuestionRow]:
        """Yields the questions in order, except the families and their versions."""
        for question in self.step.questions:
            if question.name in self.fields and not question.name.startswith(("family", "version")):
                yield self._row(question)

    def deciding(self) -> list[QuestionRow]:
        """Returns the questions of this step that decide most."""
        return [question for question in self.rows() if question.question.name in DECIDES]

    def more(self) -> list[QuestionRow]:
        """Returns the other questions of this step."""
        return [question for question in self.rows() if question.question.name not in DECIDES]

    def more_answered(self) -> int:
        """Returns how many of the other questions have an answer or an error: they are not
        collapsed.

        The initial value of an empty questionnaire is not an answer."""
        return sum(
            bool(row.field.errors)
            or row.field.value() not in ("", None, DEFAULTS.get(row.question.name))
            for row in self.more()
        )

    def families(self) -> Iterator[tuple[Family, str, str, forms.BoundField]]:
        """Yields each family with its name, other clients that use it, and the choice of its
        version."""
        for family, (name, others) in FAMILIES.items():
            yield family, name, others, self[f"version.{family}"]

    def error_links(self) -> Iterator[tuple[str, str, str]]:
        """Yields, for the summary on top, a link to each field with an error, its label and the
        error."""
        for name, errors in self.errors.items():
            target = f"family-{self.draft.family}" if name == "family" else name
            for error in errors:
                yield f"#{target}", str(self.fields[name].label), str(error)

    def decided(self) -> Iterator[tuple[str, str]]:
        """Yields the key and the reason of each setting of this step that the client decides
        itself."""
        for question in self.step.questions:
            if question.component and question.name not in self.settings:
                settings = in_force(
                    self.draft.family, known_version(self.draft), known_kafka(self.draft),
                    question.component,
                )  # fmt: skip
                if question.key in settings and settings[question.key].refused:
                    yield question.key, settings[question.key].refused

    def _row(self, question: Question) -> QuestionRow:
        setting = self.settings.get(question.name)
        field = QuestionRow(question, self[question.name], question.hint)
        if setting is None:
            return field
        is_server_setting = setting.component in (Component.TOPIC, Component.BROKER)
        client = f"{FAMILIES[self.draft.family][0]} {self.draft.version}"
        owner = f"Kafka {self.draft.kafka}" if is_server_setting else client
        if setting.component is Component.APPLICATION:
            owner = "assumed without an answer"
        words = dict(question.words)
        hint = f"{setting.meaning} {question.hint} {_NOT_STORED if is_free(setting.name) else ''}"
        default, effective = say(setting.default), say(self._without_answer(setting))
        is_ms = is_duration(question.name)
        typed = self.draft.answer(question.name)
        raw = milliseconds(typed) or typed if is_ms else ""
        return replace(
            field, hint=" ".join(hint.split()),
            default=words.get(default, default), owner=owner,
            in_force="" if effective == default else words.get(effective, effective),
            spoken=spoken(raw), raw=raw, default_spoken=spoken(default) if is_ms else "",
        )  # fmt: skip

    def _without_answer(self, setting: Setting) -> Value:
        if self.pipeline is None:
            return setting.default
        settings = {part: dict(values) for part, values in self.pipeline.settings.items()}
        settings.get(setting.component, {}).pop(setting.name, None)
        unanswered = replace(self.pipeline, settings=MappingProxyType(settings))
        return unanswered.value(setting.component, setting.name)


def in_words(problem: Problem, draft: Draft) -> Problem:
    """Returns the problem; for a malformed duration, with a message that explains how to write
    one."""
    name = field_of(problem, draft.family)
    typed = draft.answer(name)
    if not is_duration(name) or milliseconds(typed) or typed.lstrip("-").isdigit():
        return problem
    return replace(problem, message=f"{problem.setting} {MALFORMED}.")


def field_of(problem: Problem, family: Family) -> str:
    """Returns the name of the questionnaire's field for a problem."""
    name = fields.field_of(problem)
    return f"version.{family}" if name == "version" else name


def is_asked(question: Question, settings: Mapping[str, Setting]) -> bool:
    """Whether a question applies: a setting must exist in this client and be configurable."""
    return question.component is None or question.name in settings


def _settings(draft: Draft) -> dict[str, Setting]:
    client = (draft.family, known_version(draft), known_kafka(draft))
    return {
        f"{component}.{setting.name}": setting
        for component in Component
        for setting in settings_of(*client, component)
    }


def known_version(draft: Draft) -> str:
    """Returns the draft's client version, or the newest if that is unknown."""
    releases = versions(draft.family)
    return draft.version if draft.version in releases else releases[0]


def known_kafka(draft: Draft) -> str:
    """Returns the draft's broker version, or the newest if that is unknown."""
    versions = kafka_versions()
    return draft.kafka if draft.kafka in versions else versions[0]


def _choices(question: Question, setting: Setting | None, answer: str) -> Choices:
    """Returns the choices; empty for a text field. An unknown answer stays visible as a choice."""
    choices = _offered_choices(question, setting)
    if choices and answer and answer not in dict(choices) | {"": ""}:
        choices = (*choices, (answer, answer))
    return choices


def _offered_choices(question: Question, setting: Setting | None) -> Choices:
    if question.name == "family":
        return tuple((str(family), name) for family, (name, _) in FAMILIES.items())
    if question.name.startswith("version."):
        return tuple(
            (version, version) for version in versions(Family(question.key.partition(".")[2]))
        )
    if question.name == "kafka":
        return tuple((kafka_version, kafka_version) for kafka_version in kafka_versions())
    if setting is None:
        return question.words
    words = dict(question.words)
    if setting.kind is Kind.BOOL:
        texts = ["true", "false"]
    else:
        # Two notations of one value (`all` and `-1`) are offered once.
        texts = [text for text, value in setting.choices if text == say(value)]
    offered = tuple((text, words.get(text, text)) for text in texts)
    return (("", "not stated: the default"), *offered) if offered else ()


def _field(question: Question, setting: Setting | None, choices: Choices) -> forms.Field:
    attrs = {"class": "input", "aria-describedby": f"{question.name}-hint"}
    if question.name == "family":
        widget: forms.Widget = forms.RadioSelect(choices=choices)
        widget.attrs["aria-describedby"] = "family-hint"
    elif choices:
        widget = forms.Select(attrs, choices)
    else:
        typed = setting is not None and setting.kind is Kind.TEXT
        typed = typed or is_duration(question.name)
        attrs |= {"inputmode": "text" if typed else "numeric", "autocomplete": "off"}
        attrs |= {"placeholder": say(setting.default)} if setting else {}
        widget = forms.TextInput(attrs | {"maxlength": str(MAX_LENGTH), "spellcheck": "false"})
    label = question.ask or question.key
    return forms.CharField(required=False, strip=False, label=label, widget=widget)
