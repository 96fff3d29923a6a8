"""The forms to make an account, to sign in to it, and to change it."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth import authenticate
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.db import IntegrityError, transaction

from labs.runs.accounts import plain_name

LONGEST_NAME, LONGEST_PASSWORD = 40, 128
_LETTERS = RegexValidator(
    r"^[\w.-]+\Z", "A name has letters, digits, dots, hyphens and underscores, and no spaces."
)
WRONG = "There is no account with this name and this password."


class NameField(forms.CharField):
    """The name of an account, as `plain_name` makes it of what was typed."""

    def __init__(self) -> None:
        about = {"autocomplete": "username", "autocapitalize": "none", "spellcheck": "false"}
        super().__init__(
            min_length=2, max_length=LONGEST_NAME, label="Name", validators=[_LETTERS],
            widget=forms.TextInput({"class": "input", **about}),
        )  # fmt: skip

    def to_python(self, value: Any) -> str:
        return plain_name(str(value or ""))


def _password(label: str, *, new: bool = False) -> forms.CharField:
    """A field that takes a password as it was typed. It is never sent back to the page."""
    fill = "new-password" if new else "current-password"
    return forms.CharField(
        label=label, strip=False, max_length=LONGEST_PASSWORD,
        widget=forms.PasswordInput({"class": "input", "autocomplete": fill}),
    )  # fmt: skip


class SignUpForm(forms.Form):
    """A new account."""

    name = NameField()
    password = _password("Password, at least 12 characters", new=True)

    def clean(self) -> dict[str, Any]:
        given = self.cleaned_data
        if given.keys() >= {"name", "password"}:
            _check_new(self, "password", User(username=given["name"]))
        return given

    def made(self) -> User | None:
        """The account; None, and an error at the name, if the name is taken."""
        given = self.cleaned_data
        try:
            with transaction.atomic():
                return User.objects.create_user(given["name"], password=given["password"])
        except IntegrityError:
            self.add_error("name", "This name is taken. Choose another, or sign in.")
            return None


class SignInForm(forms.Form):
    """Name and password of an account; `user` is its owner. The operator cannot sign in here."""

    name = NameField()
    password = _password("Password")
    user: User | None = None

    def clean(self) -> dict[str, Any]:
        given = self.cleaned_data
        if given.keys() >= {"name", "password"}:
            result = authenticate(username=given["name"], password=given["password"])
            if not isinstance(result, User) or result.is_staff:
                raise ValidationError(WRONG)
            self.user = result
        return given


class _OwnForm(forms.Form):
    """A change to one's own account, which asks for its password."""

    old = _password("Your password now")

    def __init__(self, user: User, sent: Any = None) -> None:
        super().__init__(sent)
        self._user = user

    def clean_old(self) -> str:
        given: str = self.cleaned_data["old"]
        if not self._user.check_password(given):
            raise ValidationError("This is not your password.")
        return given


class PasswordForm(_OwnForm):
    """Another password."""

    password = _password("New password, at least 12 characters", new=True)

    def clean(self) -> dict[str, Any]:
        if "password" in self.cleaned_data:
            _check_new(self, "password", self._user)
        return self.cleaned_data


class RemovalForm(_OwnForm):
    """The end of an account."""

    prefix = "remove"


def _check_new(form: forms.Form, field: str, user: User) -> None:
    """Adds what is wrong with a new password (`AUTH_PASSWORD_VALIDATORS`)."""
    try:
        validate_password(form.cleaned_data[field], user)
    except ValidationError as wrong:
        form.add_error(field, wrong)
