# SPDX-License-Identifier: BSD-3-Clause
"""One step of each optimiser, as torch.optim defines it."""

import numpy as np

from . import Value, oracle


def _single(*numbers: float) -> tuple[float, ...]:
    """Hyperparameters rounded to float32, because the C function takes them as float."""
    return tuple(np.float64(np.float32(n)) for n in numbers)


def _decayed(grad, param, weight_decay):
    return grad + weight_decay * param if weight_decay != 0 else grad


def _size(grad, param, weight_decay):
    """The magnitude of the decayed gradient."""
    return np.abs(grad) + np.abs(weight_decay * param)


def _moved(param, step, size):
    """The parameter minus the step; `size` is the magnitude of the step."""
    return Value(param - step, magnitude=np.abs(param) + np.abs(size))


def _mixed(share, old, new, size):
    """A running mean; `size` is the magnitude of the new term."""
    return Value(share * old + (1 - share) * new, magnitude=abs(share) * np.abs(old) + abs(1 - share) * size)


@oracle("diopiSgd", dtype={"param": "param", "buf": "buf"})
def sgd(param, grad, buf, lr, momentum, dampening, weight_decay, nesterov):
    step, size = _decayed(grad, param, weight_decay), _size(grad, param, weight_decay)
    if momentum == 0 or buf is None:  # a null buffer means a first step, in which the momentum is the gradient
        rate = lr * (1 + momentum) if nesterov else lr
        return {"param": _moved(param, rate * step, rate * size), "buf": buf}
    buf_size = np.abs(momentum * buf) + abs(1 - dampening) * size
    buf = momentum * buf + (1 - dampening) * step
    step = step + momentum * buf if nesterov else buf
    size = size + abs(momentum) * buf_size if nesterov else buf_size
    return {"param": _moved(param, lr * step, lr * size), "buf": Value(buf, magnitude=buf_size)}


def _adam(param, grad, size, exp_avg, exp_avg_sq, max_exp_avg_sq, lr, beta1, beta2, eps, step, amsgrad, shrink):
    mean = exp_avg + (1 - beta1) * (grad - exp_avg)
    square = beta2 * exp_avg_sq + (1 - beta2) * grad * grad
    bound = np.maximum(max_exp_avg_sq, square) if amsgrad else square
    rate = lr / (1 - beta1**step) / (np.sqrt(bound) / np.sqrt(1 - beta2**step) + eps)
    mean_size = np.abs(exp_avg) + abs(1 - beta1) * size
    square_size = abs(beta2) * np.abs(exp_avg_sq) + abs(1 - beta2) * size * size
    return {
        "param": _moved(param * shrink, rate * mean, rate * mean_size),
        "exp_avg": Value(mean, magnitude=mean_size),
        "exp_avg_sq": Value(square, magnitude=square_size),
        "max_exp_avg_sq": Value(bound, magnitude=np.abs(max_exp_avg_sq) + square_size) if amsgrad else max_exp_avg_sq,
    }


_ADAM_STATE = {name: name for name in ("param", "exp_avg", "exp_avg_sq", "max_exp_avg_sq")}


@oracle("diopiAdam", dtype=_ADAM_STATE)
def adam(param, grad, exp_avg, exp_avg_sq, max_exp_avg_sq, lr, beta1, beta2, eps, weight_decay, step, amsgrad):
    lr, beta1, beta2, eps, weight_decay = _single(lr, beta1, beta2, eps, weight_decay)
    size, grad = _size(grad, param, weight_decay), _decayed(grad, param, weight_decay)
    return _adam(param, grad, size, exp_avg, exp_avg_sq, max_exp_avg_sq, lr, beta1, beta2, eps, step, amsgrad, 1.0)


@oracle("diopiAdamW", dtype=_ADAM_STATE)
def adamw(param, grad, exp_avg, exp_avg_sq, max_exp_avg_sq, lr, beta1, beta2, eps, weight_decay, step, amsgrad):
    lr, beta1, beta2, eps, weight_decay = _single(lr, beta1, beta2, eps, weight_decay)
    return _adam(
        param,
        grad,
        np.abs(grad),
        exp_avg,
        exp_avg_sq,
        max_exp_avg_sq,
        lr,
        beta1,
        beta2,
        eps,
        step,
        amsgrad,
        1 - lr * weight_decay,
    )


