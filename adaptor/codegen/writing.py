# SPDX-License-Identifier: BSD-3-Clause
"""Writes generated files only if they change, so that a build does not repeat unnecessary work."""

from __future__ import annotations

from pathlib import Path


def write_if_changed(path: Path, text: str) -> bool:
    """Writes `text` unless the file already has this content. Returns whether it wrote."""
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return True
