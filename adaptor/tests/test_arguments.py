# SPDX-License-Identifier: BSD-3-Clause
"""The generated readers of arguments."""

from __future__ import annotations

import copy

import pytest

from adaptor.codegen.arguments.__main__ import emit
from adaptor.codegen.arguments.struct import operators_of, snake
from adaptor.codegen.model import Registry, load_registry


@pytest.fixture(scope="module")
def registry() -> Registry:
    return load_registry()


@pytest.fixture(scope="module")
def texts(registry: Registry) -> dict[str, str]:
    return emit(registry)[0]


def body(text: str, function: str) -> str:
    """The statements of a generated function."""
    start = text.index(f"inline Status {function}(")
    return text[start : text.index("\n}\n", start)]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("diopiAdd", "add"),
        ("diopiAdaptiveAvgPool2d", "adaptive_avg_pool2d"),
        ("diopiBCEWithLogits", "bce_with_logits"),
        ("diopiMSELossBackward", "mse_loss_backward"),
    ],
)
def test_names_of_functions_become_snake_case(name: str, expected: str) -> None:
    assert snake(name) == expected


def test_forms_share_the_struct_of_the_main_function(registry: Registry) -> None:
    add = next(o for o in operators_of(registry, "binary") if o.main.name == "diopiAdd")
    assert [f.name for f in add.forms] == ["diopiAdd", "diopiAddInp", "diopiAddScalar", "diopiAddInpScalar"]
    assert add.numbers == ("other",)
    assert {m.name for m in add.members()} >= {"out", "input", "other", "alpha", "promoted", "broadcast"}


def test_an_in_place_form_reads_its_operand_once_under_its_own_name(texts: dict[str, str]) -> None:
    text = body(texts["arguments/binary.hpp"], "read_add_inp")
    assert text.count('read_tensor(input, "input"') == 1
    assert "args->out = args->input;" in text
    assert '"out"' not in text


def test_a_scalar_form_makes_an_operand_of_the_number(texts: dict[str, str]) -> None:
    text = body(texts["arguments/binary.hpp"], "read_add_scalar")
    assert "scalar(*other)" in text
    assert 'args->other_number.set(*other, "other", args->promoted, &args->other);' in text


def test_checks_of_dtypes_come_after_the_promotion_that_they_need(texts: dict[str, str]) -> None:
    text = body(texts["arguments/binary.hpp"], "read_add")
    assert text.index("args->promoted =") < text.index("require_whole_number(*alpha")


def test_a_dimension_is_wrapped_before_shapes_are_compared(texts: dict[str, str]) -> None:
    text = body(texts["arguments/softmax.hpp"], "read_softmax")
    assert text.index("wrap_dim(dim, args->input") < text.index("require_result_shape(&args->out, args->input)")


def test_a_check_promotes_all_operands_although_the_result_has_the_dtype_of_some(texts: dict[str, str]) -> None:
    text = body(texts["arguments/loss.hpp"], "read_mse_loss_backward")
    assert "args->promoted = promoted_dtype(args->input, args->target);" in text
    assert "require_promoted_in(promoted_dtype(args->grad_output, args->input, args->target), " in text


def test_weights_that_may_be_null_broadcast_with_the_input(texts: dict[str, str]) -> None:
    text = body(texts["arguments/loss.hpp"], "read_bce_with_logits")
    weights = ", ".join(f"args->{n} ? &*args->{n} : nullptr" for n in ("weight", "pos_weight"))
    assert f"  DIOPI_TRY(require_broadcastable({{&args->input, {weights}}}));" in text


def test_tensors_of_the_same_number_in_several_lists_have_one_shape(texts: dict[str, str]) -> None:
    text = body(texts["arguments/optimizer.hpp"], "read_fused_adam_w")
    assert "\n  DIOPI_TRY(require_same_shapes(args->exp_avgs, args->params));" in text
    given = "if (args->max_exp_avg_sqs.has_value()) "
    assert f"\n  {given}DIOPI_TRY(require_same_shapes((*args->max_exp_avg_sqs), args->params));" in text
    assert "DIOPI_TRY(require_numel(args->state_steps, Between::exactly(int64_t{1})));" in text


def test_a_number_that_may_be_null_is_compared_with_the_range_of_a_dtype(texts: dict[str, str]) -> None:
    text = body(texts["arguments/random.hpp"], "read_random_inp")
    assert 'if ((to != nullptr)) DIOPI_TRY(require_ordered("from", from, "to", *to, kStrictly));' in text
    difference = "difference_of(*to, int64_t{1})"
    assert f'if ((to != nullptr)) DIOPI_TRY(require_in_range("to - 1", {difference}, args->inout.dtype));' in text


