# SPDX-License-Identifier: BSD-3-Clause
"""Cases that no file holds: derived for every operator from its registry entry and a valid case of its file.

`generate.py` puts them together, one module for each class of hostility. docs/conformance.md says what they are.
"""
