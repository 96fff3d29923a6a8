"""The pages of accounts: name, password, and the same progress on every device."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth import logout, update_session_auth_hash
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from labs.pages.accounts.forms import PasswordForm, RemovalForm, SignInForm, SignUpForm
from labs.runs import accounts, visitors

_BAD = 400


@require_safe
@never_cache
def account(request: HttpRequest) -> HttpResponse:
    """The page of the signed-in learner's account."""
    learner = visitors.learner(request)
    return _account_page(request, learner) if learner else redirect("labs:sign-in")


@sensitive_post_parameters()
@require_http_methods(["GET", "POST"])
@never_cache
def sign_in(request: HttpRequest) -> HttpResponse:
    """Signs in, and moves the progress of this browser to the account."""
    if visitors.learner(request):
        return redirect("labs:account")
    form = SignInForm(request.POST if request.method == "POST" else None)
    if form.is_valid() and form.user is not None:
        accounts.enter(request, form.user)
        return redirect("labs:lessons")
    return _form_page(request, "labs/account/sign_in.html", form)


@sensitive_post_parameters()
@require_http_methods(["GET", "POST"])
@never_cache
def sign_up(request: HttpRequest) -> HttpResponse:
    """Creates an account, and moves the progress of this browser to it."""
    if visitors.learner(request):
        return redirect("labs:account")
    form = SignUpForm(request.POST if request.method == "POST" else None)
    if form.is_valid() and (user := form.create_user()) is not None:
        accounts.enter(request, user)
        return redirect("labs:lessons")
    return _form_page(request, "labs/account/sign_up.html", form)


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    """Signs out. Nothing of the account stays in this browser."""
    if visitors.learner(request):
        logout(request)
    return redirect("labs:lessons")


@sensitive_post_parameters()
@require_POST
@never_cache
def password(request: HttpRequest) -> HttpResponse:
    """Changes the password. All other sessions of the account end."""
    if (learner := visitors.learner(request)) is None:
        return redirect("labs:sign-in")
    form = PasswordForm(learner, request.POST)
    if not form.is_valid():
        return _account_page(request, learner, password=form)
    learner.set_password(form.cleaned_data["password"])
    learner.save(update_fields=["password"])
    update_session_auth_hash(request, learner)
    messages.success(request, "Your password is changed. Every other device is signed out.")
    return redirect("labs:account")


@sensitive_post_parameters()
@require_POST
@never_cache
def remove(request: HttpRequest) -> HttpResponse:
    """Removes the account with its progress."""
    if (learner := visitors.learner(request)) is None:
        return redirect("labs:sign-in")
    form = RemovalForm(learner, request.POST)
    if not form.is_valid():
        return _account_page(request, learner, removal=form)
    accounts.remove(learner)
    logout(request)
    messages.success(request, "Your account and its progress are removed.")
    return redirect("labs:lessons")


def _account_page(request: HttpRequest, learner: User, **sent: Any) -> HttpResponse:
    forms = {"password": PasswordForm(learner), "removal": RemovalForm(learner)}
    return render(
        request, "labs/account/account.html", forms | {"name": learner.username} | sent,
        status=_BAD if sent else None,
    )  # fmt: skip


def _form_page(request: HttpRequest, template: str, form: SignInForm | SignUpForm) -> HttpResponse:
    return render(request, template, {"form": form}, status=_BAD if form.is_bound else None)
