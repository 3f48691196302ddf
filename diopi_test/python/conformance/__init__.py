# SPDX-License-Identifier: BSD-3-Clause
"""The judge: tests whether every operator of a vendor's library does what the contract says."""

import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]
for folder in (REPOSITORY, REPOSITORY / "python"):  # the packages `adaptor.codegen` and `diopi`
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
