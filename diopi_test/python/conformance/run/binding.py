# SPDX-License-Identifier: BSD-3-Clause
"""Makes valid and invalid calls through the binding of python/diopi: passes their arguments, reads their results."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from adaptor.codegen.model import Function, Param, Registry
from adaptor.codegen.python_package import table
from diopi import binding, locate
from diopi.binding import PLAIN, ScalarStruct, Size, scalar_of, size_of
from diopi.contract import Contract
from diopi.device_memory import is_on_host
from diopi.errors import Error
from diopi.fallback import REASONS, Fallback, Fallbacks
from diopi.signatures import bare

from ..dtypes import NUMPY
from ..handles import NULL_CONTEXT, NullSize, Passed, Scalar, Seed
from .buffers import Buffer
from .csr_buffers import CsrBuffers
from .reserved_buffer import ReservedBuffer, TooLargeForDevice
from .result import HostCall

HostError = Error  # raised if the runtime or the library cannot be used


@dataclass
class Allocated:
    """An output that the operator allocates. The call stores the tensor here."""

    array: np.ndarray | None = None
    strides: tuple[int, ...] = ()
    touched: bool = False  # whether a failed call wrote the handle


@dataclass
class Written:
    """One or more numbers that the operator writes through a pointer. The call stores them here."""

    initial: list
    values: list = field(default_factory=list)
    touched: bool = False  # whether a failed call wrote numbers


@dataclass
class Outcome:
    """What a call returned."""

    code: str
    message: str = ""
    generator_offsets: tuple[int, ...] = ()  # of each generator, in the order of the parameters and of their lists
    on_host: bool = False  # whether the library computed on the host in place of the device
    asked: bool = False  # whether it did so because the vendor's function asked for it
    host: HostCall | None = field(default=None, compare=False)  # what the call on the host cost
    has_message: bool = True  # False if the library lacks diopiGetLastErrorString
    late: str = ""  # the error that the wait after the call returned; the outputs of the call have no results then
    lost: bool = False  # whether the device is unusable after this error


def _built(name: str) -> Path:
    """The path of a library: in the first of the build folders that has it, or else in the first build folder."""
    folders = locate.folders()
    return next((f / name for f in folders if (f / name).exists()), folders[0] / name)


def default_runtime() -> Path:
    return _built(locate.RUNTIME)


def default_library() -> Path:
    return _built(locate.LIBRARY)


class Runtime:
    """libdiopirt.so with one vendor's library and one context."""

    def __init__(self, registry: Registry, runtime: Path, library: Path) -> None:
        self.registry = registry
        self.rt = binding.Runtime(runtime, Contract(table(registry)))
        self.enums, self.codes = self.rt.contract.enums, self.rt.contract.codes
        self.dtypes = registry.dtypes
        self.library = self.rt.load_library(library)
        self.ctx = self.rt.create_context(self.library)
        device = self.enums["diopiDevice_t"]["diopi_device"]
        self.has_own_memory = not is_on_host(self.rt, self.library, device)
        self.fallbacks = Fallbacks(self.rt, self.library)
        self._functions: dict[str, Any] = {}
        error = self.rt.symbol(self.library, "diopiGetLastErrorString")
        # These functions exist if AddressSanitizer is preloaded. It then reports reads of the guard bands, too.
        process = ctypes.CDLL(None)
        self.poison: Callable[..., None] | None = getattr(process, "__asan_poison_memory_region", None)
        self.unpoison: Callable[..., None] | None = getattr(process, "__asan_unpoison_memory_region", None)
        self._last_error = ctypes.CFUNCTYPE(ctypes.c_char_p)(error) if error else None

    def has(self, name: str) -> bool:
        return self.rt.symbol(self.library, name) is not None

    def text(self, name: str) -> str | None:
        """The text that a function without parameters returns, such as diopiGetVendorName."""
        return self.rt.text(self.library, name)

    def problems(self) -> list[str]:
        """The errors of the runtime's functions that every call of the judge needs, for example because the vendor has
        not registered a function to copy memory."""
        found: list[str] = []
        if self.has_own_memory:
            device, number = self.enums["diopiDevice_t"]["diopi_device"], ctypes.c_uint8()
            tensor = self.rt.made("diopirtCreateTensor", self.ctx, size_of([1]), None, self.dtypes["uint8"], device)
            for name in ("diopirtWriteStorage", "diopirtReadStorage"):
                try:
                    self.rt.do(name, self.ctx, tensor, 0, ctypes.addressof(number), 1)
                except HostError as error:
                    found.append(str(error))
            self.rt.diopirtReleaseTensor(tensor)
        late = self._wait()
        return [*found, late] if late else found

    # --- one call ---

    def call(self, function: Function, arguments: dict[str, Passed]) -> Outcome:
        """Calls the operator. `arguments` holds the value of each parameter except `ctx`; None is a null."""
        call = _Call(self)
        try:
            entry = self._entry(function)
            converted = [call.convert(p, arguments.get(p.name)) for p in function.params]
            before = self.fallbacks.row(function.name)
            code = entry(*converted)
            after = self.fallbacks.row(function.name)
            message, has_message = "", self._last_error is not None
            if code != 0 and self._last_error is not None:
                message = (self._last_error() or b"").decode(errors="replace")
            late = self._wait()
            if late:
                lost = bool(self._wait())
                if not lost:
                    call.copy_back()  # a check may have failed late: the memory of the call is judged then, too
                return Outcome(self.codes.get(code, str(code)), message, has_message=has_message, late=late, lost=lost)
            call.copy_back()
            if code == 0:
                call.fetch()
            else:
                call.check_failed_call()
            return Outcome(
                self.codes.get(code, str(code)),
                message,
                call.generator_offsets(),
                after.calls > before.calls,
                after.asked > before.asked,
                _host_call(before, after),
                has_message,
            )
        finally:
            call.release()

    def _wait(self) -> str:
        """Waits for the device after a call, so that an error of its work belongs to this call: the message, or ""."""
        if self.rt.diopirtSynchronize(self.ctx) == 0:
            return ""
        return self.rt.message() or "diopirtSynchronize failed"

    def _entry(self, function: Function) -> Any:
        if function.name not in self._functions:
            types = [binding.ctype_of(p, self.enums) for p in function.params]
            address = self.rt.symbol(self.library, function.name)
            if address is None:
                raise HostError(f"the library has no {function.name}")
            self._functions[function.name] = ctypes.CFUNCTYPE(ctypes.c_int, *types)(address)
        return self._functions[function.name]


