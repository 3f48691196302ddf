# SPDX-License-Identifier: BSD-3-Clause
"""Writes the headers that read and check the arguments of functions, two for each registry family.

python -m adaptor.codegen.arguments --out build/generated    write the headers
python -m adaptor.codegen.arguments --left                             list the checks that families make
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from ..headers import environment
from ..model import Registry, load_registry
from ..strict_yaml import exit_with
from ..writing import write_if_changed
from .dtype_sets import DtypeSets
from .reader import Reader
from .struct import operators_of


def emit(registry: Registry) -> tuple[dict[str, str], list[Reader]]:
    """The headers by file name, and all readers."""
    env = environment()
    texts, all_readers = {}, []
    for family in registry.families:
        operators = operators_of(registry, family)
        sets = DtypeSets(registry)
        readers = {o.main.name: [Reader(registry, o, f, sets) for f in o.forms] for o in operators}
        bodies = {r.form.name: (r.reads(), r.checks()) for rs in readers.values() for r in rs}
        sparse = any(p.sparse for rs in readers.values() for r in rs for p in r.form.params)
        shared = {"family": family, "operators": operators, "readers": readers}
        arguments = env.get_template("arguments.hpp.j2")
        texts[f"arguments/{family}.hpp"] = arguments.render(**shared, bodies=bodies, sets=sets.used, sparse=sparse)
        texts[f"functions/{family}.hpp"] = env.get_template("functions.hpp.j2").render(**shared)
        all_readers += [r for rs in readers.values() for r in rs]
    return texts, all_readers


def print_left(readers: list[Reader]) -> None:
    """The checks without generated code, with the reason."""
    made = sum(len(r.form.checks) for r in readers)
    left = [(r, check, why) for r in readers for check, why in r.left]
    for _, check, why in left:
        print(f"{check.identifier}: {why}")
    rules = Counter(check.rule.name for _, check, _ in left)
    print(f"{made - len(left)} of {made} checks are generated; left to families, by rule:")
    print(", ".join(f"{name} {n}" for name, n in rules.most_common()))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, help="folder for the headers")
    parser.add_argument("--left", action="store_true", help="list the checks that families make")
    args = parser.parse_args()
    if not args.out and not args.left:
        parser.error("--out or --left is missing")
    texts, readers = emit(load_registry())
    if args.out:
        for name, text in texts.items():
            write_if_changed(args.out / name, text)
    if args.left:
        print_left(readers)
    return 0


if __name__ == "__main__":
    exit_with(main)
