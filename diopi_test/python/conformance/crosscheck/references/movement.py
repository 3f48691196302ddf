"""What moves data without an index: joining, rearranging, copying."""

from __future__ import annotations

from ..reference import Reference, Table, same, torch

TABLE: Table = {
    "diopiCat": same("torch.cat", "tensors", "dim"),
    "diopiStack": same("torch.stack", "tensors", "dim"),
    "diopiSplitWithSizes": Reference("torch.split", lambda input, splitSizes, dim: torch.split(
        input, list(splitSizes), dim)),
    "diopiTranspose": same("torch.transpose", "input", "dim0", "dim1"),
    "diopiPermute": same("torch.permute", "input", "dims"),
    "diopiExpand": same("torch.Tensor.expand", "input", "out"),
    "diopiFlip": same("torch.flip", "input", "dims"),
    "diopiRepeat": same("torch.Tensor.repeat", "input", "repeats_size"),
    "diopiTril": same("torch.tril", "input", "diagonal"),
    "diopiTriu": same("torch.triu", "input", "diagonal"),
    "diopiTriuInp": same("torch.triu", "input", "diagonal"),
    "diopiCopyInp": Reference("torch.Tensor.copy_", lambda src, dest, dtype: torch.empty(
        dest, dtype=dtype).copy_(src)),
    "diopiCastDtype": same("torch.Tensor.to", "input", "dtype"),
    "diopiContiguous": same("torch.Tensor.contiguous", "input"),
}
