# SPDX-License-Identifier: BSD-3-Clause
"""The command `diopi-layer`: runs a program with the layer in front of its vendor's library, and reads what it found.

docs/layer.md explains the modes.
"""
