# SPDX-License-Identifier: BSD-3-Clause
"""The product of a sparse and a dense matrix."""

import numpy as np

from . import Value, oracle


@oracle("diopiSpMM", dtype="mat2")
def spmm(input, mat2):
    terms = input.values[:, None] * mat2[input.columns.astype(np.int64)]
    shape = (input.shape[0], mat2.shape[1])
    total, size = np.zeros(shape, np.longdouble), np.zeros(shape)
    np.add.at(total, input.rows(), terms)
    np.add.at(size, input.rows(), np.abs(terms))
    return Value(total.astype(np.float64), magnitude=size)
