# SPDX-License-Identifier: BSD-3-Clause
"""Tests `fallback` of a vendor's convert_config.yaml, and what the entries are generated from it."""

from __future__ import annotations

from pathlib import Path

import pytest

from adaptor.codegen.capabilities import Capability, capabilities
from adaptor.codegen.config import VendorConfig, load_config
from adaptor.codegen.entries import emit
from adaptor.codegen.fallback import dtype_tests, host_call, is_configured
from adaptor.codegen.model import ConfigError, Registry, load_registry
from adaptor.codegen.symbols import VendorSymbols


@pytest.fixture(scope="module")
def registry() -> Registry:
    return load_registry()


def read(tmp_path: Path, registry: Registry, text: str) -> VendorConfig:
    path = tmp_path / "convert_config.yaml"
    path.write_text(text, encoding="utf-8")
    return load_config(path, registry)


def symbols(*names: str) -> VendorSymbols:
    return VendorSymbols(functions=set(names))


def test_cpu_means_every_operator(tmp_path: Path, registry: Registry) -> None:
    config = read(tmp_path, registry, "- fallback: cpu\n")
    assert all(config.falls_back(f.name) for f in registry.operators)
    assert not any(config.always_falls_back(f.name) for f in registry.operators)
    assert config.host_dtypes("diopiAdd") == ()


def test_names_patterns_and_dtypes(tmp_path: Path, registry: Registry) -> None:
    text = """\
- fallback:
    - {operator: diopiSort}
    - {operator: ["diopiConvolution*", diopiAdd], dtypes: float64}
    - {operator: diopiMul, always: true}
"""
    config = read(tmp_path, registry, text)
    assert config.falls_back("diopiSort")
    assert config.falls_back("diopiConvolution2dBackward")
    assert not config.falls_back("diopiSub")
    assert config.host_dtypes("diopiAdd") == ("float64",)
    assert config.always_falls_back("diopiMul")
    assert not config.always_falls_back("diopiAdd")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- fallback: gpu\n", "must be 'cpu' or a list"),
        ("- fallback: []\n", "must be 'cpu' or a list"),
        ("- fallback: [{operator: diopiSoftmux}]\n", "no operator of the contract matches 'diopiSoftmux'"),
        ("- fallback: [{operator: diopiAdd, dtypes: float33}]\n", "unknown dtype 'float33'"),
        ("- fallback: [{operators: diopiAdd}]\n", "operators"),
    ],
)
def test_mistakes(tmp_path: Path, registry: Registry, text: str, message: str) -> None:
    with pytest.raises(ConfigError, match="convert_config.yaml:1") as caught:
        read(tmp_path, registry, text)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "configured"),
    [
        ("- fallback: cpu\n", True),
        ("  - fallback: cpu\n", True),
        ("[{fallback: cpu}]\n", True),
        ('- "fallback": cpu\n', True),
        ("- common_config: {layout: NCHW}\n  fallback: cpu\n", True),
        ("-\n  fallback:\n    - {operator: diopiSort}\n", True),
        ("# - fallback: cpu\n", False),
        ("- unsupported:\n    - {operator: diopiSort, dtypes: bool, reason: '- fallback: cpu'}\n", False),
        ("", False),
    ],
)
def test_every_spelling_of_fallback_is_found(tmp_path: Path, registry: Registry, text: str, configured: bool) -> None:
    assert bool(read(tmp_path, registry, text).fallback) == configured
    assert is_configured(tmp_path / "convert_config.yaml") == configured


def test_call_of_an_operator_with_lists_and_results(registry: Registry) -> None:
    call = host_call(registry.functions["diopiIndex"])
    assert call is not None
    assert call.announce == [
        'DIOPI_TRY(call.create("out", out, 1));',
        'DIOPI_TRY(call.read("input", input));',
        'DIOPI_TRY(call.read("indices", indices, nums));',
    ]
    assert call.arguments == ["call.context()", "call.results(0)", "call.tensor(1)", "call.const_list(2)", "nums"]
    assert call.deliver == ["call.deliver(0, out);"]


