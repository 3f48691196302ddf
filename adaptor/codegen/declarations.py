# SPDX-License-Identifier: BSD-3-Clause
"""Emits `vendor_functions.hpp`: the contract's operators declared in `namespace impl::<vendor>`.

    python -m adaptor.codegen.declarations --vendor cpu --out build/generated/cpu/vendor_functions.hpp

Each source of the vendor is compiled with it included first, so that a definition whose return type differs from the
contract does not compile, and functions of a vendor can call each other without further declarations.
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
    # The types are enough; without the operators' headers, new prose in the contract recompiles no kernel.
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
