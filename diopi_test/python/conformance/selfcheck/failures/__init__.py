# SPDX-License-Identifier: BSD-3-Clause
"""Tests that an operator returns an error and writes nothing if a function of the runtime fails."""
