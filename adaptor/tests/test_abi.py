# SPDX-License-Identifier: BSD-3-Clause
"""Tests that the ABI check accepts the headers, and that it finds and names each kind of change."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from adaptor.codegen import abi_check, abi_exports, abi_golden, compiler_view
from adaptor.codegen.headers import INCLUDE_DIR
from adaptor.codegen.strict_yaml import ConfigError

ROOT = Path(__file__).resolve().parents[2]

# The changes: header, old text, new text, the message of the comparison, and whether the assertions must fail, too. The
# assertions cannot find a changed parameter name, a changed weak attribute, or an addition.
CHANGES = {
    "parameter type": (
        "functions.h",
        "diopiAdd(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input",
        "diopiAdd(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiTensorHandle_t input",
        "diopiAdd: parameter 3 is 'diopiTensorHandle_t input', released as 'diopiConstTensorHandle_t input'",
        True,
    ),
    "narrower integer": (
        "functions.h",
        "diopiConstTensorHandle_t input, int64_t dim);",
        "diopiConstTensorHandle_t input, int32_t dim);",
        "released as 'int64_t dim'",
        True,
    ),
    "order of parameters": (
        "functions.h",
        "diopiTensorHandle_t values, diopiTensorHandle_t indices,",
        "diopiTensorHandle_t indices, diopiTensorHandle_t values,",
        "is 'diopiTensorHandle_t indices'",
        False,
    ),
    "order of types": (
        "functions.h",
        "double p, bool train,",
        "bool train, double p,",
        "diopiDropout: parameter 5 is 'bool train'",
        True,
    ),
    "return type": (
        "functions.h",
        "DIOPI_API const char* diopiGetVendorName",
        "DIOPI_API char* diopiGetVendorName",
        "diopiGetVendorName: returns is 'char *'",
        True,
    ),
    "weak no more": (
        "functions.h",
        "DIOPI_API diopiError_t diopiRelu(",
        "diopiError_t diopiRelu(",
        "diopiRelu: weak is False",
        False,
    ),
    "removed function": (
        "functions.h",
        "DIOPI_API diopiError_t diopiReluInp(diopiContextHandle_t ctx, diopiTensorHandle_t input);",
        "",
        "diopiReluInp: is missing",
        True,
    ),
    "added function": (
        "functions.h",
        "DIOPI_API diopiError_t diopiReluInp(",
        "DIOPI_API diopiError_t diopiNew(diopiContextHandle_t ctx);\nDIOPI_API diopiError_t diopiReluInp(",
        "diopiNew: is declared in functions.h, but not part of a release",
        False,
    ),
    "enum value": (
        "diopirt.h",
        "diopiNoImplement = 13",
        "diopiNoImplement = 15",
        "diopiError_t: value 14 is diopiNoImplement 15, released as diopiNoImplement 13",
        True,
    ),
    "implicit enum value": (
        "diopirt.h",
        "ReductionMean = 1,",
        "ReductionMedian = 1, ReductionMean,",
        "diopiReduction_t: value 2",
        True,
    ),
    "struct field type": (
        "diopirt.h",
        "  int64_t len;",
        "  int32_t len;",
        "diopiSize_t: field 2 is int32_t len 8",
        True,
    ),
    "struct field order": (
        "diopirt.h",
        "  const int64_t* data; /**< may be null where len is 0 */\n  int64_t len;",
        "  int64_t len;\n  const int64_t* data;",
        "diopiSize_t: field 1 is int64_t len 0",
        True,
    ),
    "union member": (
        "diopirt.h",
        "union { double fval; int64_t ival; }",
        "union { float fval; int64_t ival; }",
        "diopiScalar_t: field 2 is float union.fval 8",
        True,
    ),
    "handle": (
        "diopirt.h",
        "typedef struct diopiContext* diopiContextHandle_t;",
        "typedef void* diopiContextHandle_t;",
        "diopiContextHandle_t: type is void *",
        True,
    ),
    "callback": (
        "diopi_register.h",
        "typedef void* (*malloc_func_t)(uint64_t);",
        "typedef void* (*malloc_func_t)(uint32_t);",
        "malloc_func_t: type is void *(*)(uint32_t)",
        True,
    ),
    "version": ("diopirt.h", "#define DIOPI_VER_MINOR 0", "#define DIOPI_VER_MINOR 1", "version is 1.1.0", True),
}


@pytest.fixture
def include(tmp_path: Path) -> Path:
    """A copy of the headers that a test may change."""
    return Path(shutil.copytree(INCLUDE_DIR, tmp_path / "diopi"))


def plant(include: Path, header: str, old: str, new: str) -> None:
    text = (include / header).read_text(encoding="utf-8")
    assert old in text, f"nothing to change in {header}: {old}"
    (include / header).write_text(text.replace(old, new, 1), encoding="utf-8")


def problems_of(include: Path) -> list[str]:
    return abi_check.check(include, abi_golden.ABI_DIR, abi_golden.CHANGELOG, compile_assertions=False)


def test_headers_are_the_released_interface() -> None:
    assert abi_check.check(INCLUDE_DIR, abi_golden.ABI_DIR, abi_golden.CHANGELOG) == []


def test_golden_holds_the_whole_interface() -> None:
    view = abi_golden.load_golden().view
    registration = [n for n, f in view.functions.items() if f["header"] == "diopi_register.h"]
    runtime = [n for n, f in view.functions.items() if f["header"] == "diopirt.h"]
    assert (len(view.functions), len(runtime), len(registration)) == (568 + 11, 27, 11)
    assert sum(len(e["values"]) for e in view.enums.values()) == 49


@pytest.mark.parametrize("change", CHANGES)
def test_planted_change_is_named(change: str, include: Path) -> None:
    header, old, new, expected, _ = CHANGES[change]
    plant(include, header, old, new)
    found = problems_of(include)
    assert any(expected in line for line in found), found


@pytest.mark.parametrize("change", [name for name, row in CHANGES.items() if row[4]])
def test_planted_change_does_not_compile(change: str, include: Path) -> None:
    header, old, new, _, _ = CHANGES[change]
    plant(include, header, old, new)
    golden = abi_golden.load_golden()
    found = abi_check.assertion_problems(include, golden)
    for compiler, *_ in abi_check.COMPILERS:
        assert any(line.startswith(compiler + " ") for line in found), f"{compiler} accepted it: {found}"


def test_command_fails_and_names_the_change(include: Path) -> None:
    plant(include, "diopirt.h", "diopi_device = 1", "diopi_device = 2")
    done = subprocess.run(
        [sys.executable, "-m", "adaptor.codegen.abi_check", "--include", str(include)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "diopiDevice_t: value 2 is diopi_device 2, released as diopi_device 1" in done.stderr
    assert "diopi_device is not 1" in done.stderr  # from the compilers


def test_edited_golden_contradicts_its_digest(tmp_path: Path, include: Path) -> None:
    """Tests that a change of a header together with its golden file is found."""
    abi = Path(shutil.copytree(abi_golden.ABI_DIR, tmp_path / "abi"))
    plant(include, "functions.h", "DIOPI_API diopiError_t diopiRelu(", "diopiError_t diopiRelu(")
    golden = abi_golden.load_golden(abi)
    golden.view.functions["diopiRelu"]["weak"] = False
    abi_golden.save_golden(golden, abi)
    found = abi_check.check(include, abi, abi_golden.CHANGELOG, compile_assertions=False)
    assert len(found) == 1 and found[0].startswith(
        "release 1.0.0: the declarations of diopi_register.h, diopirt.h, functions.h"
    )


def extension(include: Path, minor: int, header: str = "functions_next.h") -> None:
    """Adds a new header with one operator, and raises the minor version."""
    (include / header).write_text(
        '#include "diopirt.h"\nDIOPI_API diopiError_t diopiNew(diopiContextHandle_t ctx, bool flag);\n',
        encoding="utf-8",
    )
    if minor:
        plant(include, "diopirt.h", "#define DIOPI_VER_MINOR 0", f"#define DIOPI_VER_MINOR {minor}")


def changelog(tmp_path: Path, section: str) -> Path:
    path = tmp_path / "CHANGELOG.md"
    path.write_text(f"# Changelog\n\n{section}\n{abi_golden.CHANGELOG.read_text(encoding='utf-8')}", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("minor", "section", "reason"),
    [
        (0, "## 1.1.0\n\n- `functions_next.h`\n", "must be a later minor version than 1.0.0, not 1.0.0"),
        (1, "", "CHANGELOG.md has no section '## 1.1.0'"),
        (1, "## 1.1.0\n\n- something new\n", "does not name functions_next.h"),
    ],
)
def test_extension_without_version_or_changelog_is_refused(
    minor: int, section: str, reason: str, include: Path, tmp_path: Path
) -> None:
    extension(include, minor)
    text = changelog(tmp_path, section).read_text(encoding="utf-8")
    found = abi_golden.extend(abi_golden.load_golden(), compiler_view.view_of(include), text)
    assert any(reason in line for line in found), found


def test_addition_to_a_released_header_is_refused(include: Path, tmp_path: Path) -> None:
    _, old, new, *_ = CHANGES["added function"]
    plant(include, "functions.h", old, new)
    plant(include, "diopirt.h", "#define DIOPI_VER_MINOR 0", "#define DIOPI_VER_MINOR 1")
    found = abi_golden.extend(abi_golden.load_golden(), compiler_view.view_of(include), "## 1.1.0\nfunctions.h")
    assert found == ["diopiNew: functions.h is released; declare it in a new header"]


def test_extension_in_a_new_header_is_recorded_and_then_frozen(include: Path, tmp_path: Path) -> None:
    abi = Path(shutil.copytree(abi_golden.ABI_DIR, tmp_path / "abi"))
    notes = changelog(tmp_path, "## 1.1.0\n\n- `functions_next.h`: one more operator\n")
    extension(include, minor=1)
    command = [
        sys.executable,
        "-m",
        "adaptor.codegen.abi_check",
        "--include",
        str(include),
        "--abi",
        str(abi),
        "--changelog",
        str(notes),
    ]
    assert subprocess.run(command, cwd=ROOT, capture_output=True, check=False).returncode == 1
    done = subprocess.run([*command, "--extend"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert list(json.loads((abi / "releases.json").read_text())) == ["1.0.0", "1.1.0"]
    assert subprocess.run(command, cwd=ROOT, capture_output=True, check=False).returncode == 0
    plant(include, "functions_next.h", "bool flag", "int flag")
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "diopiNew: parameter 2 is 'int flag', released as 'bool flag'" in done.stderr


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("int diopiAdd(void) { return 0; }", []),
        (
            "int diopiPlus(void) { return 0; }",
            ["diopiPlus: is exported, but is not an operator of the interface", "no operator is exported"],
        ),
        (
            "int diopiGetTensorData(void) { return 0; }\nint diopiAdd(void) { return 0; }",
            ["diopiGetTensorData: is exported, but is not an operator of the interface"],
        ),
        ("int diopiAdd = 1;", ["diopiAdd: is exported as D, not as a function"]),
        (
            "int helper(void) { return 0; }\nint diopiAdd(void) { return helper(); }",
            ["helper: is exported, but is not an operator of the interface"],
        ),
    ],
)
def test_exports_are_operators_and_hooks_only(source: str, found: list[str], tmp_path: Path) -> None:
    library = tmp_path / "libdiopi_impl.so"
    hooks = "int initLibrary(void) { return 0; }\nint finalizeLibrary(void) { return 0; }\n"
    compiler_view.run(["gcc", "-shared", "-fPIC", "-x", "c", "-", "-o", str(library)], hooks + source)
    assert abi_exports.problems(abi_exports.exported(library), abi_golden.load_golden().view) == found


def test_missing_hook_is_found() -> None:
    assert abi_exports.problems({"diopiAdd": "T", "initLibrary": "T"}, abi_golden.load_golden().view) == [
        "finalizeLibrary: is not exported"
    ]


@pytest.mark.parametrize("name", ["types.json", "functions.jsonl", "releases.json"])
@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"7", b"\xff", b"[" * 50_000], ids=lambda c: repr(c[:3]))
def test_a_broken_golden_is_one_line_with_the_file(tmp_path: Path, name: str, content: bytes) -> None:
    abi = Path(shutil.copytree(abi_golden.ABI_DIR, tmp_path / "abi"))
    (abi / name).write_bytes(content)
    if (name, content) == ("functions.jsonl", b""):  # an empty golden file is valid: every function is new
        assert abi_golden.load_golden(abi).view.functions == {}
        return
    with pytest.raises(ConfigError) as error:
        abi_golden.load_golden(abi)
    assert str(error.value).startswith(f"{abi / name}:1: is not a golden file: ") and "\n" not in str(error.value)


def test_a_broken_golden_is_no_traceback(tmp_path: Path) -> None:
    abi = Path(shutil.copytree(abi_golden.ABI_DIR, tmp_path / "abi"))
    (abi / "types.json").write_bytes(b"[" * 50_000)
    command = [sys.executable, "-m", "adaptor.codegen.abi_check", "--abi", str(abi)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and done.stderr.startswith("error: ") and done.stderr.count("\n") == 1
