# SPDX-License-Identifier: BSD-3-Clause
"""Calls that must fail, derived from the registry: nulls, dtypes outside the sets, and violated checks.

Each call starts from a valid case of its operator and changes as little as violates one check. The package `violations`
has the changes for each rule. A check for which it finds no call needs a case in the operator's file, with `shows`.
"""
