# SPDX-License-Identifier: BSD-3-Clause
"""Converts tensors of the caller to handles of the runtime, without copies."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from . import dlpack, dtypes
from .binding import Runtime, size_of
from .device_memory import Copies
from .errors import ArgumentError, DeviceError, DtypeError, Error, ReadOnlyError, wrong
from .tensor import Tensor

_TENSOR = "a NumPy array, a diopi.Tensor or an object with __dlpack__"
# NumPy marks read-only arrays in DLPack since version 2.1.
_NUMPY_HAS_VERSIONS = tuple(int(n) for n in np.__version__.split(".")[:2]) >= (2, 1)
_byref = ctypes.byref


class Call:
    """The objects that must stay alive until a call of an operator has returned."""

    __slots__ = ("runtime", "context", "dlpack_device", "device", "handles", "kept", "scratch", "copies")

    def __init__(self, runtime: Runtime, context: int, dlpack_device: tuple[int, int], device: int) -> None:
        self.runtime, self.context, self.dlpack_device, self.device = runtime, context, dlpack_device, device
        self.handles: list[int] = []  # handles to release after the call
        self.kept: list[Any] = []
        self.scratch = ctypes.c_void_p()
        # The copies of the caller's tensors; None if the host can read the device's memory.
        self.copies = None if dlpack_device[0] in dlpack.ON_HOST else Copies()

    def keep(self, thing: Any) -> Any:
        """A pointer to a ctypes object, which stays alive as long as the call."""
        self.kept.append(thing)
        return _byref(thing) if not isinstance(thing, ctypes.Array) else thing

    def is_on_device(self, handle: int) -> bool:
        device = ctypes.c_int()
        self.runtime.do("diopiGetTensorDevice", handle, _byref(device))
        return device.value == self.device

    def release(self) -> None:
        for handle in self.handles:
            self.runtime.diopirtReleaseTensor(handle)
        self.runtime.diopirtClearTemporaries(self.context)


def tensor_handle(call: Call, function: str, name: str, value: Any, writing: bool) -> int | None:
    """The handle of a tensor; None becomes null. If the host cannot read the device, a tensor of the host is copied."""
    if type(value) is Tensor:
        return _own_handle(call, function, name, value, writing)
    handle = _given_handle(call, function, name, value, writing)
    if call.copies is None or handle is None or call.is_on_device(handle):
        return handle
    return call.copies.handle(call, function, name, handle, value, writing)


def _own_handle(call: Call, function: str, name: str, value: Tensor, writing: bool) -> int:
    """The handle of a tensor of this package, which may belong to a library with another device."""
    call.kept.append(value)
    if value._library._dlpack_device == call.dlpack_device:
        return value._handle
    device = value.__dlpack_device__()
    if device[0] not in dlpack.ON_HOST:
        expected = f"a tensor on {dlpack.device_name(call.dlpack_device)}; numpy() copies it to the host"
        raise wrong(DeviceError, function, name, expected, value, f"on device {dlpack.device_name(device)}")
    assert call.copies is not None
    return call.copies.handle(call, function, name, value._handle, value, writing)


def _given_handle(call: Call, function: str, name: str, value: Any, writing: bool) -> int | None:
    """The handle of the memory that the caller gives; None becomes null."""
    if type(value) is np.ndarray:
        if writing and not value.flags.writeable:
            raise wrong(ReadOnlyError, function, name, "a tensor that can be written", value, "a read-only NumPy array")
        if _NUMPY_HAS_VERSIONS and call.dlpack_device[0] == dlpack.CPU:
            try:
                capsule = value.__dlpack__(max_version=(1, 0))
            except BufferError:  # DLPack does not have the dtype: bfloat16, or a dtype that no tensor can have
                return _wrap(call, function, name, value)
            return _take(call, function, name, capsule)
        return _wrap(call, function, name, value)
    if value is None:
        return None
    if isinstance(value, np.ndarray):
        return _given_handle(call, function, name, value.view(np.ndarray), writing)
    if not hasattr(value, "__dlpack__") or isinstance(value, type):
        raise wrong(ArgumentError, function, name, _TENSOR, value)
    return _import(call, function, name, value, writing)


def _import(call: Call, function: str, name: str, value: Any, writing: bool) -> int:
    """The handle of a tensor of another library, through DLPack."""
    lent = dlpack.lend(value)
    handle = _export(call, function, name, value) if lent is None else _take_lent(call, function, name, lent)
    if writing:
        read_only = ctypes.c_bool()
        call.runtime.do("diopirtIsTensorReadOnly", handle, _byref(read_only))
        if read_only.value:
            shown = f"a read-only {type(value).__name__}"
            raise wrong(ReadOnlyError, function, name, "a tensor that can be written", value, shown)
    return handle


def _take_lent(call: Call, function: str, name: str, lent: int) -> int:
    """The handle of a DLManagedTensorVersioned, which is consumed."""
    code = call.runtime.diopirtFromDLPackVersioned(call.context, lent, _byref(call.scratch))
    if code:
        error = refused(call.runtime, code, function, name)
        dlpack.give_back(lent)
        raise error
    handle = call.scratch.value
    assert handle is not None
    call.handles.append(handle)
    return handle


def _export(call: Call, function: str, name: str, value: Any) -> int:
    """The handle of a tensor of another library, through the methods of DLPack."""
    try:
        device = dlpack.device_of(value)
    except Exception as error:
        expected = f"a tensor on {dlpack.device_name(call.dlpack_device)}"
        shown = f"a {type(value).__name__} whose device is unknown ({error})"
        raise wrong(DeviceError, function, name, expected, value, shown) from error
    if device[0] not in dlpack.ON_HOST and device != call.dlpack_device:
        expected = dlpack.device_name(call.dlpack_device)
        raise wrong(DeviceError, function, name, expected, value, f"on device {dlpack.device_name(device)}")
    if dlpack.is_negated(value):
        expected = "a tensor without it; resolve_neg() makes a copy"
        raise wrong(ArgumentError, function, name, expected, value, "a tensor with PyTorch's negative bit")
    try:
        capsule = dlpack.export(value)
    except Exception as error:
        shown = f"a {type(value).__name__} that cannot be exported ({error})"
        raise wrong(ArgumentError, function, name, _TENSOR, value, shown) from error
    return _take(call, function, name, capsule)


def _take(call: Call, function: str, name: str, capsule: object) -> int:
    """The handle of the tensor in a capsule. The capsule is consumed."""
    runtime, scratch = call.runtime, call.scratch
    if dlpack.is_valid(capsule, dlpack.VERSIONED):
        code = runtime.diopirtFromDLPackVersioned(
            call.context, dlpack.pointer_of(capsule, dlpack.VERSIONED), _byref(scratch)
        )
        used = dlpack.USED_VERSIONED
    elif dlpack.is_valid(capsule, dlpack.OLD):
        code = runtime.diopirtFromDLPack(call.context, dlpack.pointer_of(capsule, dlpack.OLD), _byref(scratch))
        used = dlpack.USED_OLD
    else:
        raise wrong(ArgumentError, function, name, "a capsule of DLPack that has not been used", capsule)
    if code:
        raise refused(runtime, code, function, name)
    dlpack.rename(capsule, used)
    handle = scratch.value
    assert handle is not None
    call.handles.append(handle)
    return handle


def _wrap(call: Call, function: str, name: str, array: np.ndarray[Any, Any]) -> int:
    """The handle of a NumPy array, without DLPack."""
    try:
        dtype = dtypes.name_of(array.dtype)
    except DtypeError:
        expected = f"one of {', '.join(dtypes.NAMES)}"
        raise wrong(DtypeError, function, name, expected, array.dtype, f"of dtype {array.dtype}") from None
    itemsize = array.itemsize
    low = array.__array_interface__["data"][0]
    if any(s % itemsize for n, s in zip(array.shape, array.strides) if n > 1) or (
        array.size and low % min(itemsize, 8)
    ):
        shown = f"a NumPy array with strides of {list(array.strides)} bytes at address {low:#x}"
        raise wrong(ArgumentError, function, name, "an array whose elements are aligned", array, shown)
    strides = [s // itemsize if n > 1 else 1 for n, s in zip(array.shape, array.strides)]
    span = 1 + sum((n - 1) * s for n, s in zip(array.shape, strides)) if array.size else 0
    size = size_of(strides)
    device = call.device if call.dlpack_device[0] == dlpack.CPU else 0
    code = call.runtime.diopirtWrapMemory(
        call.context,
        low if array.size else None,
        max(span, 0) * itemsize,
        size_of(array.shape),
        _byref(size),
        call.runtime.contract.dtypes[dtype],
        device,
        None,
        None,
        _byref(call.scratch),
    )
    if code:
        raise refused(call.runtime, code, function, name)
    handle = call.scratch.value
    assert handle is not None
    call.kept.append(array)
    call.handles.append(handle)
    return handle


def refused(runtime: Runtime, code: int, function: str, name: str) -> Error:
    """The error for a tensor that the runtime refused."""
    message = runtime.message().split(": ", 1)[-1]
    kind = DtypeError if runtime.contract.codes.get(code) == "diopiDtypeNotSupported" else ArgumentError
    if "is negative" in message:
        message += "; numpy.ascontiguousarray() makes a copy without negative strides"
    return kind(
        f"{function}: {name} cannot be used as a tensor: {message}",
        code=runtime.contract.codes.get(code, ""),
        argument=name,
    )


def list_handles(call: Call, function: str, name: str, value: Any, writing: bool, may_lack: bool) -> Any:
    """An array of handles for a list of tensors; None becomes null."""
    if value is None:
        return None
    if not isinstance(value, (list, tuple)):
        raise wrong(ArgumentError, function, name, "a list of tensors", value)
    handles = (ctypes.c_void_p * max(len(value), 1))()
    for i, item in enumerate(value):
        if item is None and not may_lack:
            raise wrong(ArgumentError, function, f"{name}[{i}]", _TENSOR, item)
        handles[i] = tensor_handle(call, function, f"{name}[{i}]", item, writing)
    return call.keep(handles)
