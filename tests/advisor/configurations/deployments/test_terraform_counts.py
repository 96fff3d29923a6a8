"""Resources of Terraform that create nothing, by `count` or `for_each`.

Expected from Terraform's documentation: `count = 0` and an empty `for_each` create no instance.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import COPIES, assert_file

TOPIC = """resource "kafka_topic" "%s" {
  %s
  name               = "%s"
  replication_factor = %d
  config = {
    "min.insync.replicas" = "%d"
  }
}
"""
ORDERS = TOPIC % ("orders", "", "orders", 3, 2)
VARIABLE = 'variable "copies" {\n  default = 0\n}\n'
LOCAL = "locals {\n  many = 0\n}\n"
NOTHING = "creates nothing of this"
CONDITIONAL = "^YES, if .*Terraform computes whether it creates this"


def weak(argument: str) -> str:
    return TOPIC % ("old", argument, "old", 1, 1)


@pytest.mark.parametrize(("text", "code", "expected"), [
    (ORDERS + weak("count = 0 # later"), 0, f"^YES.*count: Terraform {NOTHING}"),
    (ORDERS + weak("for_each = {}"), 0, f"^YES.*for_each: Terraform {NOTHING}"),
    (weak("for_each = toset([])") + ORDERS, 0, f"^YES.*:2: for_each: Terraform {NOTHING}"),
    (ORDERS + weak("count = var.copies") + VARIABLE, 0, f"{NOTHING} unless it is given another"),
    (ORDERS + weak("count = local.many") + LOCAL, 0, NOTHING),
    (weak("count = 0"), 2, "this file creates no topic"),
    (weak("count = 1"), 1, "replication.factor: 1 -> 3"),
    (ORDERS + weak("count = var.copies"), 2, "not every topic"),
    (TOPIC % ("a", "count = var.on ? 1 : 0", "a", 3, 2), 0, CONDITIONAL),
    (TOPIC % ("a", "for_each = var.on ? local.a : {}", "a", 3, 2), 0, CONDITIONAL),
    (TOPIC % ("a", "count = var.on ? 10 : 20", "a", 3, 2), 0, "^YES: "),
    (ORDERS + weak('timeouts {\n    count = 0\n  }'), 2, "not every topic"),
])  # fmt: skip
def test_only_created_topics_count(tmp_path: Path, text: str, code: int, expected: str):
    assert_file(tmp_path / "main.tf", text, "", COPIES, code, expected)
