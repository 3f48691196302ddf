# SPDX-License-Identifier: BSD-3-Clause
"""Writes `docs/operators.md`, the table of all functions by family, from the registry.

python -m adaptor.codegen.reference            write it
python -m adaptor.codegen.reference --check    exit 1 if the checked-in file differs
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .headers import environment
from .model import Function, Registry, load_registry
from .strict_yaml import exit_with
from .writing import write_if_changed

TARGET = Path(__file__).resolve().parents[2] / "docs" / "operators.md"


def marks(function: Function) -> str:
    """What a framework must know before it calls: whether a function needs a generator, allocates outputs, or works in
    place."""
    found = [
        ("generator", any(p.is_generator for p in function.params)),
        ("allocates", not function.is_runtime and any(p.allocates for p in function.params)),
        ("in place", any(p.dir == "inout" and p.is_tensor_like for p in function.params)),
    ]
    return ", ".join(name for name, holds in found if holds)


def emit(registry: Registry) -> str:
    """The text of the table."""
    families = {name: registry.family(name) for name in registry.families}
    return environment().get_template("operators.md.j2").render(registry=registry, families=families, marks=marks)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare instead of writing; exit 1 on a difference")
    parser.add_argument("--out", type=Path, default=TARGET)
    args = parser.parse_args()
    text = emit(load_registry())
    if not args.check:
        write_if_changed(args.out, text)
        return 0
    if not args.out.is_file() or args.out.read_text(encoding="utf-8") != text:
        print(f"{'stale' if args.out.is_file() else 'missing'}: {args.out.name}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    exit_with(main)
