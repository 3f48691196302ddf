# SPDX-License-Identifier: BSD-3-Clause
"""Judges the vendor cuda on a GPU, a few families at a time, and keeps what the GPU judged: impl/cuda/judged.json."""
