# SPDX-License-Identifier: BSD-3-Clause
"""Tests that every oracle is compared with a reference, and that a wrong oracle is found."""

from __future__ import annotations

import importlib
import io
import os
import re
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pytest
from helpers import registry

from conformance.cases.reader import load_cases
from conformance.cases.suite import matches
from conformance.generate.invalid.generate import invalid_cases
from conformance.oracle import load_oracles, philox
from conformance.selfcheck.crosscheck import __main__ as command
from conformance.selfcheck.crosscheck import refusals
from conformance.selfcheck.crosscheck.accepted import ACCEPTED
from conformance.selfcheck.crosscheck.bridge import BEYOND_INT64
from conformance.selfcheck.crosscheck.compare import Finding
from conformance.selfcheck.crosscheck.distribution import DISTRIBUTIONS, statistics
from conformance.selfcheck.crosscheck.explained import EXPLANATIONS, explain
from conformance.selfcheck.crosscheck.reference import COMPOSED, PYTORCH, SPECIFICATION, Reference, torch
from conformance.selfcheck.crosscheck.references import load_references
from conformance.selfcheck.crosscheck.references.random import philox as second_philox
from conformance.selfcheck.crosscheck.run import Row

PYTHON = Path(__file__).resolve().parents[1]
needs_torch = pytest.mark.skipif(torch is None, reason="PyTorch is not installed")


def wrong_oracle(monkeypatch: pytest.MonkeyPatch, name: str, function) -> None:
    monkeypatch.setattr(load_oracles()[name], "function", function)


def test_every_oracle_is_compared_with_something() -> None:
    assert not load_oracles().keys() - load_references(registry()).keys()


def test_every_reference_belongs_to_an_oracle_and_says_what_it_is() -> None:
    references = load_references(registry())
    assert not references.keys() - load_oracles().keys()
    assert all(r.kind in (PYTORCH, COMPOSED, SPECIFICATION) and r.against for r in references.values())


def test_random_operators_are_compared_with_their_specification_and_their_distribution() -> None:
    # Attention drops weights by words of the stream; PyTorch computes the rest from the same words.
    operators = [f for f in registry().operators if f.family != "attention"]
    draw = {f.name for f in operators if any(p.is_generator for p in f.params)} & load_oracles().keys()
    specified = {name for name, r in load_references(registry()).items() if r.kind == SPECIFICATION}
    assert draw <= specified
    # The specification of these computes the same id from the same number.
    assert draw - {"diopiTopKSampling", "diopiTopPSampling"} == DISTRIBUTIONS.keys()


