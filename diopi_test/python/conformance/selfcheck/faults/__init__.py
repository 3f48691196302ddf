# SPDX-License-Identifier: BSD-3-Clause
"""Tests the judge: each fault makes a library wrong in one way, and at least one case must find it."""
