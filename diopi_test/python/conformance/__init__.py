# SPDX-License-Identifier: BSD-3-Clause
"""The judge: says of every operator in a vendor's library whether it does what the contract says."""

import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]
if str(REPOSITORY) not in sys.path:  # the registry model lives in `adaptor/codegen`
    sys.path.insert(0, str(REPOSITORY))
