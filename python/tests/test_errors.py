# SPDX-License-Identifier: BSD-3-Clause
"""Tests that each kind of bad input raises its own exception, which names the argument, the expectation and the
value."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import diopi

X = np.ones((2, 3), np.float32)


class Elsewhere:
    """A tensor on another device."""

    def __dlpack_device__(self):
        return (2, 1)

    def __dlpack__(self, **kwargs):
        raise AssertionError("it is not asked for: its device is wrong")


class Nowhere:
    """A tensor that does not say where it is."""

    def __dlpack_device__(self):
        return None

    def __dlpack__(self, **kwargs):
        raise AssertionError("it is not asked for: its device is unknown")


class Frozen:
    """A tensor that DLPack marks as read-only."""

    def __init__(self):
        self.array = np.zeros((2, 3), np.float32)
        self.array.flags.writeable = False

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, **kwargs):
        return self.array.__dlpack__(**kwargs)


def frozen() -> np.ndarray:
    array = np.zeros((2, 3), np.float32)
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    ("call", "kind", "argument", "text"),
    [
        (lambda lib: lib.add(X), "ArgumentError", "other", "other is not given, expected a value"),
        (lambda lib: lib.add(X, None), "ArgumentError", "other", "other is not given"),
        (lambda lib: lib.add(X, X, 1, X), "ArgumentError", None, "4 positional arguments, expected at most 3"),
        (lambda lib: lib.add(X, X, input=X), "ArgumentError", "input", "input is given twice"),
        (
            lambda lib: lib.add(X, X, beta=1),
            "ArgumentError",
            "beta",
            "there is no argument 'beta', expected add(input,",
        ),
        (lambda lib: lib.add(X, [1.0]), "ArgumentError", "other", "other is [1.0], expected a NumPy array"),
        (lambda lib: lib.add(X, np.ndarray), "ArgumentError", "other", "expected a NumPy array"),
        (lambda lib: lib.add(X, X, "1"), "ArgumentError", "alpha", "alpha is '1', expected a number"),
        (lambda lib: lib.add(X, X, 1j), "ArgumentError", "alpha", "alpha is 1j, expected a real number"),
        (lambda lib: lib.add(X, X, 2**63), "ArgumentError", "alpha", "expected an integer from -9223372036854775808"),
        (lambda lib: lib.softmax(X, dim=0.5), "ArgumentError", "dim", "dim is 0.5, expected an integer"),
        (
            lambda lib: lib.softmax(X, dim=2**64),
            "ArgumentError",
            "dim",
            "dim is 18446744073709551616, expected an integer",
        ),
        (
            lambda lib: lib.leaky_relu(X, "a"),
            "ArgumentError",
            "negative_slope",
            "negative_slope is 'a', expected a number",
        ),
        (lambda lib: lib.sum(X, 1), "ArgumentError", "out", "out is not given, expected a tensor to write to"),
        (lambda lib: lib.sum(X, "1", out=X), "ArgumentError", "dim", "expected an integer or a sequence of integers"),
        (lambda lib: lib.sum(X, [1.5], out=X), "ArgumentError", "dim[0]", "dim[0] is 1.5, expected an integer"),
        (lambda lib: lib.argmax(X, 0, keepdim=1, out=X), "ArgumentError", "keepdim", "keepdim is 1, expected True or"),
        (lambda lib: lib.gelu(X, 3), "ArgumentError", "approximate", "approximate is 3, expected a string"),
        (lambda lib: lib.mse_loss(X, X, "max", out=X), "ArgumentError", "reduction", "expected one of 'none', 'mean'"),
        (lambda lib: lib.mse_loss(X, X, 3, out=X), "ArgumentError", "reduction", "reduction is 3, expected one of"),
        (lambda lib: lib.cat(X, 0, out=X), "ArgumentError", "tensors", "expected a list of tensors"),
        (lambda lib: lib.cat([X, None], 0, out=X), "ArgumentError", "tensors[1]", "tensors[1] is None, expected"),
        (lambda lib: lib.mesh_grid([X[0], X[0]], outs=[X]), "ArgumentError", "outs", "1 outs, 2 inputs"),
        (lambda lib: lib.randperm(3, 7, out=X), "ArgumentError", "generator", "generator is 7, expected a diopi.Gen"),
        (lambda lib: diopi.Generator("a"), "ArgumentError", "seed", "seed is 'a', expected an integer"),
        (lambda lib: diopi.Generator(-1), "ArgumentError", "seed", "seed is -1, expected an integer from 0"),
        (lambda lib: lib.empty((2, -1)), "ArgumentError", "shape", "shape is (2, -1), expected sizes"),
        (lambda lib: lib.empty(None), "ArgumentError", "shape", "shape is None, expected an integer or a sequence"),
        (lambda lib: lib.empty(2.0), "ArgumentError", "shape", "shape is 2.0, expected an integer or a sequence"),
        (lambda lib: lib.has(5), "ArgumentError", "name", "has: name is 5, expected a string"),
        (lambda lib: lib.supports(5, "float32"), "ArgumentError", "name", "name is 5, expected a string"),
        (lambda lib: lib.supports("softmax", None), "DtypeError", "dtype", "dtype is None, expected one of"),
        (
            lambda lib: lib.supports("softmax", "float32", "inputs"),
            "ArgumentError",
            "parameter",
            "parameter is 'inputs', expected a tensor of diopiSoftmax: out, input",
        ),
        (lambda lib: lib.div(X, X), "ArgumentError", "rounding_mode", "rounding_mode is not given, expected a value"),
        (lambda lib: lib.sum(X, 1, out=None), "ArgumentError", "out", "out is not given, expected a tensor to"),
        (lambda lib: lib.mul_scalar(X, Fraction(10**400)), "ArgumentError", "other", "that a double can hold"),
        (lambda lib: lib.gelu(X, "\udc80"), "ArgumentError", "approximate", "expected a string that UTF-8 can"),
        (
            lambda lib: lib.tensor([[1], [2, 3]]),
            "ArgumentError",
            "data",
            "expected an array or nested lists of numbers",
        ),
        (lambda lib: lib.tensor([300], "uint8"), "ArgumentError", "data", "data is [300], expected an array or nested"),
        (lambda lib: lib.tensor([1j], "float32"), "ArgumentError", "data", "data is [1j], expected an array or nested"),
        (lambda lib: lib.add(X, Nowhere()), "DeviceError", "other", "other is a Nowhere whose device is unknown"),
        (lambda lib: diopi.load(5), "ArgumentError", "path", "path is 5, expected a path as str or os.PathLike"),
        (lambda lib: diopi.load(b"/x"), "ArgumentError", "path", "path is b'/x', expected a path as str"),
        (lambda lib: diopi.load(runtime="/nowhere"), "LibraryNotFoundError", "runtime", "runtime is '/nowhere', which"),
        (lambda lib: diopi.load(runtime=lib.path), "Error", "runtime", "but the process already uses"),
        (lambda lib: lib.add(X[::-1], X), "ArgumentError", "input", "stride[0] = -3 is negative"),
        (
            lambda lib: lib.add(X, np.ones(2, np.float32)),
            "ArgumentError",
            "input",
            "[2, 3] and other of shape [2] do not",
        ),
        (lambda lib: lib.add(X, X.astype(object)), "DtypeError", "other", "other is of dtype object, expected one of"),
        (lambda lib: lib.add(X, X.astype(">f4")), "DtypeError", "other", "other is of dtype >f4, expected one of"),
        (lambda lib: lib.add(X, X, out=X.astype("U1")), "DtypeError", "out", "out is of dtype <U1, expected one of"),
        (
            lambda lib: lib.softmax(X, 0, out=X.astype(int)),
            "DtypeError",
            "out",
            "out has dtype int64, expected floating point",
        ),
        (lambda lib: lib.empty(3, "float31"), "DtypeError", "dtype", "dtype is 'float31', expected one of int8"),
        (lambda lib: lib.add(X, Elsewhere()), "DeviceError", "other", "other is on device cuda:1, expected cpu"),
        (lambda lib: lib.add(X, X, out=frozen()), "ReadOnlyError", "out", "out is a read-only NumPy array, expected a"),
        (lambda lib: lib.relu_inp(frozen()), "ReadOnlyError", "input", "input is a read-only NumPy array, expected a"),
        (lambda lib: lib.relu_inp(Frozen()), "ReadOnlyError", "input", "input is a read-only Frozen, expected a"),
        (lambda lib: lib.softmacks, "OperatorNotFoundError", "name", "no operator 'softmacks'; did you mean softmax"),
        (
            lambda lib: diopi.load("/nowhere/x.so"),
            "LibraryNotFoundError",
            "path",
            "path is '/nowhere/x.so', which is no",
        ),
        (
            lambda lib: diopi.load("/"),
            "LibraryNotFoundError",
            "path",
            "path is '/', which is a folder, expected the file",
        ),
        (lambda lib: diopi.load(__file__), "Error", None, "invalid ELF header"),
        (
            lambda lib: lib.softmax(X, dim=5),
            "Error",
            None,
            "diopiSoftmax: dim = 5 is out of range [-2, 1] for input of",
        ),
    ],
)
def test_bad_input_is_named(lib, call, kind, argument, text):
    before = X.copy()
    with pytest.raises(diopi.Error) as caught:
        call(lib)
    assert type(caught.value).__name__ == kind
    assert caught.value.argument == argument
    assert text in str(caught.value)
    np.testing.assert_array_equal(X, before)


def test_errors_are_also_what_python_calls_them(lib):
    assert issubclass(diopi.ArgumentError, TypeError)
    assert issubclass(diopi.OperatorNotFoundError, AttributeError)
    assert not hasattr(lib, "no_such_operator")
    with pytest.raises(diopi.Error) as caught:
        lib.softmax(X, dim=5)
    assert caught.value.code == "diopiErrorOccurred"


def test_dtype_error_of_the_library_knows_argument_and_expectation(lib):
    with pytest.raises(diopi.DtypeError) as caught:
        lib.sort(X.astype(np.complex64), 0, False)
    assert (caught.value.argument, caught.value.value) == ("input", "complex64")
    assert "float32" in caught.value.expected and caught.value.code == "diopiDtypeNotSupported"


def test_an_operator_that_the_library_lacks(lib):
    skeleton = diopi.load(lib.path.parent / "skeleton" / lib.path.name)
    missing = next(n for n in lib.contract.names if not skeleton.has(n))
    with pytest.raises(diopi.OperatorNotFoundError, match=f"lacks {missing}"):
        getattr(skeleton, missing)


def test_missing_library_says_where_it_was_looked_for(lib, monkeypatch):
    monkeypatch.setenv("DIOPI_LIBRARY", "/nowhere/lib.so")
    with pytest.raises(diopi.LibraryNotFoundError, match="DIOPI_LIBRARY is '/nowhere/lib.so'"):
        diopi.load()
    monkeypatch.delenv("DIOPI_LIBRARY")
    monkeypatch.setattr("diopi.locate.folders", lambda: [])
    with pytest.raises(diopi.LibraryNotFoundError, match="libdiopi_impl.so is not in"):
        diopi.load()


def test_a_file_that_is_no_runtime_is_refused(tmp_path):
    import ctypes.util

    from diopi.binding import Runtime
    from diopi.contract import load_contract

    libm = tmp_path / "libm.so"
    libm.symlink_to(f"/lib/x86_64-linux-gnu/{ctypes.util.find_library('m')}")
    with pytest.raises(diopi.Error, match="has no diopirtGetLastErrorString, which this version needs"):
        Runtime(libm, load_contract())


def test_a_failed_call_leaves_outputs_and_tensors_as_they_were(lib):
    out = np.full((2, 3), 7.0, np.float32)
    for _ in range(3):
        with pytest.raises(diopi.Error):
            lib.softmax(X, dim=9, out=out)
        with pytest.raises(diopi.Error):
            lib.add(X, "no", out=out)
    assert (out == 7).all()


def test_support_of_a_library_without_fallback(lib):
    assert lib.fallbacks() == []
    assert lib.supports("softmax", "float32") == "native"
    assert lib.supports("bitwise_not", np.dtype("float32")) == "unsupported"
    assert lib.supports("masked_select", "float32", "mask") == "unsupported"
    skeleton = diopi.load(lib.path.parent / "skeleton" / lib.path.name)
    assert skeleton.supports("softmax", "float64") == "converted"
    assert skeleton.supports("gelu", "float32") == "unsupported"
    with pytest.raises(diopi.OperatorNotFoundError, match="no operator 'softmux'"):
        lib.supports("softmux", "float32")


def test_support_of_a_library_with_fallback(lib):
    minimal = diopi.load(lib.path.parent / "minimal" / lib.path.name)
    assert minimal.supports("softmax", "bfloat16") == "fallback"
    assert minimal.supports("masked_select", "float32", "mask") == "unsupported"
