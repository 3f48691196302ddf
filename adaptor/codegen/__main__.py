# SPDX-License-Identifier: BSD-3-Clause
"""Writes all checked-in files that are generated from the registry: headers, tables and type stubs.

python -m adaptor.codegen
"""

from __future__ import annotations

import argparse

from . import headers, python_package, python_stubs, reference
from .model import load_registry
from .rules import __main__ as rules
from .strict_yaml import exit_with
from .writing import write_if_changed


def main() -> int:
    argparse.ArgumentParser(prog="python -m adaptor.codegen", description=__doc__.splitlines()[0]).parse_args()
    registry = load_registry()
    files = {headers.INCLUDE_DIR / name: text for name, text in headers.emit(registry).items()}
    files[reference.TARGET] = reference.emit(registry)
    files[python_package.STUBS] = python_stubs.emit(registry)
    files[rules.README] = rules.readme()
    for path, text in files.items():
        if write_if_changed(path, text):
            print(f"wrote {path}")
    return 0


if __name__ == "__main__":
    exit_with(main)
