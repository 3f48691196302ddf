# SPDX-License-Identifier: BSD-3-Clause
"""Devices whose memory this process cannot read: tensors of the host are copied to the device and back."""

from __future__ import annotations

import ctypes
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from .binding import Runtime, size_of
from .errors import ArgumentError, Error, wrong
from .tensor import view_of

if TYPE_CHECKING:
    from .tensors import Call


def is_readable(address: ctypes.c_void_p) -> bool:
    """Whether the byte at this address can be read: the kernel copies it to a pipe, or returns an error."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.write.argtypes = (ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t)
    libc.write.restype = ctypes.c_ssize_t
    reading, writing = os.pipe()
    try:
        return bool(libc.write(writing, address, 1) == 1)
    finally:
        os.close(reading)
        os.close(writing)


def is_on_host(runtime: Runtime, library: int, device: int) -> bool:
    """Whether this process can read the memory that the vendor allocates. A vendor that allocates nothing is taken for
    one that it can read: the first call reports the error."""
    context = runtime.create_context(library)
    try:
        tensor = runtime.made(
            "diopirtCreateTensor", context, size_of([1]), None, runtime.contract.dtypes["uint8"], device
        )
    except Error:
        runtime.diopirtDestroyContext(context)
        return True
    address = ctypes.c_void_p()
    try:
        runtime.do("diopiGetTensorData", tensor, ctypes.byref(address))
        return is_readable(address)
    finally:
        runtime.diopirtReleaseTensor(tensor)
        runtime.diopirtDestroyContext(context)


class Copies:
    """The tensors of the host in one call, each with its copy on the device."""

    __slots__ = ("_arrays", "_handles", "_names", "_written")

    def __init__(self) -> None:
        self._arrays: list[np.ndarray[Any, Any]] = []
        self._handles: list[int] = []
        self._names: list[str] = []
        self._written: list[bool] = []

    def handle(self, call: Call, function: str, name: str, handle: int, value: Any, writing: bool) -> int:
        """The handle of the copy of a host tensor. Equal views of the same memory have one copy."""
        array = view_of(call.runtime, handle, value)
        for i, other in enumerate(self._arrays):
            if _is_same(array, other):
                self._written[i] |= writing
                return self._handles[i]
            if (writing or self._written[i]) and _overlap(array, other):
                shown = f"a tensor that shares memory with {self._names[i]}"
                expected = "memory of its own, because each of them is copied to the device"
                raise wrong(ArgumentError, function, name, expected, value, shown)
        copy = _on_device(call, array, handle)
        self._arrays.append(array)
        self._handles.append(copy)
        self._names.append(name)
        self._written.append(writing)
        return copy

    def copy_back(self, call: Call) -> None:
        """Copies the written tensors from the device to the host."""
        for array, handle, written in zip(self._arrays, self._handles, self._written):
            if written and array.size:
                packed = np.empty(array.shape, array.dtype)
                data = ctypes.c_void_p(packed.__array_interface__["data"][0])
                call.runtime.do("diopirtCopyToHost", call.context, handle, data, packed.nbytes)
                array[...] = packed


def _on_device(call: Call, array: np.ndarray[Any, Any], handle: int) -> int:
    """A new tensor of the device with the elements of an array. `handle` has its dtype."""
    runtime = call.runtime
    name = runtime.describe(handle)[2]
    copy = runtime.made(
        "diopirtCreateTensor", call.context, size_of(array.shape), None, runtime.contract.dtypes[name], call.device
    )
    call.handles.append(copy)
    packed = np.ascontiguousarray(array)
    data = ctypes.c_void_p(packed.__array_interface__["data"][0])
    if packed.size:
        runtime.do("diopirtCopyFromHost", call.context, copy, data, packed.nbytes)
    return copy


def _is_same(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> bool:
    keys = ("data", "shape", "typestr")
    first, second = a.__array_interface__, b.__array_interface__
    return a.strides == b.strides and all(first[k] == second[k] for k in keys)


def _overlap(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> bool:
    work: Any = 10_000  # the exact answer can take very long
    try:
        return bool(np.shares_memory(a, b, max_work=work))
    except getattr(np, "exceptions", np).TooHardError:
        return True
