"""PyTorch's spelling of what networks are made of: products, normalisations, losses, optimisers, sorting.

All are computed in double precision; gradients come from autograd, so that formulas written by hand are compared with
what differentiation says.
"""

from __future__ import annotations

import inspect
from typing import Any, Callable

try:
    import torch
    import torch.nn.functional as F
except ImportError:
    torch = F = None

REDUCTION = {"ReductionNone": "none", "ReductionMean": "mean", "ReductionSum": "sum"}

Reference = Callable[..., Any]


def double(function: Reference) -> Reference:
    """Marks a reference that wants its floating point tensors in double precision."""
    function.in_double = True
    return function


def gradients(forward: Reference, grad_output: Any, *leaves: Any) -> list[Any]:
    """The gradients of these inputs; of a null one None."""
    live = [None if x is None else x.detach().clone().requires_grad_() for x in leaves]
    result = forward(*live)
    found = torch.autograd.grad(result, [x for x in live if x is not None], grad_output.reshape(result.shape))
    remaining = iter(found)
    return [None if x is None else next(remaining) for x in live]


def _products() -> dict[str, Reference]:
    def linear_backward(grad_output: Any, input: Any, weight: Any) -> dict[str, Any]:
        grads = gradients(F.linear, grad_output, input, weight)
        return {"grad_input": grads[0], "grad_weight": grads[1],
                "grad_bias": grad_output.reshape(-1, weight.shape[0] if weight.ndim > 1 else 1).sum(0)}

    def matmul_backward(grad_out: Any, input: Any, other: Any) -> dict[str, Any]:
        return dict(zip(("grad_input", "grad_other"), gradients(torch.matmul, grad_out, input, other)))

    return {
        "diopiMm": lambda input, mat2: torch.mm(input, mat2),
        "diopiBmm": lambda input, mat2: torch.bmm(input, mat2),
        "diopiMatmul": lambda input, other: torch.matmul(input, other),
        "diopiAddmm": lambda input, mat1, mat2, beta, alpha: torch.addmm(input, mat1, mat2, beta=beta, alpha=alpha),
        "diopiBaddbmm": lambda input, batch1, batch2, beta, alpha: torch.baddbmm(
            input, batch1, batch2, beta=beta, alpha=alpha),
        "diopiBaddbmmInp": lambda input, batch1, batch2, beta, alpha: torch.baddbmm(
            input, batch1, batch2, beta=beta, alpha=alpha),
        "diopiLinear": lambda input, weight, bias: F.linear(input, weight, bias),
        "diopiLinearBackward": linear_backward,
        "diopiMatmulBackward": matmul_backward,
    }


def _softmax() -> dict[str, Reference]:
    aten = torch.ops.aten
    return {
        "diopiSoftmax": lambda input, dim: torch.softmax(input.double(), dim),
        "diopiLogSoftmax": lambda input, dim: torch.log_softmax(input.double(), dim),
        "diopiSoftmaxBackward": lambda grad_output, output, dim: aten._softmax_backward_data(
            grad_output, output, dim, torch.float64),
        "diopiLogSoftmaxBackward": lambda grad_output, output, dim: aten._log_softmax_backward_data(
            grad_output, output, dim, torch.float64),
    }


def _loss(name: str, forward: Reference) -> dict[str, Reference]:
    """A loss, and its gradient with the same arguments after `grad_output`."""
    def gradient(grad_output: Any, **arguments: Any) -> Any:
        return gradients(lambda x: forward(**{**arguments, "input": x}), grad_output, arguments["input"])[0]

    names = ("grad_output", *inspect.signature(forward).parameters)
    gradient.__signature__ = inspect.Signature([inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY) for n in names])
    return {f"diopi{name}": forward, f"diopi{name}Backward": gradient}


