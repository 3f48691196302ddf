# SPDX-License-Identifier: BSD-3-Clause
"""Batch normalisation. Dimension 1 is the channels."""

from typing import Any

import numpy as np

from . import Unwritten, Value, oracle
from .tools import exact_sum


def _per_channel(values, x):
    return np.reshape(values, (1, -1) + (1,) * (x.ndim - 2))


def _axes(x):
    return tuple(i for i in range(x.ndim) if i != 1)


def _channel_sum(x):
    return exact_sum(x, _axes(x))


def _or(values, default, x):
    return np.full(x.shape[1], float(default)) if values is None else values


def _moments(x):
    count = x.size / x.shape[1]
    mean = _channel_sum(x) / count
    deviations = x - _per_channel(mean, x)
    return mean, _channel_sum(deviations * deviations) / count, count


def _batch_norm_dtypes(dtypes):
    return "float32" if dtypes["input"] in ("float16", "bfloat16") else dtypes["input"]


def _running(dtypes, name):
    """The dtype of a running statistic, or that of the batch's statistics if this one is less precise."""
    own = dtypes.get(name, "float32")
    return _batch_norm_dtypes(dtypes) if own == "float64" else own


@oracle(
    "diopiBatchNorm",
    dtype={
        "out": "input",
        "save_mean": _batch_norm_dtypes,
        "save_invstd": _batch_norm_dtypes,
        "running_mean": lambda names: _running(names, "running_mean"),
        "running_var": lambda names: _running(names, "running_var"),
    },
)
def batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps):
    if input.ndim == 1:  # of shape [0]
        unused = Unwritten((0,) if running_mean is None else running_mean.shape)
        statistics = {"running_mean": running_mean, "running_var": running_var}
        return {"out": input, "save_mean": unused, "save_invstd": unused, **statistics}
    weight, bias = _or(weight, 1, input), _or(bias, 0, input)
    if training:
        mean, var, count = _moments(input)
    else:
        mean, var = running_mean, running_var
    invstd = 1 / np.sqrt(var + eps)
    m, scale, shift = (_per_channel(v, input) for v in (mean, invstd * weight, bias))
    # The errors of a mean grow with the deviations from it, because implementations correct the mean by deviations.
    typical = np.maximum(_channel_sum(np.abs(input)) / count, np.sqrt(var)) if training else np.abs(mean)
    size = np.abs(input) + np.abs(m) + _per_channel(typical, input)
    result: dict[str, Any] = {"out": Value((input - m) * scale + shift, magnitude=size * np.abs(scale) + np.abs(shift))}
    result["save_mean"] = result["save_invstd"] = Unwritten(np.shape(mean))
    if training and input.size:
        result["save_mean"] = Value(mean, magnitude=typical)
        result["save_invstd"] = Value(invstd, magnitude=invstd * (1 + np.abs(mean) * invstd))
    if running_mean is not None:
        result["running_mean"] = running_mean
        if training and input.size:
            result["running_mean"] = Value(
                (1 - momentum) * running_mean + momentum * mean, magnitude=np.abs(running_mean) + typical
            )
    if running_var is not None:
        result["running_var"] = running_var
        if training and input.size:
            unbiased = var * (count / (count - 1))
            result["running_var"] = Value(
                (1 - momentum) * running_var + momentum * unbiased,
                magnitude=np.abs(running_var) + unbiased + np.abs(mean) * np.sqrt(unbiased),
            )
    return result


@oracle(
    "diopiBatchNormBackward",
    dtype={"grad_input": "input", "grad_weight": _batch_norm_dtypes, "grad_bias": _batch_norm_dtypes},
)
def batch_norm_backward(grad_output, input, weight, running_mean, running_var, save_mean, save_invstd, training, eps):
    if input.ndim == 1:  # of shape [0]
        nothing = np.zeros(np.shape(save_mean if training else running_mean))
        return {"grad_input": input, "grad_weight": nothing, "grad_bias": nothing}
    weight = _or(weight, 1, input)
    mean = save_mean if training else running_mean
    invstd = save_invstd if training else 1 / np.sqrt(running_var + eps)
    count = input.size / input.shape[1]
    m, r, scale = (_per_channel(v, input) for v in (mean, invstd, invstd * weight))
    xmu, size = input - m, np.abs(input) + np.abs(m)
    sum_dy, sum_dy_xmu = _channel_sum(grad_output), _channel_sum(grad_output * xmu)
    sum_abs, sum_abs_xmu = _channel_sum(np.abs(grad_output)), _channel_sum(np.abs(grad_output) * size)
    grad_input, magnitude = grad_output * scale, np.abs(grad_output * scale)
    if training:
        grad_input = grad_input - scale / count * (
            _per_channel(sum_dy, input) + xmu * r * r * _per_channel(sum_dy_xmu, input)
        )
        magnitude = magnitude + np.abs(scale) / count * (
            _per_channel(sum_abs, input) + size * r * r * _per_channel(sum_abs_xmu, input)
        )
    return {
        "grad_input": Value(grad_input, magnitude=magnitude),
        "grad_weight": Value(sum_dy_xmu * invstd, magnitude=sum_abs_xmu * invstd),
        "grad_bias": Value(sum_dy, magnitude=sum_abs),
    }


