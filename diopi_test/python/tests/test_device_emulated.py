# SPDX-License-Identifier: BSD-3-Clause
"""Tests the messages of the vendor cuda about a machine or a device that fails, with the emulation's planted errors."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
from emulated import LIBRARY, NEEDS_EMULATION, RUNTIME, lines_of, run_script
from helpers import RUN_TEST

from conformance import REPOSITORY

pytestmark = NEEDS_EMULATION

# softmax() calls the operator with new tensors, and returns its result or the message of its failure.
SOFTMAX = """
def softmax():
    out, input = (Buffer("float32", Placement((3, 4), (4, 1), 0)) for _ in "ab")
    input.array[...] = 1
    try:
        outcome = vendor.call(registry.functions["diopiSoftmax"], {"out": out, "input": input, "dim": 1})
    except HostError as error:
        return f"before or after the call: {error}"
    if outcome.late:
        return f"late{', lost' * outcome.lost}: {outcome.late}"
    return f"{outcome.code}: {outcome.message}" if outcome.message else out.array[2, 3]
"""


@pytest.mark.parametrize(
    ("variable", "value", "text"),
    [
        ("DIOPI_CUDA_DRIVER", "0", "no driver of NVIDIA GPUs is installed: libcuda.so.1 was not found"),
        ("DIOPI_CUDA_DRIVER", "12040", "the driver of NVIDIA GPUs supports CUDA 12.4, expected 13.0 or newer"),
        ("DIOPI_CUDA_DEVICES", "0", "there is no NVIDIA GPU that this process may use"),
        ("CUDA_VISIBLE_DEVICES", "7", 'no NVIDIA GPU that this process may use: CUDA_VISIBLE_DEVICES is "7"'),
        ("CUDA_VISIBLE_DEVICES", "", 'no NVIDIA GPU that this process may use: CUDA_VISIBLE_DEVICES is ""'),
        ("DIOPI_CUDA_CAPABILITY", "75", "GPU 0 has compute capability 7.5, expected 8.0 or newer"),
        ("DIOPI_CUDA_FAIL", "cudaGetDeviceCount:1:3", "cudaGetDeviceCount failed: initialization error"),
    ],
)
def test_a_machine_without_a_usable_gpu_gets_its_message(variable, value, text):
    run = run_script("print('loaded')", **{variable: value})
    assert run.returncode == 1 and not run.stdout
    assert "initLibrary of" in run.stderr and text in run.stderr


def test_the_first_of_several_devices_is_used():
    assert lines_of(SOFTMAX + "print(softmax())", DIOPI_CUDA_DEVICES="2", CUDA_VISIBLE_DEVICES="1,0") == ["0.25"]


def test_the_judge_shows_why_the_library_cannot_be_used():
    command = [*RUN_TEST, "--library", str(LIBRARY), "--runtime", str(RUNTIME), "--fname", "softmax"]
    environment = {**os.environ, "DIOPI_CUDA_DRIVER": "0"}
    run = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert run.returncode not in (0, 1)
    assert "no driver of NVIDIA GPUs is installed" in run.stdout + run.stderr
    assert "Traceback" not in run.stdout + run.stderr


OUT_OF_MEMORY = """
from diopi.binding import size_of
device = vendor.enums["diopiDevice_t"]["diopi_device"]
try:
    vendor.rt.made("diopirtCreateTensor", vendor.ctx, size_of([10**6]), None, vendor.dtypes["float32"], device)
except HostError as error:
    print(error)
print(softmax())
"""


def test_out_of_memory_says_how_much_there_is_and_leaves_the_context_usable():
    message, result = lines_of(SOFTMAX + OUT_OF_MEMORY, DIOPI_CUDA_MEMORY="1000000")
    expected = r"no \d+ bytes of device memory: cudaMalloc failed: the GPU has 1000000 bytes, of which \d+ are free"
    assert re.search(expected, message) and result == "0.25"


def test_a_case_whose_strides_need_more_memory_than_the_device_has_is_skipped_with_this_reason():
    command = [*RUN_TEST, "--library", str(LIBRARY), "--runtime", str(RUNTIME), "--case", "diopiMinimum/hostile_wide*"]
    environment = {**os.environ, "DIOPI_CUDA_MEMORY": str(10**9)}
    run = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "skipped, 4 cases: the device lacks the memory for rows that are more than 2^31 elements apart" in run.stdout
    assert run.stdout.splitlines()[-1] == "0 passed, 0 failed, 4 skipped"


ONE_FAILURE = """
for name, nth in (("cudaMalloc", 1), ("cudaMemcpyAsync", 1), ("cudaLaunchKernel", 1), ("cudaStreamSynchronize", 3)):
    os.environ["DIOPI_CUDA_FAIL"] = f"{name}:{nth}:46"
    print(name, softmax(), sep="|")
    del os.environ["DIOPI_CUDA_FAIL"]
    print(name, softmax(), sep="|")
