# SPDX-License-Identifier: BSD-3-Clause
"""References for instance normalisation and scaling to unit norm; gradients use torch.autograd."""

from __future__ import annotations

import math

import numpy as np

from ..reference import Reference, Table, composed, gradients, torch


def _instance_norm(input, axis, scale, bias, eps):
    a = range(input.ndim)[axis]
    channels = math.prod(input.shape[1:a])
    x = input.reshape(input.shape[0] if a else 1, channels, math.prod(input.shape[a:]))
    var, mean = torch.var_mean(x, 2, correction=0, keepdim=True)
    w = 1.0 if scale is None else scale.reshape(1, channels, 1)
    b = 0.0 if bias is None else bias.reshape(1, channels, 1)
    return ((x - mean) / torch.sqrt(var + eps) * w + b).reshape(input.shape)


def _instance_norm_backward(grad_output, input, scale, axis, eps, grad_scale=None, grad_bias=None):
    channels = math.prod(input.shape[1 : range(input.ndim)[axis]])
    w = torch.ones(channels, dtype=input.dtype) if scale is None else scale
    b = torch.zeros(channels, dtype=input.dtype)
    found = gradients(lambda x, s, t: _instance_norm(x, axis, s, t, eps), grad_output, input, w, b)
    return {
        "grad_input": found[0],
        "grad_scale": found[1].reshape(w.shape if grad_scale is None else grad_scale),
        "grad_bias": found[2].reshape(w.shape if grad_bias is None else grad_bias),
    }


def _single(p):
    return float(np.float32(p))


def _normalize(input, p, axis, eps):
    return torch.nn.functional.normalize(input, _single(p), axis, eps)


def _normalize_backward(grad_output, input, p, axis, eps):
    return gradients(lambda x: _normalize(x, p, axis, eps), grad_output, input)[0]


TABLE: Table = {
    "diopiInstanceNorm": composed("torch.var_mean", _instance_norm, double=True),
    "diopiInstanceNormBackward": composed("torch.autograd of torch.var_mean", _instance_norm_backward, double=True),
    "diopiNormalize": Reference("torch.nn.functional.normalize", _normalize, double=True),
    "diopiNormalizeBackward": Reference(
        "torch.autograd of torch.nn.functional.normalize", _normalize_backward, double=True
    ),
}
