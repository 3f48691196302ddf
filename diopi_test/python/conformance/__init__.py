# SPDX-License-Identifier: BSD-3-Clause
"""The judge: says of every operator in a vendor's library whether it does what the contract says."""

import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]
for folder in (REPOSITORY, REPOSITORY / "python"):  # the registry model in `adaptor/codegen`, and the binding `diopi`
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
