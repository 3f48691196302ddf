# SPDX-License-Identifier: BSD-3-Clause
"""The table of faults: the kind of each, the operator that has it, and the message that the judge must give."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """One fault of `wrong_*.c`. A case of the operator must find it, with a message that matches the pattern."""

    name: str
    kind: str
    operator: str
    pattern: str
    threads: bool = False  # the fault is found by comparing a run with one thread and a run with several threads
    runtime: bool = False  # the fault is found by making the functions of the runtime fail


WRONG = r"\d+ of \d+ wrong"
MESSAGE = "does not name"
NOT_NAMED = "does not name the operator .*, the function of the runtime .*, its code"

FAULTS = tuple(
    Fault(*row)
    for row in (
        ("swapped_arguments", "arguments swapped", "diopiSub", WRONG),
        ("parameter_ignored", "an attribute ignored", "diopiSub", WRONG),
        ("input_stride_ignored", "stride of an input ignored", "diopiSub", WRONG),
        ("storage_offset_ignored", "storage offset ignored", "diopiSub", WRONG),
        ("output_stride_ignored", "stride of the output ignored", "diopiSub", "wrote outside out"),
        ("unwritten_tail", "elements not written", "diopiSub", WRONG),
        ("write_past_the_end", "written past the end", "diopiSub", "wrote outside out, first 1 elements past the end"),
        ("write_into_gaps", "written between the elements", "diopiSub", "wrote outside out, first at element"),
        ("input_modified", "input modified", "diopiSub", "input other was modified"),
        ("broadcast_on_the_wrong_side", "broadcast on the wrong side", "diopiSub", WRONG),
        ("reads_after_write", "output that is an input, read after it was written", "diopiSub", WRONG),
        ("saturates", "integers saturate instead of wrapping", "diopiSub", WRONG),
        ("int64_in_float64", "int64 computed in float64", "diopiSub", WRONG),
        ("float64_in_float32", "float64 computed in float32", "diopiSub", WRONG),
        ("denormals_flushed", "denormals flushed to zero", "diopiSub", WRONG),
        ("hangs_on_0d", "hang", "diopiSub", "no answer within"),
        ("success_instead_of_failure", "failure hidden", "diopiSub", "expected diopi.*, got diopiSuccess"),
        ("wrong_error_code", "wrong error code", "diopiSub", "expected diopiDtypeNotSupported, got diopiErrorOccurred"),
        ("message_of_another_argument", "wrong message", "diopiSub", MESSAGE),
        ("no_message", "no message", "diopiSub", f"the message '' {MESSAGE}"),
        ("first_message_for_ever", "message of an earlier call", "diopiSub", MESSAGE),
        ("message_names_the_neighbour", "message names the wrong argument", "diopiSub", MESSAGE),
        ("null_accepted", "success for a null handle", "diopiSub", "expected diopiErrorOccurred, got diopiSuccess"),
        ("null_dereferenced", "crash on a null pointer", "diopiSub", "died of SIGABRT"),
        ("writes_before_it_checks", "output written by a call that fails", "diopiSub", "failed but modified out"),
        ("floor_is_truncation", "rounding mode ignored", "diopiDiv", WRONG),
        ("rounds_towards_zero", "rounded towards zero", "diopiCastDtype", WRONG),
        ("no_negative_zero", "sign of zero lost", "diopiNeg", WRONG),
        ("tail_twice", "elements computed twice in place", "diopiNegInp", WRONG),
        ("true_is_255", "bool neither 0 nor 1", "diopiGt", "byte 0xFF is neither 0 nor 1"),
        ("crashes_on_empty", "crash on an empty input", "diopiSum", "died of SIGABRT"),
        ("accumulates_in_bfloat16", "accumulated in 16 bits", "diopiSum", WRONG),
        ("output_not_reset", "previous contents of the output used", "diopiSum", WRONG),
        ("sum_wraps_at_32_bits", "accumulator of 32 bits", "diopiSum", WRONG),
        (
            "depends_on_earlier_calls",
            "not deterministic from call to call",
            "diopiSum",
            "differs between two calls with equal arguments",
        ),
        ("depends_on_the_threads", "not deterministic across threads", "diopiSum", "differ", True),
        ("nan_ignored", "NaN ignored by a comparison", "diopiMax", "expected nan"),
        ("index_off_by_one", "index off by one", "diopiArgmax", WRONG),
        ("last_of_equal_ones", "order of equal elements", "diopiArgmax", WRONG),
        ("wrong_axis", "wrong axis", "diopiSoftmax", WRONG),
        ("negative_dim_refused", "valid call refused", "diopiSoftmax", "returned diopiErrorOccurred"),
        ("large_values_overflow", "intermediate overflow", "diopiSoftmax", "got nan"),
        ("starts_one_late", "first element skipped", "diopiCumsum", WRONG),
        ("dim_wraps_around", "dimension out of range accepted", "diopiSoftmax", "got diopiSuccess"),
        ("dtype_not_checked", "dtype outside the set accepted", "diopiSoftmaxBackward", "got diopiSuccess"),
        ("shape_not_checked", "output of a wrong shape accepted", "diopiCumsum", "got diopiSuccess"),
        ("index_not_checked", "index out of range accepted", "diopiIndexSelect", "got diopiSuccess"),
        (
            "allocates_wrong_shape",
            "allocated output of a wrong shape",
            "diopiNonzero",
            r"expected int64\[.*, got int64\[",
        ),
        ("allocates_wrong_dtype", "allocated output of a wrong dtype", "diopiNonzero", "got int32"),
        ("allocates_wrong_strides", "strides that do not fit the data", "diopiNonzero", WRONG),
        ("allocates_and_fails", "output allocated by a call that fails", "diopiNonzero", "failed but wrote to out"),
        ("allocates_nothing", "no output allocated", "diopiNonzero", "was not allocated"),
        ("memory_format_ignored", "memory format ignored", "diopiContiguous", "expected strides"),
        ("seed_ignored", "seed ignored", "diopiUniformInp", WRONG),
        ("own_state", "random numbers from a hidden state", "diopiUniformInp", "differs between two"),
        ("offset_not_advanced", "generator not advanced", "diopiUniformInp", "generator's offset"),
        ("gradient_scaled", "gradient scaled", "diopiMSELossBackward", WRONG),
        ("out_dtype_ignored", "dtype of the output ignored", "diopiProd", WRONG),
        ("square_overflows", "overflow with a large finite argument", "diopiGeluBackward", "got nan"),
        ("sums_in_order", "a long sum added one term after another", "diopiMean", WRONG),
        ("scalar_wraps", "scalar wraps to the dtype of the tensor", "diopiDivScalar", WRONG),
        ("scalar_dtype_ignored", "dtype that no scalar can have", "diopiMulScalar", "got diopiSuccess"),
        ("sizes_wrap", "a product of sizes wraps in 64 bits", "diopiRepeat", "got diopiSuccess"),
        ("attribute_cut_to_32_bits", "an attribute cut to 32 bits", "diopiLogSoftmax", "got diopiSuccess"),
        ("dtype_of_no_tensor_accepted", "dtype that no tensor can have", "diopiRelu", "got diopiSuccess"),
        ("adds_to_the_output", "output added to instead of written", "diopiAvgPool2dBackward", WRONG),
        ("wrong_corner_alignment", "corners aligned the other way", "diopiUpsampleLinear", WRONG),
        ("one_pixel_more", "boxes one pixel larger", "diopiBboxOverlapsMmcv", WRONG),
        ("ties_in_the_opposite_order", "equal scores in the opposite order", "diopiNms", WRONG),
        ("gradient_added_to_the_output", "gradient added to the output", "diopiRoiAlignBackwardMmcv", WRONG),
        ("pads_exchanged", "pads on the wrong sides", "diopiUpfirdn2dOpMmcv", WRONG),
        ("wrong_map_moved", "first map moved instead of the second", "diopiCorrelationMmcv", WRONG),
        ("mask_ignored", "mask ignored", "diopiScaledMaskedSoftmax", WRONG),
        ("causal_mask_on_the_wrong_diagonal", "causal mask off by one", "diopiFlashAttention", WRONG),
        ("padding_read", "places behind the end of a sequence read", "diopiPagedAttention", WRONG),
        ("cache_written_outside_its_page", "row of a cache written that is not its own", "diopiDestIndexCopyKV", WRONG),
        ("memory_taken_after_writing", "output written, then no memory", "diopiMul", "modified out", False, True),
        ("runtime_failure_without_message", "message of another operator", "diopiMul", NOT_NAMED, False, True),
        ("failing_accessor_ignored", "failure of the runtime ignored", "diopiMul", WRONG, False, True),
    )
)
