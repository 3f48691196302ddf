# SPDX-License-Identifier: BSD-3-Clause
"""Tests that the temporary memory of attention grows at most linearly with the length of the sequences."""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adaptor.codegen.model import load_registry
from conformance.placement import row_major
from conformance.run.binding import Runtime, Written, default_library, default_runtime
from conformance.run.buffers import Buffer

HEADS, SIZE = 1, 16
SHORT, GROWTH = 2048, 4
LONG = SHORT * GROWTH
SCORES = LONG * LONG  # the scores of all pairs of a head
BLOCKS = 4 << 20  # bytes of memory whose size does not depend on the length: the blocks of a product

pytestmark = [
    pytest.mark.skipif(not default_runtime().exists() or not default_library().exists(), reason="nothing is built"),
    pytest.mark.skipif("LD_PRELOAD" in os.environ, reason="a sanitizer counts memory itself"),
]


class ContextStatistics(ctypes.Structure):
    """diopirtContextStatistics_t."""

    _fields_ = [
        (name, ctypes.c_int64)
        for name in ("requests", "requested_bytes", "allocations", "live_temporaries", "cached_bytes")
    ]


def filled(shape: tuple[int, ...], dtype: str = "float32", numbers: Any = None) -> Buffer:
    buffer = Buffer(dtype, row_major(shape))
    buffer.array[...] = np.random.default_rng(0).random(shape) if numbers is None else numbers
    return buffer


def flash(length: int) -> dict[str, Any]:
    rows = (1, length, HEADS, SIZE)
    return {
        "attention_out": filled(rows),
        "softmax_lse": filled((1, HEADS, length)),
        **{name: filled(rows) for name in ("q", "k", "v")},
        "p_dropout": 0.0,
        "softmax_scale": 0.25,
        "is_causal": False,
        "window_size_left": -1,
        "window_size_right": -1,
    }


def flash_backward(length: int) -> dict[str, Any]:
    rows = (1, length, HEADS, SIZE)
    return {
        **flash(length),
        **{name: filled(rows) for name in ("grad_q", "grad_k", "grad_v", "grad_output")},
        "softmax_lse": filled((1, HEADS, length), numbers=10.0),
    }


def packed(length: int, make: Callable[[int], dict[str, Any]]) -> dict[str, Any]:
    """The arguments of a call with two packed sequences: one with an eighth of the rows, and one with the others."""
    arguments = make(length)
    for name, value in arguments.items():
        if isinstance(value, Buffer) and name != "softmax_lse":
            arguments[name] = filled((length, HEADS, SIZE))
    limits = np.array([0, length // 8, length])
    most = length - length // 8
    return {
        **arguments,
        "softmax_lse": filled((2, HEADS, most), numbers=10.0),
        "cum_seq_q": filled((3,), "int32", limits),
        "cum_seq_kv": filled((3,), "int32", limits),
        "max_seqlen_q": most,
        "max_seqlen_kv": most,
    }


def prompt(length: int) -> dict[str, Any]:
    width = HEADS * SIZE
    cache = (1, 1, HEADS, length, SIZE)
    return {
        "inoutput": filled((length, width)),
        "qkv_weight": filled((width, 3 * width)),
        "pre_work_size": Written([0]),
        "is_prepared": True,
        "workspace_size": Written([0]),
        "fusion_level": 0,
        "key_cache": filled(cache),
        "value_cache": filled(cache),
        "layer_id": 0,
        "local_head_num": HEADS,
        "local_kv_head_num": HEADS,
        "size_per_head": SIZE,
        "max_seq_len": length,
        "max_q_len": length,
        "max_kv_len": length,
        "rotary_embedding": SIZE,
        "rope_theta": 10000.0,
    }


CALLS: dict[str, Callable[[int], dict[str, Any]]] = {
    "diopiFlashAttention": flash,
    "diopiFlashAttentionBackward": flash_backward,
    "diopiFlashAttentionVarLen": lambda length: packed(length, flash),
    "diopiFlashAttentionVarLenBackward": lambda length: packed(length, flash_backward),
    "diopiFusedContextAttentionInp": prompt,
}


@dataclass(frozen=True)
class Use:
    """The memory of one call, in bytes."""

    requested: int  # temporary memory of the runtime, all requests of the call together
    grown: int  # by how much the call raised the peak of the process


def peak() -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))


def requested(runtime: Runtime) -> int:
    """The bytes that operators have requested from the context so far."""
    statistics = ContextStatistics()
    code = ctypes.CDLL(str(default_runtime())).diopirtGetContextStatistics(
        ctypes.c_void_p(runtime.ctx), ctypes.byref(statistics)
    )
    assert code == 0
    return int(statistics.requested_bytes)


def measure(runtime: Runtime, name: str, length: int) -> Use:
    arguments = CALLS[name](length)
    before, start = requested(runtime), peak()
    outcome = runtime.call(runtime.registry.functions[name], arguments)
    assert outcome.code == "diopiSuccess", outcome.message
    return Use(requested(runtime) - before, peak() - start)


def main(name: str) -> None:
    runtime = Runtime(load_registry(), default_runtime(), default_library())
    uses = [measure(runtime, name, length) for length in (64, SHORT, LONG)]
    print(json.dumps([[use.requested, use.grown] for use in uses]))


@pytest.mark.parametrize("name", CALLS)
def test_temporary_memory_of_attention_grows_at_most_linearly(name: str) -> None:
    result = subprocess.run(
        [sys.executable, __file__, name],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    _, short, long = (Use(*use) for use in json.loads(result.stdout))
    assert 0 < long.requested <= GROWTH * short.requested + BLOCKS, (short, long)
    # Memory that does not come from the runtime counts here, too. Scores of float16 would need twice their number.
    assert long.grown < SCORES // 2, (short, long)


if __name__ == "__main__":
    main(sys.argv[1])
