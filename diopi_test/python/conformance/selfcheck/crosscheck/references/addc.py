# SPDX-License-Identifier: BSD-3-Clause
"""References for addition of products."""

from __future__ import annotations

from ..reference import BOTH, Reference, Table, forms, torch

TABLE: Table = {
    **forms(
        "Addcmul",
        BOTH,
        Reference(
            "torch.addcmul", lambda input, tensor1, tensor2, value: torch.addcmul(input, tensor1, tensor2, value=value)
        ),
    ),
    **forms(
        "Addcdiv",
        BOTH,
        Reference(
            "torch.addcdiv", lambda input, tensor1, tensor2, value: torch.addcdiv(input, tensor1, tensor2, value=value)
        ),
    ),
}
