# SPDX-License-Identifier: BSD-3-Clause
"""Tests the errors that the vendor cuda reports when the host waits for a stream, on the emulated device."""

from __future__ import annotations

import pytest
from emulated import NEEDS_EMULATION, lines_of

pytestmark = NEEDS_EMULATION

# prepared(name, ...) returns a function that makes the call and returns its error, but does not wait. The tensors of
# `out`, `grad_input` and `inout` are filled with 9; result(buffer) reads them. wait() is diopirtSynchronize.
BEGIN = """
import ctypes
import numpy as np
from conformance.run.binding import _Call

def tensor(values, dtype="float32"):
    array = np.asarray(values)
    packed, step = [], 1
    for size in reversed(array.shape):
        packed, step = [step, *packed], step * size
    buffer = Buffer(dtype, Placement(array.shape, tuple(packed), 0))
    buffer.array[...] = array
    return buffer

def prepared(name, **arguments):
    function, call = registry.functions[name], _Call(vendor)
    entry = vendor._entry(function)
    converted = [call.convert(p, arguments.get(p.name)) for p in function.params]
    def make():
        code = entry(*converted)
        return vendor._last_error().decode() if code else "no error"
    make.call = call
    return make

def select(index, **options):
    out = tensor(np.full((len(index), 4), 9.0))
    made = prepared("diopiIndexSelect", out=out, input=tensor(np.ones((3, 4))), dim=0,
                    index=tensor(index, "int64"), **options)
    made.out = out
    return made

REGIONS = dict(spatial_scale=1.0, pooled_height=1, pooled_width=1, sampling_ratio=1, aligned=True)

MAXIMA = dict(spatial_scale=1.0, aligned_height=1, aligned_width=1, sampling_ratio=1, aligned=True, pool_mode=0)
BIN = lambda number: tensor(np.full((1, 1, 1, 1), number))

def ctc(targets, target_lengths):
    sequences, longest = len(target_lengths), max(target_lengths)
    return prepared("diopiCTCLoss", out=tensor(0.0), neg_log_likelihood=tensor(np.zeros(sequences)),
                    log_alpha=tensor(np.zeros((sequences, 9, 2 * longest + 1))),
                    log_probs=tensor(np.full((9, sequences, 5), -2.0)), targets=tensor(targets, "int64"),
                    input_lengths=tensor([9] * sequences, "int64"), target_lengths=tensor(target_lengths, "int64"),
                    blank=0, reduction="ReductionMean", zero_infinity=False)

def adam(steps):
    state = {name: [tensor([value, value]) for _ in steps]
             for name, value in (("params", 9.0), ("grads", 0.5), ("exp_avgs", 0.0), ("exp_avg_sqs", 0.0))}
    return dict(state, state_steps=[tensor([step], "int64") for step in steps], nums=len(steps), lr=0.125, beta1=0.5,
                beta2=0.75, eps=0.0, weight_decay=0.0, amsgrad=False, maximize=False)

def wait():
    error = vendor._wait()
    return error.removeprefix("diopirtSynchronize: the vendor could not wait for a stream (code 1): ") or "no error"
"""
SELECT_7 = "diopiIndexSelect: index holds 7 at position 1, which is out of range [0, 2] for dimension 0 of input"
SELECT_8 = SELECT_7.replace("7", "8")


def said(script: str, **environment: str) -> list[str]:
    return lines_of(BEGIN + script, **environment)


def assert_begins(lines: list[str], *begins: str) -> None:
    assert len(lines) == len(begins) and all(a.startswith(b) for a, b in zip(lines, begins)), lines


def test_the_wait_after_a_bad_call_returns_its_error_once_and_the_stream_works_afterwards():
    script = """
first, second, good = select([0, 7]), select([0, 8]), select([0, 2])
print(first(), second(), wait(), wait(), sep="\\n")
print(good(), wait(), sep="\\n")
good.call.copy_back()
print(good.out.array[1, 3])
"""
    good = ("no error", "no error", "1.0")
    assert_begins(said(script), "no error", "no error", SELECT_7, "no error", *good)


def test_a_bad_element_is_left_out_and_the_others_are_computed():
    script = """
bad = select([0, 7])
bad(), wait()
bad.call.copy_back()
print(bad.out.array[0, 0], bad.out.array[1, 0])
"""
    assert said(script) == ["1.0 9.0"]


