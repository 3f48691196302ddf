# SPDX-License-Identifier: BSD-3-Clause
"""References for the fused layers of TurboMind's decoder."""

from __future__ import annotations

from ..reference import Table, composed, torch


def _feed_forward(inoutput, weight1, weight2, weight3, workspace, workspace_size, fusion_level):
    if fusion_level < 0 or inoutput.ndim != 2 or weight1.ndim != 2:
        raise RuntimeError("the arguments are wrong")
    if workspace_size < 0:
        return {"inoutput": inoutput, "workspace": None}
    silu = torch.nn.functional.silu
    return {"inoutput": (silu(inoutput @ weight1) * (inoutput @ weight3)) @ weight2, "workspace": None}


def _rms(inoutput, scale, eps):
    if inoutput.ndim != 2 or scale.ndim != 1:
        raise RuntimeError("inoutput must be a matrix, scale a vector")
    small = float(torch.tensor(eps, dtype=torch.float32))
    return torch.nn.functional.rms_norm(inoutput, list(scale.shape), scale, small)


def _add_rms(inoutput, residual, bias, scale, eps, dtypes):
    if residual.shape != inoutput.shape or bias is not None and bias.shape != scale.shape:
        raise RuntimeError("the shapes do not fit")
    total = residual + inoutput + (0 if bias is None else bias)
    stored = total.to(getattr(torch, dtypes["residual"])).double()
    return {"inoutput": _rms(stored, scale.double(), eps), "residual": total}


TABLE: Table = {
    "diopiFusedSiluFfnInp": composed("torch.nn.functional.silu and products", _feed_forward, double=True),
    "diopiRootMeanSquareNormInp": composed("torch.nn.functional.rms_norm", _rms, double=True),
    "diopiFusedAddRootMeanSquareNormInp": composed("sums, torch.nn.functional.rms_norm", _add_rms, double=True),
}
