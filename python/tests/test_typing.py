# SPDX-License-Identifier: BSD-3-Clause
"""Tests that the type stubs agree with the registry, and that the type checker accepts right programs."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from adaptor.codegen import python_package, python_stubs
from adaptor.codegen.model import load_registry
from diopi import signatures

ROOT = Path(__file__).resolve().parents[2]
RIGHT = """
import diopi
import numpy as np

lib = diopi.load()
x = np.ones((2, 3), np.float32)
made: diopi.Tensor = lib.softmax(x, dim=-1)
given: np.ndarray = lib.add(made, x, alpha=2, out=x)
total: np.ndarray = lib.sum(x, [0, 1], out=np.empty((), np.float32))
same: np.ndarray = lib.relu_inp(x)
found: diopi.Tensor = lib.diopiNonzero(x)
gradients = lib.convolution2d_backward(x, x, x, stride=1, padding=[0, 0], dilation=1, groups=1)
lib.dropout(x, 0.5, True, diopi.Generator(3), out=x, mask=np.empty((2, 3), bool))
try:
    lib.gelu(x, approximate="tanh").numpy().sum()
except diopi.DtypeError as error:
    print(error.argument, error.expected, error.value)
"""
WRONG = """
import diopi
import numpy as np

lib = diopi.load()
x = np.ones((2, 3), np.float32)
lib.softmax(x, dim="last")
lib.sum(x, 1)
lib.dropout(x, 0.5, True, 3, out=x, mask=x)
made: np.ndarray = lib.softmax(x, dim=-1)
"""


def mypy(folder: Path, text: str) -> tuple[int, str]:
    (folder / "program.py").write_text(text, encoding="utf-8")
    environment = {**os.environ, "MYPYPATH": str(ROOT / "python")}
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(folder / "cache"), "program.py"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


def test_stubs_are_current():
    assert python_package.STUBS.read_text(encoding="utf-8") == python_stubs.emit(load_registry()), (
        "run python -m adaptor.codegen.python_package"
    )


def test_stubs_have_every_operator():
    text = python_package.STUBS.read_text(encoding="utf-8")
    for function in load_registry().operators:
        assert f"    def {signatures.python_name(function.name)}(" in text
        assert f"    {function.name} = {signatures.python_name(function.name)}\n" in text


@pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="mypy is not installed")
def test_type_checker_accepts_right_programs_and_finds_mistakes(tmp_path):
    assert mypy(tmp_path, RIGHT) == (0, "Success: no issues found in 1 source file\n")
    code, text = mypy(tmp_path, WRONG)
    assert code == 1
    lines = {int(line.split(":")[1]) for line in text.splitlines() if ": error:" in line}
    assert lines == {7, 8, 9, 10}


def test_tables_are_those_of_the_registry(tmp_path):
    from diopi.contract import Contract, Param

    registry = load_registry()
    contract = Contract(python_package.table(registry))
    assert contract.names == [f.name for f in registry.operators]
    for function in registry.operators:
        made = contract.function(function.name)
        assert [vars(p) for p in made.params] == [
            {key: getattr(p, key) for key in Param.__dataclass_fields__} for p in function.params
        ]
        assert {k: vars(r) for k, r in made.result.items()} == {k: vars(r) for k, r in function.result.items()}
    assert contract.dtypes == registry.dtypes
    first = python_package.cached(tmp_path)
    assert python_package.cached(tmp_path) == first and (first / "_docs.json").is_file()


def test_python_names_are_unique_and_no_method_is_hidden():
    from diopi.library import Library

    names = [signatures.python_name(f.name) for f in load_registry().operators]
    assert len(set(names)) == len(names)
    assert not set(names) & set(dir(Library))


def test_the_cache_depends_on_every_module_that_reads_the_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    monkeypatch.setattr(Path, "stat", lambda path, **_: read.append(str(path)) or os.stat(path))
    python_package._digest()
    assert any(name.endswith("codegen/rules/shapes.py") for name in read)
