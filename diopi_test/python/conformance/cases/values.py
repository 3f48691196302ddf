# SPDX-License-Identifier: BSD-3-Clause
"""The generators of random numbers that a case can name for its tensors.

A generator is written as a call such as `uniform(-3, 3)`, without parentheses if it has no arguments. It returns
float64, int64 or complex128 numbers that suit the dtype. `draw` rounds them to the dtype, so the oracle and the
operator get exactly the same numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

import numpy as np

from .. import dtypes

Generator = Callable[..., np.ndarray]
GENERATORS: dict[str, Generator] = {}

_CALL = re.compile(r"([a-z_]+)(?:\((.*)\))?")


def _generator(function: Generator) -> Generator:
    GENERATORS[function.__name__.rstrip("_")] = function
    return function


@cache
def parse(text: str) -> tuple[Generator, tuple[float | int, ...]]:
    """Parses a text such as `int(0, 5)` to the generator and (0, 5). Raises ValueError for a mistake."""
    match = _CALL.fullmatch(text.replace(" ", ""))
    if match is None:
        raise ValueError(f"'{text}' is not of the form name or name(number, ...)")
    name, arguments = match.groups()
    if name not in GENERATORS:
        raise ValueError(f"unknown generator '{name}' (known: {', '.join(sorted(GENERATORS))})")
    try:
        numbers = tuple(_number(a) for a in arguments.split(",")) if arguments else ()
    except ValueError as error:
        raise ValueError(f"generator '{text}': {error}") from None
    try:
        GENERATORS[name](np.random.default_rng(0), (2,), "float32", *numbers)
    except TypeError:
        raise ValueError(f"generator '{text}': wrong number of arguments") from None
    return GENERATORS[name], numbers


def _number(text: str) -> float | int:
    return int(text) if re.fullmatch(r"-?\d+", text) else float(text)


def draw(text: str, rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> np.ndarray:
    """A contiguous array of `dtype` with numbers of the generator."""
    generator, numbers = parse(text)
    return dtypes.narrow(np.asarray(generator(rng, shape, dtype, *numbers)), dtype).reshape(shape)


def default_generator(dtype: str) -> str:
    return "bool" if dtype == "bool" else "normal"


def _complex_pair(rng: np.random.Generator, dtype: str, one: Callable[[], np.ndarray]) -> np.ndarray:
    return one() + 1j * one() if dtypes.is_complex(dtype) else one()


@_generator
def normal(rng: np.random.Generator, shape: tuple[int, ...], dtype: str, scale: float = 1.0) -> np.ndarray:
    """Normal with this standard deviation; ten times as wide for integers; absolute values for unsigned integers."""
    if dtypes.is_inexact(dtype):
        return _complex_pair(rng, dtype, lambda: rng.normal(0, scale, shape))
    if dtype == "bool":
        return rng.random(shape) < 0.5
    values = np.rint(rng.normal(0, 10 * scale, shape)).clip(-100, 100).astype(np.int64)
    return np.abs(values) if dtype in dtypes.UNSIGNED else values


@_generator
def uniform(rng: np.random.Generator, shape: tuple[int, ...], dtype: str, low: float = 0.0, high: float = 1.0):
    """Uniform in [low, high); rounded down for integers; only numbers >= 0 for unsigned integers and bool."""
    if dtypes.is_inexact(dtype):
        return _complex_pair(rng, dtype, lambda: rng.uniform(low, high, shape))
    low = max(low, 0) if dtype in dtypes.UNSIGNED or dtype == "bool" else low
    return np.floor(rng.uniform(low, max(high, low), shape)).astype(np.int64)


@_generator
def positive(rng: np.random.Generator, shape: tuple[int, ...], dtype: str):
    """Numbers > 0 of several orders of magnitude; 1 to 100 for integers."""
    if dtypes.is_inexact(dtype):
        return np.exp(rng.normal(0, 1.5, shape))
    return rng.integers(1, 101, shape)


@_generator
def nonzero(rng: np.random.Generator, shape: tuple[int, ...], dtype: str):
    """Numbers of `normal`, with zeros and very small numbers replaced by larger ones."""
    values = normal(rng, shape, dtype)
    if dtypes.is_inexact(dtype):
        return np.where(np.abs(values) < 0.1, values + 0.5, values)
    return np.where(values == 0, 3, values)


@_generator
def few_subnormal(rng: np.random.Generator, shape: tuple[int, ...], dtype: str, count: int):
    """Numbers of `normal`, of which `count` are replaced by a subnormal number of float32 and bfloat16."""
    values = normal(rng, shape, dtype)
    return np.where(mask(rng, shape, dtype, count), 1e-39, values)


@_generator
def few_nan(rng: np.random.Generator, shape: tuple[int, ...], dtype: str, count: int):
    """Numbers of `normal`, of which `count` are replaced by NaN."""
    values = normal(rng, shape, dtype)
    return np.where(mask(rng, shape, dtype, count), np.nan, values)


@_generator
def int_(rng: np.random.Generator, shape: tuple[int, ...], dtype: str, low: int, high: int):
    """Integers in [low, high)."""
    return rng.integers(low, high, shape)


@_generator
def extreme(rng: np.random.Generator, shape: tuple[int, ...], dtype: str):
    """Integers from the whole range of the dtype, with frequent smallest and largest values."""
    if not dtypes.is_integral(dtype):
        return normal(rng, shape, dtype)
    info = np.iinfo(dtype)
    values = rng.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)
    ends = rng.random(shape)
    return np.where(ends < 0.1, info.max, np.where(ends > 0.9, info.min, values)).astype(dtype)


@_generator
def bool_(rng: np.random.Generator, shape: tuple[int, ...], dtype: str, share: float = 0.5):
    """0 and 1, where `share` is the probability of 1."""
    return rng.random(shape) < share


@_generator
def mask(rng: np.random.Generator, shape: tuple[int, ...], dtype: str, count: int):
    """0 and 1, with exactly `count` ones."""
    return permutation(rng, shape, dtype) < count


@_generator
def around(rng: np.random.Generator, shape: tuple[int, ...], dtype: str, value: float):
    """Numbers of which a third equal `value`; the others are above and below it."""
    centre = value if np.isfinite(value) else 0.0
    spread = normal(rng, shape, "float64") * (1 + abs(centre) / 8)
    others = np.abs(centre + spread) if dtype in dtypes.UNSIGNED else centre + spread
    return np.where(rng.random(shape) < 1 / 3, value, others if dtypes.is_inexact(dtype) else np.rint(others))


@_generator
def indices(rng: np.random.Generator, shape: tuple[int, ...], dtype: str, size: int):
    """Indices of a dimension of this size, from 0 to size - 1."""
    return rng.integers(0, max(size, not np.prod(shape)), shape)


@_generator
def signed_indices(rng: np.random.Generator, shape: tuple[int, ...], dtype: str, size: int):
    """Indices of a dimension of this size, from -size to size - 1."""
    return rng.integers(-size, max(size, not np.prod(shape)), shape)


@_generator
def permutation(rng: np.random.Generator, shape: tuple[int, ...], dtype: str):
    """The numbers 0 to n - 1 in random order, where n is the number of elements."""
    return rng.permutation(int(np.prod(shape, dtype=np.int64))).reshape(shape)


@_generator
def distinct(rng: np.random.Generator, shape: tuple[int, ...], dtype: str):
    """Different numbers, half of them negative if the dtype is signed. Every dtype holds up to 256 of them."""
    values = permutation(rng, shape, dtype)
    return values if dtype in dtypes.UNSIGNED else values - values.size // 2


@_generator
def arange(rng: np.random.Generator, shape: tuple[int, ...], dtype: str, start: float = 0, step: float = 1):
    """The numbers start, start + step, ... in row-major order."""
    return (start + step * np.arange(int(np.prod(shape, dtype=np.int64)))).reshape(shape)


@_generator
def full(rng: np.random.Generator, shape: tuple[int, ...], dtype: str, value: float):
    """All elements equal `value`."""
    return np.full(shape, value)


@_generator
def definite(rng: np.random.Generator, shape: tuple[int, ...], dtype: str):
    """Hermitian positive definite matrices whose eigenvalues are between 1 and about 5."""
    if len(shape) < 2 or shape[-1] != shape[-2]:
        return normal(rng, shape, dtype)
    half = normal(rng, shape, dtype) / max(shape[-1], 1) ** 0.5
    return half @ np.conj(np.swapaxes(half, -1, -2)) + np.eye(shape[-1])


@_generator
def zeros(rng: np.random.Generator, shape: tuple[int, ...], dtype: str):
    return np.zeros(shape)


@_generator
def ones(rng: np.random.Generator, shape: tuple[int, ...], dtype: str):
    return np.ones(shape)


@_generator
def special(rng: np.random.Generator, shape: tuple[int, ...], dtype: str):
    """Numbers of `normal`, a third of them replaced by NaN, infinities, signed zeros, denormals and largest numbers."""
    if not dtypes.is_inexact(dtype):
        return extreme(rng, shape, dtype)
    values = normal(rng, shape, dtype)
    real = dtypes.real_dtype(dtype)
    tiny = float(dtypes.ulp(np.zeros(()), real))
    top = np.ldexp(
        2.0 - 2.0 ** (1 - dtypes.precision(real)), 15 if real == "float16" else 1023 if real == "float64" else 127
    )
    odd = [np.nan, np.inf, -np.inf, 0.0, -0.0, tiny, -3 * tiny, top, -top, 1.0, -1.0]
    return np.where(rng.random(shape) < 1 / 3, rng.choice(odd, shape), values)


def _with_images(rng: np.random.Generator, rows: np.ndarray, images: int) -> np.ndarray:
    """The rows with a random image number as their first number."""
    rows[..., :1] = rng.integers(0, max(images, 1), rows[..., :1].shape)
    return rows


def _upright(rng: np.random.Generator, corners: np.ndarray) -> None:
    """Orders the corners x1, y1, x2, y2 of seven in eight rows."""
    if corners.shape[-1] == 4:
        ordered = np.concatenate(
            [np.minimum(corners[..., :2], corners[..., 2:]), np.maximum(corners[..., :2], corners[..., 2:])], -1
        )
        corners[:] = np.where(rng.random((*corners.shape[:-1], 1)) < 7 / 8, ordered, corners)


@_generator
def boxes(rng: np.random.Generator, shape: tuple[int, ...], dtype: str, low: float, high: float):
    """Rows (x1, y1, x2, y2) within [low, high); in one of eight rows the corners may be reversed."""
    rows = rng.uniform(low, high, shape)
    _upright(rng, rows)
    return rows


@_generator
def rois(rng: np.random.Generator, shape: tuple[int, ...], dtype: str, images: int, low: float, high: float):
    """Rows (image, x1, y1, x2, y2) with the image from 0 to images - 1 and the corners as in `boxes`."""
    rows = rng.uniform(low, high, shape)
    _upright(rng, rows[..., 1:])
    return _with_images(rng, rows, images)


@_generator
def rotated_rois(rng: np.random.Generator, shape: tuple[int, ...], dtype: str, images: int, low: float, high: float):
    """Rows (image, xc, yc, w, h, angle): centres within [low, high), sides below high - low, up to two turns."""
    rows = rng.random(shape)
    rows[..., 1:3] = low + (high - low) * rows[..., 1:3]
    rows[..., 3:5] *= high - low
    rows[..., 5:] = 4 * np.pi * (2 * rows[..., 5:] - 1)
    return _with_images(rng, rows, images)


@_generator
def probabilities(rng: np.random.Generator, shape: tuple[int, ...], dtype: str):
    """Positive numbers whose sum along the last dimension is one."""
    values = rng.random(shape) + 0.05
    return values / values.sum(-1, keepdims=True) if shape else values
