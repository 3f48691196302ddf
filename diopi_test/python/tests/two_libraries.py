# SPDX-License-Identifier: BSD-3-Clause
"""Loads PyTorch and our library into one process, in the order that `--first` gives; run by test_isolation.py.

Prints the wrong results of both libraries and the numbers of threads as JSON.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
import threading
from pathlib import Path
from types import ModuleType
from typing import Any

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[3])]

import numpy as np  # noqa: E402

from adaptor.codegen.model import load_registry  # noqa: E402
from conformance.handles import Scalar  # noqa: E402
from conformance.placement import row_major  # noqa: E402
from conformance.run.binding import Runtime  # noqa: E402
from conformance.run.buffers import Buffer  # noqa: E402

CALLERS = 12


def whole_numbers(shape: tuple[int, ...], dtype: str, seed: int) -> np.ndarray:
    """Small integers, so that sums and products are exact in any order."""
    return np.random.default_rng(seed).integers(-4, 5, shape).astype(dtype)


def buffer(array: np.ndarray) -> Buffer:
    made = Buffer(str(array.dtype), row_major(array.shape))
    made.array[...] = array
    return made


class Work:
    """The same five computations by NumPy, our library and PyTorch."""

    def __init__(self) -> None:
        self.x, self.w = whole_numbers((64, 256), "float32", 1), whole_numbers((128, 256), "float32", 2)
        self.image, self.kernel = whole_numbers((2, 8, 20, 20), "float32", 3), whole_numbers((8, 8, 3, 3), "float32", 4)
        self.a, self.b = whole_numbers((200, 200), "float64", 5), whole_numbers((200, 200), "float64", 6)
        self.long = whole_numbers((1 << 20,), "float32", 7)
        windows = np.lib.stride_tricks.sliding_window_view(self.image, (3, 3), axis=(2, 3))
        self.expected = {
            "linear": self.x @ self.w.T,
            "convolution": np.einsum("nchwij,ocij->nohw", windows, self.kernel),
            "matmul": self.a @ self.b,
            "sort": np.sort(self.long),
            "add": self.long + self.long,
        }

    def wrong(self, results: dict[str, np.ndarray], whose: str) -> list[str]:
        return [f"{whose}: {name}" for name, value in results.items() if not np.array_equal(value, self.expected[name])]

    def ours(self, runtime: Runtime) -> list[str]:
        results = {}

        def call(name: str, operator: str, arguments: dict[str, Any], out: str = "out") -> None:
            made = buffer(np.full_like(self.expected[name], 77))
            outcome = runtime.call(runtime.registry.functions[operator], {**arguments, out: made})
            results[name] = made.array if outcome.code == "diopiSuccess" else np.empty(0)

        call("linear", "diopiLinear", {"input": buffer(self.x), "weight": buffer(self.w)})
        call(
            "convolution",
            "diopiConvolution2d",
            {
                "input": buffer(self.image),
                "weight": buffer(self.kernel),
                "stride": [1, 1],
                "padding": [0, 0],
                "dilation": [1, 1],
                "groups": 1,
            },
        )
        call("matmul", "diopiMatmul", {"input": buffer(self.a), "other": buffer(self.b)})
        call(
            "sort",
            "diopiSort",
            {
                "indices": buffer(np.zeros(self.long.shape, "int64")),
                "input": buffer(self.long),
                "dim": 0,
                "descending": False,
            },
            "values",
        )
        call(
            "add", "diopiAdd", {"input": buffer(self.long), "other": buffer(self.long), "alpha": Scalar(1.0, "float32")}
        )
        return self.wrong(results, "our library")

    def theirs(self, torch: ModuleType) -> list[str]:
        t = torch.from_numpy
        results = {
            "linear": torch.nn.functional.linear(t(self.x), t(self.w)),
            "convolution": torch.nn.functional.conv2d(t(self.image), t(self.kernel)),
            "matmul": t(self.a) @ t(self.b),
            "sort": torch.sort(t(self.long)).values,
            "add": t(self.long) + t(self.long),
        }
        return self.wrong({name: value.numpy() for name, value in results.items()}, "PyTorch")


def threads() -> int:
    return len(os.listdir("/proc/self/task"))


def at_once(work: Work, runtimes: list[Runtime]) -> tuple[list[str], int]:
    """Calls our library from many threads at once. Returns the wrong results and the number of threads, with
    callers."""
    problems: list[str] = []
    start, end = threading.Barrier(CALLERS), threading.Barrier(CALLERS + 1)

    def caller(runtime: Runtime) -> None:
        start.wait()
        for _ in range(5):
            problems.extend(work.ours(runtime))
        end.wait()  # all threads must live while they are counted
        end.wait()

    callers = [threading.Thread(target=caller, args=[runtime]) for runtime in runtimes]
    for c in callers:
        c.start()
    end.wait()
    count = threads()
    end.wait()
    for c in callers:
        c.join()
    return problems, count


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first", choices=("ours", "theirs"), required=True)
    parser.add_argument("--runtime", type=Path, required=True)
    parser.add_argument("--library", type=Path, required=True)
    args = parser.parse_args()
    work, before = Work(), threads()
    torch = importlib.import_module("torch") if args.first == "theirs" else None
    runtime = Runtime(load_registry(), args.runtime, args.library)
    torch = torch or importlib.import_module("torch")
    problems = work.theirs(torch)
    of_theirs = threads()
    problems += work.ours(runtime)
    of_both = threads()
    problems += work.theirs(torch) + work.ours(runtime)
    settled = threads()
    # A context frees the temporary tensors of its calls, so each caller needs its own context.
    more, crowded = at_once(work, [Runtime(runtime.registry, args.runtime, args.library) for _ in range(CALLERS)])
    maps = sorted({line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines() if ".so" in line})
    print(
        json.dumps(
            {
                "problems": problems + more,
                "before": before,
                "of_theirs": of_theirs,
                "of_both": of_both,
                "settled": settled,
                "crowded": crowded,
                "maps": maps,
            }
        )
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
