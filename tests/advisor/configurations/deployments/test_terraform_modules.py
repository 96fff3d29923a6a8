"""A Terraform module in several files, and its files of variables.

Expected from Terraform's documentation: the files of a folder are one module; a value of
`terraform.tfvars` overrides a variable's default, `*.auto.tfvars` override that value, and a
`-var-file` overrides both.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import COPIES, assert_in_any_order

TOPIC = """resource "kafka_topic" "orders" {
  name               = "orders"
  partitions         = 12
  replication_factor = var.copies
  config             = %s
}
"""
PLAIN = TOPIC % '{ "min.insync.replicas" = local.least }'
MERGED = TOPIC % "merge(local.base, var.config)"
VARIABLE = 'variable "copies" {\n  type = number\n%s}\n'
DEFAULT = VARIABLE % "  default = %s\n"
LOCALS = 'locals {\n  least = "%s"\n  base = { "cleanup.policy" = "delete" }\n}\n'
CONFIG = 'variable "config" {\n  type = map(string)\n  default = {\n    %s\n  }\n}\n'
MIN_ISR = '"min.insync.replicas" = "2"'
ONE_COPY, LOW_MIN = "replication.factor: 1 -> 3", "min.insync.replicas: 1 -> 2"
COMPUTED = "replication_factor is computed by Terraform"
MIN_COMPUTED = "min.insync.replicas is computed by Terraform"


def module(default: str, *assigned: tuple[str, str], minimum: int = 2) -> dict[str, str]:
    variables = DEFAULT % default if default else VARIABLE % ""
    return {
        "main.tf": PLAIN,
        "variables.tf": variables,
        "locals.tf": LOCALS % minimum,
        **dict(assigned),
    }


def merged(config: str, assigned: str = "") -> dict[str, str]:
    more = {"prod.tfvars": assigned} if assigned else {}
    return {"main.tf": MERGED, "v.tf": DEFAULT % 3 + CONFIG % config, "l.tf": LOCALS % 2, **more}


@pytest.mark.parametrize(("files", "code", "expected"), [
    (module("3"), 0, "^YES.*main.tf:4: replication_factor is 3 unless it is given another"),
    (module("1"), 1, ONE_COPY),
    (module("3", minimum=1), 1, LOW_MIN),
    (module(""), 2, COMPUTED),
    (module("3", ("terraform.tfvars", "copies = 1\n")), 1, ONE_COPY),
    (module("1", ("prod.tfvars", 'region = "eu"\ncopies = 3 # three\n')), 0, "^YES"),
    (module("", ("envs/prod.tfvars", "copies = 3")), 0, "^YES"),
    (module("", ("terraform.tfvars", "copies = 3"), ("z.auto.tfvars", "copies = 1")), 1, ONE_COPY),
    (module("", ("prod.tfvars", "copies = 3"), ("z.auto.tfvars", "copies = 1")), 0, "^YES"),
    (module("", ("prod.tfvars", "copies = 3"), ("dev.tfvars", "copies = 1")), 2, COMPUTED),
    # text that only looks like an assignment
    (module("1", ("prod.tfvars", "note = <<EOT\ncopies = 3\nEOT\n")), 1, ONE_COPY),
    (module("1", ("prod.tfvars", "other = {\n  copies = 3\n}\n# copies = 3\n")), 1, ONE_COPY),
    (module("3") | {"b/main.tf": PLAIN}, 2, COMPUTED),
    (merged(MIN_ISR), 0, "^YES.*main.tf:5: config has the default of a variable here, which"),
    (merged(""), 1, LOW_MIN),
    (merged("", f"config = {{ {MIN_ISR} }}\n"), 0, "^YES"),
    (merged(MIN_ISR, "config = {}\n"), 1, LOW_MIN),
    (merged(MIN_ISR, "config = {\n  \"min.insync.replicas\" = var.least\n}\n"), 2, MIN_COMPUTED),
])  # fmt: skip
def test_the_files_of_a_module_are_read_together(
    tmp_path: Path, files: dict[str, str], code: int, expected: str
) -> None:
    assert_in_any_order(tmp_path, files, COPIES, code, expected)
