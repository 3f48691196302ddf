# SPDX-License-Identifier: BSD-3-Clause
"""Pooling that mode and adaptive select. Arguments that the selected operator lacks are not used."""

from . import oracle, pool_adaptive, pool_avg, pool_max

for _n in (1, 2, 3):

    def _pool(input, mode, ksize, stride, padding, dilation, ceil_mode, exclusive, adaptive, output_size, dtypes, n=_n):
        if adaptive and mode == "max":
            return pool_adaptive.largest(input, output_size, n)["out"]
        if adaptive:
            return pool_adaptive.mean(input, output_size, n)
        if mode == "max":
            return pool_max.max_pool(input, ksize, stride, padding, dilation, ceil_mode, dtypes, n)["out"]
        return pool_avg.average(input, ksize, stride, padding, ceil_mode, not exclusive, None, n)

    def _gradient(grad_output, input, mode, ksize, stride, padding, ceil_mode, exclusive, adaptive, indices, n=_n):
        if mode == "max":
            return pool_max.scattered(grad_output, indices, input.shape, n)
        if adaptive:
            return pool_adaptive.mean_backward(grad_output, input, n)
        return pool_avg.average_backward(grad_output, input, ksize, stride, padding, ceil_mode, not exclusive, None, n)

    oracle(f"diopiPool{_n}d", dtype="input")(_pool)
    oracle(f"diopiPool{_n}dBackward", dtype="input")(_gradient)
