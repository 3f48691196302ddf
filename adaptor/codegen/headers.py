# SPDX-License-Identifier: BSD-3-Clause
"""Writes the C headers in `proto/include/diopi/` from the registry.

python -m adaptor.codegen.headers            write the headers
python -m adaptor.codegen.headers --check    exit 1 if the checked-in headers differ
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from .comments import KINDS, block, comment, declaration, family_comment, member, prototype, typedef
from .model import Function, Registry, load_registry
from .strict_yaml import exit_with

INCLUDE_DIR = Path(__file__).resolve().parents[2] / "proto" / "include" / "diopi"
TEMPLATES = Path(__file__).resolve().parent / "templates"
RUNTIME = "diopirt.h"


def environment() -> Environment:
    """The configuration of Jinja2 for all generators."""
    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def emit(registry: Registry) -> dict[str, str]:
    """All headers: file name -> text."""
    env = environment()
    env.globals.update(
        registry=registry,
        comment=comment,
        prototype=prototype,
        typedef=typedef,
        member=member,
        block=block,
        family_comment=family_comment,
        guard_of=_guard,
        dtype_kinds=KINDS,
    )
    by_header: dict[str, list[Function]] = {}
    for function in registry.functions.values():
        by_header.setdefault(function.header, []).append(function)
    texts = {
        name: env.get_template("functions.h.j2").render(header=name, functions=functions)
        for name, functions in by_header.items()
        if name != RUNTIME
    }
    for name in (RUNTIME, "diopi_register.h"):
        texts[name] = env.get_template(f"{name}.j2").render(header=name, functions=by_header[RUNTIME])
    return texts


def _guard(name: str) -> str:
    return "DIOPI_" + name.removeprefix("diopi_").replace(".", "_").upper() + "_"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare instead of writing; exit 1 on a difference")
    parser.add_argument("--out", type=Path, default=INCLUDE_DIR, help="folder of the headers")
    args = parser.parse_args()
    texts = emit(load_registry())
    present = {p.name for p in args.out.glob("*")} if args.out.is_dir() else set()
    wrong = [f"orphan: {name}" for name in sorted(present - set(texts))]
    for name, text in sorted(texts.items()):
        target = args.out / name
        if args.check:
            if not target.is_file():
                wrong.append(f"missing: {name}")
            elif target.read_text(encoding="utf-8") != text:
                wrong.append(f"stale: {name}")
        else:
            args.out.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


__all__ = ["INCLUDE_DIR", "declaration", "emit", "environment"]

if __name__ == "__main__":
    exit_with(main)
