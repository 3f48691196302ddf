# SPDX-License-Identifier: BSD-3-Clause
"""Random tensors. They contain exactly the numbers that the module `philox` defines."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..dtypes import INTEGRAL, is_complex, is_floating, narrow, precision, real_dtype, widen
from . import draws, oracle, philox


def _numel(shape: tuple[int, ...]) -> int:
    return math.prod(shape)


@oracle("diopiUniformInp", dtype="inout")
def uniform(inout, from_, to, generator, dtypes):
    real = real_dtype(dtypes["inout"])
    if is_complex(dtypes["inout"]):
        parts = philox.uniform(generator, 2 * _numel(inout), real, from_, to).reshape(*inout, 2)
        return parts[..., 0] + 1j * parts[..., 1]
    return philox.uniform(generator, _numel(inout), real, from_, to).reshape(inout)


def _normal(shape, mean, std, generator, dtype):
    real = real_dtype(dtype)
    if is_complex(dtype):
        z = philox.standard_normal(generator, 2 * _numel(shape), real).reshape(*shape, 2)
        values = z * (std / math.sqrt(2)) + mean
        return values[..., 0] + 1j * values[..., 1]
    return philox.standard_normal(generator, _numel(shape), real).reshape(shape) * std + mean


@oracle("diopiNormal", dtype="out")
def normal(out, mean, std, generator, dtypes):
    return _normal(out, mean, std, generator, dtypes["out"])


@oracle("diopiNormalInp", dtype="inout")
def normal_inp(inout, mean, std, generator, dtypes):
    return _normal(inout, mean, std, generator, dtypes["inout"])


def _output_dtype(names: Mapping[str, str]) -> str:
    """The dtype that the case gives to `out`; otherwise the dtype of the case."""
    return names.get("out", names["case"])


@oracle("diopiNormalTensorScalar", "diopiNormalScalarTensor", "diopiNormalTensor", dtype=_output_dtype)
def normal_tensors(mean, std, generator, dtypes):
    shape = np.broadcast_shapes(np.shape(mean), np.shape(std))
    return _normal(shape, mean, std, generator, _output_dtype(dtypes))


@oracle("diopiBernoulli", "diopiBernoulliInp", dtype=_output_dtype, rename={"diopiBernoulliInp": {"inout": "input"}})
def bernoulli(input, generator):
    return philox.bernoulli(generator, input, input.size).reshape(input.shape)


@oracle("diopiBernoulliScalar", dtype="out")
def bernoulli_scalar(out, p, generator):
    return philox.bernoulli(generator, p, _numel(out)).reshape(out)


def _largest_exact(dtype: str) -> int:
    if dtype == "bool":
        return 1
    return int(np.iinfo(dtype).max) if dtype in INTEGRAL else 2 ** precision(dtype)


def _held(value: int, dtype: str, step: int) -> int:
    """The nearest integer that a floating dtype holds exactly and that is >= value (step 1) or <= value (step -1)."""
    unit = 2 ** max(abs(value).bit_length() - precision(dtype), 0)
    return -(-value // unit) * unit if step > 0 else value // unit * unit


@oracle("diopiRandomInp", dtype="inout")
def random(inout, from_, to, generator, dtypes):
    dtype = dtypes["inout"]
    low, high = from_, _largest_exact(dtype) if to is None else to - 1
    if is_floating(dtype):
        low, high = _held(low, dtype, 1), _held(high, dtype, -1)
    values = philox.integers(generator, _numel(inout), low, high - low + 1).reshape(inout)
    if is_floating(dtype):
        return widen(narrow(values.astype(np.float64), dtype))
    return values.astype(np.uint64 if dtype == "uint64" else np.int64)


@oracle("diopiRandperm", dtype="case")
def randperm(n, generator):
    return philox.permutation(generator, n)


@oracle("diopiMultinomial", dtype="int64")
def multinomial(input, num_samples, replacement, generator):
    """With replacement, a sample is the first index whose cumulative weight exceeds u times the total weight. Without
    replacement, the samples are the indices with the smallest exponential waiting times -log(u) / weight."""
    weights = np.atleast_2d(input)
    rows, n = weights.shape
    if replacement:
        u = (philox.long_words(generator, rows * num_samples) >> np.uint64(11)).astype(np.float64) * 2.0**-53
        drawn: Any = [_by_share(w, share) for w, share in zip(weights, u.reshape(rows, num_samples))]
    else:
        u = ((philox.long_words(generator, rows * n) >> np.uint64(12)).astype(np.float64) + 1) * 2.0**-52
        waits = -np.log(u.reshape(rows, n)) / weights
        waits = np.where(weights > 0, waits, np.inf)  # an index of weight 0 or -0 is never drawn first
        drawn = np.argsort(waits, axis=1, kind="stable")[:, :num_samples]
    return np.array(drawn, np.int64).reshape(*input.shape[:-1], num_samples)


def _by_share(weights: np.ndarray, u: np.ndarray) -> np.ndarray:
    sums = np.cumsum(weights)
    return np.minimum(np.searchsorted(sums, u * sums[-1], side="right"), np.flatnonzero(weights).max())


@draws("diopiUniformInp", "diopiNormalInp")
def words_in_place(inout, dtypes, **_):
    parts = 2 if is_complex(dtypes["inout"]) else 1
    return _numel(inout) * parts * philox.words_per_element(dtypes["inout"])


@draws("diopiNormal")
def words_of_normal(out, dtypes, **_):
    return _numel(out) * (2 if is_complex(dtypes["out"]) else 1) * philox.words_per_element(dtypes["out"])


@draws("diopiNormalTensorScalar", "diopiNormalScalarTensor", "diopiNormalTensor")
def words_of_tensors(mean, std, dtypes, **_):
    return _numel(np.broadcast_shapes(np.shape(mean), np.shape(std))) * philox.words_per_element(_output_dtype(dtypes))


@draws("diopiBernoulli", "diopiBernoulliInp")
def words_of_bernoulli(input, **_):
    return input.size


@draws("diopiBernoulliScalar")
def words_of_bernoulli_scalar(out, **_):
    return _numel(out)


@draws("diopiRandomInp")
def words_of_random(inout, **_):
    return 2 * _numel(inout)


@draws("diopiRandperm")
def words_of_randperm(n, **_):
    return 2 * n


@draws("diopiMultinomial")
def words_of_multinomial(input, num_samples, replacement, **_):
    rows = input.size // input.shape[-1] if input.size else 0
    return 2 * rows * (num_samples if replacement else input.shape[-1])
