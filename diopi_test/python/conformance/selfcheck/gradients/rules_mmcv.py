# SPDX-License-Identifier: BSD-3-Clause
"""The rules of the gradients of mmcv's operators."""

from __future__ import annotations

from typing import Any

import numpy as np

from .rule import (
    WEIGHTS,
    Arguments,
    Rule,
    always,
    centred,
    channel_sum,
    of_shape,
    ones_for_channels,
    per_channel,
    shaped_like,
    zeros_for_channels,
)


def _deviation(x: Any, eps: float) -> Any:
    return np.sqrt(channel_sum(centred(x) ** 2) / (x.size / x.shape[1]) + eps)


def _normalized(x: Any, eps: float) -> Any:
    return centred(x) / per_channel(_deviation(x, eps), x)


def _has_repeated_pairs(pairs: Any, counts: Any) -> bool:
    found = [tuple(p) for rows, n in zip(pairs, counts) for p in rows[:, :n].T.tolist()]
    return len(set(found)) < len(found)


def _unrotated(arguments: Arguments, rng: np.random.Generator) -> Any:
    (count, depth), (*extents, rotations) = arguments["grad_out"].shape[:2], arguments["indices"].shape
    return rng.normal(size=(count // rotations, depth // extents[0], *extents))


def _samples_lie_inside(arguments: Arguments) -> bool:
    """Whether all regions lie well inside of the image: elsewhere mmcv's formula for the offsets is no derivative."""
    rois, (height, width) = arguments["rois"], arguments["input"].shape[-2:]
    corners = rois[:, 1:] * arguments["spatial_scale"]
    return bool(len(rois)) and corners.min() >= 4 and corners.max() <= min(height, width) - 4


def _carafe_features(arguments: Arguments, rng: np.random.Generator) -> Any:
    (n, channels, *extents), scale = arguments["top_grad"].shape, arguments["scale_factor"]
    return rng.normal(size=(n, channels, *(extent // scale for extent in extents)))


def _boxes(arguments: Arguments, rng: np.random.Generator) -> Any:
    return rng.uniform(0.5, 4, (len(arguments["grad_out"]), 7))


def _box_points(arguments: Arguments, rng: np.random.Generator) -> Any:
    return rng.uniform(-1, 6, (arguments["grad_in"][0], 3))


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
        {**WEIGHTS, "grad_offset": "offset", "grad_mask": "mask"},
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
    "diopiCarafeBackwardMmcv": Rule(
        {"bottom_grad": "features", "mask_grad": "masks"},
        grad="top_grad",
        output="output",
        made={"features": _carafe_features},
        derived={"rfeatures": lambda a: a["features"].transpose(0, 2, 3, 1).reshape(a["rfeatures"].shape)},
    ),
    "diopiCarafeNaiveBackwardMmcv": Rule(
        {"bottom_grad": "features", "mask_grad": "masks"}, grad="top_grad", output="output"
    ),
    "diopiCorrelationBackwardMmcv": Rule({"grad_input1": "input1", "grad_input2": "input2"}, output="output"),
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
}
