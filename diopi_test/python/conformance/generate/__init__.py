# SPDX-License-Identifier: BSD-3-Clause
"""Cases that are generated: hostile cases, invalid calls, and the calls of real models."""
