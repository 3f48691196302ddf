# SPDX-License-Identifier: BSD-3-Clause
"""Tests that every traced call of a model becomes a valid case, in full size or made smaller."""

from __future__ import annotations

import math
from collections import defaultdict
from functools import cache

import main
import numpy as np
import pytest
from helpers import registry

from conformance.cases.case import TensorSpec
from conformance.cases.group import Group
from conformance.cases.prepare import prepare, untrusted
from conformance.cases.prepared import NotApplicable
from conformance.command_line import parse_arguments, repeat_command
from conformance.generate.models.calls import Call, Tensor, load_model, model_names
from conformance.generate.models.cases import ModelCases, drafts, merged, model_cases
from conformance.generate.models.sizes import FULL, QUICK, Budget, Resizing, reduced, size_table
from conformance.generate.models.translation import ROWS
from conformance.lists import as_list
from conformance.oracle import load_oracles


@cache
def models(budget: Budget) -> tuple[ModelCases, ...]:
    return tuple(model_cases(registry(), name, budget, {}) for name in model_names())


def case_of(op: str, tensors: dict, params: dict, budget: Budget = QUICK) -> list:
    return drafts(Call(op, tensors=tensors, params=params), budget)


# --- the table ---


@pytest.mark.parametrize("budget", [QUICK, FULL])
def test_every_traced_call_translates_except_constant_comparisons(budget):
    reasons = {(call.op, reason) for model in models(budget) for call, reason in model.untranslated}
    assert reasons == {("eq", "ValueError: comparing bool with 1e+08 gives the same result for every input")}


def test_every_traced_operator_has_a_row_and_every_row_is_used():
    assert set(ROWS) == {call.op for name in model_names() for call in load_model(name)}


def test_the_traces_are_complete():
    assert len(model_names()) == 43
    assert sum(m.calls for m in models(QUICK)) == 10353


def test_gradients_are_asked_for_where_the_trace_asks():
    for name in ("resnet50", "yolov5"):
        for call in load_model(name):
            names = [d.name for d in drafts(call, QUICK)]
            differentiable = call.op in ("conv2d", "linear", "batch_norm", "max_pool2d", "gelu", "sigmoid", "nll_loss")
            wanted = any(t.grad for t in call.flat())
            assert not differentiable or any(n.endswith("Backward") for n in names) == wanted, (name, call.line)


@pytest.mark.parametrize("dtype, summed", [("bool", "int64"), ("int32", "int64"), ("float16", None)])
def test_a_sum_of_integers_that_keeps_dimensions_is_int64(dtype, summed):
    tensors, params = {"input": Tensor((4, 8), dtype)}, {"dim": [0], "keepdim": True}
    (draft,) = case_of("sum", tensors, params)
    assert draft.arguments["out"] == TensorSpec((1, 8), summed)
    (mean,) = case_of("mean", tensors, params)
    assert mean.arguments["out"].dtype is None


def test_a_call_that_the_table_cannot_take_is_named(monkeypatch):
    tensors = {"input": Tensor((1, 6, 8, 8), "float32"), "weight": Tensor((4, 3, 3, 3), "float32")}
    strange = Call(
        "conv2d", tensors=tensors, params={"stride": [1, 1], "padding": [0, 0], "dilation": [1, 1], "groups": 2}
    )
    monkeypatch.setattr("conformance.generate.models.cases.load_model", lambda name: [strange, Call("fft")])
    model = model_cases(registry(), "none", QUICK, {})
    assert [reason for _, reason in model.untranslated] == [
        "ValueError: groups = 2, expected 1 or the number of channels, 6",
        "translation.py has no row for the operator 'fft'",
    ]


# --- sizes ---


def test_smaller_sizes_keep_order_difference_and_remainders():
    sizes = [1, 3, 8, 13, 64, 100, 768, 1000]
    table = size_table(sizes, 8, 8, {})
    got = [table.get(n, n) for n in sizes]
    assert got[:3] == [1, 3, 8]
    assert got == sorted(set(got))
    assert [n % 8 for n in got] == [n % 8 for n in sizes]
    assert all(a <= b for a, b in zip(got, sizes))


def test_the_input_of_a_kernel_keeps_a_minimal_size():
    assert size_table([16, 224], 4, 4, {16: 16, 224: 32}) == {16: 16, 224: 32}


def test_a_call_that_fits_is_not_changed():
    call = Call("add", tensors={"input": Tensor((256, 256), "float32")})
    assert reduced(call, Resizing(), QUICK) is call


def test_equal_sizes_stay_equal_and_ones_stay_ones():
    image, factor = Tensor((64, 512, 28, 28), "float32"), Tensor((64, 512, 1, 1), "float32")
    call = Call("mul", tensors={"input": image, "other": factor})
    a, b = (t.shape for t in reduced(call, Resizing(), QUICK).flat())
    assert a[:2] == b[:2] and b[2:] == (1, 1) and a[2] == a[3]
    assert math.prod(a) <= QUICK.elements


def test_a_depthwise_convolution_stays_depthwise():
    call = {"input": Tensor((64, 384, 14, 14), "float32", True), "weight": Tensor((384, 1, 7, 7), "float32", True)}
    geometry = {"stride": [1, 1], "padding": [3, 3], "dilation": [1, 1], "groups": 384}
    forward, backward = case_of("conv2d", call, geometry)
    channels = forward.arguments["input"].shape[1]
    assert channels < 384 and forward.arguments["groups"] == channels
    assert forward.arguments["weight"].shape == (channels, 1, 7, 7)
    assert backward.arguments["grad_output"].shape[1] == channels and backward.arguments["grad_bias"] is None


