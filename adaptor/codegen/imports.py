# SPDX-License-Identifier: BSD-3-Clause
"""Writes the trampolines with which a vendor's library calls its private copies of other libraries.

    python -m adaptor.codegen.imports --objects objects.txt --folder diopi --out imports.cpp lib/diopi/libdnnl-...so ...

The loader searches the whole process for an undefined symbol, so it may find the symbol in another library. Therefore
each function that the objects use and that one of the copies defines becomes a trampoline inside our library: a jump
through a table. The library fills this table with the functions of the copies when it is loaded.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from .headers import environment
from .writing import write_if_changed


class SymbolsError(Exception):
    """Raised if the objects use a symbol that a trampoline cannot provide."""


@dataclass(frozen=True)
class Import:
    """A function, and the index of the library that defines it."""

    name: str
    library: int


def symbols(nm: str, *arguments: str | Path) -> dict[str, set[str]]:
    """The symbols that nm prints: kind (a letter) -> names without versions."""
    command = [nm, "-f", "posix", *map(str, arguments)]
    result = subprocess.run(command, check=False, capture_output=True, text=True)
    if result.returncode != 0:
        raise SymbolsError(f"{nm} failed: {result.stderr.strip()}")
    kinds: dict[str, set[str]] = {}
    for line in result.stdout.splitlines():
        words = line.split()
        if len(words) >= 2 and len(words[1]) == 1:
            kinds.setdefault(words[1], set()).add(words[0].split("@")[0])
    return kinds


def used(nm: str, objects: list[Path]) -> set[str]:
    """The functions that the objects use but do not define."""
    kinds = symbols(nm, "-g", *objects)
    wanted = kinds.pop("U", set()) | kinds.pop("w", set())
    return wanted - set().union(*kinds.values())


def find_imports(nm: str, wanted: set[str], libraries: list[Path]) -> list[Import]:
    """The wanted functions that the libraries define, sorted by library."""
    imports: list[Import] = []
    for index, library in enumerate(libraries):
        kinds = symbols(nm, "-D", "--defined-only", library)
        variables = wanted & set().union(*(kinds.get(kind, set()) for kind in "BDRSu"))
        if variables:
            raise SymbolsError(
                f"the vendor uses variables of {library.name}, but trampolines exist only for functions: "
                + ", ".join(sorted(variables))
            )
        # Weak definitions are excluded: they are instances of templates that the C++ library also has.
        found = wanted & (kinds.get("T", set()) | kinds.get("i", set()))
        wanted = wanted - found
        imports += [Import(name, index) for name in sorted(found)]
    return imports


def emit(folder: str, libraries: list[Path], imports: list[Import]) -> str:
    needed = sorted({i.library for i in imports})
    names = [libraries[i].name for i in needed]
    return (
        environment()
        .get_template("imports.cpp.j2")
        .render(folder=folder, libraries=names, imports=[Import(i.name, needed.index(i.library)) for i in imports])
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--objects", type=Path, required=True, help="file that lists objects and archives")
    parser.add_argument("--folder", required=True, help="the copies' folder, relative to the vendor's library")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--nm", default="nm")
    parser.add_argument("libraries", type=Path, nargs="*")
    args = parser.parse_args()
    try:
        objects = [Path(line) for line in args.objects.read_text(encoding="utf-8").splitlines() if line]
        imports = find_imports(args.nm, used(args.nm, objects), args.libraries)
    except (SymbolsError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    write_if_changed(args.out, emit(args.folder, args.libraries, imports))
    return 0


if __name__ == "__main__":
    sys.exit(main())
