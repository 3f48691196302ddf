# SPDX-License-Identifier: BSD-3-Clause
"""Tests calls of operators: arguments, and results that are created, given, allocated or written through pointers."""

from __future__ import annotations

import copy
import inspect
import pydoc
import threading

import numpy as np
import pytest

import diopi

X = np.array([[0.5, -1.0, 2.0], [3.0, 0.25, -0.75]], np.float32)


def test_the_three_lines_of_the_documentation(lib):
    y = lib.softmax(X, dim=-1)
    e = np.exp(X - X.max(-1, keepdims=True))
    np.testing.assert_allclose(y, e / e.sum(-1, keepdims=True), rtol=1e-6)
    assert type(y) is diopi.Tensor and y.shape == (2, 3) and y.dtype == "float32"


@pytest.mark.parametrize("name", ["log_softmax", "LogSoftmax", "logsoftmax", "diopiLogSoftmax"])
def test_every_spelling_is_the_same_operator(lib, name):
    assert getattr(lib, name) is lib.log_softmax
    assert lib.has(name)


def test_every_operator_of_the_library_has_a_name_and_help(lib):
    names = lib.operators()
    assert len(names) == len(set(names)) > 300
    for name in names:
        assert name.isidentifier()
        text = getattr(lib, name).__doc__
        assert text and "In C: diopi" in text
    assert set(names) <= set(dir(lib))


def test_every_operator_of_the_contract_has_a_signature(lib):
    from diopi import signatures
    from diopi.arguments import converter

    for name in lib.contract.names:
        function = lib.contract.function(name)
        signatures.signature(function)
        for param in function.params:
            if param.name != "ctx" and not signatures.is_returned_only(param):
                converter(name, param, lib.contract)


def test_help_and_repr_show_the_signature(lib):
    assert str(inspect.signature(lib.softmax)) == "(input, dim, *, out=None)"
    assert repr(lib.softmax) == "<diopi operator softmax(input, dim, *, out=None)>"
    text = pydoc.render_doc(lib.softmax, renderer=pydoc.plaintext)
    assert "softmax(input, dim, *, out=None)" in text and "dim must be a dimension of input" in text
    assert repr(lib).startswith("<diopi.Library ")


def test_given_output_is_written_in_place_and_returned(lib):
    out = np.zeros((2, 6), np.float32)[:, ::2]
    assert lib.neg(X, out=out) is out
    np.testing.assert_array_equal(out, -X)


def test_none_is_the_default_of_outputs_that_the_call_creates(lib):
    np.testing.assert_array_equal(lib.neg(X, out=None), -X)
    values, indices = lib.sort(X, -1, False, values=None, indices=None)
    np.testing.assert_array_equal(values, np.sort(X))
    assert indices.dtype == "int64"


def test_output_of_another_dtype_is_cast(lib):
    out = np.empty((2, 3), np.float64)
    lib.add(X, X, out=out)
    np.testing.assert_array_equal(out, 2.0 * X)


def test_in_place_operators_return_what_they_changed(lib):
    x = X.copy()
    assert lib.relu_inp(x) is x
    np.testing.assert_array_equal(x, np.maximum(X, 0))
    t = lib.tensor(X)
    assert lib.add_inp(t, t) is t
    np.testing.assert_array_equal(t, 2 * X)


def test_several_outputs_come_as_a_named_tuple(lib):
    result = lib.max(X, 1, max=np.empty(2, np.float32), max_indices=np.empty(2, np.int64))
    assert result._fields == ("max", "max_indices")
    np.testing.assert_array_equal(result.max, X.max(1))
    np.testing.assert_array_equal(result.max_indices, X.argmax(1))
    values, indices = lib.sort(X, -1, False)
    np.testing.assert_array_equal(values, np.sort(X))
    assert indices.dtype == "int64"


def test_allocated_outputs_belong_to_the_caller(lib):
    found = lib.nonzero(X > 0)
    again = lib.nonzero(X < 0)
    np.testing.assert_array_equal(found, np.argwhere(X > 0))
    np.testing.assert_array_equal(again, np.argwhere(X < 0))


def test_numbers_behind_pointers_are_returned(lib):
    gradients = [np.full(3, 3.0, np.float32), np.full(1, 3.0, np.float32)]
    assert lib.clip_grad_norm(gradients, 3.0, 2.0, False) == pytest.approx(6.0)
    np.testing.assert_allclose(gradients[0], 1.5, rtol=1e-5)


def test_lists_of_tensors_go_in_and_out(lib):
    joined = np.empty((4, 3), np.float32)
    lib.cat([X, lib.tensor(X)], 0, out=joined)
    parts = [np.empty((1, 3), np.float32), np.empty((3, 3), np.float32)]
    assert lib.split_with_sizes(joined, [1, 3], 0, outs=parts) is parts
    np.testing.assert_array_equal(np.concatenate(parts), np.concatenate([X, X]))
    a, b = np.empty((2, 3), np.float32), np.empty((2, 3), np.float32)
    lib.mesh_grid([X[:, 0].copy(), X[0].copy()], outs=[a, b])
    np.testing.assert_array_equal(b, np.broadcast_to(X[0], (2, 3)))


def test_an_entry_of_a_list_may_be_none_where_the_contract_allows(lib):
    picked = lib.index(X, [None, np.array([2, 0])])
    np.testing.assert_array_equal(picked, X[:, [2, 0]])


def test_optional_arguments_are_left_out(lib):
    assert lib.argmax(X, keepdim=False, out=np.empty((), np.int64)) == 3
    np.testing.assert_array_equal(lib.argmax(X, 1, keepdim=False, out=np.empty(2, np.int64)), [2, 0])
    np.testing.assert_allclose(lib.gelu(X), lib.gelu(X, "none"))


