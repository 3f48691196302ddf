# SPDX-License-Identifier: BSD-3-Clause
"""Powers. Base and exponent may each be a tensor or a number."""

import numpy as np

from . import oracle


@oracle(
    "diopiPow",
    "diopiPowInp",
    "diopiPowTensor",
    "diopiPowInpTensor",
    "diopiPowScalar",
    promote=("input", "exponent"),
    round_operands=False,
)
def pow_(input, exponent, dtypes):
    if dtypes["promoted"].startswith(("float", "bfloat", "complex")):
        # Both must be arrays: for a scalar exponent of 0.5 NumPy takes the square root, which is NaN at -inf.
        x, y = (np.array(a) for a in np.broadcast_arrays(input, exponent))
        if np.iscomplexobj(x) or np.iscomplexobj(y):  # NumPy returns NaN for infinities here
            return np.where((y == 0) | (x == 1), 1, np.where(y == 1, x, np.power(x, y)))
        return np.power(x, y)
    wide = np.uint64 if dtypes["promoted"] == "uint64" else np.int64
    return _integer_power(*np.broadcast_arrays(np.asarray(input, wide), np.asarray(exponent, wide)))


def _integer_power(base: np.ndarray, exponent: np.ndarray) -> np.ndarray:
    """Powers of integers, which wrap around. With a negative exponent, the base 1 gives 1, -1 gives 1 or -1, and every
    other base gives 0."""
    result, factor, rest = np.ones_like(base), base.copy(), np.abs(exponent)
    while (rest > 0).any():
        result = np.where(rest & 1, result * factor, result)
        factor, rest = factor * factor, rest >> 1
    return np.where((exponent < 0) & (np.abs(base) != 1), 0, result)
