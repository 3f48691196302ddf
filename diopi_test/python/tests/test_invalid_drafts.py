# SPDX-License-Identifier: BSD-3-Clause
"""Tests that the invalid calls are the same if the oracle is asked for each valid call, and that it is asked rarely."""

from __future__ import annotations

import pytest
from helpers import registry

from conformance.generate.hostile.generate import load_all_cases
from conformance.generate.invalid import base
from conformance.generate.invalid.generate import invalid_cases

FAMILIES = ("linalg", "loss", "norm_batch", "upsample", "mmcv_roi")


@pytest.mark.parametrize("family", FAMILIES)
def test_drafts_save_calls_of_the_oracle_and_change_no_case(family, monkeypatch):
    names = tuple(f.name for f in registry().family(family))
    cases = load_all_cases(registry(), names)
    asked = []
    prepare = base.prepare
    monkeypatch.setattr(base, "prepare", lambda *arguments: asked.append(1) or prepare(*arguments))
    with_drafts = invalid_cases(registry(), cases, names)
    few = len(asked)

    def asks(self, name, default=None):
        raise LookupError(name)

    monkeypatch.setattr(base._Draft, "get", asks)
    monkeypatch.setattr(base._Draft, "__getitem__", asks)
    assert invalid_cases(registry(), cases, names) == with_drafts
    assert 0 < few < (len(asked) - few) / 2