def test_scalars_promote_as_in_pytorch(lib):
    ints = np.array([1, 2], np.int32)
    assert lib.add_scalar(ints, 2).dtype == "int32"
    assert lib.add_scalar(ints, 2.5).dtype == "float32"
    assert lib.add_scalar(ints, 2.5).tolist() == [3.5, 4.5]
    assert lib.add_scalar(ints, np.float64(0.5)).dtype == "float32"
    assert lib.add_scalar(X.astype(np.float16), 2.5).dtype == "float16"
    assert lib.add(ints, np.array(2.5, np.float16)).dtype == "float16"
    assert lib.mul_scalar(np.array([True]), True).dtype == "bool"


@pytest.mark.parametrize(
    "signed, unsigned, result",
    [
        ("int8", "uint8", "int16"),
        ("int8", "uint16", "int32"),
        ("int32", "uint16", "int32"),
        ("int32", "uint32", "int64"),
        ("int16", "uint64", "int64"),
        ("bool", "uint32", "uint32"),
        ("complex64", "uint16", "complex64"),
    ],
)
def test_unsigned_dtypes_mix_with_others(lib, signed, unsigned, result):
    """PyTorch refuses most of these."""
    product = lib.mul(np.array([1, 1], signed), np.array([3, 255], unsigned))
    assert product.dtype == result and product.tolist() == [3, 255]


def test_quotients_follow_the_rounding_mode(lib):
    ints = np.array([7, -7], np.int64)
    assert lib.div(ints, np.int64([2, 2]), None).tolist() == [3.5, -3.5]
    assert lib.div(ints, np.int64([2, 2]), "floor").dtype == "int64"
    assert lib.div(ints, np.int64([2, 2]), rounding_mode="trunc").tolist() == [3, -3]
    assert lib.div(ints, np.int64([2, 2]), rounding_mode="RoundModeFloor").tolist() == [3, -4]
    assert lib.div_scalar(ints, 2, 2).tolist() == [3, -4]


def test_enums_take_names_with_and_without_prefix(lib):
    for name in ("mean", "ReductionMean", 1):
        loss = np.empty((), np.float32)
        lib.mse_loss(X, np.zeros_like(X), name, out=loss)
        assert loss == pytest.approx((X**2).mean())


def test_sizes_take_one_number_or_several(lib):
    total = np.empty(2, np.float32)
    for dim in (1, -1, [1], (1,), np.array([1]), np.array(1)):
        np.testing.assert_allclose(lib.sum(X, dim, out=total), X.sum(1), rtol=1e-6)


def test_words_of_python_get_an_underscore(lib):
    g = diopi.Generator(3)
    x = np.empty(1000, np.float32)
    lib.uniform_inp(x, 2.0, 3.0, g)
    assert x.min() >= 2 and x.max() <= 3
    lib.uniform_inp(x, from_=5.0, to=6.0, generator=g)
    assert x.min() >= 5
    lib.uniform_inp(x, **{"from": 7.0}, to=8.0, generator=g)
    assert x.min() >= 7


def test_generators_repeat_their_sequence(lib):
    def draw(generator):
        return lib.randperm(100, generator, out=np.empty(100, np.int64)).tolist()

    first, second = diopi.Generator(5), diopi.Generator(5)
    assert draw(first) == draw(second) != draw(second)
    assert first.seed == 5 and first.offset > 0
    later = diopi.Generator(5, first.offset)
    assert draw(first) == draw(later)
    later.set_state(5, 0)
    assert draw(later) == draw(diopi.Generator(5))
    again = copy.copy(later)
    assert draw(again) == draw(later)
    del again
    assert draw(copy.deepcopy(later)) == draw(later)
    assert repr(diopi.Generator(7)) == "diopi.Generator(seed=7, offset=0)"


def test_outputs_may_be_left_out_where_null_is_allowed(lib):
    g = np.ones((1, 1, 3, 3), np.float32)
    x, w = np.ones((1, 1, 3, 3), np.float32), np.ones((1, 1, 1, 1), np.float32)
    arguments = dict(stride=1, padding=0, dilation=1, groups=1)
    made = lib.convolution2d_backward(g, x, w, **arguments)
    assert made.grad_input.shape == x.shape and made.grad_weight.tolist() == [[[[9.0]]]] and made.grad_bias is None
    fewer = lib.convolution2d_backward(g, x, w, **arguments, grad_input=None)
    assert fewer.grad_input is None and fewer.grad_weight.tolist() == [[[[9.0]]]]


def test_functions_without_a_context_answer(lib):
    assert lib.diopiGetVendorName() == lib.get_vendor_name() == lib.vendor != ""
    assert lib.version


def test_threads_have_contexts_of_their_own(lib):
    contexts, failures = set(), []

    def work(seed):
        try:
            x = np.random.default_rng(seed).standard_normal((64, 64)).astype(np.float32)
            contexts.add(lib.new_call().context)
            for _ in range(50):
                np.testing.assert_array_equal(lib.neg(lib.neg(x)), x)
                with pytest.raises(diopi.Error, match=f"dim = {seed + 10} "):
                    lib.softmax(x, dim=seed + 10)
        except BaseException as error:
            failures.append(error)

    barrier = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in barrier:
        thread.start()
    for thread in barrier:
        thread.join()
    assert failures == []


def test_load_gives_the_same_library_again(lib):
    assert diopi.load() is lib is diopi.load(lib.path)
