# SPDX-License-Identifier: BSD-3-Clause
"""Judges a C library with one fault of each kind through the command line. Each fault must fail; no fault must pass."""

from __future__ import annotations

import ctypes
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import main
import pytest

from conformance import REPOSITORY
from conformance.run.binding import default_runtime

ADDR_NO_RANDOMIZE = 0x0040000  # the value in <sys/personality.h>
SOURCE = Path(__file__).resolve().parent / "wrong_vendor.c"
VALID = "diopiSub/input=2x3x5,other=2x3x5/float32"
INVALID = "diopiSub/not_broadcastable!diopiErrorOccurred/float32"
FAULTS = re.findall(r"k[A-Z]\w+", re.search(r"enum \{(.*?)\}", SOURCE.read_text(), re.DOTALL).group(1))

pytestmark = [
    pytest.mark.skipif(not default_runtime().exists(), reason="libdiopirt.so is not built"),
    pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler"),
]


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wrong")

    def compile_with(fault: str, *options: str) -> Path:
        library = folder / f"{fault}{len(options)}.so"
        if not library.exists():
            subprocess.run(
                [
                    "cc",
                    "-std=c99",
                    "-Wall",
                    "-Werror",
                    "-O1",
                    "-shared",
                    "-fPIC",
                    *options,
                    f"-DFAULT={fault}",
                    f"-I{REPOSITORY / 'proto' / 'include'}",
                    str(SOURCE),
                    "-o",
                    str(library),
                ],
                check=True,
            )
        return library

    return compile_with


def judge(library, case, *options):
    return main.main(["--mode", "run_test", "--library", str(library), "--case", case, "--jobs", "1", *options])


def test_the_faultless_library_passes(build, capsys):
    assert judge(build("kNone"), VALID) == main.OK
    assert "6 passed, 0 failed" in capsys.readouterr().out
    assert judge(build("kNone"), INVALID) == main.OK


@pytest.mark.parametrize(
    "fault, case, message",
    [
        ("kWrongValue", VALID, "1 of 30 wrong"),
        ("kSwappedArguments", VALID, "max_diff"),
        ("kIgnoredStride", VALID, "/transposed"),
        ("kUnwrittenTail", VALID, "out[1, 2, 4]"),
        ("kPastTheEnd", VALID, "wrote outside out"),
        ("kInputModified", VALID, "input other was modified"),
        ("kCrash", VALID, "SIGABRT"),
        ("kHang", VALID, "no answer within 1 s"),
        ("kSilentError", INVALID, "got diopiSuccess"),
        ("kWrongMessage", INVALID, "does not name"),
        ("kWritesThenFails", INVALID, "modified out"),
        ("kRefuses", VALID, "returned diopiDtypeNotSupported"),
        ("kFailsLate", VALID, "returned diopiSuccess, but then the device failed"),
        ("kLosesTheDevice", VALID, "illegal access; the device is unusable after it"),
    ],
)
def test_a_faulty_library_fails(build, capsys, fault, case, message):
    options = ["--timeout", "1"] if fault == "kHang" else []
    assert judge(build(fault), case, *options) == main.FAILED
    printed = capsys.readouterr().out
    assert message in printed and "0 failed" not in printed and "repeat: python main.py --mode run_test" in printed


def test_a_declaration_must_be_true_and_a_refusal_declared(build, capsys, tmp_path):
    (tmp_path / "convert_config.yaml").write_text(
        "- unsupported:\n    - {operator: diopiSub, dtypes: [float32], reason: no unit for it}\n"
    )
    assert judge(build("kRefuses"), VALID, "--impl_folder", str(tmp_path)) == main.OK
    assert "0 passed, 0 failed, 6 skipped" in capsys.readouterr().out
    assert judge(build("kNone"), VALID, "--impl_folder", str(tmp_path)) == main.FAILED
    assert "declared as not supported (no unit for it), but returned diopiSuccess" in capsys.readouterr().out


