# SPDX-License-Identifier: BSD-3-Clause
"""The judge is judged: a library with one fault at a time, and the cases that find it."""