"""


def test_a_failed_call_of_cuda_is_reported_and_the_next_call_works():
    lines = [line.split("|") for line in lines_of(SOFTMAX + ONE_FAILURE)]
    assert len(lines) == 8
    for (name, failed), (_, after) in zip(lines[::2], lines[1::2]):
        assert "busy or unavailable (cudaErrorDevicesUnavailable)" in failed and "any more" not in failed, (
            name,
            failed,
        )
        assert after == "0.25", (name, after)


@pytest.mark.parametrize(
    ("code", "text"),
    [
        (700, "an illegal memory access was encountered (cudaErrorIllegalAddress)"),
        (710, "device-side assert triggered (cudaErrorAssert)"),
        (716, "misaligned address (cudaErrorMisalignedAddress)"),
        (719, "unspecified launch failure (cudaErrorLaunchFailure)"),
    ],
)
def test_an_error_of_a_kernel_shows_when_the_host_waits_and_stays(code, text):
    first, second = lines_of(SOFTMAX + "print(softmax())\nprint(softmax())", DIOPI_CUDA_FAIL=f"kernel:1:{code}")
    end = f"{text}; earlier work on the GPU failed, and this process cannot use it any more"
    assert first.startswith("late, lost: ") and first.endswith(end)
    assert second.endswith(end)


def test_the_judge_names_the_call_whose_kernel_failed():
    # The kernel with this number fails in each process; another worker then judges the other groups.
    command = [*RUN_TEST, "--quick", "--library", str(LIBRARY), "--runtime", str(RUNTIME), "--fname", "diopiSoftmax"]
    environment = {**os.environ, "DIOPI_CUDA_FAIL": "kernel:100:700"}
    run = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert run.returncode == 1, run.stdout + run.stderr
    passed, failed = map(int, re.findall(r"(\d+) passed, (\d+) failed", run.stdout)[-1])
    late = re.findall(r"returned diopiSuccess, but then the device failed: .* illegal memory access", run.stdout)
    assert failed == len(late) > 0 and passed > 0, run.stdout
    assert "the judge failed" not in run.stdout


def test_a_call_of_the_runtime_that_fails_leaves_outputs_and_generators_as_they_were():
    """Judges operators of several launches, and some that advance a generator."""
    names = "Cat GroupNorm Randperm Multinomial Dropout Contiguous Unique ForeachnormScalar FusedAdamW".split()
    command = [sys.executable, "-m", "conformance.selfcheck.failures", "--jobs", "2", "--library", str(LIBRARY)]
    command += ["--runtime", str(RUNTIME), "--impl_folder", "../../impl/cuda", "--fname", *names]
    run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=REPOSITORY / "diopi_test/python")
    counts = re.search(r"(\d+) operators, (\d+) calls .* (\d+) passed, (\d+) failed", run.stdout)
    assert run.returncode == 0 and counts, run.stdout + run.stderr
    assert int(counts[1]) == len(names) and int(counts[2]) > 1000


# Lists of 40 tensors; call() calls an operator under a planted error and prints its error and the different results;
# make() calls FusedAdamW.
STEPS = """
from conformance.handles import Scalar
from conformance.run.binding import _Call

def tensors(value, dtypes=("float32",), strides=((5, 1),), shape=(3, 5), count=40):
    made = []
    for k in range(count):
        buffer = Buffer(dtypes[k % len(dtypes)], Placement(shape, strides[k % len(strides)], 0))
        buffer.array[...] = value
        made.append(buffer)
    return made