def test_skips_and_stale_entries_are_in_every_report(build, capsys, tmp_path):
    (tmp_path / "device_configs.py").write_text("""SKIPS = {
    "diopiSub": [dict(layouts=("sliced",), reason="no unit for it"), dict(case="moon", reason="never seen that")],
    "diopiAdd": "an adder is missing"}
""")
    files = {name: tmp_path / f"out.{name}" for name in ("json", "junit", "html_report")}
    options = [text for name, path in files.items() for text in (f"--{name}", str(path))]
    library = str(build("kNone"))
    command = [
        "--mode",
        "run_test",
        "--library",
        library,
        "--fname",
        "sub",
        "add",
        "--jobs",
        "1",
        "--impl_folder",
        str(tmp_path),
        *options,
    ]
    main.main(command)
    texts = [capsys.readouterr().out, *(path.read_text(encoding="utf-8") for path in files.values())]
    for text in texts:
        for reason in ("no unit for it", "never seen that", "an adder is missing"):
            assert reason in text
    assert "stale entry of the vendor's settings: diopiAdd: the library does not have this operator" in texts[0]
    data = json.loads(texts[1])
    skipped = [r for r in data["results"] if r["status"] == "SKIPPED"]
    assert data["counts"]["SKIPPED"] == len(skipped) > 0 and {r["layout"] for r in skipped} == {"sliced"}
    assert [s["entry"] for s in data["stale"]] == ["diopiSub (case=moon)", "diopiAdd"]


def keep_addresses():
    """Turns off address randomization: AddressSanitizer of GCC 13 and older sometimes fails because of it."""
    personality = getattr(ctypes.CDLL(None), "personality", None)
    if personality is not None:
        personality(ADDR_NO_RANDOMIZE)  # containers may refuse this; then addresses stay random


def test_reading_past_the_end_is_found_under_address_sanitizer(build):
    found = subprocess.run(["cc", "-print-file-name=libasan.so"], check=True, capture_output=True, text=True).stdout
    if not Path(found.strip()).is_absolute():
        pytest.skip("there is no AddressSanitizer library")
    environment = {**os.environ, "LD_PRELOAD": found.strip(), "ASAN_OPTIONS": "detect_leaks=0"}
    for fault, code in (("kNone", main.OK), ("kReadPastTheEnd", main.FAILED)):
        command = [
            sys.executable,
            main.__file__,
            "--mode",
            "run_test",
            "--case",
            VALID,
            "--jobs",
            "1",
            "--library",
            str(build(fault, "-fsanitize=address")),
        ]
        run = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False, preexec_fn=keep_addresses
        )
        assert run.returncode == code, run.stdout + run.stderr
    assert "use-after-poison" in run.stderr


def test_every_fault_has_a_test():
    tested = test_a_faulty_library_fails.pytestmark[0].args[1]
    assert {fault for fault, _, _ in tested} | {"kNone", "kReadPastTheEnd"} == set(FAULTS)


def test_the_vendors_name_is_judged_like_an_operator(build, capsys):
    assert main.main(["--mode", "run_test", "--library", str(build("kNone")), "--fname", "GetVendorName"]) == main.OK
    assert "1 passed, 0 failed" in capsys.readouterr().out


def test_an_absent_operator_fails_only_if_it_is_requested(build, capsys):
    library = str(build("kNone"))
    assert main.main(["--mode", "run_test", "--library", library, "--fname", "sub", "add"]) == main.FAILED
    assert "absent from the library, 1 operators with cases: diopiAdd" in capsys.readouterr().out


def test_a_library_without_error_messages_is_told_once(build, capsys):
    library = build("kSilentError", "-DdiopiGetLastErrorString=hidden")
    assert judge(library, INVALID) == main.FAILED
    printed = capsys.readouterr().out
    assert printed.count("the library lacks this function, so no error has a message") == 1
    assert "FAIL diopiGetLastErrorString/text" in printed and "does not name" not in printed


UNREADABLE = """
#include <diopi/diopi_register.h>
static int32_t do_nothing(diopiStreamHandle_t stream) { return stream != 0; }
static int32_t create(diopiStreamHandle_t* stream) { *stream = 0; return 0; }
static void* device_malloc(uint64_t bytes) { return bytes ? (void*)64 : 0; }
static void device_free(void* memory) { (void)memory; }
int32_t initLibrary(void) {
  diopiRegisterStreamCreateFunc(create);
  diopiRegisterStreamDestroyFunc(do_nothing);
  diopiRegisterSynchronizeStreamFunc(do_nothing);
  diopiRegisterDeviceMallocFunc(device_malloc);
  return diopiRegisterDevMemFreeFunc(device_free);
}
"""


def test_missing_callbacks_are_told_once(tmp_path, capsys):
    source, library = tmp_path / "unreadable.c", tmp_path / "unreadable.so"
    source.write_text(UNREADABLE, encoding="utf-8")
    include = f"-I{REPOSITORY / 'proto' / 'include'}"
    subprocess.run(["cc", "-shared", "-fPIC", include, str(source), "-o", str(library)], check=True)
    assert judge(library, VALID) == main.NO_LIBRARY
    message = capsys.readouterr().err
    assert f"{library} cannot be judged: " in message and message.count("\n") == 1
    assert "copy from host to device is registered; " in message
    assert "copy from device to host is registered" in message
