# SPDX-License-Identifier: BSD-3-Clause
"""Judges the vendor cuda on a GPU, family by family, and keeps what the GPU judged: impl/cuda/judged.json."""
