# SPDX-License-Identifier: BSD-3-Clause
"""Fused layers of TurboMind's decoder."""

import numpy as np

from . import Unspecified, Value, oracle
from .matmul import product
from .tools import as_dtype, exact_sum


def _silu(x):
    return x / (1 + np.exp(-x))


def _workspaces(**spaces):
    """The workspaces that are given, which may hold anything after a call."""
    return {k: Unspecified(v.shape) for k, v in spaces.items() if v is not None}


@oracle("diopiFusedSiluFfnInp", dtype={"inoutput": "inoutput", "workspace": "workspace"})
def fused_silu_ffn(inoutput, weight1, weight2, weight3, workspace, workspace_size):
    unspecified = _workspaces(workspace=workspace)
    if workspace_size < 0:
        return {"inoutput": inoutput, "workspace_size": None, **unspecified}
    gate, up = product(inoutput, weight1), product(inoutput, weight3)
    opened = _silu(gate.array)
    out = product(opened * up.array, weight2)
    # The slope of silu is at most 1.1, so the errors of both products reach the terms of the last one.
    errors = 1.1 * gate.magnitude * np.abs(up.array) + np.abs(opened) * up.magnitude
    magnitude = out.magnitude + errors @ np.abs(weight2)
    return {"inoutput": Value(out.array, magnitude), "workspace_size": workspace_size, **unspecified}


def _normalised(x, scale, eps):
    squares = exact_sum(x * x, 1, keepdims=True) / np.float64(x.shape[1])
    out = x / np.sqrt(squares + np.float64(np.float32(eps))) * scale
    return Value(out, np.abs(out))


@oracle("diopiRootMeanSquareNormInp", dtype="inoutput")
def root_mean_square_norm(inoutput, scale, eps):
    return _normalised(inoutput, scale, eps)


@oracle("diopiFusedAddRootMeanSquareNormInp", dtype={"inoutput": "inoutput", "residual": "residual"})
def fused_add_root_mean_square_norm(inoutput, residual, bias, scale, eps, dtypes):
    b = 0.0 if bias is None else bias
    total = residual + inoutput + b
    stored = as_dtype(total, dtypes["residual"])
    return {
        "residual": Value(total, np.abs(residual) + np.abs(inoutput) + np.abs(b)),
        "inoutput": Value(
            _normalised(stored, scale, eps).array,
            # The sum of three numbers may cancel; its rounding error is that of the largest one.
            (np.abs(residual) + np.abs(inoutput) + np.abs(b))
            * np.abs(_normalised(stored, scale, eps).array / np.where(stored == 0, 1, stored)),
        ),
    }
