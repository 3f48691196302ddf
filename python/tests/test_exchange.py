# SPDX-License-Identifier: BSD-3-Clause
"""Tests that tensors of NumPy, PyTorch and other libraries with DLPack are exchanged without copies."""

from __future__ import annotations

import array
import copy
import gc
import pickle
import sys
import weakref

import numpy as np
import pytest

import diopi
from diopi import dlpack, dtypes

try:
    import torch
except ImportError:
    torch = None
needs_torch = pytest.mark.skipif(torch is None, reason="PyTorch is not installed (scripts/install_deps.sh --optional)")
needs_exchange_api = pytest.mark.skipif(
    torch is not None and not hasattr(torch.Tensor, "__dlpack_c_exchange_api__"),
    reason="this PyTorch is older than DLPackExchangeAPI (scripts/requirements-optional.txt has one with it)",
)


def address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


class Old:
    """A tensor of a library that is older than the versions of DLPack."""

    def __init__(self, array):
        self.array = array

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, stream=None):
        return self.array.__dlpack__()


@pytest.mark.parametrize("dtype", dtypes.NAMES)
def test_every_dtype_goes_in_and_out(lib, dtype):
    x = np.array([[0, 1, 1], [1, 0, 1]]).astype(dtypes.to_numpy(dtype))
    out = np.zeros_like(x)
    lib.flip(x, [1], out=out)
    np.testing.assert_array_equal(out, x[:, ::-1])
    t = lib.tensor(x)
    assert t.dtype == dtype and t.numpy().dtype == x.dtype
    np.testing.assert_array_equal(np.asarray(lib.flip(t, 0)), x[::-1])


@pytest.mark.parametrize("shape", [(), (0,), (1,), (3, 0, 2), (2, 1, 3), (1,) * 12])
def test_shapes_of_all_kinds(lib, shape):
    x = np.ones(shape, np.float32)
    np.testing.assert_array_equal(lib.neg(x), -x)
    assert lib.tensor(x).shape == shape and lib.empty(shape).shape == shape


def test_strides_are_read_in_place(lib):
    base = np.arange(60, dtype=np.float64).reshape(3, 4, 5)
    for x in (base.transpose(2, 0, 1), base[:, 1:3, ::2], np.broadcast_to(base[0, 0], (4, 5)), base[1:, :1]):
        np.testing.assert_array_equal(lib.neg(x), -x)


def test_numpy_view_of_a_tensor_is_the_same_memory(lib):
    t = lib.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert t.dtype == "float32" and t.strides == (2, 1) and t.ndim == 2 and t.size == 4 and len(t) == 2
    view = t.numpy()
    view[0, 0] = 10
    assert address(np.asarray(t)) == address(view) and t.tolist() == [[10, 2], [3, 4]]
    lib.neg_inp(t)
    assert view[0, 0] == -10
    assert np.from_dlpack(t)[1, 1] == -4
    del t
    gc.collect()
    assert view.sum() == -19


def test_an_input_is_given_back_after_the_call(lib):
    x = np.ones(1000, np.float32)
    before = sys.getrefcount(x)
    for _ in range(5):
        lib.neg(x)
        with pytest.raises(diopi.Error):
            lib.softmax(x, dim=4)
    assert sys.getrefcount(x) == before


def test_a_tensor_is_freed(lib):
    t = lib.neg(np.ones(3, np.float32))
    gone = weakref.ref(t)
    del t
    assert gone() is None


def test_capsules_that_nobody_takes_free_the_tensor(lib):
    t = lib.tensor([1.0])
    for version in (None, (1, 0)):
        capsule = t.__dlpack__(max_version=version)
        assert dlpack.is_valid(capsule, dlpack.VERSIONED if version else dlpack.OLD)
        del capsule
    assert t.__dlpack_device__() == (1, 0)
    with pytest.raises(BufferError):
        t.__dlpack__(dl_device=(2, 0))
    copied = np.from_dlpack(t, copy=True) if np.lib.NumpyVersion(np.__version__) >= "2.1.0" else t.numpy().copy()
    copied[0] = 5
    assert t.item() == 1.0


