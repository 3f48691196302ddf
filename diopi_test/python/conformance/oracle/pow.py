"""Powers; base and exponent may each be a tensor or a number."""

import numpy as np

from ..oracles import oracle


@oracle("diopiPow", "diopiPowInp", "diopiPowTensor", "diopiPowInpTensor", "diopiPowScalar",
        promote=("input", "exponent"), round_operands=False)
def pow_(input, exponent, dtypes):
    if dtypes["promoted"].startswith(("float", "bfloat", "complex")):
        return np.power(input, exponent)
    return _integer_power(*np.broadcast_arrays(np.asarray(input, np.int64), np.asarray(exponent, np.int64)))


def _integer_power(base: np.ndarray, exponent: np.ndarray) -> np.ndarray:
    """Wraps around; a negative exponent leaves 1 and -1 what they are and makes 0 of the rest."""
    result, factor, rest = np.ones_like(base), base.copy(), np.abs(exponent)
    while (rest > 0).any():
        result = np.where(rest & 1, result * factor, result)
        factor, rest = factor * factor, rest >> 1
    return np.where((exponent < 0) & (np.abs(base) != 1), 0, result)