def test_the_difference_of_two_numbers_fits_a_dtype(texts: dict[str, str]) -> None:
    text = body(texts["arguments/random.hpp"], "read_uniform_inp")
    assert 'DIOPI_TRY(require_finite_fits("to - from", to - from, args->inout.dtype));' in text


def test_the_shape_of_a_loss_depends_on_the_reduction(texts: dict[str, str]) -> None:
    text = body(texts["arguments/loss.hpp"], "read_mse_loss_backward")
    assert "require_loss_shape(&args->grad_input, {&args->input, &args->target})" in text
    assert "require_loss_shape(&args->grad_output, reduction, {&args->input, &args->target})" in text
    text = body(texts["arguments/loss_nll.hpp"], "read_nll_loss_backward")
    assert "require_class_loss_shape(&args->grad_output, reduction, args->input)" in text


def test_each_check_is_generated_or_named_as_left_to_the_family(registry: Registry) -> None:
    texts, readers = emit(registry)
    for reader in readers:
        text = texts[f"arguments/{reader.operator.main.family}.hpp"]
        for check, why in reader.left:
            assert why
            assert check.slug in text
    checks = sum(len(r.form.checks) for r in readers)
    left = sum(len(r.left) for r in readers)
    assert 0 < left < checks / 4


def test_a_reduced_dimension_is_read_before_shapes_are_compared(texts: dict[str, str]) -> None:
    text = body(texts["arguments/reduce.hpp"], "read_sum")
    mask = text.index('read_axes(dim, args->input, "dim", &args->reduced)')
    assert mask < text.index("require_reduced_shape(args->out, args->input, args->reduced)")
    assert "one_axis(args->dim, args->input)" in body(texts["arguments/reduce_minmax.hpp"], "read_max")
    assert "all_axes(args->input)" in body(texts["arguments/reduce_minmax.hpp"], "read_max_all")
    assert "read_last_axes(normalized_shape, args->input" in body(texts["arguments/norm_layer.hpp"], "read_layer_norm")


def test_keepdim_of_the_caller_decides_the_shape_of_a_reduction(texts: dict[str, str]) -> None:
    text = body(texts["arguments/reduce_arg.hpp"], "read_argmax")
    assert "require_result_shape(&args->out, reduced_shape(args->input.shape, args->reduced, keepdim))" in text


def test_a_check_of_calls_without_a_parameter_is_made_if_it_is_null(texts: dict[str, str]) -> None:
    text = body(texts["arguments/reduce_arg.hpp"], "read_argmax")
    assert "if (!(dim != nullptr)) DIOPI_TRY(require_fits_index(args->out, args->input.numel));" in text
    assert "if ((dim != nullptr)) DIOPI_TRY(require_fits_index(args->out, extent_along(args->input, *dim)));" in text


def test_a_reduction_over_all_dimensions_needs_elements(texts: dict[str, str]) -> None:
    text = body(texts["arguments/reduce_arg.hpp"], "read_argmax")
    assert "\n  DIOPI_TRY(require_nonempty_reduction(args->input, args->reduced));" in text


def test_shapes_of_tensors_that_may_all_be_null_are_compared(texts: dict[str, str]) -> None:
    text = body(texts["arguments/norm_batch.hpp"], "read_batch_norm")
    assert "require_same_shapes({args->running_mean ? &*args->running_mean : nullptr, " in text


def test_a_function_whose_contract_has_no_formula_has_no_definition(registry: Registry, texts: dict[str, str]) -> None:
    assert "diopiLayerNormGB(" in texts["functions/norm_layer.hpp"]
    without = copy.deepcopy(registry)
    del without.functions["diopiLayerNormGB"].contract["formula"]
    assert "diopiLayerNormGB(" not in emit(without)[0]["functions/norm_layer.hpp"]


def test_every_function_with_a_contract_has_a_definition(registry: Registry, texts: dict[str, str]) -> None:
    for function in registry.operators:
        if function.contract.get("formula") and function.returns == "diopiError_t":
            assert f"diopiError_t {function.name}(" in texts[f"functions/{function.family}.hpp"]


def test_a_list_that_is_a_shape_is_no_longer_than_a_shape(texts: dict[str, str]) -> None:
    text = body(texts["arguments/fill.hpp"], "read_zeros")
    check = 'require_length("size", size.len, Between{0, kMaxDims})'
    assert check in text
    assert text.index(check) < text.index("Dims(size)")


