# SPDX-License-Identifier: BSD-3-Clause
"""The contract's random numbers: words of Philox 4x32-10, and numbers that are computed from words.

This module implements what the registry's family `random` says in prose. A random number depends only on the
generator's seed and offset and on the element's position in row-major order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dtypes import narrow, precision, real_dtype, widen
from ..handles import Seed

_LOW32 = np.uint64(0xFFFFFFFF)


def _multiply(factor: int, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The high and low half of the 64-bit product of two 32-bit numbers."""
    product = np.uint64(factor) * x
    return product >> np.uint64(32), product & _LOW32


def blocks(seed: int, first: int, count: int) -> np.ndarray:
    """The words of the blocks first, first + 1, ...: a uint64 array of shape [count, 4] with 32-bit numbers.

    The key is the seed, low half first. The counter is the number of the block, low half first, followed by two zeros.
    """
    with np.errstate(over="ignore"):
        number = np.arange(count, dtype=np.uint64) + np.uint64(first % 2**64)
    c0, c1 = number & _LOW32, number >> np.uint64(32)
    c2 = c3 = np.zeros(count, np.uint64)
    k0, k1 = seed & 0xFFFFFFFF, seed >> 32
    for _ in range(10):
        high0, low0 = _multiply(0xD2511F53, c0)
        high1, low1 = _multiply(0xCD9E8D57, c2)
        c0, c1, c2, c3 = high1 ^ c1 ^ np.uint64(k0), low1, high0 ^ c3 ^ np.uint64(k1), low0
        k0, k1 = (k0 + 0x9E3779B9) % 2**32, (k1 + 0xBB67AE85) % 2**32
    return np.stack([c0, c1, c2, c3], axis=1)


def words(generator: Seed, count: int) -> np.ndarray:
    """The first `count` words of a call. The offset counts words; a call starts at the beginning of the next block."""
    return blocks(generator.seed, -(-generator.offset // 4), -(-count // 4)).reshape(-1)[:count]


def offset_after(generator: Seed, count: int | None) -> int:
    """The generator's offset after a call that takes `count` words. None means that the call ignores the generator."""
    if count is None:
        return generator.offset
    return 4 * (-(-generator.offset // 4) + -(-count // 4)) % 2**64


def words_per_element(dtype: str) -> int:
    """The number of words for one number: two for float64, one for float32 and the 16-bit types."""
    return 2 if real_dtype(dtype) == "float64" else 1


def long_words(generator: Seed, count: int) -> np.ndarray:
    """Pairs of words as 64-bit numbers. The first word is the low half."""
    pairs = words(generator, 2 * count).reshape(-1, 2)
    return pairs[:, 0] | pairs[:, 1] << np.uint64(32)


def uniform(generator: Seed, count: int, dtype: str, low: float, high: float) -> np.ndarray:
    """Numbers in [low, high): low + u * (high - low), where u has as many bits as the dtype's significand."""
    digits = precision(dtype)
    if dtype == "float64":
        u: np.ndarray = (long_words(generator, count) >> np.uint64(11)).astype(np.float64) * 2.0**-53
        arithmetic: Any = np.float64
    else:
        u = (words(generator, count) >> np.uint64(32 - digits)).astype(np.float32) * np.float32(2.0**-digits)
        arithmetic = np.float32
    bounds = widen(narrow(np.array([low, high]), dtype)).astype(arithmetic)
    values = widen(narrow(u * (bounds[1] - bounds[0]) + bounds[0], dtype))
    return np.where(values >= bounds[1], np.float64(bounds[0]), values)


def standard_normal(generator: Seed, count: int, dtype: str) -> np.ndarray:
    """Box-Muller transform: a radius and an angle give two numbers, first with the cosine, then with the sine."""
    pairs = -(-count // 2)
    if dtype == "float64":
        bits = long_words(generator, 2 * pairs).reshape(-1, 2)
        radius = ((bits[:, 0] >> np.uint64(12)).astype(np.float64) + 1) * 2.0**-52
        turn = (bits[:, 1] >> np.uint64(11)).astype(np.float64) * 2.0**-53
    else:
        bits = words(generator, 2 * pairs).reshape(-1, 2)
        radius = (bits[:, 0].astype(np.float64) + 1) * 2.0**-32
        turn = bits[:, 1].astype(np.float64) * 2.0**-32
    length, angle = np.sqrt(-2 * np.log(radius)), 2 * np.pi * turn
    return np.stack([length * np.cos(angle), length * np.sin(angle)], axis=1).reshape(-1)[:count]


def bernoulli(generator: Seed, p: np.ndarray | float, count: int) -> np.ndarray:
    """True where word * 2^-32 < p."""
    return words(generator, count).astype(np.float64) * 2.0**-32 < np.reshape(p, -1)


def integers(generator: Seed, count: int, low: int, span: int) -> np.ndarray:
    """low + floor(W * span / 2^64) for 64-bit words W, as Python integers, because the product exceeds 64 bits."""
    return np.array([low + (int(w) * span >> 64) for w in long_words(generator, count)], dtype=object)


def permutation(generator: Seed, n: int) -> np.ndarray:
    """The order of n keys. A key is a 64-bit word whose low bits (as many as n - 1 has) are replaced by its index."""
    low = np.uint64((1 << max(n - 1, 0).bit_length()) - 1)
    positions = np.arange(n, dtype=np.uint64)
    return (np.sort((long_words(generator, n) & ~low) | positions) & low).astype(np.int64)
