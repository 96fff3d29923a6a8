"""The operator's one account, whose password is `LAB_OPERATOR_PASSWORD`, and its page.

Only this account is staff. All others are learners, who may only use their own progress.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.models import User
from django.contrib.auth.views import LoginView
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import redirect

from labs.runs import accounts

NAME = "operator"


def keep(**_: Any) -> None:
    """Sets the account's password from the settings, or disables the account without one.

    Called after each `migrate`. A new password ends the sessions that began with the old one.
    """
    user, _is_new = User.objects.get_or_create(username=NAME)
    password = settings.LAB_OPERATOR_PASSWORD
    if not password:
        user.set_unusable_password()
    elif not user.check_password(password):
        user.set_password(password)
    user.is_active, user.is_staff = bool(password), True
    user.save()


class OperatorForm(AuthenticationForm):
    """Accepts only the operator's account."""

    def confirm_login_allowed(self, user: User) -> None:
        """Raises `ValidationError` for a learner."""
        super().confirm_login_allowed(user)
        if not user.is_staff:
            raise ValidationError("This is not the operator's account.", code="learner")


class OperatorView(LoginView):
    """The page where the operator logs in, which keeps the progress of the browser."""

    http_method_names = ["get", "head", "post"]
    form_class = OperatorForm

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        """Logs in, under a new session key."""
        accounts.enter(self.request, form.get_user())
        return redirect(self.get_success_url())
