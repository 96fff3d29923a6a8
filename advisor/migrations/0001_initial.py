"""Descriptions of pipelines, each behind a permanent link."""

from __future__ import annotations

from django.db import migrations, models

import advisor.models


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Description",
            fields=[
                (
                    "slug",
                    models.CharField(
                        default=advisor.models.new_slug,
                        max_length=8,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("data", models.JSONField()),
                ("rules_version", models.CharField(max_length=16)),
                ("created", models.DateTimeField(auto_now_add=True)),
            ],
        ),
    ]
