# SPDX-License-Identifier: BSD-3-Clause
"""Tests each candidate (implementation) of an operator of the CPU vendor, not only the candidate that is chosen.

DIOPI_CANDIDATES_PART=2/2 judges the second half of the cases only; scripts/test.sh sets it.
"""

from __future__ import annotations

import hashlib
import math
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import RUN_TEST

from adaptor.codegen.model import load_registry
from conformance.placement import row_major
from conformance.run.binding import Runtime, default_library, default_runtime
from conformance.run.buffers import Buffer

PRODUCTS = ("Mm", "Bmm", "diopiMatmul", "MatmulBackward", "Addmm", "Baddbmm", "BaddbmmInp", "Linear", "LinearBackward")
CONVOLUTIONS = ("Convolution2d", "Convolution2dBackward", "Convolution3d", "Convolution3dBackward")
INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
COMPLEX = ("complex64", "complex128")
WIDE = ("float64", *COMPLEX)
PART = os.environ.get("DIOPI_CANDIDATES_PART", "1/1")

pytestmark = pytest.mark.skipif(not default_library().exists(), reason="the CPU vendor is not built")


def judge(
    names: tuple[str, ...], without: tuple[str, ...], shard: str = "1/1", **environment: str
) -> subprocess.CompletedProcess[str]:
    command = [*RUN_TEST, "--quick", "--max_failures", "100000", "--shard", shard, "--fname", *names]
    command += ["--filter_dtype", *without] if without else []
    return subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, check=False)


def wrong_cases(result: subprocess.CompletedProcess[str], but: str = "") -> list[str]:
    """The failed cases, except those that the forced candidate declined and those whose output matches `but`."""
    blocks = re.split(r"^(?=FAIL )", result.stdout, flags=re.MULTILINE)[1:]
    return [b for b in blocks if ", which declines: " not in b and not (but and re.match(but, b))]


@pytest.mark.parametrize(
    "name,without",
    [
        ("small", INTEGERS + COMPLEX),
        ("onednn", INTEGERS + WIDE),
        ("few_rows", INTEGERS + COMPLEX),
        ("goto", INTEGERS + COMPLEX),
        ("openblas", INTEGERS),
        ("reference", ()),
    ],
)
def test_each_matrix_product_is_right(name: str, without: tuple[str, ...]) -> None:
    result = judge(PRODUCTS, without, PART, DIOPI_CPU_MATMUL=name)
    # oneDNN uses the processor's bfloat16 instructions, which treat denormal numbers as zero.
    but = r"FAIL \S+hostile_special\S*/bfloat16/" if name == "onednn" else ""
    assert "operators judged" in result.stdout, result.stderr[-4000:]
    assert wrong_cases(result, but) == []


@pytest.mark.parametrize(
    "name,without",
    [("onednn", INTEGERS + WIDE), ("1x1", INTEGERS + WIDE), ("patches", INTEGERS + WIDE), ("im2col", ())],
)
def test_each_convolution_is_right(name: str, without: tuple[str, ...]) -> None:
    result = judge(CONVOLUTIONS, without, PART, DIOPI_CPU_CONV=name)
    assert "operators judged" in result.stdout, result.stderr[-4000:]
    assert wrong_cases(result) == []


# The operators that use the engine of attention.
ATTENTION = ("family:attention", "diopiContextAttentionInference", "diopiFusedContextAttentionInp")


def digests_of_attention(amx: str, file: Path) -> set[str]:
    environment = {**os.environ, "DIOPI_CPU_AMX": amx}
    command = [*RUN_TEST, "--quick", "--fname", *ATTENTION, "--filter_dtype", "float16", "float32", "float64"]
    command += ["--digests", str(file)]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if "DIOPI_CPU_AMX = emulated needs AVX-512" in result.stderr:
        pytest.skip("this processor has no AVX-512")
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-4000:]
    return set(file.read_text().splitlines())


