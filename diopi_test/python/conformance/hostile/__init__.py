# SPDX-License-Identifier: BSD-3-Clause
"""Hostile cases: generated for every operator from its registry entry and a valid case of its file.

`generate.py` collects them; the other modules make the classes. docs/conformance.md describes the classes.
"""
