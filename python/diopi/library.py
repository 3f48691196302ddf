# SPDX-License-Identifier: BSD-3-Clause
"""A vendor's library, whose operators are attributes."""

from __future__ import annotations

import ctypes
import difflib
import itertools
import numbers
import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from . import dlpack, dtypes
from .binding import Runtime
from .device_memory import is_on_host
from .errors import ArgumentError, Error, OperatorNotFoundError, wrong
from .fallback import Fallback, Fallbacks
from .locate import find_library
from .operators import Operator
from .results import create
from .runtimes import current_runtime
from .signatures import kind_of, python_name
from .tensor import Tensor
from .tensors import Call, tensor_handle

_far_devices = itertools.count()  # the numbers of devices whose memory the host cannot read


class _Context(threading.local):
    """The context of each thread. Calls with a common context would have to wait for each other."""

    handle: int | None = None
    owner: object = None


class Library:
    """A loaded library. `lib.softmax`, `lib.Softmax` and `lib.diopiSoftmax` are the same operator.

    Any thread may call operators; each thread has its own context. A library stays loaded until the process ends.
    """

    def __init__(self, path: Path, runtime: Runtime) -> None:
        self.path, self.runtime, self.contract = path, runtime, runtime.contract
        self._handle = runtime.load_library(path)
        self._context = _Context()
        self._host = (dlpack.CPU, 0)
        self._dlpack_device = self._host
        self._device = self.contract.enums["diopiDevice_t"]["diopi_device"]
        if not is_on_host(runtime, self._handle, self._device):
            self._dlpack_device = (dlpack.EXTENSION, next(_far_devices))
            runtime.do("diopirtSetDLPackDevice", self._handle, *self._dlpack_device)
        error = runtime.symbol(self._handle, "diopiGetLastErrorString")
        self._last_error = ctypes.PYFUNCTYPE(ctypes.c_char_p)(error) if error else None
        self._fallbacks = Fallbacks(runtime, self._handle)

    # --- operators ---

    def __getattr__(self, name: str) -> Operator:
        if name.startswith("__"):  # Python looks for such names; none of them is an operator
            raise AttributeError(name)
        found = self.contract.find(name)
        address = self.runtime.symbol(self._handle, found) if found else None
        if found is None or address is None:
            raise self._no_operator(name, found)
        operator = self.__dict__.get(found) or Operator(self, self.contract.function(found), address)
        self.__dict__[found] = self.__dict__[name] = operator
        return operator

    def has(self, name: str) -> bool:
        """Whether the library has the operator `name`."""
        found = self._find("has", name)
        return found is not None and self.runtime.symbol(self._handle, found) is not None

    def _find(self, function: str, name: object) -> str | None:
        """The C name of an operator that the caller of `function` names."""
        if not isinstance(name, str):
            raise wrong(ArgumentError, function, "name", "a string", name)
        return self.contract.find(name)

    def operators(self) -> list[str]:
        """The names of all operators of the library."""
        return [python_name(n) for n in self.contract.names if self.runtime.symbol(self._handle, n)]

    def fallbacks(self) -> list[Fallback]:
        """What the library has computed on the host in place of its device, by operator."""
        return self._fallbacks.rows()

    def supports(self, name: str, dtype: Any, parameter: str | None = None) -> str:
        """How the library computes an operator if a tensor has this dtype: native, converted, fallback or unsupported.

        `parameter` names the tensor; without it, the first tensor that the operator reads is meant.
        """
        found = self._find("supports", name)
        if found is None:
            raise self._no_operator(name, found)
        if parameter is not None:
            tensors = [p.name for p in self.contract.function(found).params if kind_of(p) in ("tensor", "tensors")]
            if parameter not in tensors:
                raise wrong(
                    ArgumentError, "supports", "parameter", f"a tensor of {found}: {', '.join(tensors)}", parameter
                )
        if not self._fallbacks.answers:
            raise Error(f"{self.path.name} lacks diopiSupports: it was built by an older version")
        return self._fallbacks.support(found, parameter, dtypes.name_of(dtype))

    def _no_operator(self, name: str, found: str | None) -> OperatorNotFoundError:
        if found is not None:
            text, expected = f"{self.path.name} lacks {found}", "an operator that the library has"
        else:
            near = difflib.get_close_matches(name.lower(), [python_name(n) for n in self.contract.names], 3, 0.6)
            meant = f"; did you mean {' or '.join(near)}?" if near else ""
            text, expected = f"the contract has no operator {name!r}{meant}", "an operator of the contract"
        return OperatorNotFoundError(text, argument="name", expected=expected, value=name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.operators()})

    # --- tensors ---

    def tensor(self, data: Any, dtype: Any = None) -> Tensor:
        """A new tensor with a copy of an array, a tensor of any library, or nested lists of numbers.

        Without `dtype`, data that has a dtype keeps it; Python's floats become float32 and its complex numbers
        complex64. With `dtype`, NumPy casts.
        """
        name = None if dtype is None else dtypes.name_of(dtype)
        if isinstance(data, dlpack.Exporter) and not isinstance(data, np.ndarray):
            data = self._borrowed(data)
        wanted = None if name is None else dtypes.to_numpy(name)
        try:
            array = np.asarray(data, wanted, order="C")
        except (TypeError, ValueError, OverflowError) as error:
            expected = f"an array or nested lists of {'numbers' if name is None else name} ({error})"
            raise wrong(ArgumentError, "tensor", "data", expected, data) from error
        narrow = _NARROW.get(array.dtype)
        if dtype is None and narrow is not None and _is_plain(data):
            array = array.astype(narrow)
        result = self.empty(array.shape, array.dtype)
        call = self.new_call()
        call.runtime.do(
            "diopirtCopyFromHost", call.context, result._handle, array.__array_interface__["data"][0], array.nbytes
        )
        return result

    def empty(self, shape: int | tuple[int, ...] | list[int], dtype: Any = "float32") -> Tensor:
        """A new tensor with undefined elements, for use as an output. If dtype is None, it is float32."""
        name = dtypes.name_of("float32" if dtype is None else dtype)
        try:
            sizes = (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)
        except TypeError:
            raise wrong(ArgumentError, "empty", "shape", "an integer or a sequence of integers", shape) from None
        if any(isinstance(n, bool) or not isinstance(n, (int, np.integer)) or not 0 <= n < 2**63 for n in sizes):
            raise wrong(ArgumentError, "empty", "shape", "sizes that are not negative", shape)
        sizes = tuple(int(n) for n in sizes)
        return Tensor(self, create(self.new_call(), sizes, name), sizes, name)

    def _borrowed(self, data: Any) -> np.ndarray[Any, Any]:
        if isinstance(data, Tensor):
            return data.numpy()
        call = self.new_call()
        try:
            handle = tensor_handle(call, "tensor", "data", data, False)
            assert handle is not None
            self.runtime.diopirtRetainTensor(handle)
            return np.array(Tensor(self, handle).numpy())
        finally:
            call.release()

    def copy_to_host(self, tensor: Tensor, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
        """The elements of a tensor on a device."""
        array: np.ndarray[Any, Any] = np.empty(tensor.shape, dtype)
        data = ctypes.c_void_p(array.__array_interface__["data"][0])
        self.runtime.do("diopirtCopyToHost", self.new_call().context, tensor._handle, data, array.nbytes)
        return array

    def adopt(self, handle: int | None) -> Tensor | None:
        """Takes over a tensor that an operator has allocated. The context owns it until the call ends."""
        if not handle:
            return None
        self.runtime.do("diopirtRetainTensor", handle)
        return Tensor(self, handle)

    def dlpack_device_of(self, handle: int) -> tuple[int, int]:
        device = ctypes.c_int()
        self.runtime.do("diopiGetTensorDevice", handle, ctypes.byref(device))
        return self._dlpack_device if device.value == self._device else self._host

    # --- calls ---

    def new_call(self) -> Call:
        """The state of a call with this thread's context."""
        context = self._context.handle
        if context is None:
            context = self._context.handle = self.runtime.create_context(self._handle)
            self._context.owner = _ContextOwner(self.runtime, context)
        return Call(self.runtime, context, self._dlpack_device, self._device)

    def last_error(self) -> str:
        """The message of this thread's last failure, from the library or else from the runtime."""
        own = (self._last_error() or b"").decode(errors="replace") if self._last_error else ""
        return own or self.runtime.message()

    @property
    def vendor(self) -> str:
        """The vendor's name (diopiGetVendorName)."""
        return self.runtime.text(self._handle, "diopiGetVendorName") or ""

    @property
    def version(self) -> str:
        """The version of the vendor's library (diopiGetImplVersion)."""
        return self.runtime.text(self._handle, "diopiGetImplVersion") or ""

    def __repr__(self) -> str:
        return f"<diopi.Library {self.vendor}, {len(self.operators())} operators, {self.path}>"


class _ContextOwner:
    """Frees a thread's context when the thread ends."""

    def __init__(self, runtime: Runtime, context: int) -> None:
        self.runtime, self.context = runtime, context

    def __del__(self) -> None:
        try:
            self.runtime.diopirtDestroyContext(self.context)
        except AttributeError:  # the interpreter is shutting down
            pass


_loaded: dict[Path, Library] = {}
_lock = threading.Lock()


def load(path: str | os.PathLike[str] | None = None, *, runtime: str | os.PathLike[str] | None = None) -> Library:
    """Loads a vendor's library. Without `path`, loads the one that DIOPI_LIBRARY names, or else the one of the package.

    runtime: the path of libdiopirt.so. Without it, load() takes the runtime that DIOPI_RUNTIME names, or the one beside
    the library, or the one of the package. Loading a library again returns the same object.
    """
    found = find_library(path)
    with _lock:
        used = current_runtime(runtime, found)  # an error if the process uses another one
        library = _loaded.get(found)
        if library is None:
            library = _loaded[found] = Library(found, used)
        return library


# What Python's floats and complex numbers become without a dtype, as in PyTorch.
_NARROW = {np.dtype(np.float64): np.float32, np.dtype(np.complex128): np.complex64}


def _is_plain(data: Any) -> bool:
    """Whether data consists of Python's own numbers. NumPy has read it before, so it is not nested without end."""
    if isinstance(data, numbers.Number):
        return not isinstance(data, np.generic)
    try:
        memoryview(data)
    except TypeError:
        return isinstance(data, Sequence) and all(map(_is_plain, data))
    return False  # a buffer says what its elements are
