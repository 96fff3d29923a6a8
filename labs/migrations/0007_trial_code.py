from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("labs", "0006_forget_free_texts")]

    operations = [
        migrations.AddField(model_name="trial", name="code", field=models.JSONField(default=dict))
    ]
