# SPDX-License-Identifier: BSD-3-Clause
"""Write to the elements that advanced indexing selects."""

from . import oracle
from .index import accumulated
from .tools import index_key


@oracle("diopiIndexPut", "diopiIndexPutInp", dtype="input")
def index_put(input, values, indices, accumulate, dtypes):
    key = index_key(indices, dtypes)
    if accumulate:
        return accumulated(input, key, values)
    result = input.copy()
    result[key] = values
    return result
