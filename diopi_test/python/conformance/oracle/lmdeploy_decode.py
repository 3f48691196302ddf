# SPDX-License-Identifier: BSD-3-Clause
"""Token bookkeeping around TurboMind's decoding loop."""

import numpy as np

from . import oracle
from .tools import as_dtype


@oracle("diopiGatherOutput", dtype="output_ids")
def gather_output(output_ids, ids, context_length, max_context_len, max_gen_step, max_output_len, dtypes):
    out = output_ids.copy()
    steps = np.arange(max_gen_step)
    for b, c in enumerate(context_length):
        kept = steps[(steps < c) | (steps >= max_context_len)]
        places = np.where(kept < c, kept, kept - (max_context_len - c))
        fitting = places < max_output_len
        out[b, places[fitting]] = as_dtype(ids[kept[fitting], b], dtypes["output_ids"])
    return out


@oracle("diopiPlusScalarInp", dtype="inoutput")
def plus_scalar(inoutput, val, size, dtypes):
    out = inoutput.copy()
    with np.errstate(over="ignore"):
        wide = out[:size].astype(np.int64) + np.int64(val)
    out[:size] = as_dtype(wide.astype(np.uint64) if dtypes["inoutput"] == "uint64" else wide, dtypes["inoutput"])
    return out


@oracle("diopiUpdatePaddingCount", dtype=lambda dtypes: dtypes.get("total_padding_count", dtypes["input_lengths"]))
def update_padding_count(input_lengths, max_input_length, dtypes):
    with np.errstate(over="ignore"):
        count = np.int64(max_input_length) - input_lengths
    return as_dtype(count, dtypes.get("total_padding_count", dtypes["input_lengths"]))


@oracle("diopiTransposeAxis01", dtype="input")
def transpose_axis_01(input, dim0, dim1, dim2, output=None):
    swapped = input.reshape(dim0, dim1, dim2).transpose(1, 0, 2)
    return swapped if output is None else swapped.reshape(output)


@oracle("diopiEmbeddingLookupPosEncoding", dtype="embedding_table")
def embedding_lookup(embedding_table, all_ids, step):
    return embedding_table[all_ids[step]]


@oracle("diopiInputIdsEmbeddingLookupPosEncoding", dtype="embedding_table")
def input_ids_embedding_lookup(input_ids, embedding_table, input_lengths):
    return embedding_table[input_ids[:input_lengths]]
