# SPDX-License-Identifier: BSD-3-Clause
"""Hostile cases: cases generated for each operator from its registry entry and a valid case of its case file.

`generate.py` collects the cases. Most other modules generate one class or several; docs/conformance.md describes the
classes.
"""
