# SPDX-License-Identifier: BSD-3-Clause
"""Settings for tests that run the built program. CTest sets DIOPI_BENCH_BUILD to its build folder."""

from __future__ import annotations

import sys
from pathlib import Path

BENCHMARK = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(BENCHMARK), str(BENCHMARK.parents[1])]