def test_attention_is_right_with_and_without_amx(tmp_path: Path) -> None:
    emulated = digests_of_attention("emulated", tmp_path / "emulated")
    off = digests_of_attention("off", tmp_path / "off")
    assert len(emulated) == len(off) > 500
    assert len(emulated - off) > 100, "the forms for AMX did not run"


def attention_of_two_keys(query: float, key: float, value: float) -> float:
    """The result for the scores 0 and query * key, and the values 0 and `value`."""
    runtime = Runtime(load_registry(), default_runtime(), default_library())
    shapes = {"q": (1, 40, 1, 1), "k": (1, 2, 1, 1), "v": (1, 2, 1, 1), "attention_out": (1, 40, 1, 1)}
    tensors = {name: Buffer("bfloat16", row_major(shape)) for name, shape in shapes.items()}
    tensors["q"].array[...] = query
    tensors["k"].array[0, :, 0, 0] = [0, key]
    tensors["v"].array[0, :, 0, 0] = [0, value]
    arguments = {"p_dropout": 0.0, "softmax_scale": 1.0, "is_causal": False, "window_size_left": -1}
    arguments |= {"window_size_right": -1, "gen": None, "alibi_slopes": None}
    arguments |= {**tensors, "softmax_lse": Buffer("float32", row_major((1, 1, 40)))}
    outcome = runtime.call(runtime.registry.functions["diopiFlashAttention"], arguments)
    assert outcome.code == "diopiSuccess", outcome
    return float(tensors["attention_out"].array[0, 0, 0, 0])


def test_subnormal_and_nan_weights_count_with_amx() -> None:
    """The matrix unit takes subnormal numbers for 0. The weight of an infinite score is NaN."""
    command = [sys.executable, __file__, "attention"]
    environment = {**os.environ, "DIOPI_CPU_AMX": "emulated", "PYTHONPATH": os.pathsep.join(sys.path)}
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if "DIOPI_CPU_AMX = emulated needs AVX-512" in result.stderr:
        pytest.skip("this processor has no AVX-512")
    subnormal, nan = (float(word) for word in result.stdout.split())
    assert subnormal == pytest.approx(math.exp(-88.5) * 1e38, rel=2**-7)
    assert math.isnan(nan)


def test_an_unknown_use_of_amx_is_refused() -> None:
    result = judge(("Mm",), (), DIOPI_CPU_AMX="perhaps")
    assert result.returncode == 4
    assert "DIOPI_CPU_AMX = perhaps is neither off nor emulated" in result.stdout + result.stderr


def test_a_forced_candidate_says_why_it_declines() -> None:
    result = judge(("Mm",), (), DIOPI_CPU_MATMUL="openblas")
    assert result.returncode == 1
    assert "DIOPI_CPU_MATMUL = openblas, which declines: OpenBLAS has float32, float64 and complex" in result.stdout


def test_an_unknown_candidate_is_an_error_that_names_the_known_ones() -> None:
    result = judge(("Mm",), (), DIOPI_CPU_MATMUL="magic")
    assert result.returncode == 1
    assert "DIOPI_CPU_MATMUL = magic is none of small, reference, few_rows, onednn, goto, openblas" in result.stdout


def filled(dtype: str, shape: tuple[int, ...], rng: np.random.Generator, transposed: bool = False) -> Buffer:
    order = tuple(reversed(range(len(shape)))) if transposed else None
    buffer = Buffer(dtype, row_major(shape, order))
    buffer.array[...] = rng.normal(size=shape).astype(buffer.array.dtype)
    return buffer


