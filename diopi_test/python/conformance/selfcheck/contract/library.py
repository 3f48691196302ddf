# SPDX-License-Identifier: BSD-3-Clause
"""A vendor's library that has every operator and accepts every call."""

from __future__ import annotations

import subprocess
from pathlib import Path

from adaptor.codegen.model import Registry

from ... import REPOSITORY

HERE = Path(__file__).resolve().parent


def source(registry: Registry) -> str:
    names = (f.name for f in registry.operators if f.returns == "diopiError_t")
    return '#include "accepting.h"\n\n' + "".join(f"diopiError_t {n}() {{ return diopiSuccess; }}\n" for n in names)


def build(registry: Registry, folder: Path) -> Path:
    """Compiles the library in this folder and returns its path."""
    c_file, library = folder / "accepting.c", folder / "libdiopi_impl_accepting.so"
    c_file.write_text(source(registry), encoding="utf-8")
    include = [f"-I{HERE}", f"-I{REPOSITORY / 'proto' / 'include'}"]
    command = ["cc", "-std=gnu99", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC", *include, str(c_file)]
    subprocess.run([*command, "-o", str(library)], check=True)
    return library
