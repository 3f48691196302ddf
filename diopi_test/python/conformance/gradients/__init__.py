# SPDX-License-Identifier: BSD-3-Clause
"""Checks the oracles of gradients against central differences of the oracles of the forward operators."""
