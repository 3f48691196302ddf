# SPDX-License-Identifier: BSD-3-Clause
"""Tests that a vendor's functions are found in compiled objects, and that wrong functions are refused."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from adaptor.codegen import declarations
from adaptor.codegen.model import Registry, load_registry
from adaptor.codegen.symbols import SymbolError, demangled, demangled_type, read_vendor

ROOT = Path(__file__).resolve().parents[2]
COMPILER = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
INIT = "int32_t init_library() { return 0; }\n"
ADD = """diopiError_t diopiAdd(diopiContextHandle_t, diopiTensorHandle_t, diopiConstTensorHandle_t,
                                diopiConstTensorHandle_t, const diopiScalar_t*) { return diopiSuccess; }\n"""


@pytest.fixture(scope="module")
def registry() -> Registry:
    return load_registry()


def compile_vendor(tmp_path: Path, body: str) -> tuple[subprocess.CompletedProcess[str], Path]:
    """Compiles `body` inside namespace impl::x, as the build does."""
    assert COMPILER is not None, "no C++ compiler"
    header, source, target = tmp_path / "vendor_functions.hpp", tmp_path / "x.cpp", tmp_path / "x.o"
    header.write_text(declarations.emit("x"), encoding="utf-8")
    source.write_text(f"namespace impl::x {{\n{body}\n}}\n", encoding="utf-8")
    command = [
        COMPILER,
        "-std=c++17",
        "-c",
        "-I",
        str(ROOT / "proto" / "include"),
        "-include",
        str(header),
        str(source),
        "-o",
        str(target),
    ]
    return subprocess.run(command, check=False, capture_output=True, text=True), target


def vendor_object(tmp_path: Path, body: str) -> Path:
    result, target = compile_vendor(tmp_path, body)
    assert result.returncode == 0, result.stderr
    return target


def test_finds_functions_and_hooks(tmp_path: Path, registry: Registry) -> None:
    body = INIT + ADD + "int helper() { return 1; }\nnamespace { void diopiInner() {} }\n"
    symbols = read_vendor(registry, "x", [vendor_object(tmp_path, body)])
    assert symbols.functions == {"diopiAdd"}
    assert (symbols.init, symbols.finalize) == ("impl::x::init_library", "")


def test_a_variable_of_another_source_is_defined(tmp_path: Path, registry: Registry) -> None:
    body = INIT + ADD + "extern bool chosen; int helper() { return chosen; }\nbool chosen = helper() == 0;\n"
    assert read_vendor(registry, "x", [vendor_object(tmp_path, body)]).functions == {"diopiAdd"}
    with pytest.raises(SymbolError, match="impl::x::chosen is called but not defined"):
        read_vendor(registry, "x", [vendor_object(tmp_path, body.replace("bool chosen = helper() == 0;", ""))])


def test_every_operator_is_found_when_it_is_defined(tmp_path: Path, registry: Registry) -> None:
    body = INIT + "".join(
        f"{f.returns} {f.name}({', '.join(p.type for p in f.params)}) {{ return {{}}; }}\n" for f in registry.operators
    )
    symbols = read_vendor(registry, "x", [vendor_object(tmp_path, body)])
    assert symbols.functions == {f.name for f in registry.operators}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            INIT + ADD.replace("const diopiScalar_t*", "diopiScalar_t*"),
            "the parameters of impl::x::diopiAdd differ from the contract (binary.yaml:",
        ),
        (
            INIT + ADD.replace("const diopiScalar_t*", "double"),
            "contract impl::x::diopiAdd(diopiContext*, diopiTensor*, "
            "diopiTensor const*, diopiTensor const*, diopiScalar_t const*)",
        ),
        (
            INIT + "diopiError_t diopiAddd() { return diopiSuccess; }",
            "impl::x::diopiAddd() is not an operator of the contract "
            "(the name of a helper must not begin with diopi); did you mean 'diopiAdd'?",
        ),
        (INIT + "diopiError_t diopiGetStream() { return diopiSuccess; }", "is not an operator of the contract"),
        (
            INIT + "int32_t missing(); int32_t caller() { return missing(); }",
            "impl::x::missing() is called but not defined",
        ),
        (ADD, "defines neither impl::x::init_library() nor a C function initLibrary()"),
    ],
)
def test_what_does_not_fit_is_named(tmp_path: Path, registry: Registry, body: str, message: str) -> None:
    with pytest.raises(SymbolError) as caught:
        read_vendor(registry, "x", [vendor_object(tmp_path, body)])
    assert message in str(caught.value)


RELU = "diopiError_t diopiRelu(diopiContextHandle_t, diopiTensorHandle_t, diopiConstTensorHandle_t) { return {}; }"


@pytest.mark.parametrize(
    ("namespace", "symbol"),
    [
        ('extern "C++"', "diopiRelu(diopiContext*, diopiTensor*, diopiTensor const*)"),
        ('extern "C"', "diopiRelu"),
        ("namespace x", "x::diopiRelu(diopiContext*, diopiTensor*, diopiTensor const*)"),
        ("namespace impl::y", "impl::y::diopiRelu(diopiContext*, diopiTensor*, diopiTensor const*)"),
        ("namespace impl::x::inner", "impl::x::inner::diopiRelu(diopiContext*, diopiTensor*, diopiTensor const*)"),
    ],
)
def test_an_operator_outside_of_the_namespace_is_named(
    tmp_path: Path, registry: Registry, namespace: str, symbol: str
) -> None:
    target = vendor_object(tmp_path, f"{INIT}}}\n{namespace} {{ {RELU} }}\nnamespace impl::x {{")
    with pytest.raises(SymbolError) as caught:
        read_vendor(registry, "x", [target])
    message = f"{symbol} is defined in {target.with_suffix('')}, but the build looks for operators in namespace impl::x"
    assert message in str(caught.value)


def test_an_operator_in_a_source_without_declarations_is_named(tmp_path: Path, registry: Registry) -> None:
    objects = tmp_path / "x.dir" / "kernels" / "k.cpp.o"
    objects.parent.mkdir(parents=True)
    vendor_object(tmp_path, INIT + RELU).rename(objects)
    assert read_vendor(registry, "x", [objects], checked={"kernels/k.cpp"}).functions == {"diopiRelu"}
    message = "impl::x::diopiRelu is defined in kernels/k.cpp, where its return type is not checked"
    with pytest.raises(SymbolError, match=message):
        read_vendor(registry, "x", [objects], checked={"k.cpp", "functions/k.cpp"})


def test_a_wrong_return_type_does_not_compile(tmp_path: Path) -> None:
    result, _ = compile_vendor(tmp_path, ADD.replace("diopiError_t", "int"))
    assert result.returncode != 0
    assert "diopiAdd" in result.stderr


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("diopiConstTensorHandle_t", "diopiTensor const*"),
        ("diopiTensorHandle_t *", "diopiTensor**"),
        ("diopiConstTensorHandle_t *", "diopiTensor const**"),
        ("const diopiConstTensorHandle_t", "diopiTensor const*"),
        ("const char *", "char const*"),
        ("const int64_t *", "long const*"),
        ("const double", "double"),
        ("const bool *", "bool const*"),
        ("diopiSize_t", "diopiSize_t"),
        ("void *", "void*"),
    ],
)
def test_demangled_type(kind: str, expected: str) -> None:
    assert demangled_type(kind) == expected


def test_demangled_without_parameters(registry: Registry) -> None:
    assert demangled(registry.functions["diopiGetVendorName"], "x") == "impl::x::diopiGetVendorName()"
