"""Functions of single elements, arithmetic, comparisons, choices, activations."""

from __future__ import annotations

import math
from typing import Any, Callable

from ..reference import Reference, Table, composed, gradients, same, torch

BOTH, ALL_FORMS = ("", "Inp"), ("", "Inp", "Scalar", "InpScalar")
ROUNDING = {"RoundModeNone": None, "RoundModeTrunc": "trunc", "RoundModeFloor": "floor"}
TABLE: Table = {}


def _forms(name: str, reference: Reference, forms: tuple[str, ...] = BOTH) -> None:
    TABLE.update({f"diopi{name}{form}": reference for form in forms})


def _calls(path: str, call: Callable[..., Any]) -> Reference:
    return Reference(path, call)


def _sub(input: Any, other: Any, alpha: Any) -> Any:
    """PyTorch subtracts no bool, not even from numbers."""
    promoted = torch.result_type(input, other)
    if input.dtype == torch.bool:
        input = input.to(promoted)
    if isinstance(other, bool) or isinstance(other, torch.Tensor) and other.dtype == torch.bool:
        other = other.to(promoted) if isinstance(other, torch.Tensor) else int(other)
    return torch.sub(input, other, alpha=1 if alpha is None else alpha)


def _silu_backward(grad_output: Any, input: Any) -> Any:
    """PyTorch's own forgets the conjugate of complex numbers, and torch.autograd refuses to use it for them."""
    if input.is_complex():
        return gradients(lambda x: x * torch.sigmoid(x), grad_output, input)[0]
    return torch.ops.aten.silu_backward(grad_output, input)


# --- one operand ---

for _name in ("Abs", "Neg", "Floor", "Ceil", "Relu", "Exp", "Log", "Sqrt", "Rsqrt", "Sin", "Cos", "Tanh", "Erf",
              "Sigmoid", "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Tan", "Sinh", "Cosh", "Expm1", "Log1p",
              "Log2", "Log10", "Reciprocal", "Erfinv", "Sgn"):
    _forms(_name, same(f"torch.{_name.lower()}", "input"))
_forms("Sign", same("torch.sign", "input"), ("",))
_forms("IsNan", same("torch.isnan", "input"), ("",))
_forms("LogicalNot", same("torch.logical_not", "input"))
_forms("BitwiseNot", same("torch.bitwise_not", "input"))

# --- two and more ---

_forms("Add", _calls("torch.add", lambda input, other, alpha: torch.add(
    input, other, alpha=1 if alpha is None else alpha)), ALL_FORMS)
_forms("Sub", _calls("torch.sub, bool operands in the promoted dtype", _sub), ALL_FORMS)
_forms("Mul", same("torch.mul", "input", "other"), ALL_FORMS)
_forms("Div", _calls("torch.div", lambda input, other, rounding_mode: torch.div(
    input, other, rounding_mode=ROUNDING[rounding_mode])), ALL_FORMS)
for _name in ("Eq", "Ne", "Gt", "Ge", "Lt", "Le"):
    _forms(_name, same(f"torch.{_name.lower()}", "input", "other"), ALL_FORMS)
_forms("Maximum", same("torch.maximum", "input", "other"), ("",))
_forms("Minimum", same("torch.minimum", "input", "other"), ("",))
_forms("LogicalAnd", same("torch.logical_and", "input", "other"))
_forms("LogicalOr", same("torch.logical_or", "input", "other"))
_forms("BitwiseAnd", same("torch.bitwise_and", "input", "other"), ALL_FORMS)
_forms("BitwiseOr", same("torch.bitwise_or", "input", "other"), ALL_FORMS)
_forms("Remainder", same("torch.remainder", "input", "other"), ("", "Tensor", "Scalar"))
_forms("Pow", same("torch.pow", "input", "exponent"), ("", "Inp", "Scalar", "Tensor", "InpTensor"))
_forms("Lerp", same("torch.lerp", "input", "end", "weight"), ("Tensor", "Scalar"))
_forms("Clamp", same("torch.clamp", "input", "min", "max"), ALL_FORMS)
_forms("ClampMin", same("torch.clamp_min", "input", "min"), ALL_FORMS)
_forms("ClampMax", same("torch.clamp_max", "input", "max"), ALL_FORMS)
_forms("Addcmul", _calls("torch.addcmul", lambda input, tensor1, tensor2, value: torch.addcmul(
    input, tensor1, tensor2, value=value)))
_forms("Addcdiv", _calls("torch.addcdiv", lambda input, tensor1, tensor2, value: torch.addcdiv(
    input, tensor1, tensor2, value=value)))
_forms("Where", _calls("torch.where", lambda condition, input, other: torch.where(
    condition.bool(), input, other)), ("",))
_forms("MaskedFill", _calls("torch.masked_fill", lambda input, mask, value: input.expand(
    torch.broadcast_shapes(input.shape, mask.shape)).masked_fill(mask.bool(), value)), ALL_FORMS)

# --- activations and their gradients ---

_forms("Silu", same("torch.nn.functional.silu", "input"))
_forms("Hardtanh", same("torch.nn.functional.hardtanh", "input", "min_val", "max_val"))
_forms("Hardswish", same("torch.nn.functional.hardswish", "input"))
_forms("Threshold", same("torch.nn.functional.threshold", "input", "threshold", "value"))
_forms("LeakyRelu", same("torch.nn.functional.leaky_relu", "input", "negative_slope"))
for _name, _names in {
        "Sigmoid": ("output",), "Tanh": ("output",), "Hardswish": ("input",), "Threshold": ("input", "threshold"),
        "Hardtanh": ("input", "min_val", "max_val"), "LeakyRelu": ("input", "negative_slope", "input_is_result")}.items():
    _snake = {"LeakyRelu": "leaky_relu"}.get(_name, _name.lower())
    TABLE[f"diopi{_name}Backward"] = same(f"torch.ops.aten.{_snake}_backward", "grad_output", *_names)

TABLE["diopiSiluBackward"] = _calls("torch.ops.aten.silu_backward, complex torch.autograd of x * sigmoid(x)",
                                    _silu_backward)


def _gelu(x: Any, approximate: str) -> Any:
    """PyTorch's own, but for negative x, where its 1 + erf(x) and 1 + tanh(x) have lost their digits."""
    return torch.where(x < -0.5, _tail(x, approximate), torch.nn.functional.gelu(x, approximate=approximate))


def _tail(x: Any, approximate: str) -> Any:
    if approximate == "tanh":
        return x * torch.sigmoid(2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))
    return x * torch.erfc(-x * math.sqrt(0.5)) / 2


def _gelu_backward(grad_output: Any, input: Any, approximate: str) -> Any:
    g, x = grad_output.double(), input.double()
    slope = gradients(lambda y: _tail(y, approximate), torch.ones_like(x), x.clamp(max=-0.5))[0]
    whole = torch.ops.aten.gelu_backward(g, x, approximate=approximate)
    return torch.where(x < -0.5, g * slope, whole).to(input.dtype)


_BELOW = "below -0.5 with torch.erfc and torch.sigmoid"
TABLE["diopiGelu"] = composed(f"torch.nn.functional.gelu, {_BELOW}", lambda input, approximate: _gelu(
    input.double(), approximate).to(input.dtype))
TABLE["diopiGeluBackward"] = composed(
    f"torch.ops.aten.gelu_backward, {_BELOW} and torch.autograd", _gelu_backward)
