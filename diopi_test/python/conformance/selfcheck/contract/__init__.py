# SPDX-License-Identifier: BSD-3-Clause
"""The checks of the layer's mode contract, in front of a library that accepts every call."""
