# SPDX-License-Identifier: BSD-3-Clause
"""Makes the arguments of a captured call again, in the memory of a library, and calls the operator."""

from __future__ import annotations

import ctypes
import time
from typing import Any

from .. import Library
from ..binding import scalar_of, size_of
from ..contract import Param
from ..signatures import bare
from .captured import CapturedCall, Storage
from .checks import SPECIAL
from .elements import item_size
from .errors import UsageError

POISON = 0x7F  # fills memory that the call only writes
ALIGNMENT = 64


class Rebuilt:
    """One captured call on a library. Close it to free its memory."""

    def __init__(self, library: Library, call: CapturedCall) -> None:
        self.library, self.call, self.runtime = library, call, library.runtime
        self.function = library.contract.function(call.operator)
        self._call = library.new_call()
        self.context = self._call.context
        self._handles: list[int] = []  # tensors to release
        self._generators: list[tuple[int, dict[str, Any]]] = []
        self._by_number: dict[int, int] = {}
        self._kept: list[Any] = []
        self.created: dict[str, tuple[Any, int]] = {}  # tensors that the operator creates: array of handles, length
        self._numbers: dict[str, tuple[Any, Any]] = {}  # what pointers point to: its C value, and that before the call
        self.memory = [self._allocate(s) for s in call.storages]
        self.fill()
        self.values = [self._argument(p) for p in self.function.params]

    def close(self) -> None:
        for handle in self._handles:
            self.runtime.diopirtReleaseTensor(handle)
        for generator, _ in self._generators:
            self.runtime.diopirtDestroyGenerator(generator)
        self._call.release()

    # --- memory ---

    def _device(self, storage: Storage) -> int:
        devices = self.library.contract.enums["diopiDevice_t"]
        return devices["diopi_host" if storage.on_host else "diopi_device"]

    def _allocate(self, storage: Storage) -> tuple[int, int, int]:
        """The tensor of bytes that holds a storage, the storage's address, and its distance from the tensor's begin."""
        uint8 = self.library.contract.dtypes["uint8"]
        shape = size_of([storage.bytes + ALIGNMENT])
        base = self.runtime.made("diopirtCreateTensor", self.context, shape, None, uint8, self._device(storage))
        self._handles.append(base)
        address = ctypes.c_void_p()
        self.runtime.do("diopiGetTensorData", base, ctypes.byref(address))
        shift = (storage.alignment - (address.value or 0)) % ALIGNMENT
        return base, (address.value or 0) + shift, shift

    def fill(self) -> None:
        """Restores the memory and the generators as they were before the call."""
        for generator, raw in self._generators:
            self._rewind(generator, raw)
        for value, before in self._numbers.values():
            value.value = before
        for storage, (base, _, shift) in zip(self.call.storages, self.memory):
            content = self.call.memory(storage.before, storage.bytes) or bytes([POISON]) * storage.bytes
            whole = bytes(shift) + content + bytes(ALIGNMENT - shift)
            self.runtime.do("diopirtCopyFromHost", self.context, base, whole, len(whole))
        self.runtime.do("diopirtSynchronize", self.context)

    def read(self, storage: int) -> bytes:
        """The bytes of a storage as they are now."""
        base, _, shift = self.memory[storage]
        length = self.call.storages[storage].bytes
        whole = ctypes.create_string_buffer(length + ALIGNMENT)
        self.runtime.do("diopirtCopyToHost", self.context, base, whole, len(whole))
        return whole.raw[shift : shift + length]

    # --- arguments ---

    def _tensor(self, raw: dict[str, Any] | None) -> int | None:
        """The handle of a captured tensor. Equal numbers of handles give the same handle."""
        if raw is None:
            return None
        handle = self._by_number.get(raw["handle"])
        if handle is None:
            handle = self._sparse(raw) if raw.get("sparse") else self._dense(raw)
            self._by_number[raw["handle"]] = handle
            self._handles.append(handle)
        return handle

    def _dense(self, raw: dict[str, Any]) -> int:
        dtype = self.library.contract.dtypes[raw["dtype"]]
        shape, stride = size_of(raw["shape"]), size_of(raw["stride"])
        devices = self.library.contract.enums["diopiDevice_t"]
        device = devices["diopi_host" if raw.get("device") == "host" else "diopi_device"]
        if raw["storage"] is None:
            return self.runtime.made("diopirtCreateTensor", self.context, shape, ctypes.byref(stride), dtype, device)
        storage, (_, address, _) = self.call.storages[raw["storage"]], self.memory[raw["storage"]]
        return self.runtime.made(
            "diopirtWrapMemory",
            self.context,
            address + raw["offset"],
            storage.bytes - raw["offset"],
            shape,
            ctypes.byref(stride),
            dtype,
            device,
            None,
            None,
        )

    def _sparse(self, raw: dict[str, Any]) -> int:
        parts = [self._tensor(raw[name]) for name in ("crow_indices", "col_indices", "values")]
        return self.runtime.made("diopirtCreateSparseCsr", *parts, size_of(raw["shape"]))

    def _generator(self, raw: dict[str, Any] | None) -> int | None:
        if raw is None:
            return None
        generator = self.runtime.create_generator(int(raw["seed"]))
        self._generators.append((generator, raw))
        self._rewind(generator, raw)
        return generator

    def _rewind(self, generator: int, raw: dict[str, Any]) -> None:
        self.runtime.do("diopiGeneratorSetSeedAndOffset", generator, int(raw["seed"]), int(raw["offset"]))

    def _keep(self, value: Any) -> Any:
        self._kept.append(value)
        return ctypes.cast(ctypes.pointer(value), ctypes.c_void_p)

    def _handles_of(self, handles: list[int | None]) -> Any:
        array = (ctypes.c_void_p * max(len(handles), 1))(*handles)
        self._kept.append(array)
        return ctypes.cast(array, ctypes.c_void_p)

    def _argument(self, param: Param) -> Any:
        """The C value of an argument."""
        if param.name == "ctx":
            return self.context
        raw, kind = self.call.arguments[param.name], bare(param.type)
        if param.allocates:
            return self._created(param, raw)
        if "Generator" in kind:
            return self._generators_of(kind, raw)
        if "TensorHandle" in kind:
            listed = param.count is not None
            return self._tensor(raw) if not listed else raw and self._handles_of([self._tensor(r) for r in raw])
        return self._plain(param.name, kind, raw)

    def _created(self, param: Param, raw: list[Any] | None) -> Any:
        if raw is None:
            return None
        array = (ctypes.c_void_p * max(len(raw), 1))()
        self._kept.append(array)
        self.created[param.name] = array, len(raw)
        return ctypes.cast(array, ctypes.c_void_p)

    def _generators_of(self, kind: str, raw: Any) -> Any:
        generators = [self._generator(r) for r in raw] if isinstance(raw, list) else [self._generator(raw)]
        return self._handles_of(generators) if kind.endswith("*") else generators[0]

    def _plain(self, name: str, kind: str, raw: Any) -> Any:
        """A number, a text, a list of numbers, or a pointer to one of them."""
        if raw is None:
            return None
        if kind == "diopiScalar_t*":
            number: Any = SPECIAL.get(raw["value"], raw["value"])
            return self._keep(scalar_of(number, raw["stype"], self.library.contract.dtypes))
        if kind in ("diopiSize_t", "diopiSize_t*"):
            size = size_of(raw)
            self._kept.append(size)
            return size if kind == "diopiSize_t" else self._keep(size)
        if kind == "char*":
            return raw.encode()
        if kind == "void*":
            raise UsageError(f"call {self.call.number}: what a void* of {self.call.operator} points to is not captured")
        value: Any = SPECIAL.get(raw, raw) if isinstance(raw, str) else raw
        if not kind.endswith("*"):
            return value
        types = {"bool*": ctypes.c_bool, "int64_t*": ctypes.c_int64, "double*": ctypes.c_double}
        self._numbers[name] = types[kind](value), value
        return self._keep(self._numbers[name][0])

    def number(self, name: str) -> Any:
        """The number that a pointer points to now."""
        return self._numbers[name][0].value

    # --- the call ---

    def run(self) -> tuple[int, int]:
        """Calls the operator and waits for the stream; returns its status and the nanoseconds."""
        function = getattr(self.library, self.call.operator).entry
        self.runtime.do("diopirtSynchronize", self.context)
        begin = time.perf_counter_ns()
        status = function(*self.values)
        self.runtime.do("diopirtSynchronize", self.context)
        return status, time.perf_counter_ns() - begin

    def created_elements(self, name: str, index: int) -> tuple[tuple[int, ...], str, bytes] | None:
        """Shape, dtype and elements of a tensor that the operator has created; None if it created none."""
        handle = self.created[name][0][index]
        if not handle:
            return None
        shape, _, dtype = self.runtime.describe(handle)
        count = ctypes.c_int64(1)
        for extent in shape:
            count.value *= extent
        length = count.value * item_size(dtype)
        content = ctypes.create_string_buffer(max(length, 1))
        if length:
            self.runtime.do("diopirtCopyToHost", self.context, handle, content, length)
        return shape, dtype, content.raw[:length]
