# SPDX-License-Identifier: BSD-3-Clause
"""Tests how the judge treats lists of generators, and numbers that a call reads and writes."""

from __future__ import annotations

import pytest
from helpers import group_of
from test_judge import assert_status, judge

from conformance.run.binding import Outcome
from conformance.run.result import FAIL, PASS

SAMPLING = """
- names: [diopiTopKSampling]
  dtypes: [float32]
  cases:
    - output_ids: {shape: [2, 3], dtype: int32}
      logits: [3, 8]
      workspace_size: %d
      fusion_level: 0
      end_ids: {shape: [3], dtype: int32, gen: zeros}
      finished: {values: [false, true, false], dtype: bool}
      step: 1
      batch_size: 3
      vocab_size_padded: 8
      runtime_top_k: {shape: [3], dtype: int32, gen: "full(4)"}
      runtime_top_p: {shape: [3], gen: ones}
"""


def test_each_generator_of_a_list_is_judged(tmp_path):
    group = group_of(tmp_path, "lmdeploy_sampling", SAMPLING % 0, ("contiguous",))

    def advance(*blocks):
        def corrupt(arguments):
            offsets = tuple(s.offset + 4 * n for s, n in zip(arguments["generators"], blocks))
            return Outcome("diopiSuccess", "", offsets)

        return corrupt

    assert_status(judge(group, advance(1, 0, 1)), PASS)
    assert "offset went from" in assert_status(judge(group, advance(1, 1, 1)), FAIL)
    assert "offset went from" in assert_status(judge(group, advance(1, 0, 0)), FAIL)


@pytest.mark.parametrize(("size", "stored", "status"), [(0, 0, PASS), (0, 8, FAIL), (-1, 64, PASS), (-1, -1, FAIL)])
def test_a_size_is_kept_or_chosen_by_the_vendor(tmp_path, size, stored, status):
    group = group_of(tmp_path, "lmdeploy_sampling", SAMPLING % size, ("contiguous",))

    def corrupt(arguments):
        arguments["workspace_size"].values[:] = [stored]
        drawn = size >= 0
        offsets = tuple(s.offset + 4 * (drawn and i != 1) for i, s in enumerate(arguments["generators"]))
        return Outcome("diopiSuccess", "", offsets)

    assert_status(judge(group, corrupt), status)