@pytest.mark.parametrize(
    "counter, key, words",
    [
        ([0, 0, 0, 0], [0, 0], [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
        ([0xFFFFFFFF] * 4, [0xFFFFFFFF] * 2, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
        (
            [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344],
            [0xA4093822, 0x299F31D0],
            [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1],
        ),
    ],
)
def test_the_second_philox_has_the_published_answers(counter, key, words) -> None:
    assert second_philox(counter, key) == words


@pytest.mark.parametrize("name", sorted(DISTRIBUTIONS))
def test_random_numbers_are_distributed_as_they_should_be(name: str) -> None:
    assert [str(s) for s in statistics(name) if not s.passed] == []


def test_a_specified_oracle_that_ignores_the_offset_is_found(monkeypatch, capsys) -> None:
    right = philox.blocks
    monkeypatch.setattr(philox, "blocks", lambda seed, first, count: right(seed, 0, count))
    assert command.main(["--fname", "UniformInp", "--jobs", "1"]) == command.UNEXPLAINED
    assert "diopiUniformInp/" in capsys.readouterr().out


def test_a_biased_oracle_is_found(monkeypatch) -> None:
    wrong_oracle(
        monkeypatch,
        "diopiBernoulliScalar",
        lambda out, p, generator: philox.bernoulli(generator, 0.97 * p, int(np.prod(out))).reshape(out),
    )
    assert not all(s.passed for s in statistics("diopiBernoulliScalar"))


def _calls_torch(function, seen) -> bool:
    """Whether a function, or one of its module that it calls, uses PyTorch."""
    if function in seen:
        return False
    seen.add(function)
    codes = [function.__code__, *(c for c in function.__code__.co_consts if isinstance(c, types.CodeType))]
    names = {name for code in codes for name in code.co_names}
    used = [u for n in names if getattr(u := function.__globals__.get(n), "__module__", "") == function.__module__]
    members = [f for u in used for f in (vars(u).values() if isinstance(u, type) else [u])]
    own = [f for f in members if isinstance(f, types.FunctionType)]
    return "torch" in names or any(_calls_torch(f, seen) for f in own)


def test_a_specification_that_calls_pytorch_says_so() -> None:
    references = {name: r for name, r in load_references(registry()).items() if r.kind == SPECIFICATION}
    wrong = [name for name, r in references.items() if _calls_torch(r.call, set()) != r.with_torch]
    assert len(references) > 10
    assert wrong == []


@needs_torch
@pytest.mark.parametrize(
    "name, function",
    [
        ("diopiExp", lambda input: np.exp(input) * (1 + 2e-5)),
        ("diopiMaximum", lambda input, other: np.fmax(input, other)),
        ("diopiArgmax", lambda input, dim, keepdim: np.argmin(input, axis=dim, keepdims=keepdim)),
        ("diopiTriu", lambda input, diagonal: np.triu(input, diagonal + 1)),
    ],
)
def test_a_wrong_oracle_is_found(monkeypatch, capsys, name, function) -> None:
    wrong_oracle(monkeypatch, name, function)
    assert command.main(["--fname", name, "--jobs", "1"]) == command.UNEXPLAINED
    printed = capsys.readouterr().out
    assert f"{name}/" in printed and ", 0 unexplained" not in printed


@needs_torch
def test_a_wrong_dtype_of_the_result_is_found(monkeypatch, capsys) -> None:
    monkeypatch.setattr(load_oracles()["diopiEq"], "dtype", "uint8")
    assert command.main(["--fname", "diopiEq", "--jobs", "1"]) == command.UNEXPLAINED
    assert "computes in uint8, PyTorch in torch.bool" in capsys.readouterr().out


@needs_torch
def test_right_oracles_pass_in_several_processes(capsys) -> None:
    assert command.main(["--fname", "exp", "where", "Dropout", "--jobs", "2"]) == command.OK
    printed = capsys.readouterr().out
    assert "3 operators, " in printed and printed.rstrip().endswith(", 0 unexplained")


@needs_torch
def test_generated_cases_are_compared_too(capsys) -> None:
    assert command.main(["--case", "diopiExp/hostile_special,*", "--jobs", "1"]) == command.OK
    assert "1 operators, 0 cases" not in capsys.readouterr().out


@needs_torch
def test_quick_leaves_out_hostile_cases_only(capsys) -> None:
    compared = {}
    for options in ([], ["--quick"]):
        assert command.main(["--fname", "exp", "--jobs", "1", *options]) == command.OK
        compared[len(options)] = int(re.search(r"1 operators, (\d+) cases", capsys.readouterr().out)[1])
    own = sum(len(case.dtypes) for case in load_cases(registry()) if case.function.name == "diopiExp")
    assert own < compared[1] < compared[0]


def test_without_pytorch_the_exit_code_says_so(tmp_path) -> None:
    (tmp_path / "torch.py").write_text("raise ImportError('not here')")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    run = [sys.executable, "-m", "conformance.selfcheck.crosscheck", "--jobs", "1", "--fname"]
    result = subprocess.run([*run, "exp", "Randperm"], cwd=PYTHON, env=environment, capture_output=True, text=True)
    assert result.returncode == command.NO_PYTORCH, result.stderr
    assert "install_deps.sh --optional" in result.stderr and "1 operators, " in result.stdout


def test_an_operator_without_reference_fails(capsys) -> None:
    rows = {"diopiNew": Row("diopiNew", None)}
    assert command.conclude(rows, []) == command.UNEXPLAINED
    assert "compared with nothing: diopiNew" in capsys.readouterr().out


def test_a_stale_explanation_fails(capsys) -> None:
    row = Row("diopiAbs", Reference("torch.abs", abs, SPECIFICATION), cases=1)
    assert command.conclude({row.name: row}, [EXPLANATIONS[0]]) == command.UNEXPLAINED
    assert "stale explanation" in capsys.readouterr().out


def test_an_unknown_operator_is_wrong_usage(capsys) -> None:
    assert command.main(["--fname", "diopiNothing"]) == command.USAGE


def test_an_explanation_of_a_refusal_explains_no_result() -> None:
    refused = Finding("diopiAbs/special/uint64", refused=BEYOND_INT64)
    differing = Finding("diopiAbs/special/uint64", disagreements=["out[0]: oracle 1, reference 2"])
    assert explain(refused) is not None and explain(differing) is None


# --- invalid calls ---


def refusal_of(name, part):
    """What PyTorch does with the first generated invalid call of an operator whose name has a part."""
    references = load_references(registry())
    cases = invalid_cases(registry(), load_cases(registry()), (name,))
    group = next(g for g in refusals.calls(registry(), cases, references) if part in g.case.id)
    return refusals.attempt(group, references[name])


@needs_torch
@pytest.mark.parametrize(
    ("name", "part", "outcome"),
    [
        ("diopiSoftmax", "dim-in-range", refusals.REFUSED),
        ("diopiSoftmax", "out-same-shape:out", refusals.RESIZED),
        ("diopiAddInp", "input-shape", refusals.REFUSED),  # the result does not fit the operand
        ("diopiRelu", "out-castable", refusals.REFUSED),
        ("diopiIndexSelect", "out-same-dtype", refusals.REFUSED),  # only with out=
        ("diopiMSELoss", "reduction-enum", refusals.ACCEPTS),
    ],
)
def test_pytorch_refuses_invalid_calls(name, part, outcome):
    assert refusal_of(name, part).outcome == outcome


def test_an_accepted_call_needs_a_row():
    tally = refusals.Tally()
    tally.add(refusals.Trial("diopiMSELoss/x/float32", ("diopiMSELoss-reduction-enum",), refusals.ACCEPTS))
    tally.add(refusals.Trial("diopiSoftmax/x/float32", ("diopiSoftmax-dim-in-range",), refusals.REFUSED))
    out = io.StringIO()
    assert refusals.conclude(tally, [], out) and "1 refused, 1 accepted for a known reason" in out.getvalue()
    tally.add(refusals.Trial("diopiSoftmax/y/float32", ("diopiSoftmax-dim-in-range",), refusals.ACCEPTS))
    out = io.StringIO()
    assert not refusals.conclude(tally, [], out)
    assert "PyTorch accepts diopiSoftmax/y/float32 (diopiSoftmax-dim-in-range)" in out.getvalue()


def test_a_row_that_no_call_needs_is_stale():
    out = io.StringIO()
    assert not refusals.conclude(refusals.Tally(), [ACCEPTED[0]], out)
    assert "stale row" in out.getvalue()


def test_every_row_speaks_of_checks_of_the_registry():
    known = [c.identifier for f in registry().operators for c in f.checks]
    assert [p for a in ACCEPTED for p in a.checks if not any(matches(i, p) for i in known)] == []


def test_each_table_of_references_is_a_family_of_the_registry():
    for path in sorted((PYTHON / "conformance" / "selfcheck" / "crosscheck" / "references").glob("[!_]*.py")):
        table = importlib.import_module(f"conformance.selfcheck.crosscheck.references.{path.stem}").TABLE
        (family,) = {registry().functions[name].family for name in table}
        assert path.stem == family or path.stem.startswith(f"{family}_")
