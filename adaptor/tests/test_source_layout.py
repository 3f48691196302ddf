# SPDX-License-Identifier: BSD-3-Clause
"""Tests of the rules for C++ sources that no compiler checks: paths in includes, names of include guards, names of
functions that Highway exports, and which folders of the CPU vendor may see tensor views and contexts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("impl", "adaptor", "runtime", "diopi_test/unit")
PUBLIC = ("runtime/include", "proto/include/diopi")  # headers that users include
FAMILIES = [path.stem for path in (ROOT / "proto" / "registry").glob("*.yaml")]
GENERATED = {
    "vendor_functions.hpp",
    *(f"{folder}/{name}.hpp" for folder in ("arguments", "functions") for name in FAMILIES),
}

SOURCES = sorted(
    path.relative_to(ROOT).as_posix()
    for folder in FOLDERS
    for path in (ROOT / folder).rglob("*")
    if path.suffix in (".c", ".cpp", ".h", ".hpp") and "include" not in path.relative_to(ROOT).parts
)
HEADERS = [path for path in SOURCES if path.endswith((".h", ".hpp"))]

# The files below impl/cpu, outside functions/ and engine/, that still take a tensor view or a context.
SEE_VIEWS = {
    *(f"conv/{name}" for name in ("conv.cpp", "conv.hpp", "conv_1x1.cpp", "im2col.cpp", "image_sum.hpp")),
    *(f"conv/{name}" for name in ("matrices.hpp", "onednn.cpp", "onednn_weights.cpp", "patches.cpp")),
    *(f"matmul/{name}" for name in ("few_rows.cpp", "goto.cpp", "matmul.cpp", "matmul.hpp", "onednn.cpp")),
    *(f"matmul/{name}" for name in ("onednn.hpp", "onednn_bf16_blocked.cpp", "onednn_f32_split.cpp")),
    *(f"matmul/{name}" for name in ("openblas.cpp", "pairwise.cpp", "small.cpp")),
    *(f"norm/{name}" for name in ("batch_group.cpp", "batch_group.hpp", "group.cpp")),
    *(f"onednn/{name}" for name in ("program_cache.cpp", "program_cache.hpp")),
    *(f"pointwise/{name}" for name in ("dropout.cpp", "dropout.hpp")),
    *(f"random/{name}" for name in ("multinomial.cpp", "multinomial.hpp", "random.cpp", "random.hpp")),
    *(f"tensor/{name}" for name in ("fill.cpp", "fill.hpp", "tril_triu.cpp", "tril_triu.hpp")),
}


def text_of(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def guard_of(path: str) -> str:
    return re.sub(r"\W", "_", path).upper() + "_"


def wrong_includes(path: str) -> list[str]:
    """The quoted includes of a file that are neither the path of a file from the root nor a public header."""
    names = re.findall(r'^\s*#\s*include\s+"([^"]+)"', text_of(path), re.MULTILINE)
    names = [name for name in names if name not in GENERATED]
    public = [folder for folder in PUBLIC if path.startswith("diopi_test/unit/") or path.startswith("runtime/")]
    return [
        name
        for name in names
        if not (name.startswith(FOLDERS) and (ROOT / name).is_file())
        and not any((ROOT / folder / name).is_file() for folder in public)
    ]


def wrong_guard(path: str) -> str:
    """What is wrong with the include guard of a header; empty if nothing is."""
    guard, text = guard_of(path), text_of(path)
    toggle = f"#if defined({guard}) == defined(HWY_TARGET_TOGGLE)\n#ifdef {guard}\n#undef {guard}\n"
    wanted = toggle if path.endswith("-inl.h") else f"#ifndef {guard}\n#define {guard}\n"
    if "#pragma once" in text:
        return "#pragma once"
    return "" if text.count(wanted) == 1 else f"no guard {guard}"


def wrong_exports(path: str) -> list[str]:
    """The names of functions exported by Highway that are not in PascalCase, and a wrong path of the file itself."""
    text = text_of(path)
    names = re.findall(r"HWY_EXPORT\((\w+)\)", text)
    paths = re.findall(r'#define HWY_TARGET_INCLUDE "([^"]+)"', text)
    wrong = [name for name in names if not re.fullmatch(r"[A-Z][A-Za-z0-9]*", name)]
    return wrong + [name for name in paths if name != path]


def sees_views(path: str) -> bool:
    return re.search(r"\b(diopiContextHandle_t|TensorView)\b", text_of(path)) is not None


def test_there_are_sources_in_each_folder() -> None:
    for folder in FOLDERS:
        assert any(path.startswith(f"{folder}/") for path in HEADERS), folder


def test_quoted_includes_name_the_path_from_the_root() -> None:
    assert {path: wrong for path in SOURCES if (wrong := wrong_includes(path))} == {}


def test_include_guards_are_the_path_in_capitals() -> None:
    assert {path: wrong for path in HEADERS if (wrong := wrong_guard(path))} == {}


def test_highway_exports_pascal_case_from_the_file_itself() -> None:
    assert {path: wrong for path in SOURCES if (wrong := wrong_exports(path))} == {}


def test_only_engines_and_functions_see_views() -> None:
    cpu = [path for path in SOURCES if path.startswith("impl/cpu/") and path.count("/") > 2]
    others = [path for path in cpu if not path.startswith(("impl/cpu/functions/", "impl/cpu/engine/"))]
    assert {path.removeprefix("impl/cpu/") for path in others if sees_views(path)} == SEE_VIEWS


@pytest.mark.parametrize(
    "line",
    [
        '#include "common/shape.hpp"',
        '#include "copy.hpp"',
        '#include "../copy.hpp"',
        '#include "impl/no_such_file.hpp"',
    ],
)
def test_other_includes_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    monkeypatch.setattr(f"{__name__}.text_of", lambda path: f"{line}\n")
    assert len(wrong_includes("impl/cpu/engine/copy/copy.cpp")) == 1


def test_other_guards_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    for text in ("#pragma once\n", "#ifndef COPY_HPP_\n#define COPY_HPP_\n", "int x;\n"):
        monkeypatch.setattr(f"{__name__}.text_of", lambda path, text=text: text)
        assert wrong_guard("impl/cpu/engine/copy/copy.hpp") != ""