def _losses() -> dict[str, Reference]:
    def index(target: Any) -> Any:
        return target if target.is_floating_point() else target.long()

    def cross_entropy(input, target, weight, reduction, ignore_index, label_smoothing):
        return F.cross_entropy(input, index(target), weight, ignore_index=ignore_index,
                               reduction=REDUCTION[reduction], label_smoothing=label_smoothing)

    def nll(input, target, weight, reduction, ignore_index):
        return F.nll_loss(input, index(target), weight, ignore_index=ignore_index, reduction=REDUCTION[reduction])

    return {
        **_loss("MSELoss", lambda input, target, reduction: F.mse_loss(
            input, target, reduction=REDUCTION[reduction])),
        **_loss("SmoothL1Loss", lambda input, target, reduction, beta: F.smooth_l1_loss(
            input, target, reduction=REDUCTION[reduction], beta=beta)),
        **_loss("BCELoss", lambda input, target, weight, reduction: F.binary_cross_entropy(
            input, target, weight, reduction=REDUCTION[reduction])),
        **_loss("BCEWithLogits", lambda input, target, weight, pos_weight, reduction: (
            F.binary_cross_entropy_with_logits(input, target, weight, reduction=REDUCTION[reduction],
                                               pos_weight=pos_weight))),
        **_loss("CrossEntropyLoss", cross_entropy),
        **_loss("NLLLoss", nll),
        "diopiNLLLossV2": lambda input, target, weight, reduction, ignore_index: {
            "out": nll(input, target, weight, reduction, ignore_index)},
    }


def _normalisations() -> dict[str, Reference]:
    grads = ("grad_input", "grad_weight", "grad_bias")

    def batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps):
        mean = None if running_mean is None else running_mean.clone()
        var = None if running_var is None else running_var.clone()
        out = F.batch_norm(input, mean, var, weight, bias, training, momentum, eps)
        return {"out": out, "running_mean": mean, "running_var": var}

    def wanted(weight: Any) -> list[bool]:
        """Which gradients PyTorch is asked for: it wants no mask of a weight that is not there."""
        return [True, weight is not None, True]

    def batch_norm_backward(grad_output, input, weight, running_mean, running_var, save_mean, save_invstd, training,
                            eps):
        return dict(zip(grads, torch.ops.aten.native_batch_norm_backward(
            grad_output, input, weight, running_mean, running_var, save_mean, save_invstd, training, eps,
            wanted(weight))))

    def layer_norm_backward(grad_output, input, weight, bias, mean, rstd, normalized_shape):
        keep = list(input.shape[:input.ndim - len(normalized_shape)]) + [1] * len(normalized_shape)
        return dict(zip(grads, torch.ops.aten.native_layer_norm_backward(
            grad_output, input, normalized_shape, mean.reshape(keep), rstd.reshape(keep), weight, bias,
            [True, weight is not None, bias is not None])))

    def group_norm_backward(grad_output, input, weight, mean, rstd, num_groups):
        n, c = input.shape[:2]
        return dict(zip(grads, torch.ops.aten.native_group_norm_backward(
            grad_output.contiguous(), input.contiguous(), mean, rstd, weight, n, c, input[0, 0].numel() if n and c
            else 0, num_groups, wanted(weight)[:2] + [weight is not None])))

    def statistics(x: Any, eps: float) -> tuple[Any, Any]:
        return x.mean(-1), (x.var(-1, correction=0) + eps).rsqrt()

    def layer_norm(input, weight, bias, normalized_shape, eps):
        rows = input.flatten(input.ndim - len(normalized_shape))
        mean, invstd = statistics(rows, eps)
        return {"out": F.layer_norm(input, normalized_shape, weight, bias, eps), "save_mean": mean,
                "save_invstd": invstd}

    def group_norm(input, weight, bias, num_groups, eps):
        mean, invstd = statistics(input.unflatten(1, (num_groups, -1)).flatten(2), eps)
        return {"out": F.group_norm(input, num_groups, weight, bias, eps), "save_mean": mean, "save_invstd": invstd}

    return {"diopiBatchNorm": batch_norm, "diopiBatchNormBackward": batch_norm_backward, "diopiLayerNorm": layer_norm,
            "diopiLayerNormBackward": layer_norm_backward, "diopiGroupNorm": group_norm,
            "diopiGroupNormBackward": group_norm_backward}


def _step(optimizer: str, param: Any, grad: Any, state: dict[str, Any], **options: Any) -> dict[str, Any]:
    """One step of torch.optim from a given state."""
    leaf = torch.nn.Parameter(param.clone())
    leaf.grad = grad.clone()
    instance = getattr(torch.optim, optimizer)([leaf], foreach=False, **options)
    instance.state[leaf] = {k: v.clone() if isinstance(v, torch.Tensor) else v for k, v in state.items()
                            if v is not None}
    instance.step()
    return {"param": leaf.detach(), **instance.state[leaf]}