@pytest.mark.parametrize("order", ["forward", "reverse", "5"])
def test_the_first_bad_element_is_reported_in_every_order_of_threads(order):
    script = """
index = np.arange(5000) % 3
index[[1234, 1235, 4000]] = (5, 3, -2)
print(select(index)(), wait(), sep="\\n")
"""
    assert_begins(
        said(script, DIOPI_CUDA_ORDER=order), "no error", "diopiIndexSelect: index holds 5 at position 1234, which is"
    )


def test_a_value_of_more_than_32_bits_is_given_as_the_nearest():
    script = """
for value in (2**40, -2**40):
    print(select([0, value])(), wait(), sep="\\n")
"""
    lines = said(script)
    assert "index holds 2147483647 at position 1" in lines[1] and "index holds -2147483648 at position 1" in lines[3]


CALLS = {
    "diopiIndexSelect": (
        "dict(out=tensor(np.zeros((2, 4))), input=tensor(np.ones((3, 4))), dim=0, index=tensor([0, {bad}], 'int64'))",
        "index holds 7 at position 1",
    ),
    "diopiGather": (
        "dict(out=tensor(np.zeros((1, 2))), input=tensor(np.ones((3, 4))), dim=0, index=tensor([[0, {bad}]], 'int64'))",
        "index holds 7 at position 1",
    ),
    "diopiScatter": (
        "dict(out=tensor(np.zeros((3, 4))), input=tensor(np.ones((3, 4))), dim=0, src=tensor([[1, 2]]), "
        "index=tensor([[0, {bad}]], 'int64'), reduce='')",
        "index holds 7 at position 1",
    ),
    "diopiIndexPut": (
        "dict(out=tensor(np.zeros((3, 4))), input=tensor(np.ones((3, 4))), values=tensor(np.ones((2, 4))), "
        "indices=[tensor([0, {bad}], 'int64')], indices_counts=1, accumulate=True)",
        "indices[0] holds 7 at position 1",
    ),
    "diopiEmbedding": (
        "dict(out=tensor(np.zeros((2, 4))), weight=tensor(np.ones((3, 4))), indices=tensor([0, {bad}], 'int64'), "
        "padding_idx=-1, scale_grad_byfreq=False, sparse=False)",
        "indices holds 7 at position 1",
    ),
    "diopiNLLLoss": (
        "dict(out=tensor(0.0), input=tensor(np.ones((2, 3))), target=tensor([0, {bad}], 'int64'), "
        "reduction='ReductionMean', ignore_index=-100)",
        "target contains class 7",
    ),
    "diopiOneHot": (
        "dict(out=tensor(np.zeros((2, 3)), 'int64'), input=tensor([0, {bad}], 'int64'), num_classes=3)",
        "input has class 7, but num_classes = 3",
    ),
    "diopiGatherOutput": (
        "dict(output_ids=tensor([[0, 0]], 'int64'), ids=tensor([[1], [2]], 'int64'), "
        "context_length=tensor([{bad}], 'int64'), max_context_len=1, max_gen_step=2, max_output_len=2, batch_size=1)",
        "context_length holds 7 at position 0, expected a number from 0 to max_context_len = 1",
    ),
    "diopiRoiAlign": (
        "dict(out=tensor(np.zeros((1, 1, 1, 1))), input=tensor(np.ones((2, 1, 3, 3))), "
        "rois=tensor([[{bad} + 0.25, 0, 0, 2, 2]]), **REGIONS)",
        "rois has the image 7.25 in row 0, expected 0 to 1",
    ),
    "diopiRoiAlignBackward": (
        "dict(out=tensor(np.zeros((2, 1, 3, 3))), grad=tensor(np.ones((1, 1, 1, 1))), "
        "rois=tensor([[{bad}, 0, 0, 2, 2]]), batch_size=2, channels=1, height=3, width=3, **REGIONS)",
        "rois has the image 7 in row 0, expected 0 to 1",
    ),
    "diopiRoiAlignMmcv": (
        "dict(output=BIN(0), argmax_y=BIN(0), argmax_x=BIN(0), input=tensor(np.ones((2, 1, 3, 3))), "
        "rois=tensor([[{bad}, 0, 0, 2, 2]]), **MAXIMA)",
        "rois has the image 7 in row 0, expected 0 to 1",
    ),
    "diopiRoiAlignBackwardMmcv": (
        "dict(grad_input=tensor(np.zeros((2, 1, 3, 3))), grad_output=BIN(1), argmax_y=BIN(1), argmax_x=BIN(1), "
        "rois=tensor([[{bad}, 0, 0, 2, 2]]), **MAXIMA)",
        "rois has the image 7 in row 0, expected 0 to 1",
    ),
    "diopiDiv": (
        "dict(out=tensor([0, 0], 'int32'), input=tensor([4, 4], 'int32'), other=tensor([2, {bad} - 7], 'int32'), "
        "rounding_mode='RoundModeTrunc')",
        "other contains zero: integer division by zero",
    ),
    "diopiNormalScalarTensor": (
        "dict(out=tensor([0.0, 0.0]), mean=0.0, std=tensor([1.0, 6.0 - {bad}]), generator=Seed(1))",
        "std has an element that is negative or NaN",
    ),
    "diopiFusedAdamW": (
        "adam([1, 1 - {bad} // 7])",
        "state_steps has 0, but steps are counted from 1",
    ),
    "diopiMultinomial": (
        "dict(out=tensor([0], 'int64'), input=tensor([1.0, 6.0 - {bad}]), num_samples=1, replacement=True, "
        "generator=Seed(1))",
        "input has an element that is negative, infinite or NaN in row 0",
    ),
}


