# SPDX-License-Identifier: BSD-3-Clause
"""The sources of a family of the vendor cuda, and their digest."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable
from functools import cached_property
from pathlib import Path

from .. import REPOSITORY
from .code import code_of

VENDOR = "impl/cuda"
REGISTRY = "proto/registry"
# Every family depends on these files.
COMMON = (
    f"{VENDOR}/CMakeLists.txt",
    f"{VENDOR}/convert_config.yaml",
    f"{VENDOR}/device.cpp",
    f"{VENDOR}/nvcc_flags.txt",
    "adaptor/cmake/DiopiCuda.cmake",
)

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
# A declaration or definition that is not in a class: clang-format does not indent it. The name may have a class.
FUNCTION = re.compile(r"^(?!//|#|namespace|using)[A-Za-z_][\w:<>,*& ]*?(?:\b(\w+)::)?\b(\w+)\(", re.MULTILINE)
CLASS = re.compile(r"^(?:class|struct) (\w+)", re.MULTILINE)


def names_in(text: str) -> set[str]:
    """The names of functions outside classes, and of classes, that a text declares or defines."""
    names = set(CLASS.findall(text))
    for owner, name in FUNCTION.findall(text):
        names.add(owner or name)
    return names


def closure(start: Iterable[str], follow: Callable[[str], list[str]]) -> set[str]:
    """The files that `follow` leads to from those of `start`, and these."""
    reached = set(start)
    waiting = list(reached)
    while waiting:
        new = set(follow(waiting.pop())) - reached
        reached |= new
        waiting += new
    return reached


class Sources:
    """The source tree in the folder `root`."""

    def __init__(self, root: Path = REPOSITORY) -> None:
        self.root = root
        self._texts: dict[str, str] = {}

    def families(self) -> list[str]:
        """The families with operators of the vendor's own. The other ones are computed on the host."""
        found = (self.root / VENDOR / "functions").glob("*.cpp")
        return sorted(f.stem for f in found if (self.root / REGISTRY / f"{f.stem}.yaml").is_file())

    def text(self, path: str) -> str:
        if path not in self._texts:
            self._texts[path] = (self.root / path).read_text(encoding="utf-8")
        return self._texts[path]

    def includes(self, path: str) -> list[str]:
        """The files of the tree that a file includes. Generated headers are not files of the tree."""
        return [name for name in INCLUDE.findall(self.text(path)) if (self.root / name).is_file()]

    @cached_property
    def _definitions(self) -> dict[str, list[str]]:
        """header -> the sources that include it and define a name that it declares."""
        found: dict[str, list[str]] = {}
        for folder, suffixes in ((VENDOR, (".cpp", ".cu")), ("impl/common", (".cpp",))):
            for file in sorted((self.root / folder).rglob("*")):
                if file.suffix in suffixes:
                    source = file.relative_to(self.root).as_posix()
                    names = names_in(self.text(source))
                    for header in closure([source], self.includes) - {source}:
                        if names & names_in(self.text(header)):
                            found.setdefault(header, []).append(source)
        return found

    def of(self, family: str) -> list[str]:
        """The files that the family's operators are compiled from, as paths from the root."""
        start = {f"{VENDOR}/functions/{family}.cpp", f"{REGISTRY}/{family}.yaml", *COMMON}

        def follow(path: str) -> list[str]:
            return [*self.includes(path), *self._definitions.get(path, [])]

        return sorted(closure(start, follow))

    def digest(self, family: str) -> str:
        """A digest of the names and the code of the family's files. Comments and layout do not change it."""
        digest = hashlib.sha256()
        for path in self.of(family):
            digest.update(f"{path}\0{code_of(path, self.text(path))}\0".encode())
        return digest.hexdigest()[:16]
