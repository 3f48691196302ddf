# SPDX-License-Identifier: BSD-3-Clause
"""What a vendor's declared conversions do to a case: numbers it can hold, and the dtype that it computes in.

A vendor whose `convert_config.yaml` says `(float64)->float32` claims results of float32's precision for float64
tensors. Its cases are drawn with numbers that float32 holds and are judged as float32 computations. Integers that do
not fit must be refused, unless the vendor vouches for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from adaptor.codegen.config import ParamPlan
from adaptor.codegen.dtype_sets import can_lose
from adaptor.codegen.model import Param

from . import dtypes


@dataclass(frozen=True)
class Lowering:
    """The conversions of one operator."""

    plans: Mapping[str, ParamPlan]

    def target(self, parameter: str, dtype: str) -> str:
        """The dtype in which the vendor gets a tensor of `dtype`."""
        plan = self.plans.get(parameter.split("[")[0])
        return dict(plan.casts).get(dtype, dtype) if plan else dtype

    def lower(self, parameter: str, array: np.ndarray) -> np.ndarray:
        """Floating-point numbers as the vendor's dtype holds them; integers as they are."""
        dtype = dtypes.name_of(array.dtype)
        target = self.target(parameter, dtype)
        if target == dtype or not dtypes.is_inexact(dtype):
            return array
        return np.asarray(dtypes.narrow(dtypes.round_through(array, target), dtype))

    def hides_dtypes(self, arguments: Mapping[str, Any]) -> bool:
        """Whether the vendor sees other dtypes than the caller's: two that must not meet may be one to it."""
        return any(
            isinstance(getattr(tensor, "dtype", None), str) and self.target(name, tensor.dtype) != tensor.dtype
            for name, value in arguments.items()
            for tensor in (value if isinstance(value, list) else [value])
        )

    def computed(self, p: Param, dtype: str, compute: str) -> str:
        """The coarsest dtype that a result goes through on its way to an output of `dtype`."""
        name = p.dtype_as if p.allocates and p.dtype_as is not None else p.name
        target = self.target(name, dtype)
        if not (dtypes.is_inexact(compute) and dtypes.is_inexact(target)):
            return compute
        return min(compute, target, key=dtypes.precision)

    def misfit(self, inputs: Mapping[str, Any]) -> str | None:
        """Why the vendor must refuse these inputs: an integer that its dtype cannot hold."""
        for name, value in inputs.items():
            for array in value if isinstance(value, list) else [value]:
                if isinstance(array, np.ndarray) and self._misfits(name, array):
                    dtype = dtypes.name_of(array.dtype)
                    return f"{name} has integers that do not fit {self.target(name, dtype)}, as {dtype} is computed"
        return None

    def _misfits(self, name: str, array: np.ndarray) -> bool:
        dtype = dtypes.name_of(array.dtype)
        target = self.target(name, dtype)
        plan = self.plans.get(name)
        if target == dtype or plan is None or plan.narrowing != "check" or not can_lose(dtype, target):
            return False
        held = dtypes.narrow(array, target)
        return any(not np.isfinite(h) or int(h) != int(v) for v, h in zip(array.flat, np.real(held).flat))
