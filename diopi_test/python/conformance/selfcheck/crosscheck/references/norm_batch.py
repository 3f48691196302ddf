# SPDX-License-Identifier: BSD-3-Clause
"""References for batch normalisation, in double precision."""

from __future__ import annotations

from typing import Any

from ..reference import Reference, Table, composed, torch

GRADS = ("grad_input", "grad_weight", "grad_bias")


def _batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps):
    """torch.native_batch_norm, which also returns the statistics of the batch."""
    mean = None if running_mean is None else running_mean.clone()
    var = None if running_var is None else running_var.clone()
    out, save_mean, save_invstd = torch.native_batch_norm(input, weight, bias, mean, var, training, momentum, eps)
    saved = {"save_mean": save_mean, "save_invstd": save_invstd} if training else {}
    return {"out": out, "running_mean": mean, "running_var": var, **saved}


def wanted_gradients(weight: Any) -> list[bool]:
    """The mask of the gradients that PyTorch must compute. The gradient of a null weight must not be requested."""
    return [True, weight is not None, True]


def _batch_norm_backward(grad_output, input, weight, running_mean, running_var, save_mean, save_invstd, training, eps):
    return dict(
        zip(
            GRADS,
            torch.ops.aten.native_batch_norm_backward(
                grad_output,
                input,
                weight,
                running_mean,
                running_var,
                save_mean,
                save_invstd,
                training,
                eps,
                wanted_gradients(weight),
            ),
        )
    )


def _per_channel(values, x):
    return values.reshape([1, -1] + [1] * (x.ndim - 2))


def _vector(values, x):
    if values.shape != x.shape[1:2]:
        raise ValueError("one element per channel")
    return values


def _channels_last(x):
    """The elements of each channel as a row."""
    return x.transpose(0, 1).reshape(x.shape[1], -1)


def _stats(input, eps):
    rows = _channels_last(input)
    var, mean = torch.var_mean(rows, 1, correction=0)
    return mean, torch.rsqrt(var + eps)


def _gather(input, mean_all, invstd_all, running_mean, running_var, momentum, eps, counts):
    """The statistics of elements that have these statistics: the mean of x and of x^2 of all devices."""
    momentum, eps = torch.tensor(momentum).double(), torch.tensor(eps).double()
    known = {v.shape for v in (running_mean, running_var) if v is not None}
    if input.ndim < 2 or mean_all.ndim != 2 or not known <= {mean_all.shape[1:]}:
        raise ValueError("one element for each device and channel")
    shares = counts.double()[:, None] / counts.double().sum()
    mean = (shares * mean_all).sum(0)
    biased = (shares * (invstd_all**-2 - eps + mean_all**2)).sum(0) - mean**2
    n = counts.double().sum()
    result = {"mean": mean, "invstd": torch.rsqrt(biased + eps)}
    if running_mean is not None:
        result["running_mean"] = (1 - momentum) * running_mean + momentum * mean
    if running_var is not None:
        result["running_var"] = (1 - momentum) * running_var + momentum * biased * n / (n - 1)
    return result


def _backward_reduce(grad_out, input, mean, invstd, weight, input_g, weight_g, bias_g):
    _ = mean if weight is None else _vector(weight, input)
    g, x = _channels_last(grad_out), _channels_last(input)
    sums = {"sum_dy": g.sum(1), "sum_dy_xmu": torch.einsum("ij,ij->i", g, x - mean[:, None])} if input_g else {}
    weight = {"grad_weight": torch.einsum("ij,ij,i->i", g, x - mean[:, None], invstd)} if weight_g else {}
    return sums | weight | ({"grad_bias": g.sum(1)} if bias_g else {})


def _backward_elemt(grad_out, input, mean, invstd, weight, sum_dy, sum_dy_xmu, count):
    n = count.sum().double()
    m, r, a, b = (_per_channel(v, input) for v in (mean, invstd, sum_dy, sum_dy_xmu))
    w = torch.ones_like(mean) if weight is None else _vector(weight, input)
    return torch.addcmul(grad_out - a / n, (input - m) * r**2, b / n, value=-1) * r * _per_channel(w, input)


def _elemt(input, weight, bias, mean, invstd):
    scale = invstd if weight is None else invstd * _vector(weight, input)
    shift = torch.zeros_like(mean) if bias is None else _vector(bias, input)
    return torch.addcmul(_per_channel(shift, input), input - _per_channel(mean, input), _per_channel(scale, input))


TABLE: Table = {
    "diopiBatchNorm": Reference("torch.native_batch_norm", _batch_norm, double=True),
    "diopiBatchNormBackward": Reference("torch.ops.aten.native_batch_norm_backward", _batch_norm_backward, double=True),
    "diopiBatchNormStats": composed("torch.var_mean, torch.rsqrt", _stats, double=True),
    "diopiBatchNormGatherStatsWithCounts": composed("torch.rsqrt", _gather, double=True),
    "diopiBatchNormBackwardReduce": composed("torch.sum, torch.einsum", _backward_reduce, double=True),
    "diopiBatchNormBackwardElemt": composed("torch.addcmul", _backward_elemt, double=True),
    "diopiBatchNormElemt": composed("torch.addcmul", _elemt, double=True),
}
