# SPDX-License-Identifier: BSD-3-Clause
"""References for copies and casts."""

from __future__ import annotations

from ..reference import SPECIFICATION, Reference, Table, composed, same, torch

TABLE: Table = {
    "diopiCopyInp": Reference("torch.Tensor.copy_", lambda src, dest, dtype: torch.empty(dest, dtype=dtype).copy_(src)),
    "diopiCastDtype": same("torch.Tensor.to", "input", "dtype"),
    "diopiContiguous": same("torch.Tensor.contiguous", "input"),
    "diopiNativeMemoryFormatCast": composed("torch.clone", lambda in_: in_.clone()),
    "diopiGetNativeMemoryFormat": Reference("the contract's text", lambda input: 2, SPECIFICATION),
    "diopiTensorDestructionHook": Reference("the contract's text", lambda ptr: {}, SPECIFICATION),
}
