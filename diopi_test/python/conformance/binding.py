# SPDX-License-Identifier: BSD-3-Clause
"""libdiopirt.so and any vendor's library through ctypes, every signature taken from the registry's model."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from adaptor.codegen.model import Function, Param, Registry

from . import REPOSITORY
from .buffers import Buffer
from .dtypes import NUMPY


class Size(ctypes.Structure):
    _fields_ = [("data", ctypes.POINTER(ctypes.c_int64)), ("len", ctypes.c_int64)]


class _ScalarValue(ctypes.Union):
    _fields_ = [("fval", ctypes.c_double), ("ival", ctypes.c_int64)]


class ScalarStruct(ctypes.Structure):
    _anonymous_ = ("value",)
    _fields_ = [("stype", ctypes.c_int), ("value", _ScalarValue)]


@dataclass(frozen=True)
class Scalar:
    """A diopiScalar_t: a number and the dtype that it says it has."""

    value: int | float | bool
    dtype: str


@dataclass(frozen=True)
class Seed:
    """The state of a generator that a call starts from."""

    seed: int
    offset: int = 0


@dataclass(frozen=True)
class NullSize:
    """A diopiSize_t without data that says it has a length."""

    len: int


class NullContext:
    """In place of the context: none."""

    def __repr__(self) -> str:
        return "null"


NULL_CONTEXT = NullContext()


@dataclass
class Allocated:
    """The place of an output that the operator itself allocates; filled by the call."""

    array: np.ndarray | None = None
    strides: tuple[int, ...] = ()
    touched: bool = False  # whether a call that failed wrote the handle


@dataclass
class Written:
    """A number or numbers that the operator writes through a pointer; filled by the call."""

    initial: list
    values: list = field(default_factory=list)
    touched: bool = False  # whether a call that failed wrote numbers


@dataclass
class Outcome:
    """What a call returned."""

    code: str
    message: str = ""
    generator_offset: int | None = None


_PLAIN = {
    "bool": ctypes.c_bool,
    "double": ctypes.c_double,
    "float": ctypes.c_float,
    "int": ctypes.c_int,
    "int32_t": ctypes.c_int32,
    "int64_t": ctypes.c_int64,
    "uint64_t": ctypes.c_uint64,
}


def bare(c_type: str) -> str:
    """A C type without const and spaces before the star: `const int64_t *` -> `int64_t*`."""
    return re.sub(r"\s*\*\s*", "*", re.sub(r"\bconst\b", "", c_type)).strip()


class HostError(Exception):
    """The runtime refused something that the judge needs."""


def _built(name: str) -> Path:
    """The file in the build folder, or in the one of the first preset that has it."""
    build = REPOSITORY / "build"
    folders = [build, *(build / preset for preset in ("release", "ci", "dev", "debug"))]
    return next((f / "lib" / name for f in folders if (f / "lib" / name).exists()), build / "lib" / name)


def default_runtime() -> Path:
    return _built("libdiopirt.so")


def default_library() -> Path:
    return _built("libdiopi_impl.so")


class Runtime:
    """libdiopirt.so with one vendor's library loaded and one context on it."""

    def __init__(self, registry: Registry, runtime: Path, library: Path) -> None:
        self.registry = registry
        self.rt = ctypes.CDLL(str(runtime), mode=ctypes.RTLD_GLOBAL)
        self.rt.diopirtGetLastErrorString.restype = ctypes.c_char_p
        self.enums = {name: dict(members) for name, members in registry.enums.items()}
        self.codes = {v: k for k, v in self.enums["diopiError_t"].items()}
        self.dtype_names = {v: k for k, v in registry.dtypes.items()}
        self.library, self.ctx = ctypes.c_void_p(), ctypes.c_void_p()
        self._do("diopirtLoadLibrary", str(library).encode(), ctypes.byref(self.library))
        self._do("diopirtCreateContext", self.library, ctypes.byref(self.ctx))
        self._functions: dict[str, Any] = {}
        self._converters: dict[str, list[Callable]] = {}
        error = self._symbol("diopiGetLastErrorString")
        # Present where AddressSanitizer is preloaded: reading a guard band is then an error like writing to it.
        process = ctypes.CDLL(None)
        self.poison = getattr(process, "__asan_poison_memory_region", None)
        self.unpoison = getattr(process, "__asan_unpoison_memory_region", None)
        self._last_error = ctypes.CFUNCTYPE(ctypes.c_char_p)(error) if error else None

    def _do(self, name: str, *args: object) -> None:
        code = getattr(self.rt, name)(*args)
        if code != 0:
            message = (self.rt.diopirtGetLastErrorString() or b"").decode(errors="replace")
            raise HostError(f"{name}: {self.codes.get(code, code)}: {message}")

    def _symbol(self, name: str) -> int | None:
        address = ctypes.c_void_p()
        code = self.rt.diopirtGetFunction(self.library, name.encode(), ctypes.byref(address))
        return address.value if code == 0 else None

    def has(self, name: str) -> bool:
        return self._symbol(name) is not None

    def text(self, name: str) -> str | None:
        """What a function without parameters says, as diopiGetVendorName."""
        address = self._symbol(name)
        answer = ctypes.CFUNCTYPE(ctypes.c_char_p)(address)() if address else None
        return None if answer is None else answer.decode(errors="replace")

    # --- one call ---

    def call(self, function: Function, arguments: dict[str, Any]) -> Outcome:
        """Calls the operator. `arguments` has a value for every parameter but `ctx`; a null is None."""
        call = _Call(self)
        try:
            entry = self._entry(function)
            converted = [call.convert(p, arguments.get(p.name)) for p in function.params]
            code = entry(*converted)
            message = ""
            if code != 0 and self._last_error is not None:
                message = (self._last_error() or b"").decode(errors="replace")
            if code == 0:
                call.fetch()
            else:
                call.look_for_traces()
            return Outcome(self.codes.get(code, str(code)), message, call.generator_offset())
        finally:
            call.release()

    def _entry(self, function: Function) -> Any:
        if function.name not in self._functions:
            types = [self._ctype(p) for p in function.params]
            self._functions[function.name] = ctypes.CFUNCTYPE(ctypes.c_int, *types)(self._symbol(function.name))
        return self._functions[function.name]

    def _ctype(self, p: Param) -> Any:
        kind = bare(p.type)
        if kind in _PLAIN:
            return _PLAIN[kind]
        if kind in self.enums:
            return ctypes.c_int
        if kind == "diopiSize_t":
            return Size
        return ctypes.c_char_p if kind == "char*" else ctypes.c_void_p


