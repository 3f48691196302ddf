"""How PyTorch spells the operators: one line each, by the contract's parameter names; `dtype` is that of the result."""

from __future__ import annotations

import math
from typing import Any, Callable

try:
    import torch
    import torch.nn.functional as F
except ImportError:
    torch = F = None

from .crosscheck_data import data_references
from .crosscheck_networks import network_references

REFERENCES: dict[str, Callable[..., Any]] = {}


def _forms(name: str, reference: Callable[..., Any], forms: tuple[str, ...] = ("", "Inp")) -> None:
    for form in forms:
        REFERENCES[f"diopi{name}{form}"] = reference


ALL_FORMS = ("", "Inp", "Scalar", "InpScalar")
ROUNDING = {"RoundModeNone": None, "RoundModeTrunc": "trunc", "RoundModeFloor": "floor"}


def _one(f: Callable[..., Any]) -> Callable[..., Any]:
    return lambda input: f(input)


def _two(f: Callable[..., Any]) -> Callable[..., Any]:
    return lambda input, other: f(input, other)


def _gelu(x: Any, approximate: str) -> Any:
    """PyTorch's own, but for negative x, where its 1 + erf(x) and 1 + tanh(x) have lost their digits."""
    if approximate == "tanh":
        tail = x * torch.sigmoid(2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))
    else:
        tail = x * torch.erfc(-x * math.sqrt(0.5)) / 2
    return torch.where(x < -0.5, tail, F.gelu(x.clamp(min=-0.5), approximate=approximate))


def _element_wise() -> None:
    for name in ("Abs", "Neg", "Sign", "Floor", "Ceil", "Relu", "Exp", "Log", "Sqrt", "Rsqrt", "Sin", "Cos", "Tanh",
                 "Erf", "Sigmoid", "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Tan", "Sinh", "Cosh", "Expm1",
                 "Log1p", "Log2", "Log10", "Reciprocal", "Erfinv", "Sgn"):
        _forms(name, _one(getattr(torch, name.lower())))
    _forms("Silu", lambda input: F.silu(input))
    _forms("Gelu", lambda input, approximate: _gelu(input.double(), approximate).to(input.dtype), ("",))
    _forms("Add", lambda input, other, alpha: torch.add(input, other, alpha=1 if alpha is None else alpha), ALL_FORMS)
    _forms("Sub", lambda input, other, alpha: torch.sub(input, other, alpha=1 if alpha is None else alpha), ALL_FORMS)
    _forms("Mul", lambda input, other: torch.mul(input, other), ALL_FORMS)
    _forms("Div", lambda input, other, rounding_mode: torch.div(
        input, other, rounding_mode=ROUNDING[rounding_mode]), ALL_FORMS)
    for name in ("Eq", "Ne", "Gt", "Ge", "Lt", "Le"):
        _forms(name, _two(getattr(torch, name.lower())), ALL_FORMS)
    _forms("Maximum", _two(torch.maximum), ("",))
    _forms("Minimum", _two(torch.minimum), ("",))
    _forms("LogicalAnd", _two(torch.logical_and))
    _forms("LogicalOr", _two(torch.logical_or))
    _forms("LogicalNot", _one(torch.logical_not))
    _forms("BitwiseAnd", _two(torch.bitwise_and), ALL_FORMS)
    _forms("BitwiseOr", _two(torch.bitwise_or), ALL_FORMS)
    _forms("BitwiseNot", _one(torch.bitwise_not))
    for form in ("", "Tensor", "Scalar"):
        REFERENCES[f"diopiRemainder{form}"] = _two(torch.remainder)
    for form in ("Tensor", "Scalar"):
        REFERENCES[f"diopiLerp{form}"] = lambda input, end, weight: torch.lerp(input, end, weight)
    _forms("Hardtanh", lambda input, min_val, max_val: F.hardtanh(input, min_val, max_val))
    _forms("Hardswish", _one(F.hardswish))
    _forms("Threshold", lambda input, threshold, value: F.threshold(input, threshold, value))
    _forms("LeakyRelu", lambda input, negative_slope: F.leaky_relu(input, negative_slope))
    for form in ("", "Inp", "Scalar", "Tensor", "InpTensor"):
        REFERENCES[f"diopiPow{form}"] = lambda input, exponent: torch.pow(input, exponent)
    _forms("Where", lambda condition, input, other: torch.where(condition.bool(), input, other), ("",))
    _forms("MaskedFill", lambda input, mask, value: input.expand(torch.broadcast_shapes(
        input.shape, mask.shape)).masked_fill(mask.bool(), value), ALL_FORMS)
    _forms("Clamp", lambda input, min, max: torch.clamp(input, min, max), ALL_FORMS)
    _forms("ClampMin", lambda input, min: torch.clamp_min(input, min), ALL_FORMS)
    _forms("ClampMax", lambda input, max: torch.clamp_max(input, max), ALL_FORMS)
    _forms("Addcmul", lambda input, tensor1, tensor2, value: torch.addcmul(input, tensor1, tensor2, value=value))
    _forms("Addcdiv", lambda input, tensor1, tensor2, value: torch.addcdiv(input, tensor1, tensor2, value=value))