def test_groups_divide_the_channels_after_the_reduction():
    call = {
        "input": Tensor((8, 256, 64, 64), "float32"),
        "weight": Tensor((256,), "float32"),
        "bias": Tensor((256,), "float32"),
    }
    (norm,) = case_of("group_norm", call, {"num_groups": 32, "eps": 1e-5})
    shape = norm.arguments["input"].shape
    assert math.prod(shape) <= QUICK.elements and shape[1] % norm.arguments["num_groups"] == 0
    assert norm.arguments["weight"].shape == (shape[1],)


def numel(value: object) -> int:
    tensors = as_list(value)
    return sum(math.prod(t.shape) for t in tensors if isinstance(t, TensorSpec) and t.shape)


@pytest.mark.parametrize("budget, over", [(QUICK, 1), (FULL, 0)])
def test_calls_fit_their_budget_but_for_a_kernel_that_sees_a_whole_image(budget, over):
    large = {c.id for c in merged(models(budget)) if max(map(numel, c.arguments.values())) > budget.elements}
    assert len(large) <= over, large


# --- the cases that come out ---


def samples() -> list:
    """Some small and large cases of every function that has an oracle."""
    by_function = defaultdict(list)
    oracles = load_oracles()
    for case in merged(models(QUICK)):
        if case.function.name in oracles and all(s.forward.function.name in oracles for s in case.saved):
            by_function[case.function.name].append(case)
    chosen = []
    for cases in by_function.values():
        cases.sort(key=lambda c: sum(map(numel, c.arguments.values())))
        chosen += {c.id: c for c in (cases[0], cases[len(cases) // 2], cases[-1])}.values()
    return chosen


def test_cases_can_be_prepared_and_could_fail():
    chosen, bad = samples(), []
    for case in chosen:
        group = Group(case, case.dtypes[0], case.layouts)
        try:
            problem = untrusted(prepare(group, load_oracles()[case.function.name]))
        except NotApplicable:
            continue
        except Exception as error:  # the test reports all errors together
            problem = f"{type(error).__name__}: {error}"
        bad += [f"{group.name}: {problem}"] if problem else []
    assert not bad, "\n".join(bad)
    assert len(chosen) > 250


def prepared(function: str, **wanted: object):
    for case in merged(models(QUICK)):
        if case.function.name == function and all(case.arguments.get(k) == v for k, v in wanted.items()):
            return prepare(Group(case, case.dtypes[0], case.layouts), load_oracles()[function])
    raise AssertionError(f"no case of {function}")


def test_gradients_get_what_the_forward_call_saved():
    softmax = prepared("diopiSoftmaxBackward").inputs
    assert np.allclose(softmax["output"].sum(softmax["dim"]), 1, atol=1e-5)
    pool = prepared("diopiMaxPool2dBackward").inputs
    flat = pool["input"].reshape(*pool["input"].shape[:-2], -1)
    taken = np.take_along_axis(flat, pool["indices"].reshape(*flat.shape[:-1], -1), -1)
    assert len(np.unique(pool["indices"])) > 2 and taken.min() >= np.partition(flat, 0, -1)[..., 0].min()
    assert (taken.mean() > flat.mean()) and pool["indices"].dtype == np.int64
    norm = prepared("diopiBatchNormBackward", training=True).inputs
    axes = (0, *range(2, norm["input"].ndim))
    assert np.allclose(norm["save_mean"], norm["input"].mean(axes, dtype=np.float64), atol=1e-5)
    variance = norm["input"].var(axes, dtype=np.float64)
    assert np.allclose(norm["save_invstd"], 1 / np.sqrt(variance + norm["eps"]), rtol=1e-4)


# --- the command line ---


def test_the_list_of_models(capsys):
    assert main.main(["--get_model_list", "--quick"]) == main.OK
    lines = capsys.readouterr().out.splitlines()
    names = [line.split()[0] for line in lines[1:44]]
    assert lines[0].split() == ["model", "calls", "operators", "functions", "cases", "judged"]
    assert names == sorted(model_names())
    assert lines[44].split()[:4] == ["all", "43", "10353", "112"]
    (resnet,) = (line.split() for line in lines if line.startswith("resnet50 "))
    assert resnet[1:3] == ["96", "20"] and int(resnet[4]) >= 100


def test_an_unknown_model_is_a_usage_error(capsys):
    assert main.main(["--mode", "gen_case", "--model_name", "resnet51"]) == main.USAGE
    assert "there is no model 'resnet51'" in capsys.readouterr().err


def test_a_failure_can_be_repeated_with_its_model():
    arguments = parse_arguments(["--mode", "run_test", "--model_name", "resnet50", "vit", "--quick"])
    assert repeat_command(arguments).endswith("--model_name resnet50 vit --quick")


def test_calls_that_models_share_are_run_once():
    one, two = models(QUICK)[:2]
    shared = set(one.cases) & set(two.cases)
    assert shared and len(merged((one, two))) == len(one.cases) + len(two.cases) - len(shared)
