# SPDX-License-Identifier: BSD-3-Clause
"""The cases in which the contract differs from PyTorch, or PyTorch has no result; each entry has its reason.

If no case needs an entry any more, the entry is stale, and a run over all operators fails.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..suite import matches
from .bridge import BEYOND_INT64
from .compare import Finding


@dataclass(frozen=True)
class Explanation:
    """`cases` are named as `diopiX/id/dtype`, `*` standing for any text."""

    cases: str
    reason: str
    refusal: str = ""  # the message of PyTorch that this is about; empty: another result

    def fits(self, finding: Finding) -> bool:
        if not matches(finding.case, self.cases):
            return False
        return bool(re.search(self.refusal, finding.refused)) if self.refusal else not finding.refused


_NO_FACTOR = "without pos_weight it has no factor, the contract a factor of one, which an infinite target makes NaN"

EXPLANATIONS = (
    Explanation(
        "diopiGelu/input=257~uniform(-12,12),approximate=none/float64",
        "a rounding of x^2 / 2 counts 72-fold in its exponential",
    ),
    Explanation(
        "diopiGeluBackward/input=257~uniform(-12,12),grad_output=257,approximate=none/float64",
        "a rounding of x^2 / 2 counts 72-fold in its exponential",
    ),
    Explanation(
        "diopiGeluBackward/larger_gradient,approximate=none/float64",
        "a rounding of x / sqrt(2) counts x^2-fold in its erfc, and e^(-x^2 / 2) alone is below its normal range",
    ),
    Explanation("diopiGeluBackward/farther_out,approximate=tanh/float64", "its cube of a large number overflows"),
    Explanation("diopiGeluBackward/hostile_special,*approximate=tanh/float64", "its cube of a large number overflows"),
    Explanation("diopiGeluBackward/hostile_huge,*approximate=tanh/float64", "its cube of a large number overflows"),
    Explanation("diopiSiluBackward/larger_gradient/float64", "its e^-x overflows where the gradient is a number"),
    Explanation("diopiHardswish/*special*/float64", "it overflows before it divides by six"),
    Explanation("diopiHardswishInp/*special*/float64", "it overflows before it divides by six"),
    Explanation("diopiHardswish*/farther_out/float64", "it overflows before it divides by six"),
    Explanation("diopiBCELossBackward/*special*/float64", "its smallest divisor, 1e-12, is rounded to float32"),
    Explanation("diopiGroupNorm/*special*", "it multiplies out to x * a + (b - mean * a), which infinite a makes NaN"),
    Explanation(
        "diopiLayerNormBackward/*special*", "it multiplies out to a * grad + b * x + c, which infinite weights make NaN"
    ),
    Explanation(
        "diopiPow*/*special*exponent=0.5/*",
        "it takes the square root for 0.5, which is NaN at -inf, where powers are inf",
    ),
    Explanation(
        "diopiPow*Tensor/powers_that_are_one/complex*",
        "of two tensors it multiplies exponent and logarithm, and has x^0 = 1^x = 1 for scalars only",
    ),
    Explanation("diopiPow*/*special*exponent=-1.5/complex*", "powers of a complex zero have their NaN elsewhere"),
    Explanation("diopiAbs*/bool", "it has this on CUDA only, where it is the identity", refusal="for 'Bool'"),
    Explanation(
        "diopiBatchNormBackward/empty_row/*",
        "its autograd takes the shape [0], for which it does not call this function",
        refusal="Dimension out of range",
    ),
    Explanation(
        "diopiArange/start=0.5,end=9.3,step=1.4/uint*",
        "it lacks the dtype and is asked for int64, for which alone it truncates the bounds before it takes the length",
    ),
    Explanation("diopiDiv*/*extreme*/int*", "it dies of the smallest integer divided by -1", refusal="process died"),
    Explanation("diopiBCEWithLogits*/*special,inf,*", _NO_FACTOR),
    Explanation("diopiBCEWithLogits*/*special,all_in_target,*", _NO_FACTOR),
    Explanation(
        "diopiBCEWithLogits*/hostile_special,*integral_weights,*",
        "it subtracts one from an integral pos_weight in its own dtype, in which the smallest number wraps",
    ),
    Explanation(
        "diopiBCEWithLogits*/*every_pos_weight/*",
        "it subtracts one from an integral pos_weight in its own dtype, in which the smallest number wraps",
    ),
    *(
        Explanation(
            f"*/hostile_scalars,*/{dtype}",
            "it lacks the dtype, and the wider one that it is asked for does not wrap the scalar",
        )
        for dtype in ("uint16", "uint32", "uint64")
    ),
    Explanation("*/uint64", "it has no arithmetic for uint64 beyond int64", refusal=BEYOND_INT64),
    Explanation(
        "diopiAdaptiveAvgPool*Backward/*",
        "it takes no empty gradient, though an empty result",
        refusal="non-zero size for non-batch dimensions",
    ),
)


def explain(finding: Finding) -> Explanation | None:
    return next((e for e in EXPLANATIONS if e.fits(finding)), None)
