# SPDX-License-Identifier: BSD-3-Clause
"""Puts the tensors of cases into memory, and calls a library in worker processes."""
