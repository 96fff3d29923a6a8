"""The addresses of the reference."""

from __future__ import annotations

from django.urls import path

from advisor.pages import reference_views as views

app_name = "reference"
urlpatterns = [
    path("", views.index, name="index"),
    path("failures/<slug:name>/", views.failure, name="failure"),
    path("rules/<slug:code>/", views.rule, name="rule"),
    path("settings/<slug:component>/<str:name>/", views.setting, name="setting"),
]