class _Call:
    """The handles and memory of one call."""

    def __init__(self, runtime: Runtime) -> None:
        self.runtime, self.rt = runtime, runtime.rt
        self.tensors: list[ctypes.c_void_p] = []
        self.handles: dict[int, ctypes.c_void_p] = {}  # by buffer: a tensor passed twice is one handle
        self.generators: list[ctypes.c_void_p] = []
        self.keep: list[object] = []
        self.later: list[Callable[[], None]] = []
        self.traces: list[tuple[Written | Allocated, Callable[[], bool]]] = []
        self.guarded: list[tuple[ctypes.c_void_p, ctypes.c_size_t]] = []

    def convert(self, p: Param, value: Any) -> Any:
        kind = bare(p.type)
        if p.name == "ctx" and kind == "diopiContextHandle_t":
            return None if value is NULL_CONTEXT else self.runtime.ctx
        if isinstance(value, Written):
            return self._written(kind, value)
        if isinstance(value, Allocated):
            return self._allocated(value)
        if value is None:
            return Size(None, 0) if kind == "diopiSize_t" else None
        if isinstance(value, NullSize):
            size = Size(None, value.len)
            return self._kept(size) if kind.endswith("*") else size
        if isinstance(value, Buffer):
            return self._tensor(value)
        if isinstance(value, Scalar):
            return self._scalar(value)
        if p.is_generator or isinstance(value, Seed):
            return self._generator(value, kind.endswith("*"))
        if p.is_tensor_list:
            return self._list(value)
        if kind == "diopiSize_t":
            return self._size(value)
        if kind == "diopiSize_t*":
            sizes = (Size * len(value))(*[self._size(v) for v in value])
            return self._kept(sizes)
        if kind == "char*":
            return str(value).encode()
        if kind in self.runtime.enums:
            return self.runtime.enums[kind][value] if isinstance(value, str) else int(value)
        if kind in _PLAIN:
            return value
        if kind.endswith("*") and kind[:-1] in _PLAIN:
            numbers = value if isinstance(value, (list, tuple)) else [value]
            return self._kept((_PLAIN[kind[:-1]] * max(len(numbers), 1))(*numbers))
        raise TypeError(f"{p.name}: the judge cannot pass {value!r} as {p.type}")

    def _kept(self, thing: Any) -> ctypes.c_void_p:
        self.keep.append(thing)
        return ctypes.cast(ctypes.pointer(thing), ctypes.c_void_p)

    def _size(self, numbers: list[int]) -> Size:
        data = (ctypes.c_int64 * max(len(numbers), 1))(*numbers)
        self.keep.append(data)
        return Size(ctypes.cast(data, ctypes.POINTER(ctypes.c_int64)), len(numbers))

    def _scalar(self, scalar: Scalar) -> ctypes.c_void_p:
        struct = ScalarStruct(self.runtime.registry.dtypes[scalar.dtype])
        if scalar.dtype.startswith(("float", "bfloat")):
            struct.fval = float(scalar.value)
        else:
            struct.ival = int(scalar.value)
        return self._kept(struct)

    def _tensor(self, buffer: Buffer) -> ctypes.c_void_p:
        if id(buffer) in self.handles:
            return self.handles[id(buffer)]
        base, view = ctypes.c_void_p(), ctypes.c_void_p()
        dtype = self.runtime.registry.dtypes[buffer.claims or buffer.dtype]
        device = self.runtime.enums["diopiDevice_t"]["diopi_device"]
        data = ctypes.c_void_p(buffer.bytes.ctypes.data)
        self.runtime._do(
            "diopirtWrapMemory",
            self.runtime.ctx,
            data,
            ctypes.c_size_t(buffer.bytes.nbytes),
            self._size([buffer.elements]),
            None,
            ctypes.c_int(dtype),
            ctypes.c_int(device),
            None,
            None,
            ctypes.byref(base),
        )
        self.tensors.append(base)
        strides = self._size(list(buffer.layout.strides))
        self.runtime._do(
            "diopirtCreateView",
            base,
            self._size(list(buffer.layout.shape)),
            ctypes.byref(strides),
            ctypes.c_int64(buffer.offset),
            ctypes.byref(view),
        )
        self.tensors.append(view)
        self.handles[id(buffer)] = view
        if self.runtime.poison is not None:
            self._guard(buffer)
        return view

    def _guard(self, buffer: Buffer) -> None:
        start, itemsize = buffer.bytes.ctypes.data, buffer.array.itemsize
        first, end = buffer.offset * itemsize, (buffer.offset + buffer.layout.span) * itemsize
        for low, high in ((0, first), (end, buffer.bytes.nbytes)):
            region = ctypes.c_void_p(start + low), ctypes.c_size_t(high - low)
            self.runtime.poison(*region)
            self.guarded.append(region)

    def _list(self, items: list[Any]) -> ctypes.c_void_p:
        handles = (ctypes.c_void_p * max(len(items), 1))()
        for i, item in enumerate(items):
            if isinstance(item, Buffer):
                handles[i] = self._tensor(item).value
            elif isinstance(item, Allocated):
                self.later.append(lambda i=i, item=item: self._read_allocated(handles[i], item))
        return self._kept(handles)

    def _generator(self, seed: Seed, pointer: bool) -> ctypes.c_void_p:
        handle = ctypes.c_void_p()
        self.runtime._do("diopirtCreateGenerator", ctypes.c_uint64(seed.seed), ctypes.byref(handle))
        self.generators.append(handle)
        if seed.offset:
            self.runtime._do(
                "diopiGeneratorSetSeedAndOffset", handle, ctypes.c_uint64(seed.seed), ctypes.c_uint64(seed.offset)
            )
        return self._kept((ctypes.c_void_p * 1)(handle.value)) if pointer else handle

    def _written(self, kind: str, value: Written) -> ctypes.c_void_p:
        numbers = (_PLAIN[kind[:-1]] * max(len(value.initial), 1))(*value.initial)
        before = bytes(numbers)
        self.later.append(lambda: value.values.extend(numbers[:]))
        self.traces.append((value, lambda: bytes(numbers) != before))
        return self._kept(numbers)

    def _allocated(self, value: Allocated) -> ctypes.c_void_p:
        handle = (ctypes.c_void_p * 1)()
        self.later.append(lambda: self._read_allocated(handle[0], value))
        self.traces.append((value, lambda: bool(handle[0])))
        return self._kept(handle)

    def _read_allocated(self, address: int | None, value: Allocated) -> None:
        if not address:
            return
        handle, shape, strides, dtype = ctypes.c_void_p(address), Size(), Size(), ctypes.c_int()
        self.runtime._do("diopiGetTensorShape", handle, ctypes.byref(shape))
        self.runtime._do("diopiGetTensorStride", handle, ctypes.byref(strides))
        self.runtime._do("diopiGetTensorDtype", handle, ctypes.byref(dtype))
        name = self.runtime.dtype_names[dtype.value].removeprefix("diopi_dtype_")
        value.strides = tuple(strides.data[: strides.len])
        value.array = np.empty(tuple(shape.data[: shape.len]), NUMPY[name])
        self.runtime._do(
            "diopirtCopyToHost",
            self.runtime.ctx,
            handle,
            ctypes.c_void_p(value.array.ctypes.data),
            ctypes.c_size_t(value.array.nbytes),
        )

    def fetch(self) -> None:
        """Reads what the operator wrote other than into tensors of the caller."""
        self.runtime._do("diopirtSynchronize", self.runtime.ctx)
        for read in self.later:
            read()

    def look_for_traces(self) -> None:
        """Notes what a call that failed wrote other than into tensors of the caller."""
        for value, changed in self.traces:
            value.touched = changed()

    def generator_offset(self) -> int | None:
        if not self.generators:
            return None
        seed, offset = ctypes.c_uint64(), ctypes.c_uint64()
        self.runtime._do("diopiGeneratorGetSeedAndOffset", self.generators[0], ctypes.byref(seed), ctypes.byref(offset))
        return offset.value

    def release(self) -> None:
        for region in self.guarded:
            self.runtime.unpoison(*region)
        for tensor in reversed(self.tensors):
            self.rt.diopirtReleaseTensor(tensor)
        for generator in self.generators:
            self.rt.diopirtDestroyGenerator(generator)
        self.rt.diopirtClearTemporaries(self.runtime.ctx)
