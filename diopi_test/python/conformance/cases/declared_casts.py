# SPDX-License-Identifier: BSD-3-Clause
"""How the conversions that a vendor declares change its cases: their numbers, and the dtype of the computation.

A vendor whose `convert_config.yaml` says `(float64)->float32` computes float64 tensors in float32. Its float64 cases
get numbers that float32 holds exactly, and are judged with the precision of float32. The vendor must refuse integers
that do not fit its dtype, unless its file says that they always fit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from adaptor.codegen.config import ParamPlan
from adaptor.codegen.dtype_sets import can_lose
from adaptor.codegen.model import Param

from .. import dtypes
from ..handles import Input, Passed
from ..lists import as_list


@dataclass(frozen=True)
class DeclaredCasts:
    """The conversions of one operator."""

    plans: Mapping[str, ParamPlan]

    def target(self, parameter: str, dtype: str) -> str:
        """The dtype to which a tensor of `dtype` is converted for the vendor."""
        plan = self.plans.get(parameter.split("[")[0])
        return dict(plan.casts).get(dtype, dtype) if plan else dtype

    def rounded(self, parameter: str, array: np.ndarray) -> np.ndarray:
        """The array with its floating-point numbers rounded to the vendor's dtype. Integers do not change."""
        dtype = dtypes.name_of(array.dtype)
        target = self.target(parameter, dtype)
        if target == dtype or not dtypes.is_inexact(dtype):
            return array
        return np.asarray(dtypes.narrow(dtypes.round_through(array, target), dtype))

    def hides_dtypes(self, arguments: Mapping[str, Passed]) -> bool:
        """Whether an argument is converted. Two dtypes that the contract does not allow together may then be equal."""
        return any(
            isinstance(getattr(tensor, "dtype", None), str) and self.target(name, tensor.dtype) != tensor.dtype
            for name, value in arguments.items()
            for tensor in as_list(value)
        )

    def computed(self, p: Param, dtype: str, compute: str) -> str:
        """The least precise dtype to which a result is rounded before it is written to an output of `dtype`."""
        name = p.dtype_as if p.allocates and p.dtype_as is not None else p.name
        target, replaced = self.target(name, dtype), self.target(name, compute)
        if not (dtypes.is_inexact(compute) and dtypes.is_inexact(target) and dtypes.is_inexact(replaced)):
            return compute
        return min(replaced, target, key=dtypes.precision)

    def misfit(self, inputs: Mapping[str, Input]) -> str | None:
        """Why the vendor must refuse these inputs, if they contain an integer that its dtype cannot hold; else None."""
        for name, value in inputs.items():
            for array in as_list(value):
                if isinstance(array, np.ndarray) and self._misfits(name, array):
                    dtype = dtypes.name_of(array.dtype)
                    return f"{name} has integers that do not fit {self.target(name, dtype)}, which replaces {dtype}"
        return None

    def _misfits(self, name: str, array: np.ndarray) -> bool:
        dtype = dtypes.name_of(array.dtype)
        target = self.target(name, dtype)
        plan = self.plans.get(name)
        if target == dtype or plan is None or plan.narrowing != "check" or not can_lose(dtype, target):
            return False
        held = dtypes.narrow(array, target)
        return any(not np.isfinite(h) or int(h) != int(v) for v, h in zip(array.flat, np.real(held).flat))
