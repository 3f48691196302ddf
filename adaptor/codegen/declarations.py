# SPDX-License-Identifier: BSD-3-Clause
"""Writes `vendor_functions.hpp`, which declares the contract's operators in `namespace impl::<vendor>`.

    python -m adaptor.codegen.declarations --vendor cpu --out build/generated/cpu/vendor_functions.hpp

The build includes this header before each function file of the vendor. So a definition with another return type than in
the contract does not compile, and functions of a vendor can call each other without further declarations.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from .headers import declaration, environment
from .model import load_registry
from .strict_yaml import exit_with
from .writing import write_if_changed


def emit(vendor: str) -> str:
    """The text of the header."""
    env = environment()
    env.globals.update(params_of=lambda f: ", ".join(map(declaration, f.params)))
    registry = load_registry()
    # Only the headers with types are included, so a change of the operators' comments does not recompile the vendor.
    headers = ["diopi_register.h", "diopirt.h"]
    template = env.get_template("vendor_functions.hpp.j2")
    return template.render(vendor=vendor, headers=headers, operators=registry.operators)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--vendor", required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    write_if_changed(args.out, emit(args.vendor))
    return 0


if __name__ == "__main__":
    exit_with(main)
