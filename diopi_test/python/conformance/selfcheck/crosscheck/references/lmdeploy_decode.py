# SPDX-License-Identifier: BSD-3-Clause
"""References for TurboMind's bookkeeping of tokens."""

from __future__ import annotations

import numpy as np

from ..reference import SPECIFICATION, Reference, Table, composed, torch


def _gather_output(output_ids, ids, context_length, max_context_len, max_gen_step, max_output_len, batch_size):
    """TurboMind's loop: each step of each sequence is written behind the one before, without the padding."""
    out = output_ids.copy()
    for b in range(batch_size):
        place = 0
        for step in range(max_gen_step):
            if context_length[b] <= step < max_context_len:
                continue
            if place < max_output_len:
                out[b, place] = ids[step, b].astype(np.int64)
            place += 1
    return out


def _wrapped(numbers: list[int], dtype: str) -> np.ndarray:
    """Integers of any size in the two's complement of a dtype."""
    bits, signed = np.iinfo(dtype).bits, np.iinfo(dtype).min < 0
    low = [n % 2**bits for n in numbers]
    kind = np.int64 if signed else np.uint64
    return np.array([n - 2**bits if signed and n >= 2 ** (bits - 1) else n for n in low], kind)


def _plus_scalar(inoutput, val, size, dtypes):
    return _wrapped([int(n) + (val if i < size else 0) for i, n in enumerate(inoutput)], dtypes["inoutput"])


def _update_padding_count(input_lengths, max_input_length, dtypes):
    kind = dtypes.get("total_padding_count", dtypes["input_lengths"])
    return _wrapped([max_input_length - int(n) for n in input_lengths], kind)


def _transpose(input, dim0, dim1, dim2):
    if min(dim0, dim1, dim2) < 0:
        raise RuntimeError("extents are not negative")
    return input.reshape(dim0, dim1, dim2).transpose(0, 1).contiguous()


def _lookup(table, ids, count, hidden):
    if tuple(ids.shape) != (count,) or table.ndim != 2 or table.shape[1] != hidden:
        raise RuntimeError("the shapes do not fit")
    return torch.nn.functional.embedding(ids.to(torch.int64), table)


def _embedding_lookup(embedding_table, all_ids, batch_size, hidden_units, step):
    if all_ids.ndim != 2 or step < 0:
        raise RuntimeError("all_ids must be [rows, batch]")
    return _lookup(embedding_table, all_ids[step], batch_size, hidden_units)


def _input_ids_lookup(input_ids, embedding_table, input_lengths, hidden_units):
    if input_ids.ndim != 1 or input_lengths < 0:
        raise RuntimeError("input_ids must be a vector")
    return _lookup(embedding_table, input_ids[:input_lengths], input_lengths, hidden_units)


TABLE: Table = {
    "diopiGatherOutput": Reference("TurboMind's loop", _gather_output, SPECIFICATION),
    "diopiPlusScalarInp": Reference("sums of integers of any size", _plus_scalar, SPECIFICATION),
    "diopiUpdatePaddingCount": Reference("differences of integers of any size", _update_padding_count, SPECIFICATION),
    "diopiTransposeAxis01": composed("torch.reshape, torch.transpose", _transpose),
    "diopiEmbeddingLookupPosEncoding": composed("torch.nn.functional.embedding", _embedding_lookup),
    "diopiInputIdsEmbeddingLookupPosEncoding": composed("torch.nn.functional.embedding", _input_ids_lookup),
}
