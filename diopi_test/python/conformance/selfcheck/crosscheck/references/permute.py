# SPDX-License-Identifier: BSD-3-Clause
"""References for views with other sizes."""

from __future__ import annotations

from ..reference import Table, same

TABLE: Table = {
    "diopiExpand": same("torch.Tensor.expand", "input", "out"),
}