def _host_call(before: Fallback, after: Fallback) -> HostCall | None:
    """The call that was made between two states of an operator's row; None if the host did not compute it."""
    reason = next((r for r in REASONS if getattr(after, r) > getattr(before, r)), None)
    if reason is None:
        return None
    return HostCall(reason, after.bytes - before.bytes, after.seconds - before.seconds)


class _Call:
    """The handles and memory of one call."""

    def __init__(self, runtime: Runtime) -> None:
        self.runtime, self.rt = runtime, runtime.rt
        self.tensors: list[int] = []
        self.handles: dict[int, int] = {}  # id of a buffer -> handle: a tensor that is passed twice is one handle
        self.copies: list[tuple[int, Buffer]] = []  # tensors in the vendor's own memory
        self.generators: list[int] = []
        self.keep: list[object] = []
        self.later: list[Callable[[], None]] = []
        self.traces: list[tuple[Written | Allocated, Callable[[], bool]]] = []
        self.guarded: list[tuple[ctypes.c_void_p, ctypes.c_size_t]] = []

    def convert(self, p: Param, value: Passed) -> Any:
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
        if isinstance(value, CsrBuffers):
            return self._new("diopirtCreateSparseCsr", *map(self._tensor, value.parts), size_of(value.shape))
        if isinstance(value, Scalar):
            known = self.runtime.dtypes
            if value.dtype not in known:
                return self._kept(ScalarStruct(int(value.dtype)))
            return self._kept(scalar_of(value.value, value.dtype, known))
        if p.is_generator and isinstance(value, list):
            return self._kept((ctypes.c_void_p * max(len(value), 1))(*map(self._generator, value)))
        if p.is_generator or isinstance(value, Seed):
            return (
                self._kept((ctypes.c_void_p * 1)(self._generator(value)))
                if kind.endswith("*")
                else self._generator(value)
            )
        if p.is_tensor_list or p.allocates and isinstance(value, list):
            return self._list(value)
        if kind == "diopiSize_t":
            return size_of(value)
        if kind == "diopiSize_t*":
            sizes = (Size * len(value))(*map(size_of, value))
            return self._kept(sizes)
        if kind == "char*":
            return str(value).encode()
        if kind in self.runtime.enums:
            return self.runtime.enums[kind][value] if isinstance(value, str) else int(value)
        if kind in PLAIN or kind == "void*":
            return value
        if kind.endswith("*") and kind[:-1] in PLAIN:
            numbers = value if isinstance(value, (list, tuple)) else [value]
            return self._kept((PLAIN[kind[:-1]] * max(len(numbers), 1))(*numbers))
        raise TypeError(f"{p.name}: the judge cannot pass {value!r} as {p.type}")

    def _kept(self, thing: Any) -> int:
        self.keep.append(thing)
        return ctypes.addressof(thing)

    def _tensor(self, buffer: Buffer) -> int:
        if id(buffer) in self.handles:
            return self.handles[id(buffer)]
        dtype = self.runtime.dtypes[buffer.claims or buffer.dtype]
        device = self.runtime.enums["diopiDevice_t"]["diopi_device"]
        memory, size = buffer.bytes.ctypes.data, buffer.bytes.nbytes
        elements = size_of([buffer.elements])
        if self.runtime.has_own_memory:
            try:
                base = self._new("diopirtCreateTensor", self.runtime.ctx, elements, None, dtype, device)
            except HostError as error:
                if isinstance(buffer, ReservedBuffer):
                    raise TooLargeForDevice from error
                raise
            self.copies.append((base, buffer))
            self._copy("diopirtWriteStorage", base, buffer)
        else:
            base = self._new(
                "diopirtWrapMemory", self.runtime.ctx, memory, size, elements, None, dtype, device, None, None
            )
        shape, strides = size_of(buffer.placement.shape), size_of(buffer.placement.strides)
        view = self._new("diopirtCreateView", base, shape, ctypes.byref(strides), buffer.offset)
        self.handles[id(buffer)] = view
        if self.runtime.poison is not None and not self.runtime.has_own_memory:
            self._guard(buffer, self.runtime.poison)
        return view

    def _copy(self, function: str, tensor: int, buffer: Buffer) -> None:
        for piece in buffer.pieces():
            memory = buffer.bytes[piece]
            self.rt.do(function, self.runtime.ctx, tensor, piece.start, memory.ctypes.data, memory.nbytes)

    def _new(self, name: str, *args: object) -> int:
        handle = self.rt.made(name, *args)
        self.tensors.append(handle)
        return handle

    def _guard(self, buffer: Buffer, poison: Callable[..., None]) -> None:
        start, itemsize = buffer.bytes.ctypes.data, buffer.array.itemsize
        first, end = buffer.offset * itemsize, (buffer.offset + buffer.placement.span) * itemsize
        for low, high in ((0, first), (end, buffer.bytes.nbytes)):
            region = ctypes.c_void_p(start + low), ctypes.c_size_t(high - low)
            poison(*region)
            self.guarded.append(region)

    def _list(self, items: list[Passed]) -> int:
        handles = (ctypes.c_void_p * max(len(items), 1))()
        for i, item in enumerate(items):
            if isinstance(item, Buffer):
                handles[i] = self._tensor(item)
            elif isinstance(item, Allocated):
                self.later.append(partial(self._read_entry, handles, i, item))
                self.traces.append((item, partial(self._is_set, handles, i)))
        return self._kept(handles)

    def _generator(self, seed: Seed) -> int:
        handle = self.rt.create_generator(seed.seed)
        self.generators.append(handle)
        if seed.offset:
            self.rt.do("diopiGeneratorSetSeedAndOffset", handle, seed.seed, seed.offset)
        return handle

    def _written(self, kind: str, value: Written) -> int:
        numbers = (PLAIN[kind[:-1]] * max(len(value.initial), 1))(*value.initial)
        before = bytes(numbers)
        self.later.append(lambda: value.values.extend(numbers[:]))
        self.traces.append((value, lambda: bytes(numbers) != before))
        return self._kept(numbers)

    def _allocated(self, value: Allocated) -> int:
        handle = (ctypes.c_void_p * 1)()
        self.later.append(lambda: self._read_allocated(handle[0], value))
        self.traces.append((value, lambda: bool(handle[0])))
        return self._kept(handle)

    def _is_set(self, handles: Any, i: int) -> bool:
        return bool(handles[i])

    def _read_entry(self, handles: Any, i: int, item: Allocated) -> None:
        self._read_allocated(handles[i], item)

    def _read_allocated(self, address: int | None, value: Allocated) -> None:
        if not address:
            return
        shape, value.strides, dtype = self.rt.describe(address)
        value.array = np.empty(shape, NUMPY[dtype])
        self.rt.do("diopirtCopyToHost", self.runtime.ctx, address, value.array.ctypes.data, value.array.nbytes)

    def copy_back(self) -> None:
        """Reads the tensors that lie in the vendor's own memory."""
        for tensor, buffer in self.copies:
            self._copy("diopirtReadStorage", tensor, buffer)

    def fetch(self) -> None:
        """Reads the results outside the caller's tensors: allocated tensors and numbers behind pointers."""
        for read in self.later:
            read()

    def check_failed_call(self) -> None:
        """Records whether a failed call wrote handles or numbers behind pointers."""
        for value, changed in self.traces:
            value.touched = changed()

    def generator_offsets(self) -> tuple[int, ...]:
        offsets = []
        for generator in self.generators:
            seed, offset = ctypes.c_uint64(), ctypes.c_uint64()
            self.rt.do("diopiGeneratorGetSeedAndOffset", generator, ctypes.byref(seed), ctypes.byref(offset))
            offsets.append(offset.value)
        return tuple(offsets)

    def release(self) -> None:
        for region in self.guarded:
            if self.runtime.unpoison is not None:
                self.runtime.unpoison(*region)
        for tensor in reversed(self.tensors):
            self.rt.diopirtReleaseTensor(tensor)
        for generator in self.generators:
            self.rt.diopirtDestroyGenerator(generator)
        self.rt.diopirtClearTemporaries(self.runtime.ctx)
