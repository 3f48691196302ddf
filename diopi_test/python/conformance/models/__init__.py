# SPDX-License-Identifier: BSD-3-Clause
"""Cases from real models: the operator calls of each, translated to the functions of the contract."""
