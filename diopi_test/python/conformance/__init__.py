# SPDX-License-Identifier: BSD-3-Clause
"""The judge: tests whether every operator of a vendor's library does what the contract says."""

import os
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]
DATA_DIR = Path(__file__).resolve().parent / "data"
for folder in (REPOSITORY, REPOSITORY / "python"):  # the packages `adaptor.codegen` and `diopi`
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))

# The oracles' matrix products are small, and the judge has several processes: with more than one thread, NumPy's
# OpenBLAS mostly waits. It reads this variable when NumPy is imported. The vendors' libraries must not see it.
_chosen = os.environ.get("OPENBLAS_NUM_THREADS")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
import numpy  # noqa: E402, F401

if _chosen is None:
    del os.environ["OPENBLAS_NUM_THREADS"]
