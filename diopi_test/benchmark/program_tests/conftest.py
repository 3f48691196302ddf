# SPDX-License-Identifier: BSD-3-Clause
"""These tests run the built program; CTest says where it is (DIOPI_BENCH_BUILD)."""

from __future__ import annotations

import sys
from pathlib import Path

BENCHMARK = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(BENCHMARK), str(BENCHMARK.parents[1])]
