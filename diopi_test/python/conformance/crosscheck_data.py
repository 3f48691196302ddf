"""PyTorch's spelling of what moves data and of what slides a window: indexing, joining, convolutions, pooling."""

from __future__ import annotations

from typing import Any, Callable

try:
    import torch
    import torch.nn.functional as F
except ImportError:
    torch = F = None

from .crosscheck_networks import double, gradients

Reference = Callable[..., Any]


def _movement() -> dict[str, Reference]:
    return {
        "diopiCat": lambda tensors, dim: torch.cat(tensors, dim),
        "diopiStack": lambda tensors, dim: torch.stack(tensors, dim),
        "diopiSplitWithSizes": lambda input, splitSizes, dim: torch.split(input, list(splitSizes), dim),
        "diopiTranspose": lambda input, dim0, dim1: torch.transpose(input, dim0, dim1),
        "diopiPermute": lambda input, dims: torch.permute(input, dims),
        "diopiExpand": lambda input, out: input.expand(out),
        "diopiFlip": lambda input, dims: torch.flip(input, dims),
        "diopiRepeat": lambda input, repeats_size: input.repeat(repeats_size),
        "diopiTril": lambda input, diagonal: torch.tril(input, diagonal),
        "diopiTriu": lambda input, diagonal: torch.triu(input, diagonal),
        "diopiTriuInp": lambda input, diagonal: torch.triu(input, diagonal),
        "diopiIsNan": lambda input: torch.isnan(input),
    }


def _indexing() -> dict[str, Reference]:
    def gather_backward(grad_output, input, dim, index):
        return torch.zeros_like(input).scatter_add(dim, index.long(), grad_output.to(input.dtype))

    return {
        "diopiIndexSelect": lambda input, dim, index: torch.index_select(input, dim, index),
        "diopiGather": lambda input, dim, index: torch.gather(input, dim, index.long()),
        "diopiGatherBackward": gather_backward,
        "diopiEmbedding": lambda weight, indices: F.embedding(indices.long(), weight),
        "diopiNonzero": lambda input: torch.nonzero(input),
        "diopiMaskedSelect": lambda input, mask: torch.masked_select(input, mask.bool()),
    }


def _convolutions() -> dict[str, Reference]:
    return {**_convolutions_of_rank(2, F.conv2d), **_convolutions_of_rank(3, F.conv3d)}


def _convolutions_of_rank(rank: int, convolve: Reference) -> dict[str, Reference]:
    def forward(input, weight, bias, stride, padding, dilation, groups):
        return convolve(input, weight, bias, stride, padding, dilation, groups)

    def backward(grad_output, input, weight, stride, padding, dilation, groups):
        bias = torch.zeros(weight.shape[0], dtype=weight.dtype)
        grads = gradients(lambda x, w, b: convolve(x, w, b, stride, padding, dilation, groups), grad_output, input,
                          weight, bias)
        return dict(zip(("grad_input", "grad_weight", "grad_bias"), grads))

    return {f"diopiConvolution{rank}d": forward, f"diopiConvolution{rank}dBackward": backward}


def _pooling() -> dict[str, Reference]:
    found: dict[str, Reference] = {}
    for rank in (1, 2, 3):
        largest, mean = getattr(F, f"max_pool{rank}d"), getattr(F, f"avg_pool{rank}d")
        adaptive = getattr(F, f"adaptive_avg_pool{rank}d")
        found |= _pools_of_rank(rank, largest, mean, adaptive)
    return found


def _pools_of_rank(rank: int, largest: Reference, mean: Reference, adaptive: Reference) -> dict[str, Reference]:
    def max_pool(input, kernel_size, stride, padding, dilation, ceil_mode):
        return largest(input, kernel_size, stride or None, padding, dilation, ceil_mode)

    def avg_pool(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override):
        extra = () if rank == 1 else (divisor_override,)
        return mean(input, kernel_size, stride or None, padding, ceil_mode, count_include_pad, *extra)

    def avg_pool_backward(grad_output, input, kernel_size, stride, padding, ceil_mode, count_include_pad,
                          divisor_override):
        return gradients(lambda x: avg_pool(x, kernel_size, stride, padding, ceil_mode, count_include_pad,
                                             divisor_override), grad_output, input)[0]

    return {
        f"diopiMaxPool{rank}d": max_pool,
        f"diopiAvgPool{rank}d": avg_pool,
        f"diopiAvgPool{rank}dBackward": avg_pool_backward,
        f"diopiAdaptiveAvgPool{rank}d": lambda input, output_size: adaptive(
            input, list(output_size) * (rank // len(output_size))),
        f"diopiAdaptiveAvgPool{rank}dBackward": lambda grad_output, input: gradients(
            lambda x: adaptive(x, grad_output.shape[-rank:]), grad_output, input)[0],
    }


def data_references() -> dict[str, Reference]:
    """All of this file, by operator."""
    exact = {**_convolutions(), **_pooling()}
    return {**_movement(), **_indexing(), **{name: double(reference) for name, reference in exact.items()}}
