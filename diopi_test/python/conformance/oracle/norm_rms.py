# SPDX-License-Identifier: BSD-3-Clause
"""Root mean square normalisation over the last dimensions."""

import numpy as np

from . import Value, oracle
from .tools import exact_sum


def _statistics_dtype(dtypes):
    return "float32" if dtypes["input"] in ("float16", "bfloat16") else dtypes["input"]


def _axes(x, normalized_shape):
    return tuple(range(x.ndim - len(normalized_shape), x.ndim))


@oracle("diopiRMSNorm", dtype={"out": "input", "inv_rms": _statistics_dtype})
def rms_norm(input, weight, bias, normalized_shape, eps, inv_rms=None):
    axes = _axes(input, normalized_shape)
    squares = exact_sum(input * input, axes, keepdims=True) / np.float64(np.prod(normalized_shape))
    scale = 1 / np.sqrt(squares + eps)
    w = 1.0 if weight is None else weight
    b = 0.0 if bias is None else bias
    saved = scale.reshape(inv_rms if isinstance(inv_rms, tuple) else input.shape[: axes[0]])
    return {
        "out": Value(input * scale * w + b, magnitude=np.abs(input * scale * w) + np.abs(b)),
        "inv_rms": Value(saved, magnitude=saved),
    }


@oracle(
    "diopiRMSNormBackward",
    dtype={"grad_input": "input", "grad_weight": _statistics_dtype, "grad_bias": _statistics_dtype},
)
def rms_norm_backward(grad_output, input, weight, inv_rms, normalized_shape):
    axes = _axes(input, normalized_shape)
    outer = tuple(range(axes[0]))
    r = inv_rms.reshape(input.shape[: axes[0]] + (1,) * len(axes))
    count = np.float64(np.prod(normalized_shape))
    g = grad_output * (1.0 if weight is None else weight)
    x = input * r
    return {
        "grad_input": Value(
            r * (g - x * exact_sum(g * x, axes, keepdims=True) / count),
            magnitude=np.abs(r) * (np.abs(g) + np.abs(x) * exact_sum(np.abs(g * x), axes, keepdims=True) / count),
        ),
        "grad_weight": Value(exact_sum(grad_output * x, outer), magnitude=exact_sum(np.abs(grad_output * x), outer)),
        "grad_bias": Value(exact_sum(grad_output, outer), magnitude=exact_sum(np.abs(grad_output), outer)),
    }
