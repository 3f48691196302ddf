# SPDX-License-Identifier: BSD-3-Clause
"""Counts what the cases test, and finds what no case tests."""
