# SPDX-License-Identifier: BSD-3-Clause
"""Tests the judge itself: its oracles against others, and its verdicts on libraries with known faults."""
