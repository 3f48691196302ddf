# SPDX-License-Identifier: BSD-3-Clause
"""Tests what the build of a new vendor's library refuses, and that its message says what to do."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from vendor_build import build_target, cached, configure, copy_minimal, library_of, run

pytestmark = pytest.mark.skipif("LD_PRELOAD" in os.environ, reason="the new library is not built with the sanitizer")

RELU = "diopiError_t diopiRelu(diopiContextHandle_t, diopiTensorHandle_t, diopiConstTensorHandle_t)"
LAUNCH = f"""extern "C" int acme_launch();
namespace impl::mychip {{
{RELU} {{ return acme_launch() == 7 ? diopiSuccess : diopiErrorOccurred; }}
}}
"""


class Chip:
    """A vendor and its build folder. A test changes files of the vendor, and builds."""

    def __init__(self, folder: Path) -> None:
        self.vendor, self.build = folder / "mychip", folder / "build"
        copy_minimal(self.vendor)
        self.kept = {path: path.read_text(encoding="utf-8") for path in self.vendor.rglob("*") if path.is_file()}
        configure(self.vendor, self.build)
        build_target(self.build)

    def write(self, name: str, text: str) -> None:
        path = self.vendor / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def restore(self) -> None:
        for path in [path for path in self.vendor.rglob("*") if path.is_file() and path not in self.kept]:
            path.unlink()
        for path, text in self.kept.items():
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                path.write_text(text, encoding="utf-8")

    def succeeds(self) -> Path:
        build_target(self.build)
        return library_of(self.build)

    def fails(self) -> str:
        """What the build says, on one line."""
        done = build_target(self.build, check=False)
        assert done.returncode != 0
        return " ".join((done.stdout + done.stderr).split())


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Chip:
    return Chip(tmp_path_factory.mktemp("chip"))


@pytest.fixture
def chip(built: Chip) -> Iterator[Chip]:
    yield built
    built.restore()


def compile_acme(folder: Path, *options: str, name: str) -> Path:
    source = folder / "acme.c"
    source.write_text("int acme_launch(void) { return 7; }\n", encoding="utf-8")
    run([cached("CMAKE_C_COMPILER"), "-fPIC", *options, source, "-o", folder / name])
    return folder / name


def dynamic(library: Path) -> str:
    return subprocess.run(["readelf", "-d", library], check=True, capture_output=True, text=True).stdout


def test_a_symbol_that_no_library_has_is_an_error(chip: Chip) -> None:
    chip.write("functions/launch.cpp", LAUNCH)
    assert "undefined reference to `acme_launch'" in chip.fails()


def test_an_archive_is_linked(chip: Chip, tmp_path: Path) -> None:
    chip.write("functions/launch.cpp", LAUNCH)
    run(["ar", "rcs", tmp_path / "libacme.a", compile_acme(tmp_path, "-c", name="acme.o")])
    chip.write("CMakeLists.txt", f"diopi_add_vendor(mychip LIBRARIES {tmp_path}/libacme.a)\n")
    chip.succeeds()
    chip.write(
        "CMakeLists.txt",
        "add_library(acme STATIC IMPORTED)\n"
        f"set_target_properties(acme PROPERTIES IMPORTED_LOCATION {tmp_path}/libacme.a)\n"
        "diopi_add_vendor(mychip LIBRARIES acme)\n",
    )
    chip.succeeds()


def test_a_shared_library_is_copied_by_its_path_and_linked_by_its_name(chip: Chip, tmp_path: Path) -> None:
    chip.write("functions/launch.cpp", LAUNCH)
    library = compile_acme(tmp_path, "-shared", "-Wl,-soname,libacme.so", name="libacme.so")
    chip.write("CMakeLists.txt", f"diopi_add_vendor(mychip LIBRARIES {library})\n")
    assert "libacme" not in dynamic(chip.succeeds())
    assert list((chip.build / "lib" / "diopi").glob("libacme-diopi-*.so"))
    chip.write(
        "CMakeLists.txt",
        f"diopi_add_vendor(mychip LIBRARIES acme)\ntarget_link_directories(diopi_impl_mychip PRIVATE {tmp_path})\n",
    )
    assert "[libacme.so]" in dynamic(chip.succeeds())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("mychip LIBS m", "diopi_add_vendor(mychip) does not know 'LIBS;m'. It takes SOURCES, LIBRARIES,"),
        ("mychip LIBRARIES acmechip", "cannot find -lacmechip"),
        ("minimal", "mychip/CMakeLists.txt must call diopi_add_vendor(mychip)."),
        (
            "MyChip",
            "A vendor's name has small letters, digits and _ only, and begins with a letter; 'MyChip' does not.",
        ),
    ],
)
def test_wrong_arguments_are_named(chip: Chip, arguments: str, message: str) -> None:
    chip.write("CMakeLists.txt", f"diopi_add_vendor({arguments})\n")
    assert message in chip.fails()


def test_a_process_without_registering_functions_can_load_the_library(chip: Chip) -> None:
    command = ["nm", "-D", "-f", "posix", chip.succeeds()]
    symbols = [line.split()[:2] for line in run(command).stdout.splitlines()]
    assert {kind for name, kind in symbols if name.startswith("diopiRegister")} == {"w"}


def test_a_configuration_that_is_added_or_removed_is_noticed(chip: Chip) -> None:
    exports = chip.build / "generated" / "mychip" / "exports.map"
    assert "diopiGetFallbacks;" in exports.read_text(encoding="utf-8")
    (chip.vendor / "convert_config.yaml").unlink()
    chip.succeeds()
    assert "diopiGetFallbacks;" not in exports.read_text(encoding="utf-8")
    chip.write("convert_config.yaml", "  - {fallback: [{operator: diopiAdd}]}\n")
    chip.succeeds()
    assert "diopiAdd;" in exports.read_text(encoding="utf-8")


def test_a_configuration_that_is_not_yaml_ends_the_build(chip: Chip) -> None:
    chip.write("convert_config.yaml", "- fallback: [cpu\n")
    assert "convert_config.yaml:2: not valid YAML" in chip.fails()


def test_an_operator_in_another_folder_is_refused(chip: Chip) -> None:
    chip.write(
        "kernels/relu.cpp", f"#include <diopi/functions.h>\nnamespace impl::mychip {{ {RELU} {{ return {{}}; }} }}\n"
    )
    assert (
        "impl::mychip::diopiRelu is defined in kernels/relu.cpp, where its return type is not checked" in chip.fails()
    )


def test_an_operator_in_another_namespace_is_refused(chip: Chip) -> None:
    chip.write("functions/relu.cpp", f"namespace impl::mychp {{ {RELU} {{ return {{}}; }} }}\n")
    message = "is defined in functions/relu.cpp, but the build looks for operators in namespace impl::mychip"
    assert message in chip.fails()


def test_the_functions_of_texts_exist_without_fallback(chip: Chip) -> None:
    (chip.vendor / "convert_config.yaml").unlink()
    symbols = run(["nm", "-D", "--defined-only", chip.succeeds()]).stdout
    assert all(f" T {name}\n" in symbols for name in ("diopiGetVendorName", "diopiGetLastErrorString"))


def test_a_misnamed_configuration_is_refused(chip: Chip) -> None:
    chip.write("convert_config.yml", "- fallback: cpu\n")
    assert "convert_config.yml must be called convert_config.yaml." in chip.fails()
