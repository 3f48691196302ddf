# SPDX-License-Identifier: BSD-3-Clause
"""Tests that generated headers are reproducible and complete, compile as C99 and C++11, and that stale ones are
found."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from adaptor.codegen import headers
from adaptor.codegen.comments import TAGS, WIDTH, comment, param_text, prototype
from adaptor.codegen.model import CONTRACT_FIELDS, Function, Param, Registry, load_registry
from adaptor.codegen.rules import Check
from adaptor.codegen.rules.shapes import Ndim, SameShape
from adaptor.codegen.rules.terms import Number

SETS = {"floating": ("float32", "float64"), "integral": ("int8", "uint8")}
ROOT = Path(__file__).resolve().parents[2]
NAMES = sorted(p.name for p in headers.INCLUDE_DIR.glob("*.h"))
COMPILERS = (
    ("gcc", "-std=c99", "c"),
    ("clang", "-std=c99", "c"),
    ("g++", "-std=c++11", "c++"),
    ("clang++", "-std=c++11", "c++"),
    ("g++", "-std=c++20", "c++"),
)

MORE_WARNINGS = {("gcc", "c"): ["-Wstrict-prototypes"], ("clang", "c"): ["-Wstrict-prototypes", "-Wdocumentation"]}


@pytest.fixture(scope="module")
def registry() -> Registry:
    return load_registry()


def check(out: Path) -> tuple[int, str]:
    """The exit code and messages of the check of the headers in the folder `out`."""
    done = subprocess.run(
        [sys.executable, "-m", "adaptor.codegen.headers", "--check", "--out", str(out)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stderr


def test_checked_in_headers_are_current() -> None:
    assert check(headers.INCLUDE_DIR) == (0, "")


def test_stale_missing_and_orphan_headers_are_found(tmp_path: Path) -> None:
    out = Path(shutil.copytree(headers.INCLUDE_DIR, tmp_path / "diopi"))
    (out / "functions.h").write_text((out / "functions.h").read_text() + "\n", encoding="utf-8")
    (out / "functions_ext.h").unlink()
    (out / "functions_old.h").write_text("", encoding="utf-8")
    code, messages = check(out)
    assert code == 1
    assert sorted(messages.split()) == sorted(
        ["missing:", "functions_ext.h", "orphan:", "functions_old.h", "stale:", "functions.h"]
    )


def test_emission_does_not_depend_on_hash_order() -> None:
    script = (
        "from adaptor.codegen import headers; from adaptor.codegen.model import load_registry; import hashlib;"
        "print(hashlib.sha256(repr(headers.emit(load_registry())).encode()).hexdigest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", script],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("compiler", "standard", "language"), COMPILERS)
def test_each_header_compiles_by_itself(compiler: str, standard: str, language: str, name: str, tmp_path: Path) -> None:
    source = tmp_path / "alone"
    source.write_text(f"#include <diopi/{name}>\nint unused_variable_of_this_file;\n", encoding="utf-8")
    flags = ["-pedantic", "-Wall", "-Wextra", "-Werror", *MORE_WARNINGS.get((compiler, language), [])]
    command = [compiler, standard, *flags, "-fsyntax-only", f"-I{headers.INCLUDE_DIR.parent}", "-x", language]
    done = subprocess.run([*command, str(source)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_lines_fit(registry: Registry) -> None:
    for name, text in headers.emit(registry).items():
        for number, line in enumerate(text.splitlines(), 1):
            assert len(line) <= WIDTH, f"{name}:{number}"


def test_comment_documents_summary_and_every_parameter(registry: Registry) -> None:
    for function in registry.functions.values():
        lines = comment(function, registry.dtype_sets)
        assert function.summary.split()[0] in lines
        for param in function.params:
            if param.name:
                assert re.search(rf"@param\[{TAGS[param.dir]}\] +{param.name}\b", lines), (function.name, param.name)


def test_parameter_without_a_name_stays_so_and_is_documented(registry: Registry) -> None:
    function = registry.functions["diopiGetTensorDataConst"]
    assert prototype(function, "DIOPI_RT_API") == (
        "DIOPI_RT_API diopiError_t diopiGetTensorDataConst(diopiConstTensorHandle_t th, const void**);"
    )
    assert " * Parameter 2, out, has no name: receives the address" in comment(function, registry.dtype_sets)


@pytest.mark.parametrize(
    ("param", "text"),
    [
        (Param("x", "diopiConstTensorHandle_t", "in", nullable=True), "may be null"),
        (Param("x", "diopiConstTensorHandle_t", "in", nullable=True, doc="null: one"), "null: one"),
        (Param("x", "diopiTensorHandle_t", "out", dtypes=("float32", "bool")), "float32, bool"),
        (
            Param("x", "diopiTensorHandle_t", "out", dtypes=("int8", "bool", "float32", "float64")),
            "floating, int8, bool",
        ),
        (
            Param("x", "diopiTensorHandle_t *", "out", allocates=True, dtype_as="y"),
            "created by the callee; of the dtype of `y`",
        ),
        (
            Param("x", "diopiTensorHandle_t *", "out", allocates=True, length=2),
            "list of 2 tensors; created by the callee",
        ),
        (
            Param("x", "diopiConstTensorHandle_t *", "in", count="n", element_nullable=True),
            "list of `n` tensors; entries may be null",
        ),
        (Param("x", "diopiGeneratorHandle_t *", "inout", count="n"), "list of `n` generators"),
        (Param("ctx", "diopiContextHandle_t", "attr"), "context of the call"),
        (Param("dim", "const int64_t *", "attr"), "integer"),
        (Param("reduction", "diopiReduction_t", "attr"), "diopiReduction_t"),
    ],
)
def test_parameter_text(param: Param, text: str) -> None:
    assert param_text(param, SETS) == text


def test_contract_is_documented_in_order_and_shared_parts_by_reference() -> None:
    fields = {key: f"the {key}" for key in CONTRACT_FIELDS if key != "checks"}
    rules = SameShape(("out", "b")), Ndim(of="out", min=Number(1))
    checks = tuple(Check(rule, function="diopiF") for rule in rules)
    params = (Param("out", "diopiTensorHandle_t", "out"),)
    first = Function("diopiF", "f", "functions.h", "diopiError_t", True, "Does f.", params, fields, fields)
    first = replace(first, own_checks=checks)
    full = comment(first, SETS)
    places = [full.index(f" * - {key}:") for key in CONTRACT_FIELDS]
    assert places == sorted(places)
    assert " * - checks:\n *   - out and b must have the same shape. [diopiF-out-same-shape]\n" in full
    assert " *   - out must have at least 1 dimension. [diopiF-out-ndim]\n" in full
    own = {"notes": "in place"}
    second = Function("diopiG", "f", "functions.h", "diopiError_t", True, "Does g.", params, fields, own, "diopiF")
    short = comment(second, SETS)
    assert short.endswith(" *\n * As diopiF, except:\n * - notes: in place\n */")


def test_long_declaration_is_wrapped_and_aligned(registry: Registry) -> None:
    lines = prototype(registry.functions["diopiBatchNorm"], "DIOPI_API").splitlines()
    column = len("DIOPI_API diopiError_t diopiBatchNorm(")
    assert len(lines) == 5
    assert all(line[:column].strip() == "" and line[column] != " " for line in lines[1:])


def test_operator_table_is_current_and_found_out_when_stale(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "adaptor.codegen.reference", "--check"]
    assert subprocess.run(command, cwd=ROOT, check=False).returncode == 0
    stale = tmp_path / "operators.md"
    stale.write_text("old", encoding="utf-8")
    done = subprocess.run([*command, "--out", str(stale)], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "stale: operators.md\n")
