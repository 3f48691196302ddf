# SPDX-License-Identifier: BSD-3-Clause
"""The C interface in ctypes: structures, types of parameters, and the runtime libdiopirt.so.

The judge uses this binding, too. The project has no other one.
"""

from __future__ import annotations

import ctypes
import functools
from pathlib import Path
from typing import Any, NoReturn

from .contract import Contract
from .errors import Error
from .signatures import ParamLike, bare


class Size(ctypes.Structure):
    """diopiSize_t."""

    _fields_ = [("data", ctypes.POINTER(ctypes.c_int64)), ("len", ctypes.c_int64)]


class _ScalarValue(ctypes.Union):
    _fields_ = [("fval", ctypes.c_double), ("ival", ctypes.c_int64)]


class ScalarStruct(ctypes.Structure):
    """diopiScalar_t."""

    _anonymous_ = ("value",)
    _fields_ = [("stype", ctypes.c_int), ("value", _ScalarValue)]


PLAIN: dict[str, Any] = {
    "bool": ctypes.c_bool,
    "double": ctypes.c_double,
    "float": ctypes.c_float,
    "int": ctypes.c_int,
    "int32_t": ctypes.c_int32,
    "int64_t": ctypes.c_int64,
    "uint64_t": ctypes.c_uint64,
}


@functools.cache
def int64_array(length: int) -> Any:
    """The ctypes type of `length` 64-bit integers."""
    return ctypes.c_int64 * length


def size_of(numbers: Any) -> Size:
    """A diopiSize_t that keeps the memory of its numbers alive."""
    return Size(int64_array(max(len(numbers), 1))(*numbers), len(numbers))


def numbers_of(size: Size) -> tuple[int, ...]:
    return tuple(size.data[: size.len]) if size.len else ()


def scalar_of(value: float | int | bool, dtype: str, dtypes: dict[str, int]) -> ScalarStruct:
    """A diopiScalar_t with this value and dtype."""
    struct = ScalarStruct(dtypes[dtype])
    if dtype.startswith(("float", "bfloat")):
        struct.fval = float(value)
    else:
        struct.ival = int(value)
    return struct


def ctype_of(param: ParamLike, enums: dict[str, Any]) -> Any:
    """The ctypes type of a parameter. Pointers and handles are passed as addresses."""
    kind = bare(param.type)
    if kind in PLAIN:
        return PLAIN[kind]
    if kind in enums:
        return ctypes.c_int
    if kind == "diopiSize_t":
        return Size
    return ctypes.c_char_p if kind == "char*" else ctypes.c_void_p


_P, _I32, _I64, _U64, _SZ = ctypes.c_void_p, ctypes.c_int, ctypes.c_int64, ctypes.c_uint64, ctypes.c_size_t
# The functions of the runtime that Python code of the project calls. The functions in QUICK return at once, so they
# keep the interpreter's lock: releasing it would take longer than the call.
QUICK: dict[str, tuple[Any, ...]] = {
    "diopirtReleaseTensor": (_P,),
    "diopirtRetainTensor": (_P,),
    "diopirtClearTemporaries": (_P,),
    "diopirtFromDLPack": (_P, _P, _P),
    "diopirtFromDLPackVersioned": (_P, _P, _P),
    "diopirtToDLPack": (_P, _P),
    "diopirtToDLPackVersioned": (_P, _P),
    "diopirtIsTensorReadOnly": (_P, _P),
    "diopirtSetDLPackDevice": (_P, _I32, _I32),
    "diopirtCreateTensor": (_P, Size, _P, _I32, _I32, _P),
    "diopirtWriteStorage": (_P, _P, _SZ, _P, _SZ),
    "diopirtReadStorage": (_P, _P, _SZ, _P, _SZ),
    "diopirtWrapMemory": (_P, _P, _SZ, Size, _P, _I32, _I32, _P, _P, _P),
    "diopirtCreateView": (_P, Size, _P, _I64, _P),
    "diopirtCreateSparseCsr": (_P, _P, _P, Size, _P),
    "diopirtCreateGenerator": (_U64, _P),
    "diopirtDestroyGenerator": (_P,),
    "diopirtGetStatistics": (_P,),
    "diopirtGetFunction": (_P, ctypes.c_char_p, _P),
    "diopiGeneratorGetSeedAndOffset": (_P, _P, _P),
    "diopiGeneratorSetSeedAndOffset": (_P, _U64, _U64),
    "diopiGetTensorShape": (_P, _P),
    "diopiGetTensorStride": (_P, _P),
    "diopiGetTensorDtype": (_P, _P),
    "diopiGetTensorDevice": (_P, _P),
    "diopiGetTensorData": (_P, _P),
}
SLOW: dict[str, tuple[Any, ...]] = {
    "diopirtLoadLibrary": (ctypes.c_char_p, _P),
    "diopirtUnloadLibrary": (_P,),
    "diopirtCreateContext": (_P, _P),
    "diopirtDestroyContext": (_P,),
    "diopirtSynchronize": (_P,),
    "diopirtCopyFromHost": (_P, _P, _P, _SZ),
    "diopirtCopyToHost": (_P, _P, _P, _SZ),
}


