# SPDX-License-Identifier: BSD-3-Clause
"""Shows the verdicts of a run: on the terminal, and in files."""
