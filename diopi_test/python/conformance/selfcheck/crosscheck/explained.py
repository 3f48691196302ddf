# SPDX-License-Identifier: BSD-3-Clause
"""The cases in which the contract differs from PyTorch, or in which PyTorch has no result. Each entry has a reason.

An entry is stale if no case needs it. A run over all operators fails if an entry is stale.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...cases.suite import matches
from .bridge import BEYOND_INT64
from .compare import Finding


@dataclass(frozen=True)
class Explanation:
    """Why the results of some cases differ. `cases` is a pattern of `diopiX/id/dtype`; `*` stands for any text."""

    cases: str
    reason: str
    refusal: str = ""  # a pattern of PyTorch's error message; empty if PyTorch has another result

    def fits(self, finding: Finding) -> bool:
        if not matches(re.sub(r",random=[\d.]+", "", finding.case), self.cases):
            return False
        return bool(re.search(self.refusal, finding.refused)) if self.refusal else not finding.refused


_NO_FACTOR = (
    "without pos_weight, the contract multiplies by one, which gives NaN for an infinite target; PyTorch does not"
)
_ROUNDED_SQUARE = "PyTorch rounds x^2 / 2, and the exponential multiplies this relative error by 72"
_CUBE = "PyTorch computes the cube of a large number, which overflows"
_BEFORE_SIX = "PyTorch overflows before it divides by six"
_MINUS_ONE = "PyTorch subtracts one from an integral pos_weight in its dtype, in which the smallest number wraps around"
_NO_GRADIENT_OUTSIDE = (
    "a sample outside of the image has no gradient, and the difference of neighbours comes before the product; "
    "autograd multiplies each neighbour by an infinity or NaN"
)

EXPLANATIONS = (
    Explanation(
        "diopiBatchNorm/statistics_of_nothing/*",
        "PyTorch computes no statistics of nothing; in the contract, a call without elements writes nothing",
        refusal="input tensor must have at least one element",
    ),
    Explanation(
        "diopiClipGradNorm/empty*",
        "PyTorch has no norm of infinite or negative order of nothing; the contract has 0 or, if negative, infinity",
        refusal="norm on an empty tensor",
    ),
    Explanation(
        "diopi*Pool*/*windows_outside/uint64",
        "PyTorch computes these cases in int64, whose smallest number is the result of a window without elements",
    ),
    Explanation(
        "diopiGelu/input=257~uniform(-12,12),approximate=none/float64",
        _ROUNDED_SQUARE,
    ),
    Explanation(
        "diopiGeluBackward/input=257~uniform(-12,12),grad_output=257,approximate=none/float64",
        _ROUNDED_SQUARE,
    ),
    Explanation(
        "diopiGeluBackward/larger_gradient,approximate=none/float64",
        "in PyTorch, erfc multiplies the rounding error of x / sqrt(2) by x^2, and e^(-x^2 / 2) underflows",
    ),
    Explanation("diopiGeluBackward/farther_out,approximate=tanh/float64", _CUBE),
    Explanation("diopiGeluBackward/hostile_special,*approximate=tanh/float64", _CUBE),
    Explanation("diopiGeluBackward/hostile_huge,*approximate=tanh/float64", _CUBE),
    Explanation(
        "diopiSiluBackward/larger_gradient/float64", "in PyTorch, e^-x overflows although the result is finite"
    ),
    Explanation("diopiHardswish/*special*/float64", _BEFORE_SIX),
    Explanation("diopiHardswishInp/*special*/float64", _BEFORE_SIX),
    Explanation("diopiHardswish*/farther_out/float64", _BEFORE_SIX),
    Explanation("diopiBCELossBackward/*special*/float64", "PyTorch rounds its smallest divisor, 1e-12, to float32"),
    Explanation("diopiGroupNorm/*special*", "PyTorch computes x * a + (b - mean * a), which is NaN for infinite a"),
    Explanation(
        "diopiLayerNormBackward/*special*",
        "PyTorch computes a * grad + b * x + c, which is NaN for infinite weights",
    ),
    Explanation(
        "diopiPow*/*special*exponent=0.5/*",
        "for an exponent of 0.5 PyTorch takes the square root, which is NaN at -inf; the power is inf there",
    ),
    Explanation(
        "diopiPow*Tensor/powers_that_are_one/complex*",
        "for two tensors PyTorch computes exp(y * log(x)); only for scalars x^0 and 1^x are 1",
    ),
    Explanation(
        "diopiPow*/*special*exponent=-1.5/complex*", "for powers of a complex zero, PyTorch has NaN at other places"
    ),
    Explanation(
        "diopiAbs*/bool",
        "PyTorch has abs of bool only on CUDA, where it returns the input",
        refusal="for 'Bool'",
    ),
    Explanation(
        "diopiBatchNormBackward/empty_row*",
        "PyTorch's autograd handles the shape [0] without calling this function",
        refusal="Dimension out of range",
    ),
    Explanation(
        "diopiArange/start=0.5,end=9.3,step=1.4/uint*",
        "PyTorch lacks the dtype and computes in int64, where it truncates the bounds before it computes the length",
    ),
    Explanation(
        "diopiDiv*/*extreme*/int*", "PyTorch crashes if it divides the smallest integer by -1", refusal="process died"
    ),
    Explanation("diopiBCEWithLogits*/*special,inf,*", _NO_FACTOR),
    Explanation("diopiBCEWithLogits*/*special,all_in_target,*", _NO_FACTOR),
    Explanation(
        "diopiBCEWithLogits*/hostile_special,*integral_weights,*",
        _MINUS_ONE,
    ),
    Explanation(
        "diopiBCEWithLogits*/*every_pos_weight/*",
        _MINUS_ONE,
    ),
    *(
        Explanation(
            f"*/hostile_scalars,*/{dtype}",
            "PyTorch lacks the dtype, and the scalar does not wrap around in the wider dtype that is used instead",
        )
        for dtype in ("uint16", "uint32", "uint64")
    ),
    Explanation("diopiCTCLoss/*empty*", "PyTorch takes no empty log_probs", refusal="must not be empty"),
    Explanation("diopiCTCLoss/no_sequences*", "PyTorch takes no empty log_probs", refusal="must not be empty"),
    Explanation(
        "diopiCTCLossBackward/hostile_*",
        "if the last label is the blank, PyTorch overwrites the term of the last blank at the last time step",
    ),
    Explanation(
        "diopiCrossEntropyLossBackward/ignored_positions/*",
        "in the contract, an ignored sample contributes nothing; PyTorch multiplies 0 by its softmax, which is NaN",
    ),
    Explanation("diopiUnique/*special*", "PyTorch does not keep the order of several NaN, nor that of rows with NaN"),
    Explanation("diopiUnique/rows_with_nan/*", "PyTorch compares rows with NaN in no consistent order"),
    Explanation(
        "diopiRoll/ends_of_int64/*",
        "PyTorch takes the smallest integers for symbols of its compiler",
        refusal="concrete integers",
    ),
    Explanation(
        "diopiSlice/ends_of_int64,step=9223372036854775807/*",
        "PyTorch adds the step to the length, which wraps around",
    ),
    Explanation(
        "diopiPrroiPool*/float64",
        "the integral over a small bin is a difference of larger numbers, which the reference forms in other steps",
    ),
    Explanation("*/uint64", BEYOND_INT64, refusal=BEYOND_INT64),
    *(
        Explanation(
            f"diopiGridSample/{cases}",
            "at a coordinate that is NaN or infinite, the contract gives 0, as PyTorch does on CUDA",
        )
        for cases in ("not_a_place,*", "hostile_special,nan,*", "hostile_special,all_in_grid,*")
    ),
    *(
        Explanation(
            f"{cases}/{dtype}",
            "PyTorch fuses a multiplication and a subtraction, so that a coordinate is rounded to another number",
        )
        for cases, dtype in (("diopiGridSample/*", "float32"), ("diopiGridSample/*", "float64"))
    ),
    *(
        Explanation(
            f"{cases}/float64",
            "PyTorch rounds the quotient of the sizes before it multiplies, so that coordinates are off by a digit",
        )
        for cases in ("diopiUpsampleLinear/*", "diopiUpsampleLinearBackward/*")
    ),
    Explanation(
        "diopiConvTranspose2d/steps_that_nothing_takes/*",
        "PyTorch cuts the strides of a transposed convolution to 32 bits",
        refusal="stride should be greater than zero",
    ),
    Explanation(
        "diopiAdaptiveAvgPool*Backward/*",
        "PyTorch accepts an empty input in the forward call, but no empty gradient",
        refusal="non-zero size for non-batch dimensions",
    ),
    Explanation("diopiDeformConvBackwardInputMmcv/hostile_special,*", _NO_GRADIENT_OUTSIDE),
    Explanation("diopiModulatedDeformConvBackwardMmcv/hostile_special,*", _NO_GRADIENT_OUTSIDE),
    Explanation("diopiMsDeformAttnBackwardMmcv/hostile_special,*", _NO_GRADIENT_OUTSIDE),
)


def explain(finding: Finding) -> Explanation | None:
    return next((e for e in EXPLANATIONS if e.fits(finding)), None)
