# SPDX-License-Identifier: BSD-3-Clause
"""The forward operator of each gradient, and the rules that derive the forward call from the backward call.

Arguments with the same name have the same value in both calls. Most gradients need no further rule.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

Arguments = Mapping[str, Any]
Maker = Callable[[Arguments, np.random.Generator], Any]


@dataclass(frozen=True)
class Rule:
    """How the backward call of one operator relates to its forward call."""

    leaves: Mapping[str, str] = field(default_factory=lambda: {"grad_input": "input"})  # gradient -> forward's input
    grad: str | None = "grad_output"  # the input of the backward call that holds the gradient of `output`; None: ones
    output: str = "out"  # the output of the forward call
    further: Mapping[str, str] = field(default_factory=dict)  # other output -> the input that holds its gradient
    made: Mapping[str, Maker] = field(default_factory=dict)  # forward arguments that the backward call lacks
    saved: Mapping[str, str] = field(default_factory=dict)  # input of the backward call -> output of the forward call
    derived: Mapping[str, Callable[[Arguments], Any]] = field(default_factory=dict)  # inputs that others determine
    applies: Callable[[Arguments], bool] = lambda arguments: True  # whether the call computes a derivative
    constant: Callable[[Arguments], Any] = lambda arguments: False  # elements that have the gradient 0 by definition


def shaped_like(name: str) -> Maker:
    return lambda arguments, rng: rng.normal(size=np.shape(arguments[name]))


def of_shape(name: str) -> Maker:
    return lambda arguments, rng: rng.normal(size=arguments[name])


def always(value: Any) -> Maker:
    return lambda arguments, rng: value


def ones_for_channels(name: str, dim: int) -> Maker:
    return lambda arguments, rng: np.ones(sum(np.shape(arguments[name])[dim : dim + 1]))


def channel_sum(x: Any) -> Any:
    return x.sum(tuple(i for i in range(x.ndim) if i != 1))


def per_channel(values: Any, x: Any) -> Any:
    return np.reshape(values, (1, -1) + (1,) * (x.ndim - 2))


def _centred(x: Any) -> Any:
    return x - per_channel(channel_sum(x) / (x.size / x.shape[1]), x)


def _deviation(x: Any, eps: float) -> Any:
    return np.sqrt(channel_sum(_centred(x) ** 2) / (x.size / x.shape[1]) + eps)


def _normalized(x: Any, eps: float) -> Any:
    return _centred(x) / per_channel(_deviation(x, eps), x)


def zeros_for_channels(name: str, dim: int) -> Maker:
    return lambda arguments, rng: np.zeros(sum(np.shape(arguments[name])[dim : dim + 1]))


def _linear_bias(arguments: Arguments, rng: np.random.Generator) -> Any:
    weight, given = arguments["weight"], arguments.get("grad_bias")
    if isinstance(given, tuple):  # the case gives its shape
        return np.zeros(given)
    return np.zeros(weight.shape[0] if weight.ndim == 2 else ())


def _layer_norm_bias(arguments: Arguments, rng: np.random.Generator) -> Any:
    return np.zeros(arguments["normalized_shape"])


def _has_repeated_pairs(pairs: Any, counts: Any) -> bool:
    found = [tuple(p) for rows, n in zip(pairs, counts) for p in rows[:, :n].T.tolist()]
    return len(set(found)) < len(found)


def _layer_norm_gb_bias(arguments: Arguments, rng: np.random.Generator) -> Any:
    return np.zeros(arguments["input"].shape[arguments["begin_norm_axis"] % arguments["input"].ndim :])


def _instance_norm_bias(arguments: Arguments, rng: np.random.Generator) -> Any:
    return np.zeros(int(np.prod(arguments["input"].shape[1 : arguments["axis"] % arguments["input"].ndim])))


def _unrotated(arguments: Arguments, rng: np.random.Generator) -> Any:
    (count, depth), (*extents, rotations) = arguments["grad_out"].shape[:2], arguments["indices"].shape
    return rng.normal(size=(count // rotations, depth // extents[0], *extents))


def _adaptive(rank: int) -> Rule:
    return Rule(made={"output_size": lambda arguments, rng: arguments["grad_output"].shape[-rank:]})


def _has_output_padding(arguments: Arguments) -> bool:
    """Whether the output of a transposed convolution has the extents that output_padding gives."""
    kernel, names = arguments["weight"].shape[2:], ("stride", "padding", "dilation", "output_padding")
    rank = len(kernel)
    numbers = ([*arguments[k]] * (rank if len(arguments[k]) == 1 else 1) for k in names)
    extents = zip(arguments["grad_output"].shape[-rank:], arguments["input"].shape[-rank:], kernel, *numbers)
    return all(m == (n - 1) * s - 2 * p + d * (k - 1) + 1 + more for m, n, k, s, p, d, more in extents)


def _samples_lie_inside(arguments: Arguments) -> bool:
    """Whether all regions lie well inside of the image: elsewhere mmcv's formula for the offsets is no derivative."""
    rois, (height, width) = arguments["rois"], arguments["input"].shape[-2:]
    corners = rois[:, 1:] * arguments["spatial_scale"]
    return bool(len(rois)) and corners.min() >= 4 and corners.max() <= min(height, width) - 4


