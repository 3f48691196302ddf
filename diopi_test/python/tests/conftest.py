# SPDX-License-Identifier: BSD-3-Clause
"""Makes `conformance` and `adaptor` importable, whatever the folder in which pytest is started."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import conformance  # noqa: E402, F401
