# SPDX-License-Identifier: BSD-3-Clause
"""Tests that the wheel works in a new environment with NumPy alone."""

from __future__ import annotations

import base64
import csv
import hashlib
import os
import re
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
SYSTEM = re.compile(r"/(ld-linux|lib(c|m|dl|pthread|rt|util|stdc\+\+|gcc_s)[.-])")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    from diopi.locate import find_library

    build = find_library().parents[1]
    out = tmp_path_factory.mktemp("wheel")
    environment = {**os.environ, "DIOPI_WHEEL_COMPRESSION": "1", "DIOPI_PYTHON": sys.executable}
    command = [ROOT / "scripts" / "build_wheel.sh", "--build-dir", build, "--out", out]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (path,) = out.glob("*.whl")
    assert re.search(r"whl: [\d.]+ MB, [\d.]+ MB installed\n$", done.stdout)
    return path


@pytest.fixture(scope="module")
def empty_python(wheel, tmp_path_factory) -> Path:
    """The Python interpreter of a new environment with NumPy and the wheel."""
    folder = tmp_path_factory.mktemp("empty")
    venv.create(folder, with_pip=False, symlinks=True)
    (site,) = folder.glob("lib/python*/site-packages")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    installed = Path(np.__file__).parents[1]
    for name in ("numpy", "numpy.libs"):
        if (installed / name).is_dir():
            (site / name).symlink_to(installed / name)
    return folder / "bin" / "python"


def run(python: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {"PATH": "/usr/bin:/bin", **environment}
    return subprocess.run([python, *arguments], cwd="/", env=clean, capture_output=True, text=True, check=False)


def test_the_record_names_every_file_with_its_hash(wheel):
    with zipfile.ZipFile(wheel) as archive:
        (record,) = (n for n in archive.namelist() if n.endswith(".dist-info/RECORD"))
        rows = {name: (digest, size) for name, digest, size in csv.reader(archive.read(record).decode().splitlines())}
        assert set(rows) == set(archive.namelist())
        for name, (digest, size) in rows.items():
            if name == record:
                continue
            content = archive.read(name)
            expected = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            assert (digest, size) == (f"sha256={expected}", str(len(content)))


def test_the_wheel_has_the_expected_files(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata = archive.read(next(n for n in names if n.endswith("METADATA"))).decode()
    assert re.fullmatch(r"diopi-1\.0\.0-py3-none-manylinux_2_\d+_x86_64\.whl", wheel.name)
    files = ("library.pyi", "py.typed", "digits.csv", "_contract.json", "_docs.json", "layer/aten.json")
    libraries = ("libdiopirt.so", "libdiopi_layer.so", "libdiopi_layer_heap.so", "diopi/libdiopi_host.so")
    for name in (*files, *(f"lib/{file}" for file in libraries)):
        assert f"diopi/{name}" in names
    assert "Requires-Dist: numpy>=1.24\n" in metadata and "License-Expression: BSD-3-Clause" in metadata
    licences = {n.split("/")[2] for n in names if "/licenses/" in n}
    assert {"LICENSE", "digits.md"} < licences
    for library, package in (("dnnl", "libdnnl"), ("openblas", "libopenblas"), ("gomp", "libgomp"), ("hwy", "libhwy")):
        if any(f"lib{library}-diopi-" in n for n in names):
            assert any(licence.startswith(package) for licence in licences), package


def test_the_demonstration_learns_without_the_libraries_of_the_build(empty_python, tmp_path):
    debug = {"LD_DEBUG": "libs", "LD_DEBUG_OUTPUT": str(tmp_path / "log")}
    done = run(empty_python, "-m", "diopi.demo", "--epochs", "4", **debug)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "goal 95 %: reached" in done.stdout
    log = "".join(p.read_text() for p in tmp_path.glob("log.*"))
    loaded = set(re.findall(r"calling init: (\S+)", log))
    ours = {p for p in loaded if "/diopi/lib/" in p}
    assert any("libdnnl-diopi-" in p for p in ours) and all("/site-packages/diopi/lib/" in p for p in ours)
    foreign = {p for p in loaded - ours if not SYSTEM.search(p)}
    assert not {p for p in foreign if re.search(r"dnnl|gomp|hwy|OpenCL|diopi", p)}
    blas = {p for p in foreign if re.search(r"blas|gfortran|quadmath", p)}
    assert all("numpy.libs" in p for p in blas), blas


def test_the_layer_observes_the_demonstration(empty_python, tmp_path):
    out = tmp_path / "found"
    layer = ("-m", "diopi.layer", "--trace", "--level", "1", "--out", str(out), "--")
    done = run(empty_python, *layer, str(empty_python), "-m", "diopi.demo", "--epochs", "1")
    assert done.returncode in (0, 1), done.stderr  # one epoch may miss the goal
    assert re.search(r"diopi-layer: process \d+: \d{3,} calls of \d+ operators, 0 failed", done.stderr), done.stderr
    assert "diopiConvolution2dBackward" in (out / "report.html").read_text(encoding="utf-8")


def test_packages_of_the_build_are_not_needed(empty_python):
    program = (
        "import diopi, importlib.util, sys\n"
        "assert not [m for m in ('yaml', 'jinja2', 'ml_dtypes', 'adaptor') if importlib.util.find_spec(m)]\n"
        "lib = diopi.load()\n"
        "print(lib.softmax.__doc__.splitlines()[0]); print(lib)\n"
        "try: lib.tensor([1], dtype='bfloat16').numpy()\n"
        "except diopi.DtypeError as error: print(error)\n"
    )
    done = run(empty_python, "-c", program)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("Exponentials normalised") and "site-packages/diopi/lib/libdiopi_impl.so" in lines[1]
    assert lines[2] == "NumPy has no bfloat16: install the package ml_dtypes"


def test_a_missing_library_is_an_error(empty_python):
    done = run(empty_python, "-m", "diopi.demo", DIOPI_LIBRARY="/nowhere/lib.so")
    assert done.returncode == 1
    assert done.stderr.startswith("diopi.demo: load: DIOPI_LIBRARY is '/nowhere/lib.so', which is no file")


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (["--help"], 0, "usage: scripts/build_wheel.sh"),
        (["--fast"], 2, "error: unknown option --fast"),
        (["--out"], 2, "error: --out needs a value"),
        (["--jobs", "0"], 2, "error: --jobs needs a positive number"),
        (["--build-dir", "/nowhere"], 1, "error: there is no folder /nowhere"),
        (
            ["--build-dir", "/tmp"],
            1,
            "error: libdiopi_impl.so, libdiopirt.so, libdiopi_layer.so, libdiopi_layer_heap.so are in the folder lib "
            "of none of /tmp",
        ),
    ],
)
def test_the_script_explains_itself(arguments, code, text, tmp_path):
    environment = {**os.environ, "DIOPI_PYTHON": sys.executable}
    out = [] if "--out" in arguments else ["--out", tmp_path]
    command = [ROOT / "scripts" / "build_wheel.sh", *out, *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == code and text in done.stdout + done.stderr
