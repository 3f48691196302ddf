# SPDX-License-Identifier: BSD-3-Clause
"""Whether two tensors are equal."""

import numpy as np

from . import oracle


@oracle("diopiEqual", promote=("input", "other"))
def equal(input, other):
    return bool(input.shape == other.shape and np.all(input == other))
