# SPDX-License-Identifier: BSD-3-Clause
"""diopi.Tensor: a tensor of the runtime, which other libraries can use without a copy."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from . import dlpack, dtypes
from .errors import DeviceError, DtypeError

if TYPE_CHECKING:
    from .binding import Runtime
    from .library import Library

_TYPESTR = {
    "bool": "|b1",
    "bfloat16": "<u2",
    **{n: np.dtype(n).str for n in dtypes.NAMES if n not in ("bool", "bfloat16")},
}


class _Exposed:
    """The array interface with which NumPy views a tensor's memory. It keeps the owner of the memory alive."""

    def __init__(self, runtime: Runtime, handle: int, owner: object) -> None:
        self.owner = owner
        shape, strides, dtype = runtime.describe(handle)
        address = ctypes.c_void_p()
        runtime.do("diopiGetTensorData", handle, ctypes.byref(address))
        itemsize = int(_TYPESTR[dtype][2:])
        self.__array_interface__ = {
            "version": 3,
            "typestr": _TYPESTR[dtype],
            "shape": shape,
            "strides": tuple(s * itemsize for s in strides),
            "data": (address.value, False),
        }


def view_of(runtime: Runtime, handle: int, owner: object) -> np.ndarray[Any, Any]:
    """The memory of a tensor on the host as an array; bfloat16 as integers of 16 bits."""
    shape, _, dtype = runtime.describe(handle)
    if 0 in shape:
        return np.empty(shape, np.dtype(_TYPESTR[dtype]))
    return np.asarray(_Exposed(runtime, handle, owner))


class Tensor:
    """A tensor in the memory of the runtime. Operators return such tensors and accept them as arguments.

    If the host can read the memory of the library's device, `numpy()`, `np.asarray(t)` and `torch.from_dlpack(t)`
    return views of this memory. If not, `numpy()` and `np.asarray(t)` return copies.
    """

    __slots__ = ("_handle", "_library", "_shape", "_dtype", "__weakref__")

    def __init__(
        self, library: Library, handle: int, shape: tuple[int, ...] | None = None, dtype: str | None = None
    ) -> None:
        """Takes over a reference of the handle. Programs do not call this; operators and Library.tensor() do."""
        self._library, self._handle = library, handle
        self._shape, self._dtype = shape, dtype

    def __del__(self) -> None:
        try:
            self._library.runtime.diopirtReleaseTensor(self._handle)
        except AttributeError:  # the interpreter is shutting down, or __init__ failed
            pass

    @property
    def shape(self) -> tuple[int, ...]:
        if self._shape is None:
            self._shape = self._library.runtime.describe(self._handle)[0]
        return self._shape

    @property
    def strides(self) -> tuple[int, ...]:
        """The strides in elements."""
        return self._library.runtime.describe(self._handle)[1]

    @property
    def dtype(self) -> str:
        """The contract's name of the dtype, such as `float32` or `bfloat16`."""
        if self._dtype is None:
            self._dtype = self._library.runtime.describe(self._handle)[2]
        return self._dtype

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        count = 1
        for n in self.shape:
            count *= n
        return count

    def __copy__(self) -> Tensor:
        """Another tensor of the same memory."""
        self._library.runtime.do("diopirtRetainTensor", self._handle)
        return Tensor(self._library, self._handle, self._shape, self._dtype)

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        return self._library.tensor(self)

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError("a diopi.Tensor cannot be pickled; numpy() gives an array that can")

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._library.dlpack_device_of(self._handle)

    def __dlpack__(
        self,
        *,
        stream: object = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> object:
        device = self.__dlpack_device__()
        lies = f"the tensor lies on {dlpack.device_name(device)}"
        if dl_device is not None and tuple(dl_device) != device:
            if tuple(dl_device) != (dlpack.CPU, 0):
                raise BufferError(lies)
            if copy is False:
                raise BufferError(f"{lies}, so it reaches the host only by a copy")
            return self.numpy().__dlpack__(max_version=max_version)
        if device[0] == dlpack.EXTENSION:
            raise BufferError(f"{lies}, which other libraries do not know; numpy() copies it to the host")
        if copy:
            return self._library.tensor(self.numpy()).__dlpack__(max_version=max_version)
        versioned = max_version is not None and max_version[0] >= 1
        managed = ctypes.c_void_p()
        name = "diopirtToDLPackVersioned" if versioned else "diopirtToDLPack"
        self._library.runtime.do(name, self._handle, ctypes.byref(managed))
        assert managed.value is not None
        return dlpack.capsule(managed.value, versioned)

    def numpy(self) -> np.ndarray[Any, Any]:
        """The tensor as a NumPy array: a view if its memory is on the host, else a copy."""
        dtype = dtypes.to_numpy(self.dtype)
        if self.__dlpack_device__()[0] not in dlpack.ON_HOST:
            return self._library.copy_to_host(self, dtype)
        array = view_of(self._library.runtime, self._handle, self)
        return array.view(dtype) if self.dtype == "bfloat16" else array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        array = self.numpy()
        if copy is False and dtype is not None and array.dtype != dtype:
            raise ValueError(f"a tensor of dtype {self.dtype} becomes {np.dtype(dtype)} only by a copy")
        if copy:
            return np.array(array, dtype, copy=True)
        return array if dtype is None else array.astype(dtype, copy=False)

    def item(self) -> Any:
        """The only element as a Python number."""
        return self.numpy().item()

    def tolist(self) -> Any:
        """The elements as nested lists."""
        return self.numpy().tolist()

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("a tensor of no dimensions has no length")
        return self.shape[0]

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __complex__(self) -> complex:
        return complex(self.item())

    def __bool__(self) -> bool:
        if self.size != 1:
            raise ValueError(f"a tensor of shape {list(self.shape)} is neither true nor false")
        return bool(self.item())

    def __repr__(self) -> str:
        head = f"shape={list(self.shape)}, dtype={self.dtype}"
        try:
            values = np.array2string(self.numpy(), threshold=20, edgeitems=3, precision=4, prefix="diopi.Tensor(")
        except (DtypeError, DeviceError):
            return f"diopi.Tensor({head})"
        return f"diopi.Tensor({values}, {head})"
