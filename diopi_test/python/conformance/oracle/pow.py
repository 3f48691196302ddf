# SPDX-License-Identifier: BSD-3-Clause
"""Powers; base and exponent may each be a tensor or a number."""

import numpy as np

from ..oracles import oracle


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
        # Of arrays alike: for a single exponent of 0.5 NumPy takes the square root, which has no value at -inf.
        x, y = (np.array(a) for a in np.broadcast_arrays(input, exponent))
        if np.iscomplexobj(x) or np.iscomplexobj(y):  # NumPy's logarithm makes NaN of infinities here
            return np.where((y == 0) | (x == 1), 1, np.where(y == 1, x, np.power(x, y)))
        return np.power(x, y)
    wide = np.uint64 if dtypes["promoted"] == "uint64" else np.int64
    return _integer_power(*np.broadcast_arrays(np.asarray(input, wide), np.asarray(exponent, wide)))


def _integer_power(base: np.ndarray, exponent: np.ndarray) -> np.ndarray:
    """Wraps around; a negative exponent leaves 1 and -1 what they are and makes 0 of the rest."""
    result, factor, rest = np.ones_like(base), base.copy(), np.abs(exponent)
    while (rest > 0).any():
        result = np.where(rest & 1, result * factor, result)
        factor, rest = factor * factor, rest >> 1
    return np.where((exponent < 0) & (np.abs(base) != 1), 0, result)
