# SPDX-License-Identifier: BSD-3-Clause
"""Compares the oracles of gradients with central differences of the oracles of the forward operators."""