@oracle("diopiAdadelta", dtype={name: name for name in ("param", "square_avg", "acc_delta")})
def adadelta(param, grad, square_avg, acc_delta, lr, rho, eps, weight_decay):
    lr, rho, eps, weight_decay = _single(lr, rho, eps, weight_decay)
    size, grad = _size(grad, param, weight_decay), _decayed(grad, param, weight_decay)
    square = rho * square_avg + (1 - rho) * grad * grad
    rate = np.sqrt(acc_delta + eps) / np.sqrt(square + eps)
    delta = rate * grad
    return {
        "param": _moved(param, lr * delta, lr * rate * size),
        "square_avg": _mixed(rho, square_avg, grad * grad, size * size),
        "acc_delta": _mixed(rho, acc_delta, delta * delta, (rate * size) ** 2),
    }


@oracle("diopiRmsprop", dtype={name: name for name in ("param", "square_avg", "grad_avg", "momentum_buf")})
def rmsprop(param, grad, square_avg, grad_avg, momentum_buf, lr, alpha, eps, weight_decay, momentum, centered):
    lr, alpha, eps, weight_decay, momentum = _single(lr, alpha, eps, weight_decay, momentum)
    size, grad = _size(grad, param, weight_decay), _decayed(grad, param, weight_decay)
    square = alpha * square_avg + (1 - alpha) * grad * grad
    result = {
        "square_avg": _mixed(alpha, square_avg, grad * grad, size * size),
        "grad_avg": grad_avg,
        "momentum_buf": momentum_buf,
    }
    variance = square
    if centered:
        mean = grad_avg + (1 - alpha) * (grad - grad_avg)
        variance = square - mean * mean
        result["grad_avg"] = Value(mean, magnitude=np.abs(grad_avg) + abs(1 - alpha) * size)
    rate = 1 / (np.sqrt(variance) + eps)
    step, size = rate * grad, rate * size
    if momentum > 0:
        step, size = momentum * momentum_buf + step, np.abs(momentum * momentum_buf) + size
        result["momentum_buf"] = Value(step, magnitude=size)
    return result | {"param": _moved(param, lr * step, lr * size)}


@oracle("diopiFusedAdamW")
def fused_adamw(
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
    """One AdamW step for each parameter separately; each parameter has its own step number."""
    beta1, beta2 = np.float64(beta1), np.float64(beta2)
    most = max_exp_avg_sqs or [None] * len(params)
    steps = [
        _adam(
            p,
            -g if maximize else g,
            np.abs(g),
            m,
            v,
            b,
            lr,
            beta1,
            beta2,
            eps,
            float(np.ravel(s)[0]),
            amsgrad,
            1 - lr * weight_decay,
        )
        for p, g, m, v, b, s in zip(params, grads, exp_avgs, exp_avg_sqs, most, state_steps)
    ]
    names = {"params": "param", "exp_avgs": "exp_avg", "exp_avg_sqs": "exp_avg_sq"}
    result = {plural: [s[name] for s in steps] for plural, name in names.items()}
    if max_exp_avg_sqs is not None:
        result["max_exp_avg_sqs"] = [s["max_exp_avg_sq"] for s in steps]
    return result


def _norm(x: np.ndarray, p: float) -> float:
    if np.isinf(p):
        return float(np.abs(x).max(initial=0.0) if p > 0 else np.abs(x).min(initial=np.inf))
    if p == 0:
        return float(np.count_nonzero(x))
    if p < 0 and not x.size:
        return np.inf
    return float(np.sqrt((x * x).sum()) if p == 2 else (np.abs(x) ** p).sum() ** (1 / p))


@oracle("diopiClipGradNorm")
def clip_grad_norm(grads, max_norm, norm_type, error_if_nonfinite):
    """The norm of the gradients' norms. Gradients are scaled down to max_norm, never up."""
    total = _norm(np.array([_norm(g, norm_type) for g in grads]), norm_type) if grads else 0.0
    return {"out": total, "grads": [g * min(max_norm / (total + 1e-6), 1.0) for g in grads]}
