# SPDX-License-Identifier: BSD-3-Clause
"""Finds the vendor's library and the runtime: by argument, environment variable, package folder, or build folder."""

from __future__ import annotations

import os
from pathlib import Path

from .contract import PACKAGE, SOURCE_TREE, in_source_tree
from .errors import ArgumentError, LibraryNotFoundError, wrong

LIBRARY, RUNTIME = "libdiopi_impl.so", "libdiopirt.so"
PRESETS = ("release", "ci", "dev", "debug")


def folders() -> list[Path]:
    """The folders that are searched if no path is given."""
    if not in_source_tree():
        return [PACKAGE / "lib"]
    build = SOURCE_TREE / "build"
    return [build / "lib", *(build / preset / "lib" for preset in PRESETS)]


def find_library(path: str | os.PathLike[str] | None = None) -> Path:
    """The path of the vendor's library: `path`, else DIOPI_LIBRARY, else the first one in the folders."""
    return _find(path, "path", "DIOPI_LIBRARY", LIBRARY, [])


def find_runtime(path: str | os.PathLike[str] | None = None, library: Path | None = None) -> Path:
    """The path of the runtime: `path`, else DIOPI_RUNTIME, else beside the library, else the first one in the
    folders."""
    return _find(path, "runtime", "DIOPI_RUNTIME", RUNTIME, [library.parent] if library else [])


def _find(path: str | os.PathLike[str] | None, argument: str, variable: str, name: str, first: list[Path]) -> Path:
    asked = path if path is not None else os.environ.get(variable) or None
    if asked is not None:
        source = argument if path is not None else variable
        try:
            found = Path(os.path.expanduser(Path(asked)))
        except TypeError:
            raise wrong(ArgumentError, "load", source, "a path as str or os.PathLike", asked) from None
        if os.path.isfile(found):
            return found.resolve()
        what = "a folder" if os.path.isdir(found) else "no file"
        raise LibraryNotFoundError(
            f"load: {source} is {str(asked)!r}, which is {what}, expected the file {name}",
            argument=source,
            expected=name,
            value=asked,
        )
    searched = [*first, *folders()]
    for folder in searched:
        if (folder / name).is_file():
            return (folder / name).resolve()
    places = ", ".join(str(f) for f in searched)
    raise LibraryNotFoundError(
        f"load: {name} is not in {places}; build it (scripts/build_impl.sh cpu), or give its path in {argument}= or "
        f"{variable}",
        argument=argument,
        expected=name,
    )