def _gradient(f: Callable[[Any], Any], input: Any, grad_output: Any) -> Any:
    leaf = input.detach().clone().requires_grad_()
    f(leaf).backward(grad_output)
    return leaf.grad


def _gradients() -> None:
    REFERENCES["diopiSiluBackward"] = lambda grad_output, input: _gradient(F.silu, input, grad_output)
    REFERENCES["diopiGeluBackward"] = lambda grad_output, input, approximate: _gradient(
        lambda x: _gelu(x, approximate), input.double(), grad_output.double()).to(input.dtype)
    aten = torch.ops.aten
    REFERENCES["diopiHardtanhBackward"] = lambda grad_output, input, min_val, max_val: aten.hardtanh_backward(
        grad_output, input, min_val, max_val)
    REFERENCES["diopiHardswishBackward"] = lambda grad_output, input: aten.hardswish_backward(grad_output, input)
    REFERENCES["diopiThresholdBackward"] = lambda grad_output, input, threshold: aten.threshold_backward(
        grad_output, input, threshold)
    REFERENCES["diopiLeakyReluBackward"] = lambda grad_output, input, negative_slope, input_is_result: (
        aten.leaky_relu_backward(grad_output, input, negative_slope, input_is_result))
    REFERENCES["diopiCumsumBackward"] = lambda grad_output, dim, dtype: torch.cumsum(
        grad_output.flip(dim) if grad_output.ndim else grad_output, dim, dtype=dtype).flip(
            [dim] if grad_output.ndim else [])
    REFERENCES["diopiSigmoidBackward"] = lambda grad_output, output: torch.ops.aten.sigmoid_backward(
        grad_output, output)
    REFERENCES["diopiTanhBackward"] = lambda grad_output, output: torch.ops.aten.tanh_backward(grad_output, output)


def _reductions() -> None:
    def dims(dim: Any, x: Any) -> list[int]:
        return list(dim) if dim else list(range(x.ndim))

    def along(f: Callable[..., Any], input: Any, dim: int | None) -> Any:
        return f(input) if dim is None else f(input, dim=dim)

    REFERENCES.update({
        "diopiSum": lambda input, dim, dtype: torch.sum(input, dims(dim, input), dtype=dtype),
        "diopiMean": lambda input, dim, dtype: torch.mean(input, dims(dim, input), dtype=dtype),
        "diopiProd": lambda input, dim, dtype: torch.prod(input, dtype=dtype) if dim is None else torch.prod(
            input, dim, dtype=dtype),
        "diopiAny": lambda input, dim: along(torch.any, input, dim).bool(),
        "diopiAll": lambda input, dim: along(torch.all, input, dim).bool(),
        "diopiMax": lambda input, dim: tuple(torch.max(input, dim)),
        "diopiMin": lambda input, dim: tuple(torch.min(input, dim)),
        "diopiMaxAll": lambda input: torch.max(input),
        "diopiMinAll": lambda input: torch.min(input),
        "diopiAmax": lambda self, dim, keepdim: torch.amax(self, dims(dim, self), keepdim),
        "diopiArgmax": lambda input, dim, keepdim: torch.argmax(input, dim, keepdim),
        "diopiArgmin": lambda input, dim, keepdim: torch.argmin(input, dim, keepdim),
        "diopiCumsum": lambda input, dim, dtype: torch.cumsum(input, dim, dtype=dtype),
    })


def _arange(start: Any, end: Any, step: Any, dtype: Any) -> Any:
    """For int64 alone PyTorch truncates fractional bounds before it takes the length; the contract does not."""
    fractional = any(isinstance(v, float) for v in (start, end, step))
    return torch.arange(start, end, step, dtype=torch.int32 if fractional and dtype == torch.int64 else dtype).to(dtype)


def _makers() -> None:
    REFERENCES.update({
        "diopiArange": _arange,
        "diopiLinspace": lambda start, end, steps, dtype: torch.linspace(
            start, end, steps, dtype=torch.float64 if dtype.is_floating_point else dtype).to(dtype),
        "diopiMeshGrid": lambda inputs: list(torch.meshgrid(*inputs, indexing="ij")),
        "diopiOneHot": lambda input, num_classes: F.one_hot(input.long(), num_classes),
        "diopiZeros": lambda size, dtype: torch.zeros(size, dtype=dtype),
        "diopiOnes": lambda size, dtype: torch.ones(size, dtype=dtype),
        "diopiFill": lambda input, value, dtype: torch.full(input, value, dtype=dtype),
        "diopiZeroInp": lambda self, dtype: torch.zeros(self, dtype=dtype),
        "diopiCopyInp": lambda src, dest, dtype: src.to(dtype).expand(dest),
        "diopiCastDtype": lambda input, dtype: input.to(dtype),
        "diopiContiguous": lambda input: input.contiguous(),
    })


if torch is not None:
    _element_wise()
    _gradients()
    _reductions()
    _makers()
    REFERENCES.update(network_references())
    REFERENCES.update(data_references())