def digest_of_products(runtime: Runtime, rng: np.random.Generator, digest: Any) -> None:
    """Adds the results of products to the digest. A library might divide their sums among threads."""
    for m, n, k in (
        (1, 1, 50000),
        (2, 7, 2048),
        (64, 64, 5000),
        (7, 200, 3000),
        (200, 130, 1100),
        (768, 2, 1536),
        (300, 600, 2200),
        (2, 3, 40000),
        (60, 50, 40000),
    ):
        for dtype in ("float32", "bfloat16", "float16", "float64", "complex64"):
            a, b = filled(dtype, (m, k), rng, transposed=True), filled(dtype, (k, n), rng)
            out = Buffer(dtype, row_major((m, n)))
            outcome = runtime.call(runtime.registry.functions["diopiMm"], {"out": out, "input": a, "mat2": b})
            assert outcome.code == "diopiSuccess", outcome
            digest.update(out.array.tobytes())


def digest_of_layers(runtime: Runtime, rng: np.random.Generator, digest: Any) -> None:
    """Adds the results of layers with long sums over packed rows of both operands, in blocks of columns."""
    for m, n, k in ((40, 700, 2100), (600, 90, 1100), (30, 20, 4100)):
        out = Buffer("float32", row_major((m, n)))
        arguments = {
            "out": out,
            "input": filled("float32", (m, k), rng),
            "weight": filled("float32", (n, k), rng),
            "bias": filled("float32", (n,), rng),
        }
        outcome = runtime.call(runtime.registry.functions["diopiLinear"], arguments)
        assert outcome.code == "diopiSuccess", outcome
        digest.update(out.array.tobytes())


def digest_of_convolutions(runtime: Runtime, rng: np.random.Generator, digest: Any) -> None:
    """Adds the gradients of weights, which are sums over images and positions."""
    for batch, channels, outputs, kernel, extent in (
        (8, 16, 32, 3, 14),
        (1, 64, 64, 3, 20),
        (2, 256, 160, 1, 9),
        (2, 3, 8, 3, 100),
        (2, 5, 6, 1, 130),
    ):
        for dtype in ("float32", "bfloat16", "float64"):
            pad, size = kernel // 2, (batch, outputs, extent, extent)
            x = filled(dtype, (batch, channels, extent, extent), rng)
            w = filled(dtype, (outputs, channels, kernel, kernel), rng)
            results = {
                "grad_input": Buffer(dtype, x.placement),
                "grad_weight": Buffer(dtype, w.placement),
                "grad_bias": Buffer(dtype, row_major((outputs,))),
            }
            arguments = {
                "grad_output": filled(dtype, size, rng),
                "input": x,
                "weight": w,
                "bias_sizes": None,
                "stride": [1, 1],
                "padding": [pad, pad],
                "dilation": [1, 1],
                "groups": 1,
                **results,
            }
            outcome = runtime.call(runtime.registry.functions["diopiConvolution2dBackward"], arguments)
            assert outcome.code == "diopiSuccess", outcome
            for result in results.values():
                digest.update(result.array.tobytes())


def test_sums_are_the_same_bits_for_any_number_of_threads() -> None:
    digests = set()
    for threads in ("1", "2", "3", "8"):
        result = subprocess.run(
            [sys.executable, __file__],
            capture_output=True,
            text=True,
            check=True,
            env={
                **os.environ,
                "OMP_NUM_THREADS": threads,
                "OMP_WAIT_POLICY": "passive",
                "PYTHONPATH": os.pathsep.join(sys.path),
            },
        )
        digests.add(result.stdout.strip())
    assert len(digests) == 1


def print_digest() -> None:
    runtime = Runtime(load_registry(), default_runtime(), default_library())
    rng, digest = np.random.default_rng(7), hashlib.sha256()
    digest_of_products(runtime, rng, digest)
    digest_of_layers(runtime, rng, digest)
    digest_of_convolutions(runtime, rng, digest)
    print(digest.hexdigest())


if __name__ == "__main__":
    if sys.argv[1:] == ["attention"]:
        print(attention_of_two_keys(1, -88.5, 1e38), attention_of_two_keys(10, 3e38, 1))
    else:
        print_digest()
