# SPDX-License-Identifier: BSD-3-Clause
"""NumPy as a peer: measures NumPy's calls with the shapes of the cases, in a separate process.

Reads the cases from a JSON file, and prints one line of JSON for each case that NumPy can compute.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import numpy_formulas

LONG_SECONDS = 0.5  # a call that takes longer is measured once


def dtype_of(tensor: dict[str, Any]) -> np.dtype:
    return np.dtype({"bfloat16": ml_dtypes.bfloat16, "bool": np.bool_}.get(tensor["dtype"], tensor["dtype"]))


def make_storage(tensor: dict[str, Any], random: np.random.Generator) -> np.ndarray:
    dtype, elements = dtype_of(tensor), tensor["storage_elements"]
    match tensor["fill"]:
        case "uniform":
            return random.uniform(tensor["low"], tensor["high"], elements).astype(dtype)
        case "integers":
            return random.integers(tensor["low"], tensor["high"], elements).astype(dtype)
        case "permutation":
            runs = -(-elements // tensor["high"])
            return np.concatenate([random.permutation(tensor["high"]) for _ in range(runs)])[:elements].astype(dtype)
        case "columns":
            return make_columns(tensor["columns"], elements, random).astype(dtype)
        case _:
            return np.zeros(elements, dtype)


def make_columns(columns: list[list[float]], elements: int, random: np.random.Generator) -> np.ndarray:
    """Rows whose columns have different ranges [low, high), added to those of column `base` if that is not -1."""
    rows = np.empty((-(-elements // len(columns)), len(columns)))
    for i, (low, high, base) in enumerate(columns):
        rows[:, i] = random.uniform(low, high, len(rows)) + (rows[:, int(base)] if base >= 0 else 0)
    return rows.reshape(-1)[:elements]


def make_names(case: dict[str, Any], storages: list[np.ndarray]) -> dict[str, Any]:
    """The variables of the expression of a case: attributes, and arrays on these storages. Arrays named `stem.i` form
    the list `stem`."""
    names: dict[str, Any] = {"np": np, "formulas": numpy_formulas, **case["sizes"], **case["texts"]}
    names.update({name: int(value) if value.is_integer() else value for name, value in case["numbers"].items()})
    for tensor, storage in zip(case["tensors"], storages):
        strides = [stride * storage.itemsize for stride in tensor["strides"]]
        array = np.lib.stride_tricks.as_strided(storage[tensor["offset"] :], tensor["shape"], strides)
        stem, is_list, _ = tensor["name"].partition(".")
        if is_list:
            names.setdefault(stem, []).append(array)
        else:
            names[stem] = array
    return names


def measure(
    case: dict[str, Any], samples: int, sample_seconds: float, rotated_bytes: int, in_cache_bytes: int
) -> list[float]:
    random = np.random.default_rng(1)
    storages = [make_storage(tensor, random) for tensor in case["tensors"]]
    size = sum(storage.nbytes for storage in storages)
    sets = 1 if size <= in_cache_bytes else max(1, min(256, -(-rotated_bytes // size)))
    code = compile(case["numpy"], case["name"], "eval")
    scopes = [make_names(case, storages)]
    scopes += [make_names(case, [storage.copy() for storage in storages]) for _ in range(sets - 1)]
    position = 0

    def run(times: int) -> float:
        nonlocal position
        begin = time.perf_counter()
        for _ in range(times):
            eval(code, scopes[position])  # noqa: S307 - the operators' files belong to the source tree
            position = (position + 1) % sets
        return time.perf_counter() - begin

    times = 1
    while (seconds := run(times)) < 0.5 * sample_seconds:
        times *= 2
    if seconds > LONG_SECONDS:
        return [seconds]
    times = max(1, round(times * sample_seconds / seconds))
    return [run(times) / times for _ in range(samples)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=Path, required=True)
    parser.add_argument("--samples", type=int, default=7)
    parser.add_argument("--sample_seconds", type=float, default=2e-3)
    parser.add_argument("--rotated_bytes", type=int, default=1 << 30)
    parser.add_argument("--in_cache_bytes", type=int, default=1 << 20)
    arguments = parser.parse_args()
    for case in json.loads(arguments.cases.read_text()):
        if not case["numpy"]:
            continue
        line: dict[str, Any] = {"kind": "numpy", "name": case["name"]}
        try:
            line["seconds"] = measure(
                case, arguments.samples, arguments.sample_seconds, arguments.rotated_bytes, arguments.in_cache_bytes
            )
            line["median"] = statistics.median(line["seconds"])
        except Exception as error:  # NumPy's function does not support the dtype, for example
            line["message"] = f"{type(error).__name__}: {error}"
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
