# SPDX-License-Identifier: BSD-3-Clause
"""Tests of the sources of a family of the vendor cuda, their digest, and the families to judge."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from conformance import REPOSITORY
from conformance.chip.code import code_of
from conformance.chip.record import Judged, changed, never_judged, summary
from conformance.chip.sources import VENDOR, Sources

ENTRY = Judged("0123", "2026-01-02", "NVIDIA Example", "580.1", "quick", 5, 1, 0, 2)
TREE = {
    f"{VENDOR}/CMakeLists.txt": "",
    f"{VENDOR}/convert_config.yaml": "",
    f"{VENDOR}/device.cpp": "",
    f"{VENDOR}/nvcc_flags.txt": "",
    "adaptor/cmake/DiopiCuda.cmake": "",
    "proto/registry/one.yaml": "",
    "proto/registry/two.yaml": "",
    f"{VENDOR}/functions/one.cpp": '#include "impl/cuda/kernels/one/calls.hpp"\nStatus one() {}\n',
    f"{VENDOR}/functions/two.cpp": '#include "impl/common/shape.hpp"\nStatus two() {}\n',
    f"{VENDOR}/functions/helper.cpp": "",
    f"{VENDOR}/kernels/one/calls.hpp": "Status launch_one();\n",
    f"{VENDOR}/kernels/one/kernel.cu": '#include "impl/cuda/kernels/one/calls.hpp"\nStatus launch_one() {}\n',
    "impl/common/shape.hpp": "struct Shape {\n  int size();\n};\nShape shape();\n",
    "impl/common/shape.cpp": '#include "impl/common/shape.hpp"\nint Shape::size() {}\n',
}


@pytest.fixture
def tree(tmp_path):
    for path, text in TREE.items():
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return tmp_path


def changed_by(tree: Path, path: str) -> list[str]:
    """The families whose digest differs after a change of this file."""
    record = {name: replace(ENTRY, sources=Sources(tree).digest(name)) for name in Sources(tree).families()}
    with (tree / path).open("a", encoding="utf-8") as file:
        file.write("int changed;\n")
    return changed(record, Sources(tree))


@pytest.mark.parametrize(
    ("path", "families"),
    [
        (f"{VENDOR}/kernels/one/kernel.cu", ["one"]),  # found by the function that the header declares
        (f"{VENDOR}/kernels/one/calls.hpp", ["one"]),
        ("impl/common/shape.cpp", ["two"]),  # found by the class that the header declares
        ("proto/registry/two.yaml", ["two"]),
        (f"{VENDOR}/device.cpp", ["one", "two"]),
        (f"{VENDOR}/nvcc_flags.txt", ["one", "two"]),
        (f"{VENDOR}/functions/helper.cpp", []),
    ],
)
def test_a_digest_changes_with_the_sources_of_its_family(tree, path, families):
    assert Sources(tree).families() == ["one", "two"]
    assert changed_by(tree, path) == families


CODE = 'int f(int a) { return g("// no comment", a, 1\'000, \'"\', R"(/* " */)"); }\n#define TWICE(x) ((x) + (x))\n'


@pytest.mark.parametrize(
    "text",
    [
        "// What it does.\n" + CODE,
        CODE + "/* Two\n * lines.\n#define NOT 1\n */",
        CODE.replace("{ return g(", "{\n  return g(  // why\n"),
        CODE.replace("((x) +", "/* twice */ \\\n  ((x) +"),
    ],
)
def test_comments_and_layout_are_no_code(text):
    assert text != CODE and code_of("one.cu", text) == code_of("one.cu", CODE)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("// no", "// a"),
        ("1'000", "1'001"),
        ("/* ", "/*"),
        ("TWICE(x)", "TWICE (x)"),
        ("\n#define TWICE(x)", "\n// #define TWICE(x)"),
        ("(x) + (x)", "(x) + (y)"),
        ("int a", "inta"),
    ],
)
def test_a_change_of_the_code_is_seen(old, new):
    assert code_of("one.cu", CODE.replace(old, new)) != code_of("one.cu", CODE)


def test_comments_of_other_files_are_no_code():
    text = "# Flags.\n--fmad=false\n\n"
    assert code_of("nvcc_flags.txt", text) == code_of("nvcc_flags.txt", "--fmad=false")
    assert code_of("nvcc_flags.txt", text) != code_of("nvcc_flags.txt", "--fmad=true")


def test_every_source_of_the_vendor_is_in_a_digest():
    sources = Sources()
    used = {path for family in sources.families() for path in sources.of(family)}
    kinds = (".cpp", ".hpp", ".cu", ".cuh")
    files = [f.relative_to(REPOSITORY).as_posix() for f in (REPOSITORY / VENDOR).rglob("*") if f.suffix in kinds]
    assert files and [path for path in files if path not in used] == []


def test_the_summary_names_families_to_judge(tree):
    sources = Sources(tree)
    assert summary({}, sources) == "never judged on a chip, 2 of 2 families: one two"
    record = {"one": replace(ENTRY, failed=1), "two": replace(ENTRY, sources=sources.digest("two"))}
    assert summary(record, sources) == (
        "changed since a chip judged them, 1 of 2 families: one\nfailed when a chip judged them, 1 of 2 families: one"
    )
    record["one"] = replace(ENTRY, sources=sources.digest("one"))
    assert summary(record, sources) == "a chip has judged all 2 families as they are"
    assert never_judged(record, sources) == []