def test_the_dtype_of_an_empty_tensor_is_free_where_the_registry_says_so(texts: dict[str, str]) -> None:
    text = body(texts["arguments/scatter_gather.hpp"], "read_gather")
    assert "if (args->index.numel > 0) DIOPI_TRY(require_dtype_in(args->index, kIndex" in text


def test_a_dimension_that_may_be_null_is_checked_if_it_is_given(texts: dict[str, str]) -> None:
    text = body(texts["arguments/sort.hpp"], "read_argsort")
    check = 'if ((dim != nullptr)) DIOPI_TRY(require_dim(*dim, args->input, "dim"));'
    assert check in text
    assert text.index(check) < text.index("extent_along(args->input, *dim)")


def test_checks_of_lists_of_tensors_are_generated(texts: dict[str, str]) -> None:
    stack = body(texts["arguments/concat.hpp"], "read_stack")
    assert "require_castable(args->tensors, args->out)" in stack
    assert "require_same_shapes(args->tensors)" in stack
    grid = body(texts["arguments/fill.hpp"], "read_mesh_grid")
    assert "require_ndim(args->inputs, " in grid
    assert "require_same_dtypes(args->inputs, args->outs)" in grid
    split = body(texts["arguments/concat.hpp"], "read_split_with_sizes")
    assert 'require_sum("splitSizes", splitSizes, "input[dim]", extent_along(args->input, dim))' in split


def test_windows_are_computed_once_and_give_the_shape_of_the_result(texts: dict[str, str]) -> None:
    text = body(texts["arguments/pool_max.hpp"], "read_max_pool2d")
    fits = text.index("fit_windows(args->input, WindowLists{2, ")
    assert text.count("WindowLists") == 1
    assert text.index("require_length(") < fits
    assert fits < text.index("require_padding_below_half(args->windows")
    assert fits < text.index("windowed_shape(args->input, extent(args->input, -3), args->windows)")


def test_the_kernel_of_a_convolution_is_the_last_extents_of_the_weight(texts: dict[str, str]) -> None:
    text = body(texts["arguments/conv.hpp"], "read_convolution3d_backward")
    assert '{"weight", last_extents(args->weight, 3)}' in text
    assert "require_result_shape(&args->grad_output, windowed_shape(args->input, extent(args->weight, 0)" in text


def test_shapes_of_results_are_compared_after_the_shapes_of_operands(texts: dict[str, str]) -> None:
    text = body(texts["arguments/matmul.hpp"], "read_matmul")
    assert text.index("require_broadcastable(") < text.index("matmul_shape(args->input.shape, args->other.shape)")


def test_an_in_place_form_promotes_the_number_that_its_main_function_promotes(texts: dict[str, str]) -> None:
    text = body(texts["arguments/pow.hpp"], "read_pow_inp")
    assert "scalar(*exponent)" in text


def test_a_condition_takes_part_in_broadcasting_but_not_in_promotion(texts: dict[str, str]) -> None:
    text = body(texts["arguments/where.hpp"], "read_where")
    assert "broadcast_operands({&args->condition, &args->input, &args->other}" in text
    assert "promoted_dtype(args->input, args->other)" in text


def test_a_gradient_of_one_element_loses_its_dimension_before_the_promotion(texts: dict[str, str]) -> None:
    text = body(texts["arguments/activation.hpp"], "read_tanh_backward")
    assert text.index("drop_dim_of_number(&args->grad_output") < text.index("args->promoted =")


def test_dtypes_of_operands_are_checked_before_those_of_results(texts: dict[str, str]) -> None:
    text = body(texts["arguments/activation.hpp"], "read_tanh_backward")
    assert text.index("require_promoted_in(") < text.index("require_dtype_in(args->grad_input")


def test_numbers_behind_pointers_are_checked(texts: dict[str, str]) -> None:
    hardtanh = body(texts["arguments/activation.hpp"], "read_hardtanh")
    assert 'require_whole_part_fits(*min_val, "min_val", args->input.dtype)' in hardtanh
    assert 'require_whole_part_at_least("min_val", scalar_as<double>(*min_val), double(int64_t{0}))' in hardtanh
    pool = body(texts["arguments/pool_avg.hpp"], "read_avg_pool2d")
    assert (
        'if ((divisor_override != nullptr)) DIOPI_TRY(require_not("divisor_override", *divisor_override, 0));' in pool
    )


def test_an_output_that_broadcasts_may_be_a_vector_of_one_element(texts: dict[str, str]) -> None:
    text = body(texts["arguments/dropout.hpp"], "read_dropout")
    assert "require_broadcasts_to(&(*args->mask), args->input.shape)" in text