@oracle("diopiBatchNormStats", dtype={"mean": _batch_norm_dtypes, "invstd": _batch_norm_dtypes})
def batch_norm_stats(input, eps):
    if input.size == 0:
        return {"mean": np.full(input.shape[1], np.nan), "invstd": np.full(input.shape[1], np.nan)}
    mean, var, count = _moments(input)
    invstd = 1 / np.sqrt(var + eps)
    typical = np.maximum(_channel_sum(np.abs(input)) / count, np.sqrt(var))
    return {
        "mean": Value(mean, magnitude=typical),
        "invstd": Value(invstd, magnitude=invstd * (1 + np.abs(mean) * invstd)),
    }


@oracle(
    "diopiBatchNormGatherStatsWithCounts",
    dtype={"mean": "mean_all", "invstd": "mean_all", "running_mean": "running_mean", "running_var": "running_var"},
)
def batch_norm_gather_stats_with_counts(mean_all, invstd_all, running_mean, running_var, momentum, eps, counts):
    momentum, eps = np.float64(np.float32(momentum)), np.float64(np.float32(eps))
    weights = np.asarray(counts, np.float64)[:, None]
    n = weights.sum()
    mean = (weights * mean_all).sum(0) / n
    variance = 1 / (invstd_all * invstd_all)
    squares = exact_sum(weights * (variance - eps) + weights * (mean_all - mean) ** 2, 0)
    size = (weights * (variance + np.abs(eps) + (mean_all - mean) ** 2)).sum(0)
    invstd = 1 / np.sqrt(squares / n + eps)
    typical = (weights * np.abs(mean_all)).sum(0) / n
    result = {
        "mean": Value(mean, magnitude=typical),
        "invstd": Value(invstd, magnitude=np.abs(invstd) * (1 + size / n * invstd * invstd)),
    }
    if running_mean is not None:
        result["running_mean"] = Value(
            (1 - momentum) * running_mean + momentum * mean, magnitude=np.abs(running_mean) + typical
        )
    if running_var is not None:
        result["running_var"] = Value(
            (1 - momentum) * running_var + momentum * (squares / (n - 1)),
            magnitude=np.abs(running_var) + size / (n - 1),
        )
    return result


@oracle(
    "diopiBatchNormBackwardReduce",
    dtype=dict.fromkeys(("sum_dy", "sum_dy_xmu", "grad_weight", "grad_bias"), _batch_norm_dtypes),
)
def batch_norm_backward_reduce(grad_out, input, mean, invstd, input_g, weight_g, bias_g):
    m = _per_channel(mean, input)
    terms, size = grad_out * (input - m), np.abs(grad_out) * (np.abs(input) + np.abs(m))
    sum_dy = Value(_channel_sum(grad_out), magnitude=_channel_sum(np.abs(grad_out)))
    sum_dy_xmu = Value(_channel_sum(terms), magnitude=_channel_sum(size))
    grad_weight = Value(sum_dy_xmu.array * invstd, magnitude=sum_dy_xmu.magnitude * np.abs(invstd))
    wanted = {"sum_dy": input_g, "sum_dy_xmu": input_g, "grad_weight": weight_g, "grad_bias": bias_g}
    sums = {"sum_dy": sum_dy, "sum_dy_xmu": sum_dy_xmu, "grad_weight": grad_weight, "grad_bias": sum_dy}
    return {name: value if wanted[name] else Unwritten(np.shape(mean)) for name, value in sums.items()}


@oracle("diopiBatchNormBackwardElemt", dtype="input")
def batch_norm_backward_elemt(grad_out, input, mean, invstd, weight, sum_dy, sum_dy_xmu, count):
    n = np.float64(np.sum(count))
    m, r, w, a, b = (_per_channel(v, input) for v in (mean, invstd, _or(weight, 1, input), sum_dy, sum_dy_xmu))
    size = (np.abs(grad_out) + np.abs(a / n) + (np.abs(input) + np.abs(m)) * r * r * np.abs(b / n)) * np.abs(r * w)
    return Value((grad_out - a / n - (input - m) * r * r * b / n) * r * w, magnitude=size)


@oracle("diopiBatchNormElemt", dtype="input")
def batch_norm_elemt(input, weight, bias, mean, invstd):
    m, b = _per_channel(mean, input), _per_channel(_or(bias, 0, input), input)
    scale = _per_channel(invstd * _or(weight, 1, input), input)
    return Value((input - m) * scale + b, magnitude=(np.abs(input) + np.abs(m)) * np.abs(scale) + np.abs(b))
