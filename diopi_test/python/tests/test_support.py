# SPDX-License-Identifier: BSD-3-Clause
"""Tests what libraries without fallback answer to diopiSupports(), and that the judge finds wrong answers."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from doubles import RightVendor
from helpers import group_of, registry

from adaptor.codegen.config import VendorConfig, load_config
from adaptor.codegen.model import Function, Param, load_registry
from conformance import REPOSITORY
from conformance.oracle import load_oracles
from conformance.run.binding import Outcome, default_library, default_runtime
from conformance.run.result import FAIL, FALLBACK, PASS, UNSUPPORTED, Result
from conformance.session import judge_group
from conformance.vendor.profile import load_profile

# In a process of its own: a runtime in this process would prevent tests that replace the runtime.
ASK = """
import sys
from pathlib import Path
from adaptor.codegen.model import load_registry
from conformance.run.binding import Runtime
registry = load_registry()
vendor = Runtime(registry, Path(sys.argv[1]), Path(sys.argv[2]))
for function in registry.operators:
    for param in function.params:
        if param.is_tensor_like:
            answers = (vendor.fallbacks.support(function.name, param.name, d) for d in registry.dtypes)
            print(int(vendor.has(function.name)), *answers)
"""
REGISTRY = load_registry()
LIBRARIES = {
    "cpu": default_library(),
    "skeleton": default_library().parent / "skeleton" / default_library().name,
}


def tensors() -> Iterator[tuple[Function, Param]]:
    for function in REGISTRY.operators:
        yield from ((function, param) for param in function.params if param.is_tensor_like)


def expected(config: VendorConfig, function: Function, param: Param, present: bool, dtype: str) -> str:
    """The answer that follows from the contract and the vendor's file."""
    known = param.dtypes if param.dtypes is not None else [d for d in REGISTRY.dtypes if d != "unsupported"]
    if not present or dtype not in known or config.unsupported(function.name, param.name, dtype) is not None:
        return "unsupported"
    casts = dict(config.plan(function, REGISTRY.dtypes)[param.name].casts)
    return "converted" if dtype in casts else "native"


@pytest.mark.parametrize("vendor", LIBRARIES)
def test_every_answer(vendor: str) -> None:
    path = REPOSITORY / "impl" / vendor / "convert_config.yaml"
    config = load_config(path, REGISTRY) if path.exists() else VendorConfig(Path())
    run = subprocess.run(
        [sys.executable, "-c", ASK, str(default_runtime()), str(LIBRARIES[vendor])],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    lines = [line.split() for line in run.stdout.splitlines()]
    wrong, counts = [], {"native": 0, "converted": 0, "unsupported": 0}
    for (function, param), (present, *answers) in zip(tensors(), lines, strict=True):
        for dtype, answer in zip(REGISTRY.dtypes, answers, strict=True):
            want = expected(config, function, param, present == "1", dtype)
            counts[answer] = counts.get(answer, 0) + 1
            if answer != want:
                wrong.append(f"{function.name} {param.name} {dtype}: {answer}, expected {want}")
    assert wrong == []
    assert counts["native"] > 500
    assert counts["unsupported"] > 1000
    assert (counts["converted"] > 0) == (vendor == "skeleton")


class Answers:
    """A vendor whose answers are wrong for one parameter."""

    answers = True

    def __init__(self, **wrong: str) -> None:
        self.wrong = wrong

    def support(self, operator: str, parameter: str, dtype: str) -> str:
        return self.wrong.get(parameter, "native")


CASE = "- {names: [diopiExp], dtypes: %s, cases: [{id: zero, input: {values: [0.0, 0.0]}}]}\n"
CASTS = "- common_config: {dtype: (float64)->float32}\n"
REFUSALS = "- unsupported: [{operator: diopiExp, parameter: input, dtypes: float32, reason: no unit for it}]\n"
ON_HOST = Outcome("diopiSuccess", on_host=True)
REFUSED = Outcome("diopiDtypeNotSupported", "diopiExp: input has dtype float32: no unit for it")


def verdict(
    tmp_path: Path, answers: dict[str, str], config: str = "", dtype: str = "float32", outcome: Outcome | None = None
) -> Result:
    """The judge's verdict on a right call of a vendor with these answers."""
    tmp_path.mkdir(exist_ok=True)
    if config:
        (tmp_path / "convert_config.yaml").write_text(config, encoding="utf-8")
    group, oracles = group_of(tmp_path / "cases", "unary", CASE % dtype, ("contiguous",)), load_oracles()
    refused = outcome if outcome is not None and outcome.code != "diopiSuccess" else None
    vendor: Any = RightVendor(group, oracles["diopiExp"], lambda arguments: outcome, refused)
    vendor.fallbacks = Answers(**answers)
    (result,) = judge_group(group, oracles, vendor, load_profile(tmp_path, registry()), None)
    return result


def test_right_answers_pass(tmp_path: Path) -> None:
    assert verdict(tmp_path / "1", {}).status == PASS
    assert verdict(tmp_path / "2", {"input": "fallback", "out": "fallback"}, outcome=ON_HOST).status == FALLBACK
    asked = Outcome("diopiSuccess", on_host=True, asked=True)
    assert verdict(tmp_path / "3", {}, outcome=asked).status == FALLBACK


def test_right_answers_about_a_configuration_pass(tmp_path: Path) -> None:
    result = verdict(tmp_path, {"input": "converted", "out": "converted"}, CASTS, "float64")
    assert result.status == PASS, result.messages


def test_a_right_refusal_is_unsupported(tmp_path: Path) -> None:
    assert verdict(tmp_path, {"input": "unsupported"}, REFUSALS, outcome=REFUSED).status == UNSUPPORTED


@pytest.mark.parametrize(
    ("answers", "config", "dtype", "outcome", "complaint"),
    [
        ({"input": "unsupported"}, "", "float32", None, "says that it does not support float32 of input, but it does"),
        ({"out": "fallback"}, "", "float32", None, "says that it computes this call on the host, but it did not"),
        ({}, "", "float32", ON_HOST, "says that it computes this call on the device, but it did so on the host"),
        ({"input": "converted"}, "", "float32", None, "says that it converts float32 of input, but the vendor's file"),
        (
            {"input": "converted"},
            CASTS,
            "float64",
            None,
            "says that it does not convert float64 of out, but the vendor",
        ),
        ({}, REFUSALS, "float32", REFUSED, "says that it supports the dtypes of this call, but it refused one of them"),
    ],
)
def test_each_wrong_answer_fails(
    tmp_path: Path, answers: dict[str, str], config: str, dtype: str, outcome: Outcome | None, complaint: str
) -> None:
    result = verdict(tmp_path, answers, config, dtype, outcome)
    assert result.status == FAIL
    assert any(complaint in message for message in result.messages), result.messages
