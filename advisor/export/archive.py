"""Files in one zip archive, the same bytes for the same files."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The earliest time that a zip archive can hold; a true one would change the bytes."""


def zipped(files: Mapping[str, str], folder: str) -> bytes:
    """The texts by name below `folder`, in the order of their names; scripts are executable.

    Nothing is compressed: deflate's output differs between versions of zlib.
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(f"{folder}/{name}", _EPOCH)
            entry.create_system = 3  # Unix, wherever this runs, so that the mode counts
            entry.external_attr = (0o100755 if name.endswith(".sh") else 0o100644) << 16
            archive.writestr(entry, files[name].encode())
    return buffer.getvalue()
