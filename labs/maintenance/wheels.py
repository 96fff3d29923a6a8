"""Locks an old release of confluent-kafka: `python -m labs.maintenance.wheels 2.3.0`.

It includes the librdkafka of the same version. Records the SHA-256 of every wheel for Python 3.11
or later on Linux and macOS, as it is served today.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
from itertools import product

from labs.engine.base.cache import cache_dir, scratch_folder
from labs.incidents.wheels import LOCKS, PRODUCT

_PYTHONS = ("311", "312", "313")
_PLATFORMS = ("manylinux_2_17_x86_64", "manylinux_2_28_x86_64", "manylinux_2_28_aarch64",
              "macosx_11_0_arm64", "macosx_10_9_x86_64")  # fmt: skip


def main(version: str) -> None:
    """Writes the lock with all wheels that exist. Exits with a message if there are none."""
    with scratch_folder(cache_dir() / "lock") as folder:
        for python, platform in product(_PYTHONS, _PLATFORMS):
            subprocess.run(
                [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps",
                 "--only-binary", ":all:", "--python-version", python, "--platform", platform,
                 "--dest", folder, f"{PRODUCT}=={version}"],
                capture_output=True, check=False,
            )  # fmt: skip
        paths = sorted(folder.glob("*.whl"))
        if not paths:
            raise SystemExit(f"{PRODUCT} {version} has no usable wheel")
        lines = [f"{path.name} {hashlib.sha256(path.read_bytes()).hexdigest()}\n" for path in paths]
    path = LOCKS / f"{PRODUCT}-{version}.txt"
    path.write_text("".join(lines), "ascii")
    sys.stdout.write(f"{path}: {len(lines)} wheels\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
