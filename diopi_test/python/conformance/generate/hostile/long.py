# SPDX-License-Identifier: BSD-3-Clause
"""Calls in which an operator adds a million terms. The error of a sum must not grow with the number of its terms.

All terms are positive. A sum of a million such terms in float32, added one after another, has an error of hundreds of
ULP; a sum in sixteen parts still has an error of more than ten ULP. Sums in blocks or in pairs keep the tolerance of
short sums.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from adaptor.codegen.model import Function

from ...cases.case import Case, TensorSpec
from ...handles import Argument
from .templates import Template

N = 2**20
SIDE = 2**10  # the height and width of an image with N elements
DTYPE = "float32"


def _t(*shape: int, gen: str = "uniform(0.5, 1.5)", dtype: str | None = None) -> TensorSpec:
    return TensorSpec(shape, dtype, gen)


def _logit(*shape: int) -> TensorSpec:
    return _t(*shape, gen="uniform(0, 1)")


_CLASSES = _t(N, gen="indices(2)", dtype="int64")
_PAIR = {"input": _t(N), "target": _t(N, gen="uniform(-1, 0)"), "reduction": "ReductionSum"}
_CHANCES = {"input": _t(N, gen="uniform(0.1, 0.9)"), "target": _t(N, gen="uniform(0, 1)"), "reduction": "ReductionMean"}
_CLASSED = {"input": _logit(N, 2), "target": _CLASSES, "weight": _t(2), "ignore_index": -100}
_WINDOW = {"stride": [1], "padding": [0], "dilation": [1], "groups": 1}
_TRANSPOSED = {**_WINDOW, "output_padding": [0]}
_IMAGE, _VOLUME = _t(1, 1, SIDE, SIDE), _t(1, 1, 16, 256, 256)
_IMAGES = _t(N // 16, 1, 4, 4)
_DEEP = 2**18  # the number of channels of a convolution's input
_POOL = {"padding": [0], "ceil_mode": False, "count_include_pad": True}
_ANY_POOL: dict[str, Argument] = {
    "mode": "avg",
    "padding": [0],
    "dilation": [0],
    "ceil_mode": False,
    "exclusive": True,
    "adaptive": False,
    "output_size": [0],
}
_MOMENTS = {"running_mean": None, "running_var": None, "training": True, "eps": 1e-5}
_SAVED = _t(1, gen="uniform(0.9, 1.1)")
_TO_FEW = _t(N, gen="indices(3)", dtype="int64")
_LONG_LINE = 2**21  # elements, most of which get no term
_TO_EACH = _t(N, 2, gen="indices(3)", dtype="int64")

# For each operator that adds many terms: the arguments of one or more calls whose sums have N terms, or at least N / 4.
LONG: dict[str, tuple[dict[str, Argument], ...]] = {
    "diopiSum": ({"input": _t(N), "dim": [0]}, {"input": _t(N, 2), "dim": [0]}),
    "diopiMean": ({"input": _t(N), "dim": [0]}, {"input": _t(N, 2), "dim": [0]}),
    "diopiCumsum": ({"input": _t(N), "dim": 0},),
    "diopiCumsumBackward": ({"grad_output": _t(N), "dim": 0},),
    "diopiMSELoss": (_PAIR,),
    "diopiSmoothL1Loss": ({**_PAIR, "beta": 1.0},),
    "diopiBCELoss": ({**_CHANCES, "weight": None},),
    "diopiBCEWithLogits": ({**_CHANCES, "weight": None, "pos_weight": None},),
    "diopiNLLLoss": ({**_CLASSED, "reduction": "ReductionMean"},),
    "diopiNLLLossV2": ({**_CLASSED, "reduction": "ReductionMean"},),
    "diopiCrossEntropyLoss": ({**_CLASSED, "reduction": "ReductionMean", "label_smoothing": 0.0},),
    "diopiSoftmax": ({"input": _logit(N), "dim": 0},),
    "diopiLogSoftmax": ({"input": _logit(N), "dim": 0},),
    "diopiSoftmaxBackward": ({"grad_output": _t(N), "output": _t(N), "dim": 0},),
    "diopiLogSoftmaxBackward": ({"grad_output": _t(N), "output": _t(N, gen="uniform(-2, -1)"), "dim": 0},),
    "diopiMm": ({"input": _t(2, N), "mat2": _t(N, 2)}, {"input": _t(1, N), "mat2": _t(N, 1)}),
    "diopiBmm": ({"input": _t(2, 1, N), "mat2": _t(2, N, 2)},),
    "diopiAddmm": ({"input": _t(2, 2), "mat1": _t(2, N), "mat2": _t(N, 2), "beta": 1, "alpha": 1},),
    "diopiBaddbmm": ({"input": _t(1, 2, 2), "batch1": _t(1, 2, N), "batch2": _t(1, N, 2), "beta": 1.0, "alpha": 1.0},),
    "diopiBaddbmmInp": (
        {"input": _t(1, 2, 2), "batch1": _t(1, 2, N), "batch2": _t(1, N, 2), "beta": 1.0, "alpha": 1.0},
    ),
    "diopiMatmul": ({"input": _t(N), "other": _t(N)}, {"input": _t(3, N), "other": _t(N)}),
    "diopiMatmulBackward": ({"grad_out": _t(N, 2), "input": _t(N, 2), "other": _t(2, 2)},),
    "diopiLinear": ({"input": _t(2, N), "weight": _t(3, N), "bias": None},),
    "diopiLinearBackward": ({"grad_output": _t(N, 3), "input": _t(N, 2), "weight": _t(3, 2)},),
    "diopiConvolution2d": (
        {"input": _t(1, _DEEP, 1, 2), "weight": _t(1, _DEEP, 1, 1), "bias": None, **_WINDOW},
        {"input": _t(1, 64 * _DEEP, 1, 1), "weight": _t(1, 64 * _DEEP, 1, 1), "bias": None, **_WINDOW},
    ),
    "diopiConvolution3d": ({"input": _t(1, _DEEP, 1, 1, 2), "weight": _t(1, _DEEP, 1, 1, 1), "bias": None, **_WINDOW},),
    "diopiConvolution2dBackward": (
        {"grad_output": _IMAGE, "input": _IMAGE, "weight": _t(1, 1, 1, 1), "bias_sizes": [[1]], **_WINDOW},
        {"grad_output": _IMAGES, "input": _IMAGES, "weight": _t(1, 1, 1, 1), "bias_sizes": [[1]], **_WINDOW},
    ),
    "diopiConvolution3dBackward": (
        {"grad_output": _VOLUME, "input": _VOLUME, "weight": _t(1, 1, 1, 1, 1), "bias_sizes": [[1]], **_WINDOW},
    ),
    "diopiConvTranspose2d": ({"input": _t(1, _DEEP, 1, 2), "weight": _t(_DEEP, 1, 1, 1), "bias": None, **_TRANSPOSED},),
    "diopiConvTranspose3d": (
        {"input": _t(1, _DEEP, 1, 1, 2), "weight": _t(_DEEP, 1, 1, 1, 1), "bias": None, **_TRANSPOSED},
    ),
    "diopiConvTranspose2dBackward": (
        {"grad_output": _IMAGE, "input": _IMAGE, "weight": _t(1, 1, 1, 1), "bias_sizes": [[1]], **_TRANSPOSED},
    ),
    "diopiConvTranspose3dBackward": (
        {"grad_output": _VOLUME, "input": _VOLUME, "weight": _t(1, 1, 1, 1, 1), "bias_sizes": [[1]], **_TRANSPOSED},
    ),
    "diopiAdaptiveAvgPool1d": ({"input": _t(1, 1, N), "output_size": [1]},),
    "diopiAdaptiveAvgPool2d": ({"input": _IMAGE, "output_size": [1, 1]},),
    "diopiAdaptiveAvgPool3d": ({"input": _VOLUME, "output_size": [1, 1, 1]},),
    "diopiAvgPool1d": ({"input": _t(1, 1, N), "kernel_size": [N], "stride": [N], **_POOL},),
    "diopiAvgPool2d": (
        {"input": _IMAGE, "kernel_size": [SIDE], "stride": [SIDE], **_POOL, "divisor_override": None},
        {"input": _t(1, 1, N, 1), "kernel_size": [N, 1], "stride": [1], **_POOL, "divisor_override": None},
    ),
    "diopiAvgPool3d": (
        {
            "input": _VOLUME,
            "kernel_size": [16, 256, 256],
            "stride": [16, 256, 256],
            **{**_POOL, "padding": [0, 0, 0]},
            "divisor_override": None,
        },
    ),
    "diopiPool1d": ({"input": _t(1, 1, N), **_ANY_POOL, "ksize": [N], "stride": [N]},),
    "diopiPool2d": (
        {"input": _IMAGE, **_ANY_POOL, "ksize": [SIDE], "stride": [SIDE]},
        {"input": _IMAGE, **_ANY_POOL, "ksize": [0], "stride": [0], "adaptive": True, "output_size": [1]},
    ),
    "diopiPool3d": ({"input": _VOLUME, **_ANY_POOL, "ksize": [16, 256, 256], "stride": []},),
    "diopiBatchNorm": ({"input": _t(N, 1), "weight": None, "bias": None, **_MOMENTS, "momentum": 0.1},),
    "diopiBatchNormBackward": (
        {
            "grad_output": _t(N, 1),
            "input": _t(N, 1),
            "weight": _t(1),
            **_MOMENTS,
            "save_mean": _SAVED,
            "save_invstd": _SAVED,
        },
    ),
    "diopiGroupNorm": ({"input": _t(1, 1, N), "weight": None, "bias": None, "num_groups": 1, "eps": 1e-5},),
    "diopiGroupNormBackward": (
        {
            "grad_output": _t(1, 1, N),
            "input": _t(1, 1, N),
            "weight": _t(1),
            "mean": _t(1, 1, gen="uniform(0.9, 1.1)"),
            "rstd": _t(1, 1, gen="uniform(0.9, 1.1)"),
            "num_groups": 1,
        },
    ),
    "diopiLayerNorm": ({"input": _t(1, N), "weight": None, "bias": None, "normalized_shape": [N], "eps": 1e-5},),
    "diopiLayerNormBackward": (
        {
            "grad_output": _t(N, 1, 2),
            "input": _t(N, 1, 2),
            "weight": _t(2),
            "bias": _t(2),
            "mean": _t(N, 1, 1, gen="uniform(0.9, 1.1)"),
            "rstd": _t(N, 1, 1, gen="uniform(0.9, 1.1)"),
            "normalized_shape": [2],
        },
    ),
    "diopiRMSNorm": ({"input": _t(1, N), "weight": None, "bias": None, "normalized_shape": [N], "eps": 1e-5},),
    "diopiRMSNormBackward": (
        {
            "grad_output": _t(N, 1, 2),
            "input": _t(N, 1, 2),
            "weight": _t(2),
            "bias": _t(2),
            "inv_rms": _t(N, 1, 1, gen="uniform(0.9, 1.1)"),
            "normalized_shape": [2],
            "eps": 1e-5,
        },
    ),
    "diopiScatter": (
        {"input": _t(3), "dim": 0, "src": _t(N), "index": _TO_FEW, "reduce": "add"},
        {"input": _t(3, 2), "dim": 0, "src": _t(N, 2), "index": _TO_EACH, "reduce": "add"},
    ),
    "diopiScatterInp": ({"input": _t(3), "dim": 0, "src": _t(N), "index": _TO_FEW, "reduce": "add"},),
    "diopiScatterScalar": ({"input": _t(3), "dim": 0, "value": 0.7, "index": _TO_FEW, "reduce": "add"},),
    "diopiScatterInpScalar": ({"input": _t(3), "dim": 0, "value": 0.7, "index": _TO_FEW, "reduce": "add"},),
    "diopiGatherBackward": (
        {"grad_output": _t(N), "input": _t(3), "dim": 0, "index": _TO_FEW},
        {
            "grad_output": _t(2, N),
            "input": _t(2, _LONG_LINE),
            "dim": 1,
            "index": _t(2, N, gen="indices(3)", dtype="int64"),
        },
    ),
    "diopiIndexPut": ({"input": _t(3), "values": _t(N), "indices": [_TO_FEW], "accumulate": True},),
    "diopiIndexPutInp": ({"input": _t(3, 2), "values": _t(N, 2), "indices": [_TO_FEW], "accumulate": True},),
    "diopiIndexBackward": ({"zeros_like_input": _t(3, gen="zeros"), "indices": [_TO_FEW], "grad_output": _t(N)},),
    "diopiIndexSelectBackward": (
        {"grad": _t(N, 2), "input_sizes": [3, 2], "dim": 0, "index": _TO_FEW},
        {"grad": _t(2, N), "input_sizes": [2, 3], "dim": 1, "index": _TO_FEW},
    ),
    "diopiEmbeddingBackward": (
        {
            "grad": _t(N, 2),
            "indices": _TO_FEW,
            "num_weights": 3,
            "padding_idx": -1,
            "scale_grad_byfreq": False,
            "sparse": False,
        },
    ),
    "diopiRoiAlign": (
        {
            "input": _IMAGE,
            "rois": _t(1, 5, gen="arange(0, 0.5)"),  # image 0, from (0.5, 1) to (1.5, 2)
            "spatial_scale": 530.0,
            "pooled_height": 1,
            "pooled_width": 1,
            "sampling_ratio": 0,
            "aligned": True,
        },
    ),
}

# Operators whose oracle gives a magnitude, but which need no long sums, by the reason why.
FEW_TERMS = {
    "it adds the squares of float32 numbers in float64": ("ClipGradNorm",),
    "each output element depends on one element of each tensor": (
        "Adadelta",
        "Adam",
        "AdamW",
        "FusedAdamW",
        "Rmsprop",
        "Sgd",
        "Addcdiv",
    )
    + ("AddcdivInp", "Addcmul", "AddcmulInp", "LerpScalar", "LerpTensor", "Sub", "SubInp", "Gelu", "GeluBackward")
    + ("HardswishBackward", "SiluBackward", "TanhBackward", "MaskedSelectBackward", "MSELossBackward")
    + ("SmoothL1LossBackward", "BCELossBackward", "BCEWithLogitsBackward"),
    "a sum has one term for each window that contains the element": (
        *(
            f"{kind}{n}dBackward"
            for kind in ("AdaptiveAvgPool", "AdaptiveMaxPool", "AvgPool", "MaxPool", "Pool")
            for n in (1, 2, 3)
        ),
    ),
    "a sum has one term for each element of a block, or for each window": ("UnfoldBackward", "Col2Im"),
    "a sum has a term for each sample near the element": ("RoiAlignBackward",)
    + tuple(f"{name}BackwardMmcv" for name in ("RoiAlign", "DeformRoiPool", "RoiAlignRotated", "RiroiAlignRotated"))
    + ("BorderAlignBackwardMmcv", "RoiPoolBackwardMmcv", "RotatedFeatureAlignBackwardMmcv", "PrroiPoolbackwardMmcv")
    + ("PrroiPoolCoorBackwardMmcv", "RoiawarePool3dBackwardMmcv"),
    "the sum is that of diopiRoiAlign": ("RoiAlignMmcv", "DeformRoiPoolMmcv", "RoiAlignRotatedMmcv")
    + ("RiroiAlignRotatedMmcv", "PrroiPoolMmcv"),
    "a sum has at most six terms": ("RotatedFeatureAlignMmcv",),
    "a sum has a term for each point of a voxel": ("RoiawarePool3dMmcv",),
    "a sum has one term for each class": ("CrossEntropyLossBackward",),
    "each product of the matrix engine is tested with long sums": (
        "DeformConvMmcv",
        "DeformConvBackwardInputMmcv",
        "DeformConvBackwardParametersMmcv",
        "ModulatedDeformConvMmcv",
        "ModulatedDeformConvBackwardMmcv",
        "IndiceConvMmcv",
        "IndiceConvBackwardMmcv",
        "FusedIndiceConvBatchnormMmcv",
    ),
    "it adds the points of a voxel in float64": ("DynamicPointToVoxelMmcv",),
    "a sum has one term for each pair of the row": ("IndiceMaxpoolBackwardMmcv",),
    "a sum has one term for each tap of the kernel": ("CarafeMmcv", "CarafeNaiveMmcv", "Upfirdn2dOpMmcv"),
    "a sum has one term for each place of patch and kernel, or for each channel and place of the kernel": (
        "CorrelationMmcv",
        "CorrelationBackwardMmcv",
    ),
    "a sum has one term for each tap, or for each channel of a group": (
        "CarafeBackwardMmcv",
        "CarafeNaiveBackwardMmcv",
    ),
    "a sum has one term for each rotation": ("ActiveRotatedFilterBackwardMmcv",),
    "a sum has one term for each point and level, or for each sample that reads the element": (
        "MsDeformAttnMmcv",
        "MsDeformAttnBackwardMmcv",
    ),
}
_WHY_NOT = {f"diopi{name}": reason for reason, names in FEW_TERMS.items() for name in names}


def why_not(function: Function) -> str | None:
    return None if function.name in LONG else _WHY_NOT.get(function.name, "it adds no terms")


def generate(template: Template, case_dtypes: tuple[str, ...]) -> Iterator[Case]:
    for position, arguments in enumerate(LONG[template.case.function.name]) if DTYPE in case_dtypes else ():
        yield replace(
            template.case,
            id=f"hostile_long,{position},{template.case.id}",
            arguments=arguments,
            layouts=("contiguous",),
            dtypes=(DTYPE,),
            hostile="long",
            saved=(),
        )
