# SPDX-License-Identifier: BSD-3-Clause
"""Tests that the loader refuses rules for results that do not fit the function, with file and line."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from adaptor.codegen.model import REGISTRY_DIR, ConfigError, load_registry

FAMILY = """family: made
summary: Made for a test.
functions:
  - name: diopiMade
    header: functions.h
    summary: Adds.
    params:
      - {name: ctx, type: diopiContextHandle_t, dir: attr}
      - {name: out, type: diopiTensorHandle_t, dir: out}
      - {name: input, type: diopiConstTensorHandle_t, dir: in}
      - {name: other, type: diopiConstTensorHandle_t, dir: in}
      - {name: alpha, type: "const diopiScalar_t *", dir: attr}
      - {name: dim, type: int64_t, dir: attr}
    result: RESULT
"""


def load(tmp_path: Path, result: str) -> object:
    shutil.copy(REGISTRY_DIR / "types.yaml", tmp_path)
    (tmp_path / "made.yaml").write_text(FAMILY.replace("RESULT", result), encoding="utf-8")
    return load_registry(tmp_path).functions["diopiMade"].result


def test_rules_are_read(tmp_path: Path) -> None:
    (rule,) = load(tmp_path, "{out: {shape: like, of: input, dtype: promoted, from: [input, alpha]}}").values()
    assert (rule.shape, rule.of, rule.dtype, rule.promoted) == ("like", ("input",), "promoted", ("input", "alpha"))
    (rule,) = load(tmp_path, "{out: {shape: broadcast, of: [input, other], dtype: bool}}").values()
    assert (rule.dtype, rule.promoted) == ("bool", ())


@pytest.mark.parametrize(
    ("result", "message"),
    [
        ("[out]", "field 'result' must be a mapping"),
        ("{out: like}", "field 'out' must be a mapping"),
        ("{out: {shape: like, of: input}}", "missing field 'dtype'"),
        ("{out: {shape: like, of: input, dtype: bool, kind: 3}}", "unknown field 'kind'"),
        ("{out: {shape: as, of: input, dtype: bool}}", "shape must be one of like, broadcast, not 'as'"),
        ("{out: {shape: like, of: [input, other], dtype: bool}}", "like needs one parameter, broadcast needs several"),
        ("{out: {shape: broadcast, of: input, dtype: bool}}", "like needs one parameter, broadcast needs several"),
        ("{out: {shape: like, of: [], dtype: bool}}", "of must be the name of a parameter or a list of them"),
        ("{out: {shape: like, of: dim, dtype: bool}}", "'dim' is not a tensor that diopiMade reads"),
        ("{out: {shape: like, of: out, dtype: bool}}", "'out' is not a tensor that diopiMade reads"),
        ("{input: {shape: like, of: other, dtype: bool}}", "'input' is not a tensor that diopiMade writes"),
        ("{outs: {shape: like, of: other, dtype: bool}}", "'outs' is not a tensor that diopiMade writes"),
        (
            "{out: {shape: like, of: input, dtype: float}}",
            "dtype 'float' is not a dtype, a promotion, or a tensor parameter",
        ),
        (
            "{out: {shape: like, of: input, dtype: dim}}",
            "dtype 'dim' is not a dtype, a promotion, or a tensor parameter",
        ),
        ("{out: {shape: like, of: input, dtype: bool, from: input}}", "from needs a dtype that is one of promoted"),
        (
            "{out: {shape: like, of: input, dtype: promoted, from: dim}}",
            "'dim' is neither a tensor that diopiMade reads nor a scalar",
        ),
        ("{out: {shape: like, of: input, dtype: quotient}}", "diopiMade has no rounding_mode"),
    ],
)
def test_rules_that_do_not_fit_are_refused(tmp_path: Path, result: str, message: str) -> None:
    with pytest.raises(ConfigError) as refused:
        load(tmp_path, result)
    assert message in str(refused.value)
    assert "made.yaml:14: " in str(refused.value)