def test_outputs_that_some_calls_leave_as_they_are(registry: Registry) -> None:
    norm, align = (host_call(registry.functions[name]) for name in ("diopiBatchNorm", "diopiRoiAlignMmcv"))
    assert norm is not None and align is not None
    condition = "training == true && diopi::numel_of(input) >= 1"
    assert f'DIOPI_TRY(call.write_if({condition}, "save_mean", save_mean));' in norm.announce
    assert 'DIOPI_TRY(call.write_if(pool_mode != 1, "argmax_x", argmax_x));' in align.announce


def test_every_operator_with_a_context_has_a_call(registry: Registry) -> None:
    without = [f.name for f in registry.operators if host_call(f) is None]
    assert without == ["diopiGetVendorName", "diopiGetImplVersion", "diopiGetLastErrorString"]


def test_dtypes_that_the_vendor_refuses_go_to_the_host(tmp_path: Path, registry: Registry) -> None:
    text = """\
- fallback: [{operator: diopiAdd, dtypes: float64}]
- unsupported:
    - {operator: [diopiAdd, diopiMul], parameter: input, dtypes: int64, reason: no such arithmetic}
"""
    config = read(tmp_path, registry, text)
    float64, int64 = (1 << registry.dtypes[d] for d in ("float64", "int64"))
    masks = {t.param: t.mask for t in dtype_tests(registry.functions["diopiAdd"], config, registry)}
    assert masks == {"out": float64, "input": float64 | int64, "other": float64}
    assert dtype_tests(registry.functions["diopiMul"], config, registry) == []


def test_capabilities(tmp_path: Path, registry: Registry) -> None:
    text = """\
- common_config: {dtype: (int64)->int32}
- fallback: [{operator: [diopiAdd, diopiSort], dtypes: float64}]
"""
    config = read(tmp_path, registry, text)
    found = {(c.function, c.parameter): c for c in capabilities(registry, symbols("diopiAdd", "diopiMul"), config)}

    def answer(capability: Capability, dtype: str) -> str:
        bit = 1 << registry.dtypes[dtype]
        masks = (("native", capability.native), ("converted", capability.converted), ("host", capability.on_host))
        return "".join(name for name, mask in masks if mask & bit) or "none"

    add, mul, sort = (found[name, "input"] for name in ("diopiAdd", "diopiMul", "diopiSort"))
    assert [answer(add, d) for d in ("float32", "int64", "float64")] == ["native", "converted", "host"]
    assert [answer(mul, d) for d in ("float32", "int64", "float64")] == ["native", "converted", "native"]
    assert [answer(sort, d) for d in ("float32", "int64", "float64")] == ["host", "host", "host"]
    assert add.main
    assert ("diopiSub", "input") not in found


def test_entries(tmp_path: Path, registry: Registry) -> None:
    config = read(tmp_path, registry, "- fallback: [{operator: [diopiAdd, diopiMul]}]\n")
    texts = emit(registry, "x", symbols("diopiAdd", "diopiSub"), config, 1)
    entries = texts["entries_0.cpp"]
    assert "if (status != diopiForceFallbackToCPU) return entry.complete(status);" in entries
    assert "diopiMulOnHost(ctx, out, input, other, diopi::fallback::kAbsent)" in entries
    assert "diopiSubOnHost" not in entries
    assert "    diopiSupports;\n" in texts["exports.map"]
    assert "    diopiGetFallbacks;\n" in texts["exports.map"]
    assert "DIOPI_TRY(diopi::fallback::check_setting());" in entries
    plain = emit(registry, "x", symbols("diopiAdd"), None, 1)
    assert "OnHost" not in plain["entries_0.cpp"]
    assert "fallback" not in plain["entries_0.cpp"] + plain["capabilities.cpp"]
    assert "diopiGetLastErrorString(void) { return diopi::last_error(); }" in plain["entries_0.cpp"]
    assert '{"diopiAdd", "input", true, ' in plain["capabilities.cpp"]
    assert "    diopiSupports;\n" in plain["exports.map"]
    assert "diopiGetFallbacks" not in plain["exports.map"]
