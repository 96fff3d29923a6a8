"""The addresses of the known bugs."""

from __future__ import annotations

from django.urls import path

from advisor.pages import advisory_views

app_name = "advisories"
urlpatterns = [
    path("", advisory_views.index, name="index"),
    path("<slug:slug>/", advisory_views.page, name="page"),
]
