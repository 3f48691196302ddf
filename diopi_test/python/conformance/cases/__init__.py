# SPDX-License-Identifier: BSD-3-Clause
"""Cases before a memory layout is chosen: the classes, the reader of case files, filters and shards."""