def _boxes(arguments: Arguments, rng: np.random.Generator) -> Any:
    return rng.uniform(0.5, 4, (len(arguments["grad_out"]), 7))


def _box_points(arguments: Arguments, rng: np.random.Generator) -> Any:
    return rng.uniform(-1, 6, (arguments["grad_in"][0], 3))


_WEIGHTS = {"grad_input": "input", "grad_weight": "weight", "grad_bias": "bias"}
_FROM_OUTPUT = Rule(made={"input": shaped_like("output")}, saved={"output": "out"})
_CONVOLUTION = Rule(_WEIGHTS, made={"bias": zeros_for_channels("weight", 0)})
_ATTENTION = {"grad_q": "q", "grad_k": "k", "grad_v": "v"}
_FLASH = Rule(
    _ATTENTION,
    output="attention_out",
    saved={"attention_out": "attention_out", "softmax_lse": "softmax_lse"},
)
_MULTI_HEAD = Rule(
    _ATTENTION,
    grad="grad_out",
    saved={"out": "out", "softmax_lse": "softmax_lse"},
    made={"return_debug_mask": always(False)},
)
_RESIZED = Rule(made={"input": of_shape("in_size"), "size": lambda a, rng: a["out_size"]})
_STATISTICS = {"mean": "save_mean", "rstd": "save_invstd"}


def _points(*sizes: str, name: str = "points", grad: str = "grad_out", output: str = "out") -> Rule:
    def make(arguments: Arguments, rng: np.random.Generator) -> Any:
        return rng.normal(size=[arguments[size] for size in sizes])

    return Rule({f"grad_{name}": name}, grad=grad, output=output, made={name: make})


_OF_GRAD_INPUT = Rule(output="output", made={"input": of_shape("grad_input")})

