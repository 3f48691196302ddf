# SPDX-License-Identifier: BSD-3-Clause
"""Tests the comparison of sorts: what the program prints becomes the record, and nvcc compiles it with CUB."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from bench import device  # noqa: F401  (puts the judge's package on the module path)
from bench.sort_candidate import PROGRAM, STAND_IN, compare_sorts, read_lines, summary
from conformance import REPOSITORY
from conformance.chip.machine_code import MissingTool, find_tool

FOLDER = Path("diopi_test/benchmark/cuda_sort")
KERNELS = Path("impl/cuda/kernels")


def lines(version: int, *cases: tuple[int, int, float, float, bool, bool]) -> str:
    texts = [
        json.dumps({"bits": bits, "n": n, "diopi": ours, "cub": cub, "right": [ours_right, cub_right]})
        for bits, n, ours, cub, ours_right, cub_right in cases
    ]
    return "\n".join([json.dumps({"cub": version}), *texts]) + "\n"


def program(folder: Path, text: str) -> Path:
    (folder / "bin").mkdir()
    path = folder / "bin" / PROGRAM
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return folder


def test_ratios_are_those_of_each_width():
    text = lines(
        300102, (8, 1024, 2e-5, 4e-5, True, True), (8, 4096, 4e-5, 2e-5, True, True), (64, 9, 1, 3, True, True)
    )
    sorts = read_lines(text)
    assert (sorts["cub"], sorts["wrong"]) == ("3.1.2", [])
    assert sorts["widths"]["8"]["geometric_mean"] == pytest.approx(1.0)
    assert sorts["widths"]["8"]["lengths"]["1024"] == {"diopi": 2e-5, "cub": 4e-5, "ratio": pytest.approx(2.0)}
    assert sorts["widths"]["64"]["geometric_mean"] == pytest.approx(3.0)
    assert "  keys of 8 bits: geometric mean 1.00; 4096 keys: 40 us, CUB 20 us" in summary(sorts)


def test_a_wrong_order_has_no_ratio_and_is_named():
    sorts = read_lines(lines(0, (16, 50, 1, 2, False, True), (16, 60, 1, 2, True, False)))
    assert sorts["cub"] == STAND_IN
    assert sorts["wrong"] == ["diopi: 50 keys of 16 bits", "cub: 60 keys of 16 bits"]
    assert sorts["widths"]["16"]["geometric_mean"] is None and "ratio" not in sorts["widths"]["16"]["lengths"]["50"]
    assert summary(sorts)[-1] == "  wrong order: cub: 60 keys of 16 bits"


@pytest.mark.parametrize("emulated", [False, True])
def test_the_program_gets_samples_and_lengths(tmp_path, emulated):
    text = lines(0, (8, 5, 1, 2, True, True))
    build = program(tmp_path, f"echo $* > {tmp_path}/words; cat <<'X'\n{text}X")
    assert compare_sorts(build, emulated, 60)["widths"]["8"]["geometric_mean"] == pytest.approx(2.0)
    words = (tmp_path / "words").read_text().split()
    assert words == (["1", "1024", "3000"] if emulated else ["25", "1024", "16384", "262144", "4194304", "33554432"])


def test_an_order_that_is_wrong_ends_the_program_with_1(tmp_path):
    build = program(tmp_path, f"cat <<'X'\n{lines(0, (8, 5, 1, 2, False, True))}X\nexit 1")
    assert compare_sorts(build, False, 60)["wrong"] == ["diopi: 5 keys of 8 bits"]


@pytest.mark.parametrize(
    ("text", "seconds", "reason"),
    [
        (None, 60, "CUB was not installed when the bench was built"),
        ("exit 0", 0, "the time is over"),
        ("echo 'error: no GPU' >&2; exit 3", 60, f"{PROGRAM} ended with 3: error: no GPU"),
        ("exec sleep 600", 0.5, f"{PROGRAM} did not end within 0 seconds"),
    ],
)
def test_what_cannot_be_measured_is_said(tmp_path, text, seconds, reason):
    build = tmp_path if text is None else program(tmp_path, text)
    sorts = compare_sorts(build, False, seconds)
    assert sorts == {"not_measured": reason}
    assert summary(sorts) == [f"sorts were not compared with CUB: {reason}"]


def find_cub() -> str:
    """Empty, or why the program cannot be compiled."""
    try:
        nvcc = find_tool("nvcc")
    except MissingTool as error:
        return str(error)
    source = "#if !__has_include(<cub/device/device_radix_sort.cuh>)\n#error\n#endif\n"
    run = subprocess.run([str(nvcc), "-x", "cu", "-E", "-"], input=source, capture_output=True, text=True, check=False)
    return "CUB is not installed" if run.returncode else ""


@pytest.mark.skipif(bool(find_cub()), reason=find_cub() or "nothing is missing")
def test_nvcc_compiles_the_program(tmp_path):
    """On a machine without a GPU it says so."""
    flags = (REPOSITORY / "impl/cuda/nvcc_flags.txt").read_text(encoding="utf-8").split()
    flags += ["-I.", "-Iproto/include", "-DDIOPI_VENDOR=cuda", "-arch=sm_90", "--threads", "2"]
    flags += ["-Werror", "all-warnings", "-Xcompiler", "-Wall,-Werror,-ffp-contract=off"]
    kernels = [KERNELS / name for name in ("sort/radix.cu", "sort/in_block.cu", "scan/scan.cu")]
    sources = [*(REPOSITORY / FOLDER).glob("*.cu"), FOLDER / "main.cpp", *kernels]
    command = [str(word) for word in (find_tool("nvcc"), *flags, *sources, "-o", tmp_path / PROGRAM)]
    subprocess.run(command, cwd=REPOSITORY, check=True)
    wrong_use = subprocess.run([tmp_path / PROGRAM], capture_output=True, text=True, check=False)
    assert wrong_use.returncode == 2 and "usage" in wrong_use.stderr
    if not Path("/proc/driver/nvidia").exists():
        run = subprocess.run([tmp_path / PROGRAM, "1", "100"], capture_output=True, text=True, check=False)
        assert run.returncode == 3 and run.stderr.startswith("error: cudaEventCreate failed")
