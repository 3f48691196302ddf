"""Sorting and optimisers: the oracles against PyTorch."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.oracles import Value, load_oracles

torch = pytest.importorskip("torch", reason="the oracles are compared with PyTorch where it is installed")

SHAPE = (20,)
STEPS = 5


def single(value: float) -> float:
    """What the C interface passes as float."""
    return float(np.float32(value))


def call(name: str, *arguments: object, **named: object) -> dict[str, np.ndarray]:
    result = load_oracles()[name].function(*arguments, **named)
    return {k: v.array if isinstance(v, Value) else v for k, v in result.items()}


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dim", [0, 1, -1])
def test_sort_agrees(dim: int, descending: bool) -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        x = rng.choice([np.nan, np.inf, -np.inf, 0.0, -0.0, 1, 2, 3.5, -7], (5, 9))
        expected = torch.sort(torch.tensor(x), dim=dim, descending=descending, stable=True)
        got = call("diopiSort", x, dim, descending, True)
        assert np.array_equal(got["indices"], expected.indices.numpy())
        assert np.array_equal(got["values"], expected.values.numpy(), equal_nan=True)
        largest = torch.topk(torch.tensor(x), 3, dim=dim, largest=descending)
        got = call("diopiTopk", x, 3, dim, descending, True)
        assert np.array_equal(got["values"], largest.values.numpy(), equal_nan=True)


def trained(optimizer: type, start: np.ndarray, gradients: np.ndarray, **settings: object) -> np.ndarray:
    parameter = torch.nn.Parameter(torch.tensor(start))
    instance = optimizer([parameter], **settings)
    for gradient in gradients:
        parameter.grad = torch.tensor(gradient)
        instance.step()
    return parameter.detach().numpy()


def stepped(name: str, start: np.ndarray, gradients: np.ndarray, state: tuple[str, ...], counted: bool = False,
            **settings: object) -> np.ndarray:
    tensors = {"param": start, **{s: np.zeros(SHAPE) for s in state}}
    for step, gradient in enumerate(gradients, 1):
        tensors = call(name, **tensors, grad=gradient, **settings, **({"step": step} if counted else {}))
    return tensors["param"]


@pytest.fixture
def material() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(2)
    return rng.normal(size=SHAPE), rng.normal(size=(STEPS, *SHAPE))


@pytest.mark.parametrize("weight_decay", [0.0, 0.1])
@pytest.mark.parametrize("nesterov", [False, True])
def test_sgd_agrees(material, weight_decay: float, nesterov: bool) -> None:
    settings = {"lr": 0.1, "momentum": 0.9, "weight_decay": weight_decay, "nesterov": nesterov}
    got = stepped("diopiSgd", *material, ("buf",), **settings, dampening=0.0)
    assert np.allclose(got, trained(torch.optim.SGD, *material, **settings), rtol=0, atol=1e-14)


@pytest.mark.parametrize("name", ["Adam", "AdamW"])
@pytest.mark.parametrize("weight_decay", [0.0, 0.1])
@pytest.mark.parametrize("amsgrad", [False, True])
def test_adam_agrees(material, name: str, weight_decay: float, amsgrad: bool) -> None:
    expected = trained(getattr(torch.optim, name), *material, lr=single(0.01), betas=(single(0.9), single(0.999)),
                       eps=single(1e-8), weight_decay=single(weight_decay), amsgrad=amsgrad)
    got = stepped(f"diopi{name}", *material, ("exp_avg", "exp_avg_sq", "max_exp_avg_sq"), counted=True, lr=0.01,
                  beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=weight_decay, amsgrad=amsgrad)
    assert np.allclose(got, expected, rtol=0, atol=1e-14)


@pytest.mark.parametrize("weight_decay", [0.0, 0.1])
def test_adadelta_agrees(material, weight_decay: float) -> None:
    expected = trained(torch.optim.Adadelta, *material, lr=1.0, rho=single(0.9), eps=single(1e-6),
                       weight_decay=single(weight_decay))
    got = stepped("diopiAdadelta", *material, ("square_avg", "acc_delta"), lr=1.0, rho=0.9, eps=1e-6,
                  weight_decay=weight_decay)
    assert np.allclose(got, expected, rtol=0, atol=1e-14)


@pytest.mark.parametrize("centered", [False, True])
@pytest.mark.parametrize("momentum", [0.0, 0.9])
def test_rmsprop_agrees(material, centered: bool, momentum: float) -> None:
    expected = trained(torch.optim.RMSprop, *material, lr=single(0.01), alpha=single(0.99), eps=single(1e-8),
                       weight_decay=single(0.1), momentum=single(momentum), centered=centered)
    got = stepped("diopiRmsprop", *material, ("square_avg", "grad_avg", "momentum_buf"), lr=0.01, alpha=0.99,
                  eps=1e-8, weight_decay=0.1, momentum=momentum, centered=centered)
    assert np.allclose(got, expected, rtol=0, atol=1e-13)
