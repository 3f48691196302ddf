# SPDX-License-Identifier: BSD-3-Clause
"""What operators do when a function of the runtime fails: an error with a message, and nothing written."""