def test_libraries_without_versions_are_understood(lib):
    x = np.arange(4.0)
    out = np.empty(4)
    assert isinstance(lib.neg(Old(x), out=Old(out)), Old)
    np.testing.assert_array_equal(out, -x)
    np.testing.assert_array_equal(lib.tensor(Old(x)), x)


def test_read_only_arrays_are_good_inputs(lib):
    x = np.arange(4.0)
    x.flags.writeable = False
    np.testing.assert_array_equal(lib.neg(x), -x)
    np.testing.assert_array_equal(lib.neg(np.frombuffer(b"\1\2", np.int8)), [-1, -2])


def test_conversions_of_a_tensor(lib):
    t = lib.tensor([2.5])
    assert float(t) == 2.5 and int(t) == 2 and complex(t) == 2.5 and bool(t) and t.item() == 2.5
    assert np.asarray(t, np.float64).dtype == np.float64
    assert repr(t) == "diopi.Tensor([2.5], shape=[1], dtype=float32)"
    assert complex(lib.tensor([1 + 2j])) == 1 + 2j
    with pytest.raises(ValueError, match="neither true nor false"):
        bool(lib.tensor([1.0, 2.0]))
    assert lib.tensor([1, 2]).dtype == "int64" and lib.tensor([True]).dtype == "bool"
    assert lib.tensor([1, 2], dtype="bfloat16").dtype == "bfloat16"
    assert lib.tensor(t).tolist() == [2.5]


def test_subclasses_of_arrays_are_arrays(lib):
    x = np.arange(4.0).view(type("Named", (np.ndarray,), {}))
    np.testing.assert_array_equal(lib.neg(x), -np.arange(4.0))


def test_a_copy_of_a_tensor_shares_its_memory(lib):
    t = lib.tensor([1.0, 2.0])
    shared, own = copy.copy(t), copy.deepcopy(t)
    assert address(shared.numpy()) == address(t.numpy()) != address(own.numpy())
    del t
    gc.collect()
    others = [lib.tensor([7.0, 7.0]) for _ in range(20)]
    assert shared.tolist() == own.tolist() == [1.0, 2.0] and len(others) == 20
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(shared)


class Array:
    def __array__(self, dtype=None, copy=None):
        return np.ones(2)


@pytest.mark.parametrize(
    ("data", "dtype"),
    [
        (np.ones(2), "float64"),
        (memoryview(np.ones(2)), "float64"),
        (array.array("d", [1, 2]), "float64"),
        (Array(), "float64"),
        ([np.float64(1)], "float64"),
        ([1.0, np.float64(1)], "float64"),
        ([np.ones(2), np.ones(2)], "float64"),
        ([np.complex128(1)], "complex128"),
        ([[1.0], [2.5]], "float32"),
        ((1, 2.5), "float32"),
        (2.5, "float32"),
        ([], "float32"),
        ([1j, 2.0], "complex64"),
        (1j, "complex64"),
        (range(3), "int64"),
    ],
)
def test_data_keeps_its_dtype_and_python_numbers_become_float32(lib, data, dtype):
    made = lib.tensor(data)
    assert made.dtype == dtype
    np.testing.assert_array_equal(made, np.asarray(data))


def test_the_default_dtype_is_float32(lib):
    assert lib.empty(1).dtype == lib.empty(1, None).dtype == "float32"


@needs_torch
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16", "int64", "bool", "complex64", "uint8"])
def test_torch_tensors_go_in_and_out(lib, dtype):
    x = torch.tensor([[0, 1, 1], [1, 0, 1]]).to(getattr(torch, dtype))
    out = torch.empty(3, 2, dtype=x.dtype).t()
    assert lib.flip(x, [1], out=out) is out
    assert torch.equal(out, x.flip(1))
    made = lib.flip(x, [0])
    back = torch.from_dlpack(made)
    assert torch.equal(back, x.flip(0)) and back.dtype == x.dtype
    if dtype == "float32":
        back[0, 0] = 42
        assert made.numpy()[0, 0] == 42


