# SPDX-License-Identifier: BSD-3-Clause
"""Cases from real models: the recorded operator calls of each model, translated to functions of the contract."""
