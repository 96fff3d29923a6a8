"""Forms to create an account, to sign in, and to change the account."""

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
    """The name of an account, normalized by `plain_name`."""

    def __init__(self) -> None:
        about = {"autocomplete": "username", "autocapitalize": "none", "spellcheck": "false"}
        super().__init__(
            min_length=2, max_length=LONGEST_NAME, label="Name", validators=[_LETTERS],
            widget=forms.TextInput({"class": "input", **about}),
        )  # fmt: skip

    def to_python(self, value: Any) -> str:
        return plain_name(str(value or ""))


def _password(label: str, *, new: bool = False) -> forms.CharField:
    """Returns a field for a password as typed. It is never sent back to the page."""
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
        data = self.cleaned_data
        if data.keys() >= {"name", "password"}:
            _check_new(self, "password", User(username=data["name"]))
        return data

    def create_user(self) -> User | None:
        """Creates the account; returns None, with an error at the name, if the name is taken."""
        data = self.cleaned_data
        try:
            with transaction.atomic():
                return User.objects.create_user(data["name"], password=data["password"])
        except IntegrityError:
            self.add_error("name", "This name is taken. Choose another, or sign in.")
            return None


class SignInForm(forms.Form):
    """Name and password of an account; `user` is its owner. The operator cannot sign in here."""

    name = NameField()
    password = _password("Password")
    user: User | None = None

    def clean(self) -> dict[str, Any]:
        data = self.cleaned_data
        if data.keys() >= {"name", "password"}:
            result = authenticate(username=data["name"], password=data["password"])
            if not isinstance(result, User) or result.is_staff:
                raise ValidationError(WRONG)
            self.user = result
        return data


class _ConfirmedForm(forms.Form):
    """A change to an account that requires its current password."""

    old = _password("Your current password")

    def __init__(self, user: User, sent: Any = None) -> None:
        super().__init__(sent)
        self._user = user

    def clean_old(self) -> str:
        data: str = self.cleaned_data["old"]
        if not self._user.check_password(data):
            raise ValidationError("This is not your password.")
        return data


class PasswordForm(_ConfirmedForm):
    """A new password."""

    password = _password("New password, at least 12 characters", new=True)

    def clean(self) -> dict[str, Any]:
        if "password" in self.cleaned_data:
            _check_new(self, "password", self._user)
        return self.cleaned_data


class RemovalForm(_ConfirmedForm):
    """The removal of an account."""

    prefix = "remove"


def _check_new(form: forms.Form, field: str, user: User) -> None:
    """Adds the errors of a new password to its field (`AUTH_PASSWORD_VALIDATORS`)."""
    try:
        validate_password(form.cleaned_data[field], user)
    except ValidationError as wrong:
        form.add_error(field, wrong)
