# SPDX-License-Identifier: BSD-3-Clause
"""Compares the dynamic symbols of a vendor's library with the released interface.

    python -m adaptor.codegen.abi_exports build/lib/libdiopi_impl.so

The library must export functions only: operators of the interface, the two hooks of a vendor, and the functions of
diopi_fallback.h, which tell what the library supports.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .abi_golden import ABI_DIR, load_golden
from .compiler_view import CompilerError, View, run
from .strict_yaml import exit_with

HOOKS = frozenset({"initLibrary", "finalizeLibrary"})
FALLBACK = frozenset({"diopiGetFallbacks", "diopiSupports"})


def exported(library: Path, nm: str = "nm") -> dict[str, str]:
    """The dynamic symbols that the library defines: name -> kind, which is a letter of nm."""
    symbols = {}
    for line in run([nm, "-D", "--defined-only", "-f", "posix", str(library)]).splitlines():
        name, kind, *_ = line.split()
        symbols[name] = kind
    return symbols


def problems(symbols: dict[str, str], view: View) -> list[str]:
    """One line for each symbol that must not be exported or is not a function, and for each missing hook."""
    operators = {n for n, e in view.functions.items() if e["header"].startswith("functions")}
    found = [
        f"{name}: is exported, but is not an operator of the interface"
        for name in sorted(symbols)
        if name not in operators | HOOKS | FALLBACK
    ]
    found += [
        f"{name}: is exported as {kind}, not as a function"
        for name, kind in sorted(symbols.items())
        if kind not in ("T", "W")
    ]
    found += [f"{name}: is not exported" for name in sorted(HOOKS) if name not in symbols]
    if not operators & set(symbols):
        found.append("no operator is exported")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", type=Path)
    parser.add_argument("--abi", type=Path, default=ABI_DIR, help="folder of the golden files")
    parser.add_argument("--nm", default="nm")
    args = parser.parse_args()
    try:
        symbols = exported(args.library, args.nm)
    except CompilerError as error:
        print(error, file=sys.stderr)
        return 1
    found = problems(symbols, load_golden(args.abi).view)
    for line in found:
        print(line, file=sys.stderr)
    print(f"{len(set(symbols) - HOOKS - FALLBACK)} operators are exported")
    return 1 if found else 0


if __name__ == "__main__":
    exit_with(main)