def make(fail, **others):
    lists = dict(params=tensors(1.0), grads=tensors(0.5), exp_avgs=tensors(0.0), exp_avg_sqs=tensors(0.0),
                 state_steps=tensors(1.0, strides=[(1,)], shape=(1,)), nums=40) | others
    numbers = dict(lr=0.125, beta1=0.5, beta2=0.75, eps=0.0, weight_decay=0.0, amsgrad=False, maximize=False)
    call("diopiFusedAdamW", fail, lists["params"], **lists, **numbers)

def call(name, fail, results, **arguments):
    function, call = registry.functions[name], _Call(vendor)
    converted = [call.convert(p, arguments.get(p.name)) for p in function.params]
    vendor._wait()
    os.environ["DIOPI_CUDA_FAIL"] = fail
    code = vendor._entry(function)(*converted)
    print(vendor._last_error().decode() if code else "no error")
    del os.environ["DIOPI_CUDA_FAIL"]
    print(vendor._wait() or "no error")
    call.copy_back()
    print(*sorted({float(x) for tensor in results for x in tensor.array.flat}))

"""


def test_a_step_of_many_parameters_takes_two_launches_and_no_wait():
    """The third launch and the first wait would fail: a launch reads the numbers of the steps, one makes the steps."""
    calls = [f"make({fail!r})\n" for fail in ("cudaLaunchKernel:3:701", "cudaStreamSynchronize:1:46")]
    assert lines_of(STEPS + "".join(calls)) == ["no error", "no error", "0.875"] * 2
    first = lines_of(STEPS + "make('cudaLaunchKernel:2:701')")
    assert "cudaErrorLaunchOutOfResources" in first[0] and first[1:] == ["no error", "1.0"]


def test_parameters_of_several_dtypes_in_any_common_order_take_one_launch():
    several = """
dtypes, strides = ("float32", "float64", "bfloat16", "float16"), ((5, 1), (1, 3))
make("cudaLaunchKernel:3:701", params=tensors(1.0, dtypes, strides), grads=tensors(0.5, dtypes[::-1], strides),
     exp_avgs=tensors(0.0, strides=strides), exp_avg_sqs=tensors(0.0, dtypes, strides))
"""
    assert lines_of(STEPS + several) == ["no error", "no error", "0.875"]


def test_parameters_whose_gradients_have_another_order_take_a_launch_each_and_no_wait():
    transposed = "make({!r}, grads=tensors(0.5, strides=[(1, 3)]))\n"
    calls = [transposed.format(fail) for fail in ("cudaLaunchKernel:42:701", "cudaStreamSynchronize:1:46")]
    assert lines_of(STEPS + "".join(calls)) == ["no error", "no error", "0.875"] * 2


NORMS = """
def norm(fail, strides=((5, 1),), count=40):
    outs = tensors(7.0, strides=[()], shape=(), count=count)
    inputs = tensors(2.0, ("float32", "float16"), strides, count=count)
    call("diopiForeachnormScalar", fail, outs, outs=outs, inputs=inputs, inputSize=count, ord=Scalar(1.0, "float64"))

"""


def test_norms_of_many_tensors_take_two_launches_and_no_wait():
    """A launch folds up to 1024 elements to a number, and one the numbers of each tensor; 64 tensors in each."""
    calls = [f"norm({fail!r})\n" for fail in ("cudaLaunchKernel:3:701", "cudaStreamSynchronize:1:46")]
    assert lines_of(STEPS + NORMS + "".join(calls)) == ["no error", "no error", "30.0"] * 2
    others = 'norm("cudaLaunchKernel:3:701", [(1, 3), (5, 1)])\nnorm("cudaLaunchKernel:5:701", count=70)\n'
    assert lines_of(STEPS + NORMS + others) == ["no error", "no error", "30.0"] * 2
    first = lines_of(STEPS + NORMS + "norm('cudaLaunchKernel:2:701')")
    assert "cudaErrorLaunchOutOfResources" in first[0] and first[1:] == ["no error", "7.0"]


def test_tensors_with_gaps_have_norms_of_their_own():
    gaps = 'norm("cudaLaunchKernel:99:701", [(10, 2), (5, 1)])'
    assert lines_of(STEPS + NORMS + gaps) == ["no error", "no error", "30.0"]
