# SPDX-License-Identifier: BSD-3-Clause
"""Tests of the judge: a library with one fault at a time, and the cases that find the fault."""
