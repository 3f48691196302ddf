# SPDX-License-Identifier: BSD-3-Clause
"""Checks the oracles against independent implementations, which share no code with them."""