RULES: dict[str, Rule] = {
    "diopiRoiAlignBackwardMmcv": Rule(
        output="output",
        made={"input": of_shape("grad_input")},
        saved={"argmax_y": "argmax_y", "argmax_x": "argmax_x"},
    ),
    "diopiDeformRoiPoolBackwardMmcv": Rule(
        {"grad_input": "input", "grad_offset": "offset"}, output="output", applies=_samples_lie_inside
    ),
    "diopiRoiAlignRotatedBackwardMmcv": Rule(
        {"bottom_grad": "input"}, "top_grad", "output", made={"input": of_shape("bottom_grad")}
    ),
    "diopiRiroiAlignRotatedBackwardMmcv": Rule(
        {"bottom_grad": "features"}, "top_grad", "output", made={"features": of_shape("bottom_grad")}
    ),
    "diopiRotatedFeatureAlignBackwardMmcv": Rule(
        {"bottom_grad": "features"}, "top_grad", "output", made={"features": shaped_like("top_grad")}
    ),
    "diopiBorderAlignBackwardMmcv": Rule(
        output="output", made={"input": of_shape("grad_input")}, saved={"argmax_idx": "argmax_idx"}
    ),
    "diopiRoiPoolBackwardMmcv": Rule(
        output="output", made={"input": of_shape("grad_input")}, saved={"argmax": "argmax"}
    ),
    "diopiPrroiPoolbackwardMmcv": _OF_GRAD_INPUT,
    "diopiPrroiPoolCoorBackwardMmcv": Rule(
        {"grad_rois": "rois"},
        output="output",
        saved={"output": "output"},
        # At a pixel the second derivative jumps, so that differences are exact to the step alone.
        applies=lambda a: not (a["rois"][:, 1:] == np.rint(a["rois"][:, 1:])).any(),
    ),
    "diopiRoiawarePool3dBackwardMmcv": Rule(
        {"grad_in": "pts_feature"},
        "grad_out",
        "pooled_features",
        made={"rois": _boxes, "pts": _box_points, "pts_feature": of_shape("grad_in")},
        saved={"argmax": "argmax", "pts_idx_of_voxels": "pts_idx_of_voxels"},
        applies=lambda a: a["grad_out"].size > 0,  # the forward call needs voxels
    ),
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
    "diopiLinearBackward": Rule(_WEIGHTS, made={"bias": _linear_bias}),
    "diopiConvolution2dBackward": _CONVOLUTION,
    "diopiConvolution3dBackward": _CONVOLUTION,
    **{
        f"diopiConvTranspose{rank}dBackward": Rule(
            _WEIGHTS,
            made={"bias": lambda a, rng: np.zeros(a["groups"] * a["weight"].shape[1])},
            applies=_has_output_padding,  # other calls have an output padding that their output lacks
        )
        for rank in (2, 3)
    },
    "diopiBatchNormBackward": Rule(
        _WEIGHTS,
        saved={"save_mean": "save_mean", "save_invstd": "save_invstd"},
        made={"bias": zeros_for_channels("input", 1), "momentum": always(0.1)},
        applies=lambda a: a["input"].ndim > 1,  # an input of shape [0] has no channels
    ),
    "diopiGroupNormBackward": Rule(
        _WEIGHTS, saved=_STATISTICS, made={"bias": zeros_for_channels("input", 1), "eps": always(1e-5)}
    ),
    "diopiLayerNormBackward": Rule(_WEIGHTS, saved=_STATISTICS, made={"bias": _layer_norm_bias, "eps": always(1e-5)}),
    "diopiFlashAttentionBackward": _FLASH,
    "diopiCustomizedFlashAttentionBackward": Rule(
        _ATTENTION,
        output="attention_out",
        saved={"attention_out": "attention_out", "softmax_max": "softmax_max", "softmax_sum": "softmax_sum"},
        made={"gen": always(None)},
        # The backward call gets the mask as bits, and its statistics are float32: where one key has all the weight, the
        # gradient is their rounding error.
        applies=lambda a: a["p_dropout"] == 0 and np.max(np.abs(a["q"]), initial=0) < 8,
    ),
    "diopiFlashAttentionVarLenBackward": _FLASH,
    "diopiRMSNormBackward": Rule(_WEIGHTS, saved={"inv_rms": "inv_rms"}, made={"bias": _layer_norm_bias}),
    "diopiLayerNormGBBackward": Rule(
        _WEIGHTS,
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
            "sum_dy_xmu": lambda a: channel_sum(a["grad_out"] * _centred(a["input"])),
            "count": lambda a: np.array([a["input"].size // a["input"].shape[1]]),
        },
        applies=lambda a: a["input"].size > 0,
    ),
    "diopiSyncBnBackwardParamMmcv": Rule(
        {"grad_weight": "weight", "grad_bias": "bias"},
        output="output",
        saved={"norm": "norm"},
        made={"input": shaped_like("norm"), "weight": ones_for_channels("norm", 1), "eps": always(0.1)}
        | dict.fromkeys(("mean", "bias", "running_mean"), zeros_for_channels("norm", 1))
        | dict.fromkeys(("var", "running_var"), ones_for_channels("norm", 1))
        | {"momentum": always(0.1), "group_size": always(1)},
    ),
    "diopiSyncBnBackwardDataMmcv": Rule(
        made={"input": shaped_like("norm"), "bias": zeros_for_channels("norm", 1), "training": always(True)}
        | {"momentum": always(0.1), "eps": always(1e-5)}
        | dict.fromkeys(("running_mean", "running_var"), always(None)),
        derived={
            "std": lambda a: _deviation(a["input"], 1e-5),
            "norm": lambda a: _normalized(a["input"], 1e-5),
            "grad_weight": lambda a: channel_sum(a["grad_output"] * _normalized(a["input"], 1e-5)),
            "grad_bias": lambda a: channel_sum(a["grad_output"]),
        },
        applies=lambda a: a["norm"].size > 0,
    ),
    "diopiSigmoidFocalLossBackwardMmcv": Rule(grad=None, output="output"),
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
    "diopiGatherPointsBackwardMmcv": _points("b", "c", "n"),
    "diopiGroupPointsBackwardMmcv": _points("b", "c", "n"),
    "diopiThreeInterpolateBackwardMmcv": _points("b", "c", "m"),
    "diopiStackGroupPointsBackwardMmcv": _points(
        "n", "c", name="features_tensor", grad="grad_out_tensor", output="out_tensor"
    ),
    "diopiAssignScoreWithkBackwardMmcv": Rule(
        {"grad_points": "points", "grad_centers": "centers", "grad_scores": "scores"},
        grad="grad_out",
        output="output",
    ),
    "diopiChamferDistanceBackwardMmcv": Rule(
        {"grad_xyz1": "xyz1", "grad_xyz2": "xyz2"},
        grad="grad_dist1",
        output="dist1",
        further={"dist2": "grad_dist2"},
        saved={"idx1": "idx1", "idx2": "idx2"},
    ),
    "diopiDeformConvBackwardInputMmcv": Rule(
        {"gradInput": "input", "gradOffset": "offset"}, grad="gradOutput", output="output"
    ),
    "diopiDeformConvBackwardParametersMmcv": Rule(
        {"gradWeight": "weight"},
        grad="gradOutput",
        output="output",
        made={"weight": shaped_like("gradWeight")},
        applies=lambda a: a["scale"] == 1 and not a["gradWeight"].any(),  # it adds to what gradWeight holds
    ),
    "diopiModulatedDeformConvBackwardMmcv": Rule(
        {**_WEIGHTS, "grad_offset": "offset", "grad_mask": "mask"},
        output="output",
        applies=lambda a: bool(a["with_bias"]),
    ),
    "diopiDynamicPointToVoxelBackwardMmcv": Rule(
        {"grad_feats": "feats"},
        grad="grad_reduced_feats",
        output="outlist[0]",
        made={"coors": lambda a, rng: a["coors_idx"][:, None]},
        saved={"reduced_feats": "outlist[0]", "reduce_count": "outlist[3]"},
        applies=lambda a: set(a["coors_idx"].tolist()) - {-1} == set(range(len(a["reduced_feats"]))),  # none is empty
    ),
    "diopiIndiceMaxpoolBackwardMmcv": Rule(
        {"out": "features"},
        grad="outGrad",
        made={"numAct": lambda a, rng: len(a["outFeatures"])},
        saved={"outFeatures": "out"},
        applies=lambda a: not _has_repeated_pairs(a["indicePairs"], a["indiceNum"]),  # each gets the whole gradient
    ),
    "diopiIndiceConvBackwardMmcv": Rule(
        {"outlist[0]": "features", "outlist[1]": "filters"},
        grad="outGrad",
        made={"numActOut": lambda a, rng: len(a["outGrad"])},
    ),
    "diopiPsamaskBackwardMmcv": Rule(
        output="output",
        made={
            "input": lambda a, rng: rng.normal(size=(a["num_"], a["h_mask"] * a["w_mask"], *a["grad_output"].shape[2:]))
        },
    ),
    "diopiActiveRotatedFilterBackwardMmcv": Rule(
        {"grad_in": "input"},
        grad="grad_out",
        output="output",
        made={"input": _unrotated},
        applies=lambda a: all(
            len(set(t)) == len(t) for t in a["indices"].reshape(-1, a["indices"].shape[3]).T.tolist()
        ),
    ),
    "diopiMsDeformAttnBackwardMmcv": Rule(
        {"grad_value": "value", "grad_sampling_loc": "sampling_loc", "grad_attn_weight": "attn_weight"}
    ),
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
