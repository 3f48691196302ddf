# SPDX-License-Identifier: BSD-3-Clause
"""Integers whose products, sums and spans do not fit 64 bits, and those that a vendor would cut to 32 bits."""

from __future__ import annotations

from collections.abc import Iterator

from adaptor.codegen.model import Function, Param
from diopi.signatures import bare

from ...cases.reader import TensorSpec
from ...handles import Argument
from .base import Base, Violation, shape_of
from .terms import fulfilled

MOST, LEAST, HALF = 2**63 - 1, -(2**63), 2**62

# Parameters, of all functions or of one, of which every integer, or every large one, is a meaningful value: an error
# would be wrong.
FREE = {
    "diopiPlusScalarInp.size": "more than there are means all",
    **{
        f"diopi{name}Mmcv.dilation_patch{axis}": "positions outside of the map add nothing"
        for name in ("Correlation", "CorrelationBackward")
        for axis in "HW"
    },
    **{f"diopiUpfirdn2dOpMmcv.down_{axis}": "the first output is there with any step" for axis in "xy"},
    "comm_turn": "a hint",
    "diagonal": "beyond the matrix it means all or nothing of it",
    "divisor_override": "any divisor but zero",
    "fusion_level": "a hint: at least so much is fused",
    "ignore_index": "a class that does not occur",
    "max_context_len": "the end of the padding, of which there may be none",
    "max_input_length": "the end of the padding, of which there may be none",
    "max_k": "no sequence of keys is longer",
    "padding_idx": "a row that does not occur",
    "stream_mode": "a hint",
    "rotary_embedding": "a negative number means no rotation",
    "step": "of an optimizer: how many there were",
    "im2col_step": "more images than there are",
    "start": "limits of a range, which are cut to the tensor",
    "end": "limits of a range, which are cut to the tensor",
    "shifts": "a number of positions modulo the size",
    "format": "a number of the vendor; the error is that of a missing implementation",
    "_inverse": "any number but 0 is true",
    "_subM": "any number but 0 is true",
    "group_size": "how many processes there are",
    "from": "the ends of a range of numbers",
    "top_k": "a number above the largest one counts as that",
    "to": "the ends of a range of numbers",
}
_KINDS = ("int64_t", "int64_t*", "diopiSize_t", "diopiSize_t*")


def integer_attributes(function: Function) -> list[Param]:
    """The integers and lists of integers that mean a size, a position or a step."""
    counts = {p.count for p in function.params}
    integers = [p for p in function.params if p.dir == "attr" and bare(p.type) in _KINDS]
    return [p for p in integers if p.name not in counts and not {p.name, f"{function.name}.{p.name}"} & FREE.keys()]


def wrapping_sizes(base: Base, name: str) -> Iterator[Violation]:
    """One of them at the ends of 64 bits, and where a product with a small size or 32 bits give the valid one."""
    blamed = (name, *(p.name for p in base.function.params if p.is_tensor_like))
    value = base.arguments[name]
    old = _last(value)
    for number in dict.fromkeys((MOST, LEAST, HALF, old + 2**32, old + HALF, old + HALF // 2)):
        if _is_an_error(base, name, number):
            yield Violation(f"{name}={_spelled(number, old)}", {name: _with(value, number)}, blamed)


def _last(value: Argument) -> int:
    return _last(value[-1]) if isinstance(value, list) else value


def _with(value: Argument, number: int) -> Argument:
    """The attribute with another last number."""
    return [*value[:-1], _with(value[-1], number)] if isinstance(value, list) else number


def _spelled(number: int, old: int) -> str:
    known = {MOST: "2^63-1", LEAST: "-2^63", HALF: "2^62", old + 2**32: f"{old}+2^32", old + HALF: f"{old}+2^62"}
    return known.get(number, f"{old}+2^61")


def _is_an_error(base: Base, name: str, number: int) -> bool:
    """Whether the call must fail: not where the number has no effect, or the effect is the same result."""
    checks = [c for c in base.function.checks if name in c.names()]
    if checks and all(fulfilled(c, base, change=False) is None for c in checks):
        return False  # the call does not use the attribute
    if name == "stride" and number > 0:  # the first window is there with any stride
        results = [base.spec(n) for n in ("out", "grad_output") if base.spec(n) is not None]
        return any(shape_of(spec)[-1:] > (1,) for spec in results)
    if name == "dilation" and number > 0:  # of a kernel with one element nothing lies apart
        weight = base.spec("weight")
        kernel = base.arguments.get("kernel_size") or base.arguments.get("ksize")
        return shape_of(weight)[-1] > 1 if isinstance(weight, TensorSpec) else _last(kernel or 1) > 1
    return True
