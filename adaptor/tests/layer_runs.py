# SPDX-License-Identifier: BSD-3-Clause
"""Runs programs/layer_calls.c under the layer. The build folder is DIOPI_BUILD_DIR, or the newest one with a layer."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


def _has_cpu_vendor(build: Path) -> bool:
    """Whether the folder has the layer and the CPU vendor: other vendors may need a device."""
    if not all((build / "lib" / name).is_file() for name in ("libdiopi_layer.so", "libdiopi_impl.so")):
        return False
    return "DIOPI_VENDOR:STRING=cpu\n" in (build / "CMakeCache.txt").read_text(encoding="utf-8")


def _build() -> Path:
    named = os.environ.get("DIOPI_BUILD_DIR")
    folders = [Path(named)] if named else sorted(ROOT.glob("build/*"))
    found = [f for f in folders if _has_cpu_vendor(f)]
    if not found:
        pytest.skip("no build folder has the layer and the CPU vendor")
    return max(found, key=lambda f: (f / "lib/libdiopi_layer.so").stat().st_mtime)


@cache
def _program(build: Path) -> Path:
    program = Path(mkdtemp(prefix="layer-calls-")) / "layer_calls"
    library = build / "lib"
    options = ["-O2", "-std=c11", "-D_POSIX_C_SOURCE=200809L", f"-I{ROOT}/proto/include", f"-I{ROOT}/runtime/include"]
    libraries = [f"-L{library}", "-ldiopi_impl", "-ldiopirt", f"-Wl,-rpath,{library}"]
    source = ROOT / "adaptor/tests/programs/layer_calls.c"
    subprocess.run([os.environ.get("CC", "cc"), *options, str(source), "-o", str(program), *libraries], check=True)
    return program


class Run:
    """A run of the program: its output, and the files that the layer wrote."""

    def __init__(
        self, folder: Path, command: str, mode: str | None, prepare: Callable[[], None] | None = None, **settings: str
    ) -> None:
        build = _build()
        environment = {k: v for k, v in os.environ.items() if not k.startswith("DIOPI_LAYER")}
        if mode is not None:
            libraries = ["libdiopi_layer.so", *(["libdiopi_layer_heap.so"] if mode == "memory" else [])]
            environment["LD_PRELOAD"] = " ".join(str(build / "lib" / name) for name in libraries)
            environment["DIOPI_LAYER"] = mode
            environment["DIOPI_LAYER_OUT"] = str(folder)
            environment |= {f"DIOPI_LAYER_{name}": value for name, value in settings.items()}
        done = subprocess.run(
            [_program(build), *command.split()],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=prepare,
        )
        self.status, self.output, self.notes = done.returncode, done.stdout, done.stderr
        self.folders = sorted(folder.iterdir()) if folder.is_dir() else []

    def text(self, name: str) -> str:
        (folder,) = self.folders
        return (folder / name).read_text(encoding="utf-8")

    def json(self, name: str) -> Any:
        return json.loads(self.text(name))

    def lines(self, name: str) -> list[Any]:
        return [json.loads(line) for line in self.text(name).splitlines()]

    def names(self) -> list[str]:
        return sorted(p.name for f in self.folders for p in f.iterdir())
