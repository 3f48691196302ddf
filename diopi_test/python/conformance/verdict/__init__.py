# SPDX-License-Identifier: BSD-3-Clause
"""Judges what a call did: its error code and message, its outputs, and the memory around them."""