def test_the_message_of_the_rows_to_scale_has_the_shape_of_the_table():
    script = """
print(prepared("diopiEmbeddingRenorm_", inout=tensor(np.ones((3, 4))), indices=tensor([0, 7], "int64"), max_norm=1.0,
               norm_type=2.0)(), wait(), sep="\\n")
"""
    message = (
        "diopiEmbeddingRenorm_: indices holds 7 at position 1, which is out of range [0, 2] for dimension 0 of inout of"
    )
    assert_begins(said(script), "no error", f"{message} shape [3, 4]")


@pytest.mark.parametrize("name", CALLS)
def test_a_call_with_a_check_of_data_does_not_wait(name):
    """A wait would fail with the planted error. The call before has created the stream and what the checks need."""
    arguments, message = CALLS[name]
    script = f"""
from conformance.handles import Seed
good, bad = (prepared({name!r}, **{arguments.replace("{bad}", "bad")}) for bad in (1, 7))
print(good(), wait(), sep="\\n")
os.environ["DIOPI_CUDA_FAIL"] = "cudaStreamSynchronize:1:46"
print(bad(), sep="\\n")
del os.environ["DIOPI_CUDA_FAIL"]
print(wait())
"""
    assert_begins(said(script), "no error", "no error", "no error", f"{name}: {message}")


@pytest.mark.parametrize("order", ["forward", "reverse", "5"])
def test_the_first_label_that_is_no_class_is_reported(order):
    """The call waits for the lengths only. Elements of targets beyond the length of a target are not read."""
    script = """
padded = ctc([[1, 9, 9], [1, 2, 6], [-1, 1, 1]], [1, 3, 3])
joined = ctc([1, 4, 3, 2, -3, 8], [3, 2, 1])
good = ctc([[1, 9, 9], [1, 2, 4], [1, 1, 1]], [1, 3, 3])
for call in (padded, joined, good):
    print(call(), wait(), sep="\\n")
"""
    refused = "diopiCTCLoss: targets holds {}, which is out of range [0, 4] for dimension 2 of log_probs"
    labels = (refused.format(label) for label in ("6 at position 5", "-3 at position 4"))
    expected = [line for label in labels for line in ("no error", f"{label} of shape [9, 3, 5]")]
    assert said(script, DIOPI_CUDA_ORDER=order) == [*expected, "no error", "no error"]


@pytest.mark.parametrize("order", ["forward", "reverse", "5"])
def test_the_first_region_of_no_image_is_reported_and_left_out(order):
    script = """
def average(numbers, images=2):
    rois, out = np.full((len(numbers), 5), 1.0), tensor(np.full((len(numbers), 1, 1, 1), 9.0))
    rois[:, 0] = numbers
    call = prepared("diopiRoiAlign", out=out, input=tensor(np.ones((images, 1, 3, 3))), rois=tensor(rois), **REGIONS)
    print(call(), wait(), sep="\\n")
    call.call.copy_back()
    return out.array.reshape(-1)

print(*average([-0.5, 1.75, 2, -1]))
print(*average([np.nan, 1e30]))
average([-0.5], images=0)
"""
    assert said(script, DIOPI_CUDA_ORDER=order) == [
        "no error",
        "diopiRoiAlign: rois has the image 2 in row 2, expected 0 to 1",
        "1.0 1.0 9.0 9.0",
        "no error",
        "diopiRoiAlign: rois has the image nan in row 0, expected 0 to 1",
        "9.0 9.0",
        "no error",
        "diopiRoiAlign: rois has the image -0.5 in row 0, expected 0 to -1",
    ]


