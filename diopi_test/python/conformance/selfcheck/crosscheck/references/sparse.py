# SPDX-License-Identifier: BSD-3-Clause
"""References for sparse matrices, in double precision."""

from ..reference import Table, same

TABLE: Table = {"diopiSpMM": same("torch.sparse.mm", "input", "mat2")}
