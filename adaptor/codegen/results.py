# SPDX-License-Identifier: BSD-3-Clause
"""The `result` of an entry: shape and dtype of the outputs that a binding can create."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .strict_yaml import Mapping

if TYPE_CHECKING:  # model imports this module
    from .model import Function, Param

SHAPES = ("like", "broadcast")
# `promoted`: the dtype to which PyTorch promotes the parameters of `from`. The others change this dtype: for integers
# and bool, `floating` gives float32 and `summed` int64; for complex dtypes, `real` gives the dtype of the real part.
# `quotient` is `floating` if the parameter rounding_mode is RoundModeNone, else `promoted`.
PROMOTIONS = ("promoted", "floating", "summed", "real", "quotient")


@dataclass(frozen=True)
class Result:
    """The shape and dtype of one output."""

    shape: str  # one of SHAPES
    of: tuple[str, ...]  # the parameter with the same shape, or the parameters whose shapes are broadcast
    dtype: str  # the name of a dtype or of a parameter, or one of PROMOTIONS
    promoted: tuple[str, ...]  # the parameters that take part in the promotion

    @property
    def sources(self) -> tuple[str, ...]:
        """All parameters that the rule names."""
        return tuple(dict.fromkeys((*self.of, *self.promoted)))


def read_results(raw: Mapping) -> dict[str, Result]:
    """The rules of a `result` block by output. `check_results` checks the names in them."""
    results = {}
    for output in raw:
        rule = raw.take(output, Mapping)
        rule.check_keys(("shape", "of", "dtype"), ("from",))
        of = _names(rule, "of")
        dtype = rule.take("dtype", str)
        if dtype not in PROMOTIONS and "from" in rule:
            raise rule.error(f"from needs a dtype that is one of {', '.join(PROMOTIONS)}", "from")
        promoted = _names(rule, "from") if "from" in rule else of
        results[output] = Result(rule.take("shape", str), of, dtype, promoted if dtype in PROMOTIONS else ())
    return results


def _names(rule: Mapping, key: str) -> tuple[str, ...]:
    names = [rule[key]] if isinstance(rule[key], str) else rule[key]
    if not isinstance(names, list) or not names or not all(isinstance(n, str) for n in names):
        raise rule.error(f"{key} must be the name of a parameter or a list of them", key)
    return tuple(names)


def check_results(function: Function, raw: Mapping, dtypes: set[str]) -> None:
    """Raises an error unless the rules fit the parameters of the function and each other."""
    params = {p.name: p for p in function.params}
    for output, result in function.result.items():
        rule = raw[output]
        target = params.get(output)
        if target is None or not target.is_tensor or target.dir != "out":
            raise raw.error(f"'{output}' is not a tensor that {function.name} writes", output)
        if result.shape not in SHAPES:
            raise rule.error(f"shape must be one of {', '.join(SHAPES)}, not '{result.shape}'", "shape")
        if (result.shape == "like") != (len(result.of) == 1):
            raise rule.error("like needs one parameter, broadcast needs several", "of")
        for name in result.of:
            if not _is_given(params.get(name)):
                raise rule.error(f"'{name}' is not a tensor that {function.name} reads", "of")
        for name in result.promoted:
            if not _is_given(params.get(name)) and not _is_scalar(params.get(name)):
                raise rule.error(f"'{name}' is neither a tensor that {function.name} reads nor a scalar", "from")
        if result.dtype not in (*PROMOTIONS, *dtypes) and not _is_given(params.get(result.dtype)):
            raise rule.error(f"dtype '{result.dtype}' is not a dtype, a promotion, or a tensor parameter", "dtype")
        if result.dtype == "quotient" and "rounding_mode" not in params:
            raise rule.error(f"{function.name} has no rounding_mode", "dtype")
        if result.dtype in dtypes and result.dtype in params:
            raise rule.error(f"dtype '{result.dtype}' is both a dtype and a parameter", "dtype")


def _is_given(param: Param | None) -> bool:
    return param is not None and param.is_tensor and param.dir in ("in", "inout")


def _is_scalar(param: Param | None) -> bool:
    return param is not None and param.type == "const diopiScalar_t *"
