"""The answer that was given with a permanent link; what was saved before has none."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("advisor", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="description", name="answer", field=models.JSONField(null=True)
        ),
    ]
