# SPDX-License-Identifier: BSD-3-Clause
"""Capsules of the DLPack protocol, with which Python libraries exchange tensors."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable
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


class _ExchangeApi(ctypes.Structure):
    """The first fields of DLPackExchangeAPI, the functions that the type of a tensor offers to C."""

    _fields_ = [
        ("version", ctypes.c_uint32 * 2),
        ("previous", ctypes.c_void_p),
        ("allocate", ctypes.c_void_p),
        ("from_object", ctypes.c_void_p),
    ]


class _Lent(ctypes.Structure):
    """The first fields of DLManagedTensorVersioned."""

    _fields_ = [
        *_ManagedVersioned._fields_,
        ("flags", ctypes.c_uint64),
        ("data", ctypes.c_void_p),
        ("device", ctypes.c_int32 * 2),
    ]


_FROM_OBJECT = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(ctypes.c_void_p))
_EXCHANGE_API = b"dlpack_exchange_api"


_from_object_of: weakref.WeakKeyDictionary[type, Callable[..., int] | None] = weakref.WeakKeyDictionary()


def _from_object(kind: type) -> Callable[..., int] | None:
    """The C function that lends tensors of exactly this type; None if there is none."""
    if kind not in _from_object_of:
        _from_object_of[kind] = _find_from_object(kind)
    return _from_object_of[kind]


def _find_from_object(kind: type) -> Callable[..., int] | None:
    api = vars(kind).get("__dlpack_c_exchange_api__")
    if api is None or not is_valid(api, _EXCHANGE_API):
        return None
    functions = _ExchangeApi.from_address(pointer_of(api, _EXCHANGE_API))
    known = functions.version[0] == MAX_VERSION[0] and functions.from_object
    return _FROM_OBJECT(functions.from_object) if known else None


def lend(value: Any) -> int | None:
    """The address of a DLManagedTensorVersioned of a tensor on the CPU, by DLPack's functions for C.

    This takes a tenth of the time of PyTorch's `__dlpack__`, which is written in Python. None if the type has no such
    functions, or the tensor is one that `__dlpack__` may refuse: the functions do not ask for gradients, conjugation
    and PyTorch's negative bit.
    """
    from_object = _from_object(type(value))
    if from_object is None or getattr(value, "requires_grad", False):
        return None
    if any(callable(asked) and asked() for asked in (getattr(value, n, None) for n in ("is_conj", "is_neg"))):
        return None
    managed = ctypes.c_void_p()
    try:
        code = from_object(value, ctypes.byref(managed))
    except Exception:
        return None
    if code or managed.value is None:
        return None
    if _Lent.from_address(managed.value).device[0] == CPU:
        return managed.value
    give_back(managed.value)
    return None


def give_back(managed: int) -> None:
    """Frees a DLManagedTensorVersioned that no runtime has taken."""
    deleter = _ManagedVersioned.from_address(managed).deleter
    if deleter:
        _DELETER(deleter)(managed)


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
