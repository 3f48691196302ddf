# SPDX-License-Identifier: BSD-3-Clause
"""The forward operator of each gradient, and the rules that derive the forward call from the backward call.

Arguments with the same name have the same value in both calls. Most gradients need no further rule.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from . import rules_mmcv
from .rule import (
    WEIGHTS,
    Arguments,
    Rule,
    always,
    centred,
    channel_sum,
    of_shape,
    ones_for_channels,
    shaped_like,
    zeros_for_channels,
)


def _linear_bias(arguments: Arguments, rng: np.random.Generator) -> Any:
    weight, given = arguments["weight"], arguments.get("grad_bias")
    if isinstance(given, tuple):  # the case gives its shape
        return np.zeros(given)
    return np.zeros(weight.shape[0] if weight.ndim == 2 else ())


def _layer_norm_bias(arguments: Arguments, rng: np.random.Generator) -> Any:
    return np.zeros(arguments["normalized_shape"])


def _layer_norm_gb_bias(arguments: Arguments, rng: np.random.Generator) -> Any:
    return np.zeros(arguments["input"].shape[arguments["begin_norm_axis"] % arguments["input"].ndim :])


def _instance_norm_bias(arguments: Arguments, rng: np.random.Generator) -> Any:
    return np.zeros(int(np.prod(arguments["input"].shape[1 : arguments["axis"] % arguments["input"].ndim])))


def _adaptive(rank: int) -> Rule:
    return Rule(made={"output_size": lambda arguments, rng: arguments["grad_output"].shape[-rank:]})


def _has_output_padding(arguments: Arguments) -> bool:
    """Whether the output of a transposed convolution has the extents that output_padding gives."""
    kernel, names = arguments["weight"].shape[2:], ("stride", "padding", "dilation", "output_padding")
    rank = len(kernel)
    numbers = ([*arguments[k]] * (rank if len(arguments[k]) == 1 else 1) for k in names)
    extents = zip(arguments["grad_output"].shape[-rank:], arguments["input"].shape[-rank:], kernel, *numbers)
    return all(m == (n - 1) * s - 2 * p + d * (k - 1) + 1 + more for m, n, k, s, p, d, more in extents)


_FROM_OUTPUT = Rule(made={"input": shaped_like("output")}, saved={"output": "out"})
_CONVOLUTION = Rule(WEIGHTS, made={"bias": zeros_for_channels("weight", 0)})
_ATTENTION = {"grad_q": "q", "grad_k": "k", "grad_v": "v"}
_FLASH = Rule(
    _ATTENTION,
    output="attention_out",
    saved={"attention_out": "attention_out", "softmax_lse": "softmax_lse"},
)
_CUSTOMIZED = Rule(
    _ATTENTION,
    output="attention_out",
    saved={"attention_out": "attention_out", "softmax_max": "softmax_max", "softmax_sum": "softmax_sum"},
    made={"gen": always(None)},
    # The backward call gets the mask as bits, and its statistics are float32: where one key has all the weight, the
    # gradient is their rounding error.
    applies=lambda a: a["p_dropout"] == 0 and np.max(np.abs(a["q"]), initial=0) < 8,
)
_MULTI_HEAD = Rule(
    _ATTENTION,
    grad="grad_out",
    saved={"out": "out", "softmax_lse": "softmax_lse"},
    made={"return_debug_mask": always(False)},
)
_RESIZED = Rule(made={"input": of_shape("in_size"), "size": lambda a, rng: a["out_size"]})
_STATISTICS = {"mean": "save_mean", "rstd": "save_invstd"}

RULES: dict[str, Rule] = {
    **rules_mmcv.RULES,
    **dict.fromkeys(
        ("diopiSigmoidBackward", "diopiTanhBackward", "diopiSoftmaxBackward", "diopiLogSoftmaxBackward"), _FROM_OUTPUT
    ),
    "diopiThresholdBackward": Rule(made={"value": always(0.25)}),
    "diopiScaledMaskedSoftmaxBackward": Rule(
        output="output", made={"input": shaped_like("output")}, saved={"output": "output"}
    ),
    "diopiUnfoldBackward": Rule(made={"input": of_shape("input_sizes")}),
    "diopiUpsampleNearestBackward": _RESIZED,
    "diopiUpsampleLinearBackward": _RESIZED,
    "diopiNLLLossV2Backward": Rule(saved={"totalWeight": "totalWeight"}),
    "diopiCumsumBackward": Rule(made={"input": shaped_like("grad_output")}),
    "diopiSortBackward": Rule(
        output="values",
        saved={"indices": "indices"},
        made={"input": of_shape("sizes"), "descending": always(False), "pStable": always(True)},
        applies=lambda a: tuple(a["sizes"]) == a["indices"].shape,
    ),  # other calls have the indices of a top-k
    "diopiSelectBackward": Rule(made={"input": of_shape("input_sizes")}),
    "diopiSliceBackward": Rule(output="null_out", made={"input": of_shape("input_sizes")}),
    "diopiCdistBackward": Rule(
        {"grad_input": "input1"},
        saved={"cdist": "out"},
        made={"compute_mode": always(None)},
        # A broadcast input1 gets the gradient of the broadcast batch. The distance has kinks at equal elements.
        applies=lambda a: a["input1"].shape[:-2] == a["cdist"].shape[:-2] and not np.isinf(a["p"]),
    ),
    "diopiTriangularSolveBackward": Rule(
        {"grad_b": "b", "grad_mat": "mat"},
        grad="grad_x",
        further={"cloned_mat": "grad_cloned_mat"},
        saved={"x": "out"},
        applies=lambda a: a.get("grad_x") is not None and a.get("grad_cloned_mat") is not None,
    ),
    "diopiIndexBackward": Rule(made={"input": shaped_like("zeros_like_input")}),
    "diopiIndexSelectBackward": Rule(grad="grad", made={"input": of_shape("input_sizes")}),
    "diopiEmbeddingBackward": Rule(
        {"out": "weight"},
        grad="grad",
        made={"weight": lambda a, rng: rng.normal(size=(a["num_weights"], a["grad"].shape[-1]))},
        applies=lambda a: not a["scale_grad_byfreq"],  # with scale_grad_byfreq the result is not a derivative
        constant=lambda a: (np.arange(a["num_weights"]) == a["padding_idx"])[:, None],
    ),
    "diopiRoiAlignBackward": Rule(
        {"out": "input"},
        grad="grad",
        made={"input": lambda a, rng: rng.normal(size=[a[n] for n in ("batch_size", "channels", "height", "width")])},
    ),
    "diopiMatmulBackward": Rule({"grad_input": "input", "grad_other": "other"}, grad="grad_out"),
    "diopiLinearBackward": Rule(WEIGHTS, made={"bias": _linear_bias}),
    "diopiConvolution2dBackward": _CONVOLUTION,
    "diopiConvolution3dBackward": _CONVOLUTION,
    **{
        f"diopiConvTranspose{rank}dBackward": Rule(
            WEIGHTS,
            made={"bias": lambda a, rng: np.zeros(a["groups"] * a["weight"].shape[1])},
            applies=_has_output_padding,  # other calls have an output padding that their output lacks
        )
        for rank in (2, 3)
    },
    "diopiBatchNormBackward": Rule(
        WEIGHTS,
        saved={"save_mean": "save_mean", "save_invstd": "save_invstd"},
        made={"bias": zeros_for_channels("input", 1), "momentum": always(0.1)},
        applies=lambda a: a["input"].ndim > 1,  # an input of shape [0] has no channels
    ),
    "diopiGroupNormBackward": Rule(
        WEIGHTS, saved=_STATISTICS, made={"bias": zeros_for_channels("input", 1), "eps": always(1e-5)}
    ),
    "diopiLayerNormBackward": Rule(WEIGHTS, saved=_STATISTICS, made={"bias": _layer_norm_bias, "eps": always(1e-5)}),
    "diopiFlashAttentionBackward": _FLASH,
    "diopiCustomizedFlashAttentionBackward": _CUSTOMIZED,
    "diopiCustomizedFlashAttentionVarLenBackward": _CUSTOMIZED,
    "diopiFlashAttentionVarLenBackward": _FLASH,
    "diopiRMSNormBackward": Rule(WEIGHTS, saved={"inv_rms": "inv_rms"}, made={"bias": _layer_norm_bias}),
    "diopiLayerNormGBBackward": Rule(
        WEIGHTS,
        saved={"running_mean": "running_mean", "running_std": "running_var"},
        made={"bias": _layer_norm_gb_bias, "eps": always(1e-5)},
    ),
    "diopiInstanceNormBackward": Rule(
        {"grad_input": "input", "grad_scale": "scale", "grad_bias": "bias"},
        output="output",
        made={"bias": _instance_norm_bias},
    ),
    "diopiBatchNormBackwardReduce": Rule(
        {"grad_weight": "weight", "grad_bias": "bias"},
        grad="grad_out",
        made={"weight": ones_for_channels("input", 1), "bias": zeros_for_channels("input", 1), "eps": always(1e-5)},
    ),
    "diopiBatchNormBackwardElemt": Rule(
        grad="grad_out",
        saved={"mean": "save_mean", "invstd": "save_invstd"},
        made={
            "bias": zeros_for_channels("input", 1),
            "training": always(True),
            "momentum": always(0.1),
            "eps": always(1e-5),
        }
        | dict.fromkeys(("running_mean", "running_var"), always(None)),
        derived={
            "sum_dy": lambda a: channel_sum(a["grad_out"]),
            "sum_dy_xmu": lambda a: channel_sum(a["grad_out"] * centred(a["input"])),
            "count": lambda a: np.array([a["input"].size // a["input"].shape[1]]),
        },
        applies=lambda a: a["input"].size > 0,
    ),
    "diopiNormBackward": Rule({"grad_input": "input"}, made={"input": lambda a, rng: a["self"]}, saved={"norm": "out"}),
    "diopiNormalizeBackward": Rule(
        output="output", applies=lambda a: a["input"].ndim > 0 and a["input"].shape[a["axis"]] > 1
    ),  # the gradient of a row of one element is 0
    "diopiSigmoidFocalLossBackward": Rule(
        {"grad_input": "inputs"}, made={"inputs": lambda a, rng: a["input"], "targets": lambda a, rng: a["target"]}
    ),
    "diopiMultiHeadAttentionBackward": _MULTI_HEAD,
    "diopiMultiHeadAttentionVarLenBackward": _MULTI_HEAD,
    **{f"diopiAdaptiveAvgPool{rank}dBackward": _adaptive(rank) for rank in (1, 2, 3)},
    **{f"diopiMaxPool{rank}dBackward": Rule(saved={"indices": "indices"}) for rank in (1, 2, 3)},
    # diopiPool has no indices as an output, so that only its averages are compared with differences.
    **{
        f"diopiPool{rank}dBackward": replace(_adaptive(rank), applies=lambda arguments: arguments["mode"] == "avg")
        for rank in (1, 2, 3)
    },
    **{
        f"diopiAdaptiveMaxPool{rank}dBackward": replace(_adaptive(rank), saved={"indices": "indices"})
        for rank in (1, 2, 3)
    },
}

# The forward operators whose name is not the gradient's name without `Backward`.
FORWARD = {
    **{
        f"diopi{kind}Pool{rank}dBackward": f"diopi{kind}Pool{rank}dWithIndices"
        for kind in ("Max", "AdaptiveMax")
        for rank in (1, 2, 3)
    },
    "diopiPrroiPoolbackwardMmcv": "diopiPrroiPoolMmcv",
    "diopiPrroiPoolCoorBackwardMmcv": "diopiPrroiPoolMmcv",
    "diopiDeformConvBackwardInputMmcv": "diopiDeformConvMmcv",
    "diopiDeformConvBackwardParametersMmcv": "diopiDeformConvMmcv",
    "diopiBatchNormBackwardReduce": "diopiBatchNormElemt",
    "diopiBatchNormBackwardElemt": "diopiBatchNorm",
    "diopiCarafeBackwardMmcv": "diopiCarafeNaiveMmcv",
    "diopiSyncBnBackwardParamMmcv": "diopiSyncBnOutputMmcv",
    "diopiSyncBnBackwardDataMmcv": "diopiBatchNorm",
}

# The gradients that are compared with nothing here, each with the reason.
WITHOUT_DIFFERENCES = {
    "diopiCTCLossBackward": "it is the gradient for logits, and the forward operator takes their log-softmax",
    "diopiCholeskyBackward": "the gradient is symmetric, and the forward operator reads one triangle",
    "diopiSoftmaxFocalLossBackwardMmcv": "it is the gradient for logits, and the forward operator takes probabilities",
    "diopiTinShiftBackwardMmcv": "as in mmcv, it shifts the gradient forward and is no derivative",
}


def rule_of(name: str) -> Rule:
    return RULES.get(name, Rule())


def forward_of(name: str) -> str:
    return FORWARD.get(name, name.replace("Backward", ""))