class Runtime:
    """libdiopirt.so. Its functions are attributes with their C names. If a function fails, pass its code to `fail`."""

    def __init__(self, path: Path, contract: Contract) -> None:
        self.path, self.contract = path, contract
        try:
            # RTLD_GLOBAL, because the vendor's library looks for the functions of diopirt.h in the whole process.
            self._slow = ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
            self._quick = ctypes.PyDLL(str(path), mode=ctypes.RTLD_GLOBAL)
        except OSError as error:
            raise Error(f"the runtime {path} cannot be loaded: {error}", argument="runtime", value=path) from error
        self._message = self._function(self._quick, "diopirtGetLastErrorString", (), ctypes.c_char_p)

    def __getattr__(self, name: str) -> Any:
        """Loads a function when it is used for the first time."""
        if name in QUICK:
            function = self._function(self._quick, name, QUICK[name], ctypes.c_int)
        elif name in SLOW:
            function = self._function(self._slow, name, SLOW[name], ctypes.c_int)
        else:
            raise AttributeError(f"{name} is not among the functions of the runtime that diopi.binding knows")
        self.__dict__[name] = function
        return function

    def _function(self, library: ctypes.CDLL, name: str, argtypes: tuple[Any, ...], restype: Any) -> Any:
        try:
            function = library[name]  # each lookup gives a new object, so other users' argtypes do not change
        except AttributeError as error:
            text = f"the runtime {self.path} has no {name}, which this version needs"
            raise Error(text, argument="runtime", value=self.path) from error
        function.argtypes, function.restype = argtypes, restype
        return function

    def message(self) -> str:
        """The message of this thread's last failure in the runtime."""
        return (self._message() or b"").decode(errors="replace")

    def fail(self, code: int, kind: type[Error] = Error) -> NoReturn:
        """Raises an error with the runtime's message about the failure with this code."""
        name = self.contract.codes.get(code, str(code))
        raise kind(self.message() or f"the runtime failed with {name}", code=name)

    def do(self, name: str, *args: object) -> None:
        """Calls a function of the runtime. Raises an error if it fails."""
        code = getattr(self, name)(*args)
        if code:
            self.fail(code)

    # --- libraries, contexts, tensors ---

    def load_library(self, path: Path) -> int:
        return self.made("diopirtLoadLibrary", str(path).encode())

    def create_context(self, library: int) -> int:
        return self.made("diopirtCreateContext", library)

    def symbol(self, library: int, name: str) -> int | None:
        """The address of a function of a vendor's library; None if the library does not have it."""
        address = ctypes.c_void_p()
        code = self.diopirtGetFunction(library, name.encode(), ctypes.byref(address))
        return address.value if code == 0 else None

    def text(self, library: int, name: str) -> str | None:
        """The text that a function without parameters returns, such as diopiGetVendorName."""
        address = self.symbol(library, name)
        answer = ctypes.CFUNCTYPE(ctypes.c_char_p)(address)() if address else None
        return None if answer is None else answer.decode(errors="replace")

    def create_generator(self, seed: int) -> int:
        return self.made("diopirtCreateGenerator", seed)

    def describe(self, tensor: int) -> tuple[tuple[int, ...], tuple[int, ...], str]:
        """The shape, the strides in elements, and the dtype of a tensor."""
        shape, strides, dtype = Size(), Size(), ctypes.c_int()
        self.do("diopiGetTensorShape", tensor, ctypes.byref(shape))
        self.do("diopiGetTensorStride", tensor, ctypes.byref(strides))
        self.do("diopiGetTensorDtype", tensor, ctypes.byref(dtype))
        return numbers_of(shape), numbers_of(strides), self.contract.dtype_names[dtype.value]

    def made(self, name: str, *args: object) -> int:
        """The handle that a function of the runtime writes through its last parameter."""
        handle = ctypes.c_void_p()
        self.do(name, *args, ctypes.byref(handle))
        assert handle.value is not None
        return handle.value
