"""The forms of a challenge: its levers, validated by the catalog, and the answer to a case."""

from __future__ import annotations

from collections.abc import Mapping

from django import forms

from advisor import services as advisor
from advisor.catalog import Family, Kind, Setting, written
from advisor.questions.question import Question
from advisor.questions.questionnaire import question_of
from advisor.reasoning.pipeline import Pipeline
from labs.challenges import Challenge
from labs.challenges.levers import described, lever_setting
from labs.pages.parameters import whole_number

_MOST_CHARACTERS = 60


class LeverForm(forms.Form):
    """One field per lever, filled with `levers`; valid if the catalog accepts all of them."""

    def __init__(self, challenge: Challenge, levers: Mapping[str, str]) -> None:
        self.challenge = challenge
        self.levers = {
            name: levers.get(name, "").strip()[:_MOST_CHARACTERS] for name in challenge.levers
        }
        self.pipeline: Pipeline | None = None
        super().__init__(self.levers, auto_id="%s", use_required_attribute=False)
        family = Family(challenge.settings.get("family", "java"))
        for name in challenge.levers:
            self.fields[name] = _field(lever_setting(challenge, name), question_of(name, family))

    def clean(self) -> None:
        """Adds each problem to its field, in the client's words."""
        self.pipeline, problems = described(self.challenge, self.levers)
        for problem in problems:
            name = advisor.field_of(problem)
            self.add_error(
                name if name in self.fields else None, forms.ValidationError(problem.message)
            )
        for name in self.errors:
            if name in self.fields:
                attrs = self.fields[name].widget.attrs
                attrs["aria-invalid"] = "true"
                attrs["aria-describedby"] = f"{name}-error {name}-hint"


class CaseForm:
    """The answer in a case of forensics: a cause and the number of a message."""

    def __init__(self, challenge: Challenge, sent: Mapping[str, str]) -> None:
        names = [cause.name for cause in challenge.causes]
        cause = sent.get("cause", "")
        self.cause = cause if cause in names else ""
        self.typed = sent.get("message", "").strip()[:_MOST_CHARACTERS]
        self.message = whole_number(self.typed.replace(",", ""))
        self._sent = bool(sent)

    def is_valid(self) -> bool:
        return bool(self.cause) and self.message is not None

    @property
    def problem(self) -> str:
        """The missing part, in words; empty for a form that was not sent."""
        if not self._sent or self.is_valid():
            return ""
        return "Choose a cause, and give the number of a message, such as 1234."


def _field(setting: Setting, question: Question | None) -> forms.Field:
    name = f"{setting.component}.{setting.name}"
    attrs = {"class": "input", "aria-describedby": f"{name}-hint"}
    offered = _offered(setting, dict(question.words) if question else {})
    if offered:
        widget: forms.Widget = forms.Select(attrs, [("", _unstated(setting)), *offered])
    else:
        attrs |= {
            "inputmode": "text" if setting.kind is Kind.TEXT else "numeric", "autocomplete": "off",
            "placeholder": written(setting.default) if setting.default is not None else "",
            "maxlength": str(_MOST_CHARACTERS), "spellcheck": "false",
        }  # fmt: skip
        widget = forms.TextInput(attrs)
    label = (question.ask if question else "") or name
    hint = setting.meaning or (question.hint if question else "")
    return forms.CharField(required=False, label=label, widget=widget, help_text=hint)


def _offered(setting: Setting, words: Mapping[str, str]) -> list[tuple[str, str]]:
    if setting.kind is Kind.BOOL:
        texts = ["true", "false"]
    else:
        # Two ways to write one value (`all` and `-1`) are offered once.
        texts = [text for text, value in setting.choices if text == written(value)]
    return [(text, words.get(text, text)) for text in texts]


def _unstated(setting: Setting) -> str:
    name = "" if setting.default is None else f": {written(setting.default)}"
    return f"not stated (the default{name})"