def _optimizers() -> dict[str, Reference]:
    def single(value: float) -> float:
        return float(torch.tensor(value, dtype=torch.float32))

    def adam(name: str) -> Reference:
        def step_once(param, grad, exp_avg, exp_avg_sq, max_exp_avg_sq, lr, beta1, beta2, eps, weight_decay, step,
                      amsgrad):
            state = {"step": torch.tensor(float(step - 1)), "exp_avg": exp_avg, "exp_avg_sq": exp_avg_sq}
            if amsgrad:
                state["max_exp_avg_sq"] = max_exp_avg_sq
            after = _step(name, param, grad, state, lr=single(lr), betas=(single(beta1), single(beta2)),
                          eps=single(eps), weight_decay=single(weight_decay), amsgrad=amsgrad)
            after.setdefault("max_exp_avg_sq", max_exp_avg_sq)
            return after
        return step_once

    def sgd(param, grad, buf, lr, momentum, dampening, weight_decay, nesterov):
        after = _step("SGD", param, grad, {"momentum_buffer": buf}, lr=lr, momentum=momentum, dampening=dampening,
                      weight_decay=weight_decay, nesterov=nesterov)
        return {"param": after["param"], "buf": after["momentum_buffer"] if momentum else buf}

    def fused_adamw(params, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, lr, beta1, beta2, eps,
                    weight_decay, amsgrad, maximize):
        names = ["exp_avg", "exp_avg_sq"] + (["max_exp_avg_sq"] if max_exp_avg_sqs else [])
        states = zip(exp_avgs, exp_avg_sqs, *([max_exp_avg_sqs] if max_exp_avg_sqs else []))
        after = [_step("AdamW", p, g, {"step": s.double().reshape(()) - 1, **dict(zip(names, state))}, lr=lr,
                       betas=(beta1, beta2), eps=eps, weight_decay=weight_decay, amsgrad=amsgrad, maximize=maximize)
                 for p, g, s, state in zip(params, grads, state_steps, states)]
        return [a[name] for name in ["param", *names] for a in after]

    def adadelta(param, grad, square_avg, acc_delta, lr, rho, eps, weight_decay):
        state = {"step": torch.tensor(0.0), "square_avg": square_avg, "acc_delta": acc_delta}
        return _step("Adadelta", param, grad, state, lr=single(lr), rho=single(rho), eps=single(eps),
                     weight_decay=single(weight_decay))

    def rmsprop(param, grad, square_avg, grad_avg, momentum_buf, lr, alpha, eps, weight_decay, momentum, centered):
        state = {"step": torch.tensor(0.0), "square_avg": square_avg, "grad_avg": grad_avg,
                 "momentum_buffer": momentum_buf}
        after = _step("RMSprop", param, grad, state, lr=single(lr), alpha=single(alpha), eps=single(eps),
                      weight_decay=single(weight_decay), momentum=single(momentum), centered=centered)
        return {**after, "momentum_buf": after.get("momentum_buffer")}

    return {"diopiAdam": adam("Adam"), "diopiAdamW": adam("AdamW"), "diopiSgd": sgd, "diopiAdadelta": adadelta,
            "diopiRmsprop": rmsprop, "diopiFusedAdamW": fused_adamw}


def _sorting() -> dict[str, Reference]:
    return {
        "diopiSort": lambda input, dim, descending: tuple(
            torch.sort(input, dim=dim, descending=descending, stable=True)),
        "diopiArgsort": lambda input, dim, descending: torch.argsort(
            input, dim=-1 if dim is None else dim, descending=descending, stable=True),
        "diopiSortBackward": lambda grad_output, dim, indices, sizes: torch.zeros(
            sizes, dtype=grad_output.dtype).scatter_(dim, indices.long(), grad_output),
        "diopiTopk": lambda input, k, dim, largest: (torch.topk(input, k, dim, largest, True)[0], None),
    }


def network_references() -> dict[str, Reference]:
    """All of this file, by operator."""
    exact = {**_products(), **_softmax(), **_losses(), **_normalisations(), **_optimizers()}
    return {**{name: double(reference) for name, reference in exact.items()}, **_sorting()}
