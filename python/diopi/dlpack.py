# SPDX-License-Identifier: BSD-3-Clause
"""Capsules of the DLPack protocol, with which Python libraries exchange tensors."""

from __future__ import annotations

import ctypes
from typing import Any, Protocol, runtime_checkable

VERSIONED, USED_VERSIONED = b"dltensor_versioned", b"used_dltensor_versioned"
OLD, USED_OLD = b"dltensor", b"used_dltensor"
CPU, EXTENSION = 1, 12
DEVICES = {1: "cpu", 2: "cuda", 3: "cuda_host", 7: "vulkan", 8: "metal", 10: "rocm", 11: "rocm_host", 12: "extension"}
# DLPack devices whose memory the CPU can address.
ON_HOST = (1, 3, 11)
MAX_VERSION = (1, 0)


@runtime_checkable
class Exporter(Protocol):
    """An object that exports a tensor through DLPack."""

    def __dlpack__(self, **kwargs: Any) -> object: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...


def _api(name: str, restype: Any, *argtypes: Any) -> Any:
    function = ctypes.pythonapi[name]
    function.restype, function.argtypes = restype, argtypes
    return function


pointer_of = _api("PyCapsule_GetPointer", ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
is_valid = _api("PyCapsule_IsValid", ctypes.c_int, ctypes.py_object, ctypes.c_char_p)
rename = _api("PyCapsule_SetName", ctypes.c_int, ctypes.py_object, ctypes.c_char_p)
_new = _api("PyCapsule_New", ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
# A destructor gets a capsule without references. Python code must not create one, so the capsule is an address here.
_address_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_IsValid", ctypes.pythonapi)
)
_address_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)


class _Managed(ctypes.Structure):
    _fields_ = [("dl_tensor", ctypes.c_byte * 48), ("manager_ctx", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class _ManagedVersioned(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32 * 2), ("manager_ctx", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


_DELETER = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)


def _destroy(capsule: int) -> None:
    """Frees the tensor of a capsule that was not consumed. A consumed capsule has another name."""
    for name, structure in ((VERSIONED, _ManagedVersioned), (OLD, _Managed)):
        if _address_is_valid(capsule, name):
            managed = _address_pointer(capsule, name)
            _DELETER(structure.from_address(managed).deleter)(managed)


_destructor = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(_destroy)


def capsule(managed: int, versioned: bool) -> object:
    """A capsule for a DLManagedTensor of the runtime."""
    return _new(managed, VERSIONED if versioned else OLD, ctypes.cast(_destructor, ctypes.c_void_p))


def device_name(device: tuple[int, int]) -> str:
    """`cuda:0`."""
    kind, index = int(device[0]), int(device[1])
    name = DEVICES.get(kind, f"DLPack device {kind}")
    return name if kind == CPU else f"{name}:{index}"


def device_of(value: Exporter) -> tuple[int, int]:
    """The kind and the number of the device on which an object's tensor is."""
    kind, index = value.__dlpack_device__()
    return int(kind), int(index)


def is_negated(value: object) -> bool:
    """Whether PyTorch stores the tensor with the opposite sign, which DLPack does not say."""
    asked = getattr(value, "is_neg", None)
    return callable(asked) and asked() is True


def export(value: Exporter) -> object:
    """The capsule of an object's tensor, in the newest version of DLPack that the object supports."""
    try:
        return value.__dlpack__(max_version=MAX_VERSION)
    except TypeError:  # the object's library is older than the versions of the protocol
        return value.__dlpack__()
