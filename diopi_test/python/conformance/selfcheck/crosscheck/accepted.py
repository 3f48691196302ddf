# SPDX-License-Identifier: BSD-3-Clause
"""The invalid calls that PyTorch accepts, each with the reason.

A row is stale if no call needs it. A run over all operators fails if a row is stale.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...cases.suite import matches


@dataclass(frozen=True)
class Accepted:
    """Why PyTorch accepts calls that break a check. `checks` are patterns of identifiers; `*` stands for any text."""

    checks: tuple[str, ...]
    reason: str

    def fits(self, identifiers: tuple[str, ...]) -> bool:
        return any(matches(i, pattern) for i in identifiers for pattern in self.checks)


# mmcv's region operators: their names without `diopi` and `Mmcv`; `*` stands for Backward.
_REGIONS = (
    "RoiAlign*",
    "DeformRoiPool*",
    "RiroiAlign*",
    "BorderAlign*",
    "RotatedFeatureAlign*",
    "RoiPool*",
    "PrroiPool*",
)
_POINTS_OF_BOXES = ("RoiawarePool3d*", "RoipointPool3d*")

_WINDOW = ("kernel_size", "stride", "padding", "dilation")
_ANY_WINDOW = ("ksize", "stride", "padding", "dilation")

ACCEPTED: tuple[Accepted, ...] = (
    Accepted(
        tuple(f"diopi{name}Mmcv-*" for name in (*_REGIONS, *_POINTS_OF_BOXES)),
        "PyTorch lacks the operator; the reference is composed of operators that read only what they need",
    ),
    Accepted(
        ("*-reduction-enum", "*-rounding_mode-enum", "*-reduce-string"),
        "PyTorch takes a text in the place of the value, and the reference has no text for a value outside the enum",
    ),
    Accepted(
        ("diopiContiguous-memoryFormat-enum", "diopiContiguous-ChannelsLast*-ndim"),
        "the reference makes a contiguous copy; Tensor.contiguous(memory_format=) refuses these calls",
    ),
    Accepted(
        ("*Backward-grad_input-same-dtype", "*Backward-grad_output-same-dtype", "*Backward-grad-same-dtype"),
        "autograd gives a gradient the dtype of its tensor, so that functions for gradients need no check",
    ),
    Accepted(
        (
            "*-out-same-dtype",
            "*-values-same-dtype",
            "diopiMeshGrid-inputs-same-dtype",
            "diopiComplex-out-of-float*",
            "diopiPolar-out-of-float*",
            "diopiTransposeAxis01-output-same-dtype",
            "*LookupPosEncoding-from_tensor-same-dtype",
            "diopiLinalgQR-A-same-dtype",
        ),
        "PyTorch creates these outputs in the dtype of the inputs",
    ),
    Accepted(
        tuple(f"diopiMaxPool*Backward-{name}-{slug}" for name in _WINDOW for slug in ("length", "values"))
        + ("diopiMaxPool*Backward-padding-below-half", "diopiMaxPool*Backward-input-fits-kernel")
        + tuple(f"diopiPool*Backward-{name}-{slug}" for name in _ANY_WINDOW for slug in ("length", "values"))
        + ("diopiPool*Backward-max-padding-below-half", "diopiPool*Backward-max-fits-kernel"),
        "the reference adds each gradient at its index, without windows",
    ),
    Accepted(
        (
            "diopiSortBackward-grad_output-*",
            "diopiGatherBackward-grad_output-*",
        ),
        "scatter_add accepts more numbers than indices",
    ),
    Accepted(
        (
            "diopiBatchNorm-running_*",
            "diopiBatchNorm-weight-*",
            "diopiBatchNorm-bias-*",
            "diopiBatchNormBackward-running_*",
            "diopiBatchNormBackward-save_*",
            "diopiBatchNormBackward-weight-shape",
            "diopiBatchNormBackward-grad_output-shape",
        ),
        "torch.batch_norm checks these tensors before it calls native_batch_norm, which does not; null crashes it",
    ),
    Accepted(
        (
            "diopiBCELossBackward-grad_output-shape",
            "diopiBCELossBackward-input-same-shape",
            "diopiLayerNormBackward-grad_output-shape",
            "diopiLayerNormGBBackward-grad_output-shape",
            "diopiLayerNormGBBackward-bias-ndim",
            "diopiLogSoftmaxBackward-grad_input-same-shape",
        ),
        "autograd calls these functions with tensors of the right shape; they do not check it",
    ),
    Accepted(
        (
            "diopiNLLLossV2Backward-target-index",
            "diopiEmbeddingBackward-indices-index",
            "diopiEmbeddingRenorm_-indices-index",
        ),
        "the forward call checks the indices; these functions do not, and write outside their tensors",
    ),
    Accepted(
        ("diopiMSELossBackward-promoted-dtype", "diopiSmoothL1LossBackward-promoted-dtype"),
        "PyTorch computes these gradients in integers: those of a mean are 0",
    ),
    Accepted(("diopiSmoothL1LossBackward-beta-value",), "the forward call checks beta; the gradient does not"),
    Accepted(
        ("diopiAddmm-beta-whole", "diopiBaddbmm*-beta-whole"),
        "the reference cuts the fraction off; torch.addmm without a product refuses it",
    ),
    Accepted(
        ("diopi*Attention*-same-dtype",), "the reference computes in float64; scaled_dot_product_attention refuses it"
    ),
    Accepted(
        ("diopiPromptFlashAttention-atten_mask-*",), "the reference takes the part of the mask that a prompt needs"
    ),
    Accepted(
        ("diopiScaledMaskedSoftmax-input-ndim", "diopiScaledMaskedSoftmax-output-same-dtype"),
        "the reference takes any number of dimensions and computes in float64",
    ),
    Accepted(
        ("diopi*VarLen*-cum_seq*",), "the reference takes the rows of a sequence as a slice, which PyTorch shortens"
    ),
    Accepted(
        ("diopiGeluBackward-promoted-dtype",), "the reference computes in float64; gelu_backward refuses integers"
    ),
    Accepted(
        ("diopiLinspace-start-fits", "diopiLinspace-end-fits"),
        "the reference computes in float64; torch.linspace in float32 refuses these numbers",
    ),
    Accepted(
        ("diopiAdaptiveAvgPool*d-input-not-empty", "diopiAdaptiveAvgPool*d-input-ndim"),
        "for an output of one element PyTorch takes the mean and checks nothing",
    ),
    Accepted(
        (
            "*-max_exp_avg_sq-given",
            "*-max_exp_avg_sqs-given",
            "diopiRmsprop-grad_avg-given",
            "diopiRmsprop-momentum_buf-given",
        ),
        "an optimizer of PyTorch creates its state; the reference finds none",
    ),
    Accepted(
        ("diopiFusedAdamW-state_steps-elements", "diopiClipGradNorm-norm_type-value"),
        "PyTorch computes with NaN; the contract refuses it, because every result would be NaN",
    ),
    Accepted(
        ("diopiMaskedSelectBackward-grad_output-length",),
        "masked_scatter accepts more numbers than true elements",
    ),
    Accepted(("diopiIndexFill*-value-ndim",), "the reference removes the dimensions of the value"),
    Accepted(("diopiCdist-compute_mode-value",), "the reference chooses the mode"),
    Accepted(("diopiCdistBackward-*",), "the forward call checks its arguments; the gradient does not"),
    Accepted(
        ("diopiCTCLossBackward-*", "diopiCTCLoss-targets-index"),
        "PyTorch checks neither labels nor what the forward call has checked, and reads outside of its tensors",
    ),
    Accepted(("diopiCholeskyBackward-*",), "the reference makes the factor that the gradient is for"),
    Accepted(("diopiTriangularSolveBackward-*",), "the reference makes the system whose solution is given"),
    Accepted(("diopiCholesky-mat-definite",), "torch.linalg.cholesky_ex refuses only with check_errors"),
    Accepted(("diopiUnique-counts-given",), "PyTorch returns the counts"),
    Accepted(("diopiNativeMemoryFormatCast-format-number",), "PyTorch has no numbers of formats"),
    Accepted(("diopiPad-value-fits",), "PyTorch does not convert a value that it writes nowhere"),
    Accepted(("diopiIndexSelectBackward-index-ndim",), "index_add accepts an index of one row"),
    Accepted(
        ("diopiLayerNormBackward-grad_bias-*", "diopiLinearBackward-grad_bias-absent"),
        "PyTorch has no gradient of a bias that the forward call did not get",
    ),
    Accepted(
        (
            "diopiAssignScoreWithk*Mmcv-*",
            "diopiBallQuery*Mmcv-*",
            "diopiChamferDistance*Mmcv-*",
            "diopiFurthestPointSampling*Mmcv-*",
            "diopiGather*Mmcv-*",
            "diopiGroup*Mmcv-*",
            "diopiKnn*Mmcv-*",
            "diopiPointsInBoxes*Mmcv-*",
            "diopiPointsInPolygons*Mmcv-*",
            "diopiStackBallQuery*Mmcv-*",
            "diopiStackGroup*Mmcv-*",
            "diopiThreeInterpolate*Mmcv-*",
            "diopiThreeNn*Mmcv-*",
        ),
        "PyTorch has no operator for point clouds, and the compositions that compare results check no arguments",
    ),
    Accepted(
        ("diopi*DeformConv*Mmcv-*-same-dtype", "diopiMsDeformAttn*Mmcv-*-same-dtype"),
        "the reference computes in float64",
    ),
    Accepted(
        ("diopiMsDeformAttnMmcv-sampling_loc-shape", "diopiMsDeformAttnMmcv-attn_weight-shape"),
        "the reference reads two coordinates and broadcasts the weights",
    ),
    Accepted(
        ("diopiMsDeformAttn*Mmcv-im2col_step-*",), "the step has no influence, and the reference has no such argument"
    ),
    Accepted(
        ("diopiDynamicPointToVoxel*Mmcv-*", "diopiIndice*Mmcv-*", "diopiFusedIndiceConvBatchnormMmcv-*"),
        "PyTorch has no convolution by index pairs, and the compositions that compare results check no arguments",
    ),
    Accepted(
        (
            "diopiMasked*Mmcv-*",
            "diopiPsamask*Mmcv-*",
            "diopiTinShift*Mmcv-*",
            "diopiActiveRotatedFilter*Mmcv-*",
            "diopiCarafe*Mmcv-*",
            "diopiCorrelation*Mmcv-*",
            "diopiFusedBiasLeakyreluMmcv-*",
            "diopiUpfirdn2dOpMmcv-*",
        ),
        "PyTorch has no such operators, and the compositions that compare results check no arguments",
    ),
)
