# SPDX-License-Identifier: BSD-3-Clause
"""Checks the oracles themselves, against implementations that share nothing with them."""