@pytest.mark.parametrize("order", ["forward", "reverse", "5"])
def test_the_first_number_of_a_step_below_1_is_reported_and_its_parameter_left_out(order):
    """The third parameter is a column, which has a launch of its own."""
    script = """
def made(values, dtype):
    arguments = adam([1] * len(values))
    column = Buffer("float32", Placement((2,), (3,), 0))
    column.array[...] = 9
    arguments["params"][2] = column
    arguments["state_steps"] = [tensor([value], dtype) for value in values]
    call = prepared("diopiFusedAdamW", **arguments)
    print(call(), wait(), sep="\\n")
    call.call.copy_back()
    print(*(float(x) for tensor in arguments["params"] for x in tensor.array))

made([1, 2, -3, 0, 7], "int32")
made([1, 0.5, 1, np.nan, 1], "float64")
"""
    refused = "diopiFusedAdamW: state_steps has {}, but steps are counted from 1"
    lines = said(script, DIOPI_CUDA_ORDER=order)
    assert lines[0] == lines[3] == "no error"
    assert lines[1] == refused.format("-3") and lines[4] == refused.format("0.5")
    left_out = [[9.0 == float(x) for x in line.split()[::2]] for line in (lines[2], lines[5])]
    assert left_out == [[False, False, True, True, False], [False, True, False, True, False]]


def test_with_cuda_launch_blocking_the_call_itself_fails_and_writes_nothing():
    script = """
bad = select([0, 7])
print(bad(), wait(), sep="\\n")
bad.call.copy_back()
print(bad.out.array.min(), select([0, 1])())
"""
    assert_begins(said(script, CUDA_LAUNCH_BLOCKING="1"), SELECT_7, "no error", "9.0 no error")


def test_many_calls_without_a_wait_lose_no_error():
    script = """
bad, good = select([0, 7]), select([0, 2])
print(bad())
results = [good() for _ in range(600)]
print(*sorted(set(results)), sep="\\n")
print(sum(r != "no error" for r in results), wait())
"""
    earlier = f"diopiIndexSelect: an earlier call failed: {SELECT_7}"
    assert_begins(said(script), "no error", earlier, "no error", "1 no error")


def test_a_later_call_reports_an_error_of_work_that_is_done():
    """cudaFree waits for the device, but looks at no stream."""
    script = """
from diopi.binding import size_of
device = vendor.enums["diopiDevice_t"]["diopi_device"]
vendor.rt._quick.diopirtSetCaching(ctypes.c_void_p(vendor.ctx), False)
bad, good = select([0, 7]), select([0, 2])
spare = vendor.rt.made("diopirtCreateTensor", vendor.ctx, size_of([4]), None, vendor.dtypes["float32"], device)
print(bad())
vendor.rt.diopirtReleaseTensor(spare)
print(good(), good(), wait(), sep="\\n")
"""
    earlier = f"diopiIndexSelect: an earlier call failed: {SELECT_7}"
    assert_begins(said(script), "no error", earlier, "no error", "no error")


def test_another_stream_does_not_get_the_error():
    script = """
bad, first = select([0, 7]), vendor.ctx
print(bad())
vendor.ctx = vendor.rt.create_context(vendor.library)
good = select([0, 8])
print(good(), wait(), sep="\\n")
vendor.ctx = first
print(wait(), wait(), sep="\\n")
"""
    assert_begins(said(script), "no error", "no error", SELECT_8, SELECT_7, "no error")


def test_the_end_of_a_stream_returns_an_error_that_no_one_has_seen():
    script = """
first, vendor.ctx = vendor.ctx, vendor.rt.create_context(vendor.library)
bad = select([0, 7])
print(bad())
bad.call.release()
print(vendor.rt.diopirtDestroyContext(vendor.ctx) != 0, vendor.rt.message(), sep="\\n")
vendor.ctx = first
print(select([0, 2])(), wait(), sep="\\n")
"""
    lines = said(script)
    assert lines[:2] == ["no error", "True"] and SELECT_7 in lines[2] and lines[3:] == ["no error", "no error"]
