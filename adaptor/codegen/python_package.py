# SPDX-License-Identifier: BSD-3-Clause
"""Writes the files that the Python package needs from the registry: the table of the contract, docstrings, type stubs.

python -m adaptor.codegen.python_package                 write the stubs, python/diopi/library.pyi
python -m adaptor.codegen.python_package --check         exit 1 if the checked-in stubs differ
python -m adaptor.codegen.python_package --tables DIR    write _contract.json and _docs.json, which a wheel carries
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from .model import REGISTRY_DIR, Function, Param, Registry, load_registry
from .strict_yaml import exit_with
from .writing import write_if_changed

ROOT = Path(__file__).resolve().parents[2]
STUBS = ROOT / "python" / "diopi" / "library.pyi"
FILE, DOCS = "_contract.json", "_docs.json"
FLAGS = ("nullable", "allocates", "element_nullable")


def table(registry: Registry) -> dict[str, Any]:
    """The contract without its text, in the form that python/diopi/contract.py reads."""
    dtype_sets: dict[tuple[str, ...], int] = {}
    functions = {f.name: _function(f, dtype_sets) for f in registry.operators}
    return {
        "version": registry.version,
        "enums": {name: dict(members) for name, members in registry.enums.items()},
        "dtypes": registry.dtypes,
        "dtype_sets": list(dtype_sets),
        "functions": functions,
    }


def _function(function: Function, dtype_sets: dict[tuple[str, ...], int]) -> dict[str, Any]:
    raw: dict[str, Any] = {"params": [_param(p, dtype_sets) for p in function.params]}
    if function.returns != "diopiError_t":
        raw["returns"] = function.returns
    if function.result:
        raw["result"] = {
            name: {"shape": r.shape, "of": r.of, "dtype": r.dtype, "promoted": r.promoted}
            for name, r in function.result.items()
        }
    return raw


def _param(param: Param, dtype_sets: dict[tuple[str, ...], int]) -> list[Any]:
    more: dict[str, Any] = {flag: True for flag in FLAGS if getattr(param, flag)}
    for key in ("count", "length"):
        if getattr(param, key) is not None:
            more[key] = getattr(param, key)
    if param.dtypes is not None:
        more["dtypes"] = dtype_sets.setdefault(param.dtypes, len(dtype_sets))
    return [param.name, param.type, param.dir, *([more] if more else [])]


def docs(registry: Registry) -> dict[str, str]:
    """The docstring of each operator."""
    from .python_docs import docstring

    return {f.name: docstring(f, registry.dtype_sets) for f in registry.operators}


def write_tables(folder: Path, registry: Registry) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in ((FILE, table(registry)), (DOCS, docs(registry))):
        text = json.dumps(content, separators=(",", ":"), ensure_ascii=True)
        handle, temporary = tempfile.mkstemp(dir=folder, prefix=name)
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(text)
        os.chmod(temporary, 0o644)
        os.replace(temporary, folder / name)


def cached(folder: Path) -> Path:
    """The path of the tables of this registry inside `folder`. They are written if they do not exist yet."""
    found = folder / _digest()
    if not all((found / name).is_file() for name in (FILE, DOCS)):
        try:
            write_tables(found, load_registry())
        except PermissionError:  # the user must not write to this source tree
            found = Path(tempfile.mkdtemp(prefix="diopi-"))
            write_tables(found, load_registry())
    return found


def _digest() -> str:
    """A hash of the state of the registry and of the modules that read it."""
    digest = hashlib.sha256()
    for path in sorted([*REGISTRY_DIR.glob("*.yaml"), *Path(__file__).resolve().parent.rglob("*.py")]):
        status = path.stat()
        digest.update(f"{path.name}:{status.st_size}:{status.st_mtime_ns};".encode())
    return digest.hexdigest()[:16]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare the stubs; exit 1 on a difference")
    parser.add_argument("--tables", type=Path, metavar="DIR", help="write the tables into this folder instead")
    args = parser.parse_args()
    registry = load_registry()
    if args.tables:
        write_tables(args.tables, registry)
        return 0
    from .python_stubs import emit

    text = emit(registry)
    if not args.check:
        write_if_changed(STUBS, text)
        return 0
    if not STUBS.is_file() or STUBS.read_text(encoding="utf-8") != text:
        print(f"stale: {STUBS.name}; run python -m adaptor.codegen.python_package", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    exit_with(main)
