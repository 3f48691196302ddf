# SPDX-License-Identifier: BSD-3-Clause
"""Puts the bench's package and the root of the source tree on the module path, as bench.py does."""

from __future__ import annotations

import sys
from pathlib import Path

BENCHMARK = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(BENCHMARK), str(BENCHMARK.parents[1])]
