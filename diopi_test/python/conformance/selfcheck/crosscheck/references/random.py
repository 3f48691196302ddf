# SPDX-License-Identifier: BSD-3-Clause
"""References for random numbers: a second implementation of the contract's text (family `random`), number by number.

Philox 4x32-10 is from Salmon, Moraes, Dror and Shaw, Parallel Random Numbers: As Easy as 1, 2, 3 (SC 2011). This module
shares no code with `conformance.oracle.philox`. It uses Python's integers, and NumPy's scalars if a product must be
rounded.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice
from typing import Any

import ml_dtypes
import numpy as np

from ....handles import Seed
from ..reference import SPECIFICATION, Reference, Table

LIMIT = 2**32
DIGITS = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}
LARGEST = {**{k: 2**v for k, v in DIGITS.items()}, "bool": 1}
STORED = {"float16": np.float16, "bfloat16": ml_dtypes.bfloat16, "float32": np.float32, "float64": np.float64}


def philox(counter: list[int], key: list[int]) -> list[int]:
    """Ten rounds of Philox with a counter of four words and a key of two words."""
    (a, b, c, d), (low, high) = counter, key
    for _ in range(10):
        first, third = a * 0xD2511F53, c * 0xCD9E8D57
        a, b, c, d = (third // LIMIT) ^ b ^ low, third % LIMIT, (first // LIMIT) ^ d ^ high, first % LIMIT
        low, high = (low + 0x9E3779B9) % LIMIT, (high + 0xBB67AE85) % LIMIT
    return [a, b, c, d]


def words(generator: Seed) -> Iterator[int]:
    """An endless iterator over the words of one call."""
    block = (generator.offset + 3) // 4
    while True:
        number = block % 2**64
        yield from philox([number % LIMIT, number // LIMIT, 0, 0], [generator.seed % LIMIT, generator.seed // LIMIT])
        block += 1


def long_words(generator: Seed) -> Iterator[int]:
    source = words(generator)
    while True:
        low = next(source)
        yield low + LIMIT * next(source)


def _parts(dtype: str) -> tuple[str, int]:
    """The dtype of the real numbers in an element, and their number (1 or 2)."""
    return {"complex64": ("float32", 2), "complex128": ("float64", 2)}.get(dtype, (dtype, 1))


def _filled(numbers: list[float], shape: tuple[int, ...], parts: int) -> np.ndarray:
    array = np.array(numbers, np.float64)
    return (array[0::2] + 1j * array[1::2] if parts == 2 else array).reshape(shape)


def _uniform(inout, from_, to, generator, dtypes):
    dtype, parts = _parts(dtypes["inout"])
    held, kind = STORED[dtype], np.float64 if dtype == "float64" else np.float32
    low, high = kind(held(from_)), kind(held(to))
    source = (
        ((w >> 11) / 2**53 for w in long_words(generator))
        if dtype == "float64"
        else ((w >> (32 - DIGITS[dtype])) / 2 ** DIGITS[dtype] for w in words(generator))
    )
    drawn = (held(kind(u) * (high - low) + low) for u in islice(source, parts * math.prod(inout)))
    return _filled([float(low) if float(v) >= float(high) else float(v) for v in drawn], inout, parts)


def _standard_normal(generator: Seed, dtype: str) -> Iterator[float]:
    source = long_words(generator) if dtype == "float64" else words(generator)
    while True:
        a, b = next(source), next(source)
        u, v = ((a // 2**12 + 1) / 2**52, (b // 2**11) / 2**53) if dtype == "float64" else ((a + 1) / LIMIT, b / LIMIT)
        radius, angle = math.sqrt(-2 * math.log(u)), 2 * math.pi * v
        yield radius * math.cos(angle)
        yield radius * math.sin(angle)


def _normal_of(shape: tuple[int, ...], mean: Any, std: Any, generator: Seed, dtype: str) -> np.ndarray:
    real, parts = _parts(dtype)
    share = math.sqrt(parts)
    means, stds = (np.broadcast_to(x, shape).reshape(-1).repeat(parts) for x in (mean, std))
    return _filled([z * s / share + m for z, m, s in zip(_standard_normal(generator, real), means, stds)], shape, parts)


def _normal(out, mean, std, generator, dtypes):
    return _normal_of(out, mean, std, generator, dtypes["out"])


def _normal_in_place(inout, mean, std, generator, dtypes):
    return _normal_of(inout, mean, std, generator, dtypes["inout"])


def _normal_tensors(mean, std, generator, dtypes):
    shape = np.broadcast_shapes(np.shape(mean), np.shape(std))
    return _normal_of(shape, mean, std, generator, dtypes.get("out", dtypes["case"]))


def chosen(shape: tuple[int, ...], p: Any, generator: Seed) -> np.ndarray:
    chances = np.broadcast_to(p, shape).reshape(-1).tolist()
    return np.array([w < chance * LIMIT for w, chance in zip(words(generator), chances)], bool).reshape(shape)


def _random(inout, from_, to, generator, dtypes):
    dtype = dtypes["inout"]
    largest = LARGEST[dtype] if dtype in LARGEST else int(np.iinfo(dtype).max)
    low, high = from_, largest if to is None else to - 1
    if dtype in STORED:
        low, high = _held(low, dtype, math.inf), _held(high, dtype, -math.inf)
    numbers = [low + (w * (high - low + 1) >> 64) for w in islice(long_words(generator), math.prod(inout))]
    if dtype in STORED:
        return np.array([float(_rounded(n, DIGITS[dtype])) for n in numbers]).reshape(inout)
    return np.array(numbers, np.uint64 if dtype == "uint64" else np.int64).reshape(inout)


def _held(n: int, dtype: str, towards: float) -> int:
    """The integer if the dtype holds it exactly, else the nearest one in the direction of `towards` (infinity)."""
    kind = STORED[dtype]
    near = kind(n)
    if float(near) < n if towards > 0 else float(near) > n:
        near = np.nextafter(near, kind(towards))
    return int(float(near))


def _rounded(n: int, digits: int) -> int:
    """The integer rounded to `digits` binary digits, ties to even."""
    unit = 2 ** max(abs(n).bit_length() - digits, 0)
    below, rest = divmod(n, unit)
    return (below + (2 * rest > unit or (2 * rest == unit and below % 2 == 1))) * unit


def _permutation(n, generator):
    bits = (n - 1).bit_length() if n > 1 else 0
    keys = [(w >> bits << bits) + i for i, w in enumerate(islice(long_words(generator), n))]
    return np.array([key % 2**bits for key in sorted(keys)], np.int64)


def _multinomial(input, num_samples, replacement, generator):
    rows = np.atleast_2d(input).tolist()
    source = long_words(generator)
    drawn = []
    for weights in rows:
        if not replacement:
            waits = [
                -math.log((next(source) // 2**12 + 1) / 2**52) / w if w else (next(source), math.inf)[1]
                for w in weights
            ]
            drawn.append(sorted(range(len(waits)), key=waits.__getitem__)[:num_samples])
            continue
        sums = [0.0]
        for w in weights:
            sums.append(sums[-1] + w)
        last = max(i for i, w in enumerate(weights) if w > 0)
        for_row = [(next(source) // 2**11) / 2**53 * sums[-1] for _ in range(num_samples)]
        drawn.append([next((i for i, s in enumerate(sums[1:]) if s > share), last) for share in for_row])
    return np.array(drawn, np.int64).reshape(*input.shape[:-1], num_samples)


def specified(call: Any) -> Reference:
    return Reference("the contract's definition on Philox 4x32-10", call, SPECIFICATION)


_TENSORS = specified(_normal_tensors)
TABLE: Table = {
    "diopiUniformInp": specified(_uniform),
    "diopiNormal": specified(_normal),
    "diopiNormalInp": specified(_normal_in_place),
    "diopiNormalTensorScalar": _TENSORS,
    "diopiNormalScalarTensor": _TENSORS,
    "diopiNormalTensor": _TENSORS,
    "diopiBernoulli": specified(lambda input, generator: chosen(input.shape, input, generator)),
    "diopiBernoulliInp": specified(lambda input, generator: chosen(input.shape, input, generator)),
    "diopiBernoulliScalar": specified(lambda out, p, generator: chosen(out, p, generator)),
    "diopiRandomInp": specified(_random),
    "diopiRandperm": specified(_permutation),
    "diopiMultinomial": specified(_multinomial),
}
