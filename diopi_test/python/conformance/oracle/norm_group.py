# SPDX-License-Identifier: BSD-3-Clause
"""Group normalisation: statistics over each group of adjacent channels (dimension 1) and all spatial dimensions."""

import numpy as np

from . import Value, oracle
from .tools import exact_sum, running_mean


def _statistics_dtype(dtypes):
    return "float32" if dtypes["input"] in ("float16", "bfloat16") else dtypes["input"]


def _grouped(x, num_groups):
    return x.reshape(x.shape[0], num_groups, int(np.prod(x.shape[1:])) // num_groups)


def _per_group(values, x, num_groups):
    """Values of shape [N, G] broadcast to the shape of x."""
    shape = (x.shape[0], num_groups, x.size // max(x.shape[0] * num_groups, 1))
    return np.broadcast_to(values.reshape(x.shape[0], num_groups, 1), shape).reshape(x.shape)


def _per_channel(values, default, x):
    values = np.full(x.shape[1], float(default)) if values is None else values
    return values.reshape((1, -1) + (1,) * (x.ndim - 2))


@oracle("diopiGroupNorm", dtype={"out": "input", "save_mean": _statistics_dtype, "save_invstd": _statistics_dtype})
def group_norm(input, weight, bias, num_groups, eps):
    groups = _grouped(input, num_groups)
    count = groups.shape[2]
    mean = running_mean(groups, 2)
    deviations = groups - mean[:, :, None]
    variance = exact_sum(deviations * deviations, 2) / np.float64(count)
    invstd = 1 / np.sqrt(variance + eps)
    m, r = _per_group(mean, input, num_groups), _per_group(invstd, input, num_groups)
    w, b = _per_channel(weight, 1, input), _per_channel(bias, 0, input)
    # The errors of a mean grow with the deviations from it, because implementations correct the mean by deviations.
    typical = np.maximum(running_mean(np.abs(groups), 2), np.sqrt(variance))
    size = np.abs(input) + np.abs(m) + _per_group(typical, input, num_groups)
    return {
        "out": Value((input - m) * r * w + b, magnitude=size * r * np.abs(w) + np.abs(b)),
        "save_mean": Value(mean, magnitude=typical),
        "save_invstd": Value(invstd, magnitude=invstd * (1 + np.abs(mean) * invstd)),
    }


@oracle(
    "diopiGroupNormBackward",
    dtype={"grad_input": "input", "grad_weight": _statistics_dtype, "grad_bias": _statistics_dtype},
)
def group_norm_backward(grad_output, input, weight, mean, rstd, num_groups):
    m, r = _per_group(mean, input, num_groups), _per_group(rstd, input, num_groups)
    w = _per_channel(weight, 1, input)
    g, h = grad_output * w, (input - m) * r
    size = (np.abs(input) + np.abs(m)) * r
    count = np.float64(np.prod(input.shape[1:]) / num_groups)

    def group_mean(x):
        return _per_group(exact_sum(_grouped(x, num_groups), 2) / count, input, num_groups)

    axes = tuple(i for i in range(input.ndim) if i != 1)
    magnitude = r * (np.abs(g) + group_mean(np.abs(g)) + size * group_mean(np.abs(g) * size))
    return {
        "grad_input": Value(r * (g - group_mean(g) - h * group_mean(g * h)), magnitude),
        "grad_weight": Value(exact_sum(grad_output * h, axes), magnitude=exact_sum(np.abs(grad_output) * size, axes)),
        "grad_bias": Value(exact_sum(grad_output, axes), magnitude=exact_sum(np.abs(grad_output), axes)),
    }
