# SPDX-License-Identifier: BSD-3-Clause
"""References for the focal losses and SyncBatchNorm of mmcv; gradients use torch.autograd."""

from __future__ import annotations

import numpy as np

from ..reference import Table, composed, gradients, torch

LEAST = 2.0**-126


def _single(value):
    return float(np.float32(value))


def _weights(target, weight, classes):
    """The weight of each sample, and whether its class exists."""
    if weight.numel() not in (0, classes) or weight.ndim != 1:
        raise ValueError("one weight for each class")
    known = (target >= 0) & (target < classes)
    if weight.numel() == 0:
        return torch.ones(len(target)).double(), known
    return torch.where(known, weight[torch.where(known, target, 0)], 1.0), known


def _one_hot(target, known, classes):
    hot = torch.zeros(len(target), classes).double()
    rows = torch.arange(len(target))[known]
    hot[rows, target[known].long()] = 1
    return hot


def _sigmoid_loss(input, target, weight, gamma, alpha):
    gamma, alpha, target = _single(gamma), _single(alpha), target.long()
    w, known = _weights(target, weight, input.shape[1])
    hot = _one_hot(target, known, input.shape[1])
    log_p = torch.nn.functional.logsigmoid(input).clamp(min=np.log(LEAST))
    log_rest = torch.nn.functional.logsigmoid(-input).clamp(min=np.log(LEAST))
    positive = -alpha * torch.sigmoid(-input) ** gamma * log_p
    negative = -(1 - alpha) * torch.sigmoid(input) ** gamma * log_rest
    return torch.where(hot > 0, positive, negative) * w[:, None]


def _sigmoid_gradient(input, target, weight, gamma, alpha):
    gamma, alpha, target = _single(gamma), _single(alpha), target.long()
    w, known = _weights(target, weight, input.shape[1])
    hot = _one_hot(target, known, input.shape[1])
    p, rest = torch.sigmoid(input), torch.sigmoid(-input)
    log_p = torch.nn.functional.logsigmoid(input).clamp(min=np.log(LEAST))
    log_rest = torch.nn.functional.logsigmoid(-input).clamp(min=np.log(LEAST))
    positive = -alpha * rest**gamma * (rest - gamma * p * log_p)
    negative = -(1 - alpha) * p**gamma * (gamma * rest * log_rest - p)
    return torch.where(hot > 0, positive, negative) * w[:, None]


def _softmax_loss(softmax, target, weight, gamma, alpha):
    target = target.long()
    w, known = _weights(target, weight, softmax.shape[1])
    if softmax.shape[1] == 0:
        return torch.zeros(len(softmax)).double()
    p = softmax.gather(1, torch.where(known, target, 0)[:, None])[:, 0]
    loss = -_single(alpha) * (1 - p) ** _single(gamma) * torch.log(p.clamp(min=LEAST)) * w
    return torch.where(known, loss, 0.0)


def _softmax_gradient(softmax, target, weight, gamma, alpha):
    """d loss / d p * p is the factor of each sample; the softmax has the slope p (own - softmax)."""
    gamma, target = _single(gamma), target.long()
    w, known = _weights(target, weight, softmax.shape[1])
    if softmax.shape[1] == 0:
        return {"grad_input": torch.zeros_like(softmax), "buff": torch.zeros(len(softmax)).double()}
    p = softmax.gather(1, torch.where(known, target, 0)[:, None])[:, 0]
    log = torch.log(p.clamp(min=LEAST))
    slope = _single(alpha) * w * (gamma * (1 - p) ** (gamma - 1) * p * log - (1 - p) ** gamma)
    buff = torch.where(known, slope, 0.0)
    own = _one_hot(target, known, softmax.shape[1])
    return {"grad_input": torch.where(known[:, None], buff[:, None] * (own - softmax), 0.0), "buff": buff}


def _rows(x):
    return x.transpose(0, 1).reshape(x.shape[1], -1)


def _mean(input):
    return _rows(input).mean(1) if input.numel() else torch.zeros(input.shape[1]).double()


def _var(input, mean):
    return ((_rows(input) - mean[:, None]) ** 2).mean(1) if input.numel() else torch.zeros_like(mean)


def _channels(values):
    return values[None, :, None]


def _output(running_mean, running_var, input, mean, var, weight, bias, eps, momentum, group_size):
    if group_size < 1 or {v.shape for v in (running_mean, running_var, mean)} != {input.shape[1:2]}:
        raise ValueError("one element for each channel")
    eps, momentum = _single(eps), _single(momentum)
    count = float(input.shape[0] * input.shape[2]) * group_size
    norm = torch.nn.functional.batch_norm(input, mean, var, None, None, False, 0.0, eps) if input.numel() else input
    return {
        "running_mean": (1 - momentum) * running_mean + momentum * mean,
        "running_var": (1 - momentum) * running_var + momentum * var * (count / (count - 1) if count > 1 else 1),
        "norm": norm,
        "std": torch.sqrt(var + eps),
        "output": torch.addcmul(_channels(bias), norm, _channels(weight)),
    }


def _backward_param(grad_output, norm):
    weight, bias = torch.ones(norm.shape[1]).double(), torch.zeros(norm.shape[1]).double()
    found = gradients(lambda w, b: norm * _channels(w) + _channels(b), grad_output.double(), weight, bias)
    return {"grad_weight": found[0], "grad_bias": found[1]}


def _backward_data(grad_output, weight, grad_weight, grad_bias, norm, std):
    batch, _, positions = norm.shape
    n = max(batch * positions, 1)
    inner = torch.addcmul(_channels(grad_bias), _channels(grad_weight), norm)
    return torch.sub(grad_output, inner, alpha=1 / n) * _channels(weight / std)


TABLE: Table = {
    "diopiSigmoidFocalLossMmcv": composed("torch.nn.functional.logsigmoid", _sigmoid_loss, double=True),
    "diopiSigmoidFocalLossBackwardMmcv": composed("torch.nn.functional.logsigmoid", _sigmoid_gradient, double=True),
    "diopiSoftmaxFocalLossMmcv": composed("torch.gather, torch.log", _softmax_loss, double=True),
    "diopiSoftmaxFocalLossBackwardMmcv": composed("torch.gather, torch.log", _softmax_gradient, double=True),
    "diopiSyncBnMeanMmcv": composed("torch.mean", _mean, double=True),
    "diopiSyncBnVarMmcv": composed("torch.mean", _var, double=True),
    "diopiSyncBnOutputMmcv": composed("torch.nn.functional.batch_norm", _output, double=True),
    "diopiSyncBnBackwardParamMmcv": composed("torch.autograd", _backward_param, double=True),
    "diopiSyncBnBackwardDataMmcv": composed("torch.addcmul", _backward_data, double=True),
}
