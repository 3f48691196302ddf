# SPDX-License-Identifier: BSD-3-Clause
"""Prepares cases, puts their tensors into memory, and calls a library in worker processes."""
