# SPDX-License-Identifier: BSD-3-Clause
"""Reads what a vendor's folder says: skips, tolerances, unsupported dtypes."""