@needs_torch
def test_torch_tensors_that_cannot_be_lent_are_refused(lib):
    with pytest.raises(diopi.ArgumentError, match="input is a Tensor that cannot be exported"):
        lib.neg(torch.ones(2, requires_grad=True))
    with pytest.raises(diopi.DeviceError, match="input"):
        lib.neg(torch.empty(2, device="meta"))
    negated = torch.view_as_complex(torch.ones(3, 2)).conj().imag
    for call in (lib.neg, lib.tensor):
        with pytest.raises(diopi.ArgumentError, match=r"PyTorch's negative bit, expected .*resolve_neg\(\)"):
            call(negated)
    assert lib.neg(negated.resolve_neg()).tolist() == [1.0, 1.0, 1.0]


@needs_torch
def test_mixed_arguments(lib):
    x = np.ones((2, 2), np.float32)
    assert lib.add(x, torch.ones(2, 2)).tolist() == [[2, 2], [2, 2]]
    assert lib.add(lib.tensor(x), torch.ones(2, dtype=torch.float64)).dtype == "float64"


@needs_torch
@needs_exchange_api
def test_torch_tensors_are_lent_by_c_functions(lib, monkeypatch):
    monkeypatch.setattr(torch.Tensor, "__dlpack__", None)
    x, out = torch.arange(6.0).reshape(2, 3).t(), torch.zeros(3, 2)
    lib.neg(x, out=out)
    assert torch.equal(out, -x)
    kept = lib.tensor(x)
    del x
    gc.collect()
    assert kept.tolist() == [[0, 3], [1, 4], [2, 5]]


@needs_torch
@needs_exchange_api
def test_torch_tensors_with_more_than_dlpack_says_are_not_lent(lib):
    values = torch.ones(2, dtype=torch.complex64)
    odd = [torch.ones(2, requires_grad=True), values.conj(), values.conj().imag, torch.empty(2, device="meta")]
    assert [dlpack.lend(t) for t in [*odd, torch.ones(2).to_sparse(), np.ones(2), 3]] == [None] * 7
    before = odd[0].detach()
    for _ in range(3):
        lent = dlpack.lend(before)
        assert lent
        dlpack.give_back(lent)
    for _ in range(3):  # the runtime refuses what it is lent
        with pytest.raises(diopi.DtypeError, match="input cannot be used as a tensor"):
            lib.neg(torch.zeros(2, dtype=torch.float8_e5m2))


@needs_torch
def test_promotion_is_that_of_pytorch():
    import itertools

    for a, b in itertools.product(dtypes.NAMES, repeat=2):
        try:
            expected = str(torch.promote_types(getattr(torch, a), getattr(torch, b))).removeprefix("torch.")
        except RuntimeError:  # see test_unsigned_dtypes_mix_with_others
            assert {a, b} & {"uint16", "uint32", "uint64"}
            continue
        assert dtypes.promote(a, b) == expected, (a, b)


@needs_torch
def test_result_types_are_those_of_pytorch():
    import itertools

    names = ("bool", "uint8", "int32", "float16", "float32", "float64", "complex64", "complex128")
    numbers = {"bool": True, "int64": 3, "float64": 0.5}
    for a, b, s in itertools.product(names, names, numbers):
        if a == "float16" and b.startswith("complex"):
            continue  # complex32 exists in PyTorch, but not in the contract
        full, zero = torch.ones(2, dtype=getattr(torch, a)), torch.ones((), dtype=getattr(torch, b))
        assert dtypes.result_type([a], [b], []) == str(torch.result_type(full, zero)).removeprefix("torch."), (a, b)
        assert dtypes.result_type([a], [], [s]) == str(torch.result_type(full, numbers[s])).removeprefix("torch.")
        assert dtypes.result_type([], [b], [s]) == str(torch.result_type(zero, numbers[s])).removeprefix("torch.")
