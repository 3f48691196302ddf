# SPDX-License-Identifier: BSD-3-Clause
"""What goes wrong in the command."""


class UsageError(Exception):
    """Wrong usage or unusable files: the command prints the message and ends with exit status 2."""
