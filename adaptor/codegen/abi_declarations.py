# SPDX-License-Identifier: BSD-3-Clause
"""Writes C declarations of the whole released interface from the golden files, without using the headers.

    python -m adaptor.codegen.abi_declarations --out build/abi

`abi_declarations.h` declares the interface that `proto/abi` records. A program that includes it stands for all programs
that were compiled with an earlier release; it must link and run with the library. `abi_operators.h` defines a macro
with the names of all operators.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from .abi_golden import load_golden
from .headers import environment
from .strict_yaml import exit_with
from .writing import write_if_changed


def emit() -> dict[str, str]:
    """The generated files: file name -> text."""
    view = load_golden().view
    with_union = [n for n, e in view.structs.items() if any(path.startswith("union.") for _, path, _ in e["fields"])]
    operators = [n for n, e in view.functions.items() if e["header"].startswith("functions")]
    env = environment()
    return {
        "abi_declarations.h": env.get_template("abi_declarations.h.j2").render(view=view, with_union=with_union),
        "abi_operators.h": env.get_template("abi_operators.h.j2").render(operators=operators),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="folder of the two files")
    args = parser.parse_args()
    for name, text in emit().items():
        write_if_changed(args.out / name, text)
    return 0


if __name__ == "__main__":
    exit_with(main)
