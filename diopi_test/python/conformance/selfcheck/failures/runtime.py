# SPDX-License-Identifier: BSD-3-Clause
"""A runtime in which one call fails: a library that is loaded before libdiopirt.so and passes other calls on to it."""

from __future__ import annotations

import ctypes
import subprocess
from itertools import islice
from pathlib import Path
from typing import Any

from adaptor.codegen.model import Function, Registry
from diopi.binding import ctype_of

from ... import REPOSITORY
from ...run.binding import HostError, Runtime

HERE = Path(__file__).resolve().parent
# The error code that the failing call returns. The operator's message must contain its number.
CODE = "diopiNoRegisteredDeviceMemoryMallocFunction"


def can_fail(registry: Registry) -> list[Function]:
    """The functions of the runtime that return a diopiError_t."""
    return [f for f in registry.runtime if f.returns == "diopiError_t"]


def source(registry: Registry) -> str:
    """The C source of the library: one function for each function of the runtime that can fail."""
    parts = ['#include "failing_runtime.h"\n']
    for number, function in enumerate(can_fail(registry)):
        names = [p.name or f"unnamed{i}" for i, p in enumerate(function.params)]
        params = ", ".join(f"{p.type} {name}" for p, name in zip(function.params, names))
        parts.append(
            f"diopiError_t {function.name}({params}) {{ FORWARD({number}, {function.name}, ({', '.join(names)})) }}\n"
        )
    return "\n".join(parts)


def build(registry: Registry, folder: Path) -> Path:
    """Compiles the library in this folder and returns its path."""
    c_file, library = folder / "failing_runtime.c", folder / "libfailing_runtime.so"
    c_file.write_text(source(registry), encoding="utf-8")
    include = [f"-I{HERE}", f"-I{REPOSITORY / 'proto' / 'include'}"]
    command = ["cc", "-std=gnu99", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC", *include, str(c_file)]
    subprocess.run([*command, "-ldl", "-o", str(library)], check=True)
    return library


def _process() -> ctypes.CDLL:
    """The whole process as a library: it finds a function as the libraries of this process do."""
    return ctypes.CDLL(None)


class FailingRuntime(Runtime):
    """The runtime and a vendor's library, which calls the functions of `failing` instead of the runtime's functions."""

    def __init__(self, registry: Registry, runtime: Path, library: Path, failing: Path) -> None:
        self.failing = ctypes.CDLL(str(failing), mode=ctypes.RTLD_GLOBAL)
        self.failing.failing_runtime_arm.argtypes = [ctypes.c_int64, ctypes.c_int]
        self.failing.failing_runtime_disarm.restype = ctypes.c_int64
        if not self.failing.failing_runtime_open(str(runtime).encode()):
            raise HostError(f"{runtime} cannot be loaded")
        first, ours = (ctypes.cast(lib.diopiGetTensorShape, ctypes.c_void_p) for lib in (_process(), self.failing))
        if first.value != ours.value:
            raise HostError("this process has already loaded a runtime, so calls of the runtime cannot be intercepted")
        super().__init__(registry, runtime, library)
        self.names = [f.name for f in can_fail(registry)]
        self.fail_at = 0  # the number of the runtime call that fails in each operator call, from 1; 0: none
        self.calls: list[str] = []  # the functions that the last operator called
        with_context = (f for f in registry.operators if f.params and f.params[0].name == "ctx")
        self.refused = list(islice((f for f in with_context if self.has(f.name)), 2))

    def _entry(self, function: Function) -> Any:
        entry = super()._entry(function)

        def watched(*arguments: Any) -> int:
            functions = ctypes.POINTER(ctypes.c_uint8)()
            self.failing.failing_runtime_arm(self.fail_at, self.enums["diopiError_t"][CODE])
            try:
                return entry(*arguments)
            finally:
                count = self.failing.failing_runtime_disarm(ctypes.byref(functions))
                self.calls = [self.names[i] for i in functions[:count]]

        return watched

    def leave_message(self, function: Function) -> None:
        """Calls another operator with a null context, so that its error message is the last one in this thread."""
        other = next(f for f in self.refused if f.name != function.name)
        arguments = [ctype_of(p, self.enums)() for p in other.params]
        super()._entry(other)(*arguments)
