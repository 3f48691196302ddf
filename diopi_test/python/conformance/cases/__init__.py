# SPDX-License-Identifier: BSD-3-Clause
"""Cases before they lie in memory: the reader of case files, filters and shards, inputs and expected outputs."""
