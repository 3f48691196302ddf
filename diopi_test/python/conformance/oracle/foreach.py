# SPDX-License-Identifier: BSD-3-Clause
"""Operations on lists of tensors, and gradient scaling."""

import numpy as np

from .. import dtypes as kinds
from . import Value, oracle
from .norm import norm_error_size, vector_norm
from .tools import as_dtype


def _promoted(dtype, other, ndim, scalar):
    """The dtype to which a tensor and a number or a 0-d tensor promote."""
    category = kinds.category
    if scalar:
        other = "float32" if category(other) == 2 else "bool" if other == "bool" else "int64"
    if ndim and category(other) <= category(dtype):
        return dtype
    if scalar and category(other) <= category(dtype):
        return dtype
    return other if category(other) > category(dtype) else kinds.promote(dtype, other)


def _operand_dtype(dtype):
    """The dtype in which a number is combined with elements: it is not rounded to 16 bits."""
    return dtype if kinds.is_complex(dtype) or not kinds.is_inexact(dtype) else kinds.accumulation_dtype(dtype)


def _list(operation, inputs, other, dtypes, scalar):
    results = []
    for k, x in enumerate(inputs):
        dtype = _promoted(dtypes[f"inputs[{k}]"], dtypes["other"], x.ndim, scalar)
        number = as_dtype(np.asarray(other), _operand_dtype(dtype))
        results.append(Value(_applied(operation, x, np.reshape(number, ()), dtype), dtype=dtype))
    return results


def _applied(operation, x, number, dtype):
    if kinds.is_inexact(dtype):
        wide = np.complex128 if kinds.category(dtype) == 3 else np.float64
        return np.asarray(operation(x.astype(wide), number.astype(wide)))
    if dtype == "bool":
        return np.asarray((np.logical_or if operation is np.add else np.logical_and)(x != 0, number != 0))
    return as_dtype(np.asarray(operation(x.astype(np.int64), number.astype(np.int64))), dtype)


@oracle("diopiForeachaddScalar", "diopiForeachaddInpScalar")
def foreach_add(inputs, other, dtypes):
    return _list(np.add, inputs, other, dtypes, scalar=True)


@oracle("diopiForeachmulScalar", "diopiForeachmulInpScalar")
def foreach_mul(inputs, other, dtypes):
    return _list(np.multiply, inputs, other, dtypes, scalar=True)


@oracle("diopiForeachmulTensor", "diopiForeachmulInpTensor")
def foreach_mul_tensor(inputs, other, dtypes):
    return _list(np.multiply, inputs, other, dtypes, scalar=False)


@oracle("diopiForeachnormScalar")
def foreach_norm(inputs, ord, dtypes):
    norms = [vector_norm(x, ord, None, False) for x in inputs]
    return [
        Value(norm, norm_error_size(norm, ord), dtype=kinds.real_dtype(dtypes[f"inputs[{k}]"]))
        for k, norm in enumerate(norms)
    ]


@oracle("diopiAmpForeachNonFiniteCheckAndUnscaleInp")
def unscale(scaled_grads, found_inf, inv_scale, dtypes):
    found = any(not np.isfinite(g).all() for g in scaled_grads)
    factor = np.reshape(inv_scale, ())
    return {
        "scaled_grads": [Value(g * factor, dtype=dtypes[f"scaled_grads[{k}]"]) for k, g in enumerate(scaled_grads)],
        "found_inf": np.ones_like(found_inf) if found else found_inf,
    }


@oracle("diopiAmpUpdateScaleInp", dtype={"current_scale": "current_scale", "growth_tracker": "growth_tracker"})
def update_scale(current_scale, growth_tracker, found_inf, scale_growth_factor, scale_backoff_factor, growth_interval):
    if np.ravel(found_inf)[0] != 0:
        return {"current_scale": current_scale * scale_backoff_factor, "growth_tracker": growth_tracker * 0}
    if np.ravel(growth_tracker)[0] + 1 != growth_interval:
        return {"current_scale": current_scale, "growth_tracker": growth_tracker + 1}
    grown = current_scale * scale_growth_factor
    with np.errstate(over="ignore"):
        finite = np.isfinite(np.ravel(grown).astype(np.float32)[0])
    return {"current_scale": grown if finite else current_scale, "growth_tracker": growth_tracker * 0}
