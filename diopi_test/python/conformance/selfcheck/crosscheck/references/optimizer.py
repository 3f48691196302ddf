# SPDX-License-Identifier: BSD-3-Clause
"""References for optimisers: one step of each optimiser of torch.optim from a given state, in double precision."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..reference import Reference, Table, torch


def _step(optimizer: str, param: Any, grad: Any, state: dict[str, Any], **options: Any) -> dict[str, Any]:
    leaf = torch.nn.Parameter(param.clone())
    leaf.grad = grad.clone()
    nesterov = options.pop("nesterov", None)
    instance = getattr(torch.optim, optimizer)([leaf], foreach=False, **options)
    if nesterov is not None:  # the constructor refuses nesterov with dampening or without momentum
        instance.param_groups[0]["nesterov"] = nesterov
    instance.state[leaf] = {
        k: v.clone() if isinstance(v, torch.Tensor) else v for k, v in state.items() if v is not None
    }
    instance.step()
    return {"param": leaf.detach(), **instance.state[leaf]}


def _single(value: float) -> float:
    """A hyperparameter rounded to float32, because the C function takes it as float."""
    return float(np.float32(value))


def _adam(name: str) -> Reference:
    def call(param, grad, exp_avg, exp_avg_sq, max_exp_avg_sq, lr, beta1, beta2, eps, weight_decay, step, amsgrad):
        state = {"step": torch.tensor(float(step - 1)), "exp_avg": exp_avg, "exp_avg_sq": exp_avg_sq}
        if amsgrad:
            state["max_exp_avg_sq"] = max_exp_avg_sq
        after = _step(
            name,
            param,
            grad,
            state,
            lr=_single(lr),
            betas=(_single(beta1), _single(beta2)),
            eps=_single(eps),
            weight_decay=_single(weight_decay),
            amsgrad=amsgrad,
        )
        return {"max_exp_avg_sq": max_exp_avg_sq, **after}

    return Reference(f"torch.optim.{name}", call, double=True)


def _sgd(param, grad, buf, lr, momentum, dampening, weight_decay, nesterov):
    after = _step(
        "SGD",
        param,
        grad,
        {"momentum_buffer": buf},
        lr=lr,
        momentum=momentum,
        dampening=dampening,
        weight_decay=weight_decay,
        nesterov=nesterov,
    )
    return {"param": after["param"], "buf": after["momentum_buffer"] if momentum and buf is not None else buf}


def _fused_adamw(
    params,
    grads,
    exp_avgs,
    exp_avg_sqs,
    max_exp_avg_sqs,
    state_steps,
    lr,
    beta1,
    beta2,
    eps,
    weight_decay,
    amsgrad,
    maximize,
):
    names = {"exp_avgs": "exp_avg", "exp_avg_sqs": "exp_avg_sq"}
    states = [exp_avgs, exp_avg_sqs]
    if max_exp_avg_sqs:
        names["max_exp_avg_sqs"] = "max_exp_avg_sq"
        states.append(max_exp_avg_sqs)
    after = [
        _step(
            "AdamW",
            p,
            g,
            {"step": s.double().reshape(()) - 1, **dict(zip(names.values(), state))},
            lr=lr,
            betas=(beta1, beta2),
            eps=eps,
            weight_decay=weight_decay,
            amsgrad=amsgrad,
            maximize=maximize,
        )
        for p, g, s, state in zip(params, grads, state_steps, zip(*states))
    ]
    return {plural: [a[name] for a in after] for plural, name in {"params": "param", **names}.items()}


def _adadelta(param, grad, square_avg, acc_delta, lr, rho, eps, weight_decay):
    state = {"step": torch.tensor(0.0), "square_avg": square_avg, "acc_delta": acc_delta}
    return _step(
        "Adadelta",
        param,
        grad,
        state,
        lr=_single(lr),
        rho=_single(rho),
        eps=_single(eps),
        weight_decay=_single(weight_decay),
    )


def _rmsprop(param, grad, square_avg, grad_avg, momentum_buf, lr, alpha, eps, weight_decay, momentum, centered):
    state = {"step": torch.tensor(0.0), "square_avg": square_avg, "grad_avg": grad_avg, "momentum_buffer": momentum_buf}
    after = _step(
        "RMSprop",
        param,
        grad,
        state,
        lr=_single(lr),
        alpha=_single(alpha),
        eps=_single(eps),
        weight_decay=_single(weight_decay),
        momentum=_single(momentum),
        centered=centered,
    )
    return {**after, "momentum_buf": after.get("momentum_buffer")}


def _clip(grads: list[Any], max_norm: float, norm_type: float) -> dict[str, Any]:
    leaves = [torch.zeros_like(g).requires_grad_() for g in grads]
    for leaf, grad in zip(leaves, grads):
        leaf.grad = grad.clone()
    total = torch.nn.utils.clip_grad_norm_(leaves, max_norm, norm_type, foreach=False)
    return {"out": total, "grads": [leaf.grad for leaf in leaves]}


TABLE: Table = {
    "diopiAdam": _adam("Adam"),
    "diopiAdamW": _adam("AdamW"),
    "diopiSgd": Reference("torch.optim.SGD", _sgd, double=True),
    "diopiAdadelta": Reference("torch.optim.Adadelta", _adadelta, double=True),
    "diopiRmsprop": Reference("torch.optim.RMSprop", _rmsprop, double=True),
    "diopiFusedAdamW": Reference("torch.optim.AdamW", _fused_adamw, double=True),
    "diopiClipGradNorm": Reference("torch.nn.utils.clip_grad_norm_", _clip, double=True),
}
