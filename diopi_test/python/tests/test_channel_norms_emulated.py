# SPDX-License-Identifier: BSD-3-Clause
"""Tests normalisations and their gradients of the vendor cuda, where several threads share a row, under the emulation.

The shapes have rows that a block takes whole and rows in pieces, runs that are no multiple of 16 bytes, and a first
element that is not aligned. The mean of all elements is far from 0. Results must have the same bits in every order of
threads.
"""

from __future__ import annotations

from emulated import NEEDS_EMULATION, lines_of

pytestmark = NEEDS_EMULATION

SCRIPT = """
import hashlib
import numpy as np

digest = hashlib.sha256()
TOLERANCE = {"float32": 3e-6, "float16": 2e-3, "bfloat16": 1.6e-2}

def buffer_of(dtype, shape, offset=0):
    strides, step = [0] * len(shape), 1
    for dim in reversed(range(len(shape))):
        strides[dim], step = step, step * shape[dim]
    return Buffer(dtype, Placement(shape, tuple(strides), offset))

def filled(dtype, values, offset=0):
    buffer = buffer_of(dtype, values.shape, offset)
    buffer.array[...] = values
    return buffer

def wide(buffer):
    return np.asarray(buffer.array).astype(np.float64)

def call(name, **arguments):
    outcome = vendor.call(registry.functions[name], arguments)
    assert outcome.code == "diopiSuccess", (name, outcome)

def compare(where, buffer, expected, dtype="float32", scale=None):
    got = wide(buffer)
    digest.update(got.tobytes())
    scale = np.abs(expected).max() if scale is None else scale
    error = np.abs(got - expected.reshape(got.shape)).max() / scale
    if not error < TOLERANCE[dtype]:
        print(where, "has an error of", error)

class Case:
    def __init__(self, dtype, shape, offset):
        rng = np.random.default_rng(sum(shape))
        self.dtype, self.shape, self.offset = dtype, shape, offset
        self.x = filled(dtype, rng.standard_normal(shape) + (1000 if dtype == "float32" else 4), offset)
        self.g = filled(dtype, rng.standard_normal(shape) + 0.25, offset)
        self.weight = filled("float32", rng.uniform(0.5, 2, shape[1]))
        self.bias = filled("float32", rng.standard_normal(shape[1]))
        self.where = (dtype, shape, offset)

    def out(self):
        return buffer_of(self.dtype, self.shape, self.offset)

    def vector(self, value=0.0):
        return filled("float32", np.full(self.shape[1], value))

    def by_channel(self, values):
        return values.reshape((1, -1) + (1,) * (len(self.shape) - 2))

def gradients(x, g, weight, mean, inverse, axes):
    h = (x - mean) * inverse
    gw = g * weight
    return inverse * (gw - gw.mean(axes, keepdims=True) - h * (gw * h).mean(axes, keepdims=True)), h

def batch_norm(case):
    x, g, w = wide(case.x), wide(case.g), case.by_channel(wide(case.weight))
    axes = tuple(i for i in range(x.ndim) if i != 1)
    n = x.size / x.shape[1]
    mean, variance = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
    inverse = 1 / np.sqrt(variance + 1e-5)
    normal = (x - mean) * inverse * w + case.by_channel(wide(case.bias))
    shared = {"input": case.x, "weight": case.weight, "bias": case.bias}
    out, save_mean, save_invstd = case.out(), case.vector(), case.vector()
    running_mean, running_var = case.vector(2), case.vector(3)
    call("diopiBatchNorm", out=out, save_mean=save_mean, save_invstd=save_invstd, running_mean=running_mean,
         running_var=running_var, training=True, momentum=0.25, eps=1e-5, **shared)
    compare(("out", case.where), out, normal, case.dtype)
    compare(("mean", case.where), save_mean, mean)
    compare(("invstd", case.where), save_invstd, inverse)
    compare(("running mean", case.where), running_mean, 0.75 * 2 + 0.25 * mean)
    compare(("running var", case.where), running_var, 0.75 * 3 + 0.25 * variance * n / (n - 1))
    call("diopiBatchNorm", out=out, save_mean=None, save_invstd=None, running_mean=save_mean,
         running_var=filled("float32", variance.reshape(-1)), training=False, momentum=0.25, eps=1e-5, **shared)
    compare(("eval", case.where), out, normal, case.dtype, 40)
    mean, inverse = case.by_channel(wide(save_mean)), case.by_channel(wide(save_invstd))
    expected, h = gradients(x, g, w, mean, inverse, axes)
    grads = {"grad_input": case.out(), "grad_weight": case.vector(), "grad_bias": case.vector()}
    inputs = {"grad_output": case.g, "input": case.x, "weight": case.weight}
    call("diopiBatchNormBackward", running_mean=None, running_var=None, save_mean=save_mean, save_invstd=save_invstd,
         training=True, eps=1e-5, **grads, **inputs)
    compare(("grad_input", case.where), grads["grad_input"], expected, case.dtype)
    compare(("grad_weight", case.where), grads["grad_weight"], (g * h).sum(axes), scale=np.sqrt(n))
    compare(("grad_bias", case.where), grads["grad_bias"], g.sum(axes), scale=n)
    call("diopiBatchNormBackward", running_mean=save_mean, running_var=filled("float32", variance.reshape(-1)),
         save_mean=None, save_invstd=None, training=False, eps=1e-5, **grads, **inputs)
    compare(("grad_input of eval", case.where), grads["grad_input"], g * w * inverse, case.dtype)
    compare(("grad_weight of eval", case.where), grads["grad_weight"], (g * h).sum(axes), scale=np.sqrt(n))

def synchronised(case):
    x, g, w = wide(case.x), wide(case.g), case.by_channel(wide(case.weight))
    axes = tuple(i for i in range(x.ndim) if i != 1)
    mean, invstd = case.vector(), case.vector()
    call("diopiBatchNormStats", mean=mean, invstd=invstd, input=case.x, eps=1e-5)
    compare(("stats", case.where), mean, x.mean(axes))
    compare(("stats", case.where), invstd, 1 / np.sqrt(x.var(axes) + 1e-5))
    m, r = case.by_channel(wide(mean)), case.by_channel(wide(invstd))
    sums = {name: case.vector() for name in ("sum_dy", "sum_dy_xmu", "grad_weight", "grad_bias")}
    call("diopiBatchNormBackwardReduce", grad_out=case.g, input=case.x, mean=mean, invstd=invstd, weight=case.weight,
         input_g=True, weight_g=True, bias_g=True, **sums)
    n = x.size / x.shape[1]
    compare(("sum_dy", case.where), sums["sum_dy"], g.sum(axes), scale=n)
    compare(("sum_dy_xmu", case.where), sums["sum_dy_xmu"], (g * (x - m)).sum(axes), scale=np.sqrt(n))
    compare(("weight", case.where), sums["grad_weight"], (g * (x - m) * r).sum(axes), scale=np.sqrt(n))
    out, count = case.out(), filled("int32", np.array([int(n), int(n)]))
    call("diopiBatchNormElemt", out=out, input=case.x, weight=case.weight, bias=case.bias, mean=mean, invstd=invstd,
         eps=1e-5)
    compare(("elemt", case.where), out, (x - m) * r * w + case.by_channel(wide(case.bias)), case.dtype)
    call("diopiBatchNormBackwardElemt", grad_input=out, grad_out=case.g, input=case.x, mean=mean, invstd=invstd,
         weight=case.weight, sum_dy=sums["sum_dy"], sum_dy_xmu=sums["sum_dy_xmu"], count=count)
    dy, xmu = (case.by_channel(wide(sums[name])) / (2 * n) for name in ("sum_dy", "sum_dy_xmu"))
    compare(("backward elemt", case.where), out, (g - dy - (x - m) * r * r * xmu) * r * w, case.dtype)

def by_sample(case, groups):
    shape = (case.shape[0], groups, -1)
    x, g, w = wide(case.x), wide(case.g), case.by_channel(wide(case.weight))
    split = x.reshape(shape)
    mean = split.mean(2).astype(np.float32)
    invstd = (1 / np.sqrt(split.var(2) + 1e-5)).astype(np.float32)
    m, r = mean[..., None].astype(np.float64), invstd[..., None].astype(np.float64)
    if groups == case.shape[1]:
        m, r = split.mean(2, keepdims=True), 1 / np.sqrt(split.var(2, keepdims=True) + 1e-5)
    expected, h = gradients(split, g.reshape(shape), np.broadcast_to(w, case.shape).reshape(shape), m, r, 2)
    h = h.reshape(case.shape)
    axes = tuple(i for i in range(x.ndim) if i != 1)
    grads = {"grad_input": case.out()}
    if groups == case.shape[1]:
        grads |= {"grad_scale": case.vector(), "grad_bias": case.vector()}
        call("diopiInstanceNormBackward", grad_output=case.g, input=case.x, scale=case.weight, bias=None, axis=2,
             eps=1e-5, **grads)
    else:
        grads |= {"grad_weight": case.vector(), "grad_bias": case.vector()}
        call("diopiGroupNormBackward", grad_output=case.g, input=case.x, weight=case.weight,
             mean=filled("float32", mean), rstd=filled("float32", invstd), num_groups=groups, **grads)
    n = x.size / x.shape[1]
    where = ("groups", groups, case.where)
    compare(("grad_input", where), grads["grad_input"], expected, case.dtype)
    weight = grads["grad_scale"] if "grad_scale" in grads else grads["grad_weight"]
    compare(("grad_weight", where), weight, (g * h).sum(axes), scale=np.sqrt(n))
    compare(("grad_bias", where), grads["grad_bias"], g.sum(axes), scale=n)

def layer_norm(dtype, shape, in_place=False):
    rng = np.random.default_rng(sum(shape))
    x, g = filled(dtype, rng.standard_normal(shape) + 4), filled(dtype, rng.standard_normal(shape))
    weight = filled("float32", rng.uniform(0.5, 2, shape[-1]))
    mean = filled("float32", wide(x).mean(-1, keepdims=True))
    invstd = filled("float32", 1 / np.sqrt(wide(x).var(-1, keepdims=True) + 1e-5))
    expected, h = gradients(wide(x), wide(g), wide(weight), wide(mean), wide(invstd), -1)
    axes = tuple(range(len(shape) - 1))
    sums = (wide(g) * h).sum(axes), wide(g).sum(axes)
    grad_weight, grad_bias = buffer_of("float32", shape[-1:]), buffer_of(dtype, shape[-1:])
    grad_input = g if in_place else buffer_of(dtype, shape)
    call("diopiLayerNormBackward", grad_input=grad_input, grad_weight=grad_weight, grad_bias=grad_bias, grad_output=g,
         input=x, weight=weight, bias=None, mean=mean, rstd=invstd, normalized_shape=[shape[-1]])
    n, where = np.prod(shape[:-1]), (dtype, shape)
    compare(("layer grad_input", where), grad_input, expected, dtype)
    compare(("layer grad_weight", where), grad_weight, sums[0], scale=np.sqrt(n))
    compare(("layer grad_bias", where), grad_bias, sums[1], dtype, scale=np.sqrt(n))

for dtype in ("float32", "bfloat16", "float16"):
    for shape, offset in CHANNELS:
        case = Case(dtype, shape, offset)
        batch_norm(case)
        synchronised(case)
    for shape, groups, offset in GROUPS:
        by_sample(Case(dtype, shape, offset), groups)
    for shape in LAYERS:
        layer_norm(dtype, shape)
    layer_norm(dtype, LAYERS[0], True)
print(digest.hexdigest())
"""

CHANNELS = [
    ((3, 5, 8), 0),
    ((4, 3, 7, 7), 0),
    ((5, 2, 12, 16), 1),
    ((2, 3, 92, 100), 0),
    ((2, 2, 147, 147), 3),
    ((17, 2, 160, 24), 2),
]
GROUPS = [
    ((3, 8, 63), 2, 0),
    ((2, 6, 50, 68), 3, 1),
    ((2, 4, 160, 160), 1, 0),
    ((3, 4, 20, 20), 4, 0),
    ((2, 3, 17, 17), 3, 1),
]
LAYERS = [(37, 768), (3, 5, 32), (70, 96), (9, 1536), (5, 4096), (6, 8192), (700, 64)]


def test_normalisations_of_long_rows():
    settings = f"CHANNELS, GROUPS, LAYERS = {CHANNELS}, {GROUPS}, {LAYERS}\n"
    lines = [lines_of(settings + SCRIPT, DIOPI_CUDA_ORDER=order) for order in ("forward", "4711")]
    assert [len(printed) for printed in lines] == [1, 1], lines
    assert lines[0] == lines[1]
