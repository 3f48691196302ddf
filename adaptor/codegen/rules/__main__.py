# SPDX-License-Identifier: BSD-3-Clause
"""Prints the rules as the tables of proto/registry/README.md.

python -m adaptor.codegen.rules            print them
python -m adaptor.codegen.rules --check    exit 1 if the README has others
python -m adaptor.codegen.rules --write    put them into the README
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from . import data, dtypes, shapes, values, windows
from .base import RULES

README = Path(__file__).resolve().parents[3] / "proto" / "registry" / "README.md"
BEGIN, END = "<!-- rules: begin -->\n", "<!-- rules: end -->\n"
_TITLES = {
    dtypes: "Dtypes",
    shapes: "Shapes",
    windows: "Windows",
    values: "Attributes",
    data: "Elements of tensors, and the rest",
}


def tables() -> str:
    """One table for each module of rules."""
    lines = []
    for module, title in _TITLES.items():
        lines += [f"| {title} | fields | meaning |", "| --- | --- | --- |"]
        for name, cls in RULES.items():
            if cls.__module__ != module.__name__:
                continue
            fields = [key for key, _ in cls.kinds().values()]
            marked = ", ".join(f"[{f}]" if f in cls.optional() else f for f in fields)
            meaning = " ".join((cls.__doc__ or "").split())
            lines.append(f"| `{name}` | {marked} | {meaning} |")
        lines.append("")
    return "\n".join(lines)


def readme() -> str:
    """The text of the README with the tables of the rules."""
    text = README.read_text(encoding="utf-8")
    start, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    return f"{text[:start]}{tables()}{text[end:]}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="exit 1 if the README has other tables")
    parser.add_argument("--write", action="store_true", help="put the tables into the README")
    args = parser.parse_args()
    if not (args.check or args.write):
        print(tables(), end="")
        return 0
    wanted = readme()
    if args.write:
        README.write_text(wanted, encoding="utf-8")
    return int(args.check and wanted != README.read_text(encoding="utf-8"))


if __name__ == "__main__":
    sys.exit(main())
