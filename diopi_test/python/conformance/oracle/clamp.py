# SPDX-License-Identifier: BSD-3-Clause
"""Values limited to [min, max]. If min > max, the result is max. NaN stays NaN."""

import numpy as np

from . import oracle


def _forms(name: str) -> tuple[str, ...]:
    return tuple(f"diopi{name}{form}" for form in ("", "Inp", "Scalar", "InpScalar"))


@oracle(*_forms("Clamp"), promote=("input", "min", "max"))
def clamp(input, min, max):
    result = input if min is None else np.maximum(input, min)
    return result if max is None else np.minimum(result, max)


@oracle(*_forms("ClampMin"), promote=("input", "min"))
def clamp_min(input, min):
    return np.maximum(input, min)


@oracle(*_forms("ClampMax"), promote=("input", "max"))
def clamp_max(input, max):
    return np.minimum(input, max)
