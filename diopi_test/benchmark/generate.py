# SPDX-License-Identifier: BSD-3-Clause
"""Generates the C++ calls of the bench's operators: one file for our library, one file for libtorch."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))  # the strict YAML reader is the adaptor's

from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: E402

from bench.operators import load_operators, torch_functions  # noqa: E402


def torch_headers(functions: set[str], include: Path) -> list[str]:
    """The headers in ATen/ops/ that declare these functions of the namespace `at`."""
    headers = set()
    for function in functions:
        names = [function, function.removesuffix("_"), function.removesuffix("_outf"), function.removesuffix("_out")]
        found = [name for name in names if (include / "ATen" / "ops" / f"{name}.h").exists()]
        if not found:
            raise SystemExit(f"{include}/ATen/ops has no header for at::{function}")
        headers.add(found[-1])
    return sorted(headers)


def write_if_changed(path: Path, text: str) -> None:
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, required=True, help="folder for the C++ files")
    parser.add_argument("--torch_include", type=Path, help="libtorch's headers; without them no calls of libtorch")
    arguments = parser.parse_args()
    operators = load_operators(HERE / "operators")
    environment = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    arguments.output.mkdir(parents=True, exist_ok=True)
    text = environment.get_template("diopi_calls.cpp.j2").render(operators=operators)
    write_if_changed(arguments.output / "diopi_calls.cpp", text)
    if arguments.torch_include:
        headers = torch_headers(torch_functions(operators), arguments.torch_include)
        text = environment.get_template("torch_calls.cpp.j2").render(operators=operators, torch_headers=headers)
        write_if_changed(arguments.output / "torch_calls.cpp", text)


if __name__ == "__main__":
    main()
