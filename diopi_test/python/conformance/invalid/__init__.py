# SPDX-License-Identifier: BSD-3-Clause
"""Calls that must fail, derived from the registry: nulls, dtypes outside the sets, and violated preconditions.

Each starts from a valid case of its operator and changes as little as violates one precondition. A sentence of the
registry's `errors` that no recipe here understands needs a case in the operator's file, with `shows`.
"""
