# SPDX-License-Identifier: BSD-3-Clause
"""Inputs and expected outputs in files: `gen_data` writes them on one machine, `run_test` reads them on another.

There is one folder per operator and one `.npz` file per case and dtype. Numbers are stored as the bytes of their dtype.
The entry `meta` is a JSON text with the names, dtypes and shapes. A case that does not apply has a file without
numbers, so a missing file is always an error.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from .. import dtypes
from ..cases.expected_outputs import oracle_call
from ..cases.group import Group
from ..cases.prepare import prepare
from ..cases.prepared import Expected, NotApplicable, Prepared, is_output, is_written
from ..cases.suite import Suite, UsageError
from ..csr import Csr
from ..handles import Input, Output, Scalar, Seed
from ..lists import as_list
from ..oracle import Oracle
from .workers import EndOfRun

FORMAT = 4


class DataError(EndOfRun):
    """Raised if a file of the folder cannot be read, or has other content than gen_data writes."""


def _file(folder: Path, group: Group) -> Path:
    digest = hashlib.sha256(group.name.encode()).hexdigest()[:16]
    return folder / group.case.function.name / f"{group.dtype}-{digest}.npz"


class _Packer:
    """Converts nested values to JSON, and collects the arrays to which the JSON refers by name."""

    def __init__(self) -> None:
        self.arrays: dict[str, np.ndarray] = {}

    def _store(self, array: np.ndarray) -> str:
        key = f"a{len(self.arrays)}"
        self.arrays[key] = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        return key

    def pack(self, value: Input | Output) -> Any:
        if isinstance(value, np.ndarray):
            return {"array": self._store(value), "dtype": dtypes.name_of(value.dtype), "shape": list(value.shape)}
        if isinstance(value, Csr):
            return {"csr": [self.pack(part) for part in value.parts()], "shape": list(value.shape)}
        if isinstance(value, Scalar):
            return {"scalar": value.value, "dtype": value.dtype}
        if isinstance(value, Seed):
            return {"seed": value.seed, "offset": value.offset}
        if isinstance(value, Expected):
            return {
                "expected": value.dtype,
                "shape": list(value.shape),
                "compute": value.compute_dtype,
                "strides": value.strides,
                "unwritten": value.unwritten,
                "values": None if value.values is None else self.pack(value.values),
                "magnitude": None if value.magnitude is None else self.pack(np.asarray(value.magnitude)),
                "terms": None if value.terms is None else self.pack(np.asarray(value.terms)),
            }
        if isinstance(value, (list, tuple)):
            return [self.pack(v) for v in value]
        return value.item() if isinstance(value, np.generic) else value


def _unpack(value: Any, arrays: Any) -> Any:
    if isinstance(value, list):
        return [_unpack(v, arrays) for v in value]
    if not isinstance(value, dict):
        return value
    if "array" in value:
        return arrays[value["array"]].view(dtypes.NUMPY[value["dtype"]]).reshape(value["shape"])
    if "csr" in value:
        return Csr(tuple(value["shape"]), *_unpack(value["csr"], arrays))
    if "scalar" in value:
        return Scalar(value["scalar"], value["dtype"])
    if "seed" in value:
        return Seed(value["seed"], value["offset"])
    if "expected" in value:
        return Expected(
            value["expected"],
            tuple(value["shape"]),
            _unpack(value["values"], arrays),
            value["compute"],
            _unpack(value["magnitude"], arrays),
            tuple(value["strides"]) if isinstance(value["strides"], list) else value["strides"],
            value["unwritten"],
            _unpack(value["terms"], arrays),
        )
    return value


def _has_file(group: Group) -> bool:
    """Whether gen_data writes a file. An invalid call has no expected values. A tensor of more than 2^31 elements is
    too large for a file."""
    return group.case.error is None and group.case.repeated is None


def _save(folder: Path, group: Group, meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    path = _file(folder, group)
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"format": FORMAT, "name": group.name, **meta})
    entries: dict[str, Any] = {"meta": np.array(text), **arrays}
    np.savez(path, **entries)


def write_data(suite: Suite, oracles: dict[str, Oracle], folder: Path) -> bool:
    """Writes the files (mode gen_data). True if nothing failed."""
    written = failed = 0
    for group in suite.groups:
        if not _has_file(group):
            continue
        try:
            prepared = prepare(group, oracles[group.case.function.name])
        except NotApplicable:
            _save(folder, group, {"applies": False}, {})
            continue
        except Exception as error:
            failed += 1
            print(f"{group.name}: {type(error).__name__}: {error}", file=sys.stderr)
            continue
        packer = _Packer()
        meta = {
            "applies": True,
            "aliases": prepared.aliases,
            "inputs": {k: packer.pack(v) for k, v in prepared.inputs.items()},
            "expected": {k: packer.pack(v) for k, v in prepared.expected.items()},
        }
        _save(folder, group, meta, packer.arrays)
        written += 1
    print(f"{written} cases of {len(suite.functions)} operators written to {folder}, {failed} failed")
    return not failed


def _read(path: Path, group: Group, oracle: Oracle | None) -> Prepared | None:
    """Reads a file, which must have the data of this group. None if the file says that the case does not apply."""
    with np.load(path, allow_pickle=False) as arrays:
        meta = json.loads(str(arrays["meta"]))
        if meta["format"] != FORMAT or meta["name"] != group.name:
            raise ValueError("the file has another format, or belongs to another case")
        if not meta["applies"]:
            return None
        inputs = {k: _unpack(v, arrays) for k, v in meta["inputs"].items()}
        expected = {k: _unpack(v, arrays) for k, v in meta["expected"].items()}
    _check(group, inputs, expected, meta["aliases"])
    prepared = Prepared(group, inputs, expected, meta["aliases"], oracle)
    if oracle is not None:  # an oracle's check and its count of random words need the arguments
        prepared.oracle_arguments = oracle_call(prepared).arguments
    return prepared


def _check(group: Group, inputs: dict[str, Input], expected: dict[str, Output], aliases: dict[str, str]) -> None:
    """Raises an error unless the file has the data of every parameter, so that every output is compared."""
    params = {p.name: p for p in group.case.function.params}
    given = {name for name, p in params.items() if name != "ctx" and p.dir != "out"}
    if set(inputs) != given or not set(aliases.values()) <= given:
        raise ValueError(f"the file has the inputs {', '.join(inputs)}, expected {', '.join(given)}")
    for name, value in inputs.items():
        tensors = as_list(value)
        if params[name].is_tensor_like and not all(t is None or isinstance(t, (np.ndarray, Csr)) for t in tensors):
            raise ValueError(f"{name} is not a tensor")
    requested = group.case.arguments
    outputs = {
        name
        for name, p in params.items()
        if (is_output(p) or is_written(p)) and requested.get(name, p) is not None and inputs.get(name, p) is not None
    }
    if set(expected) != outputs:
        raise ValueError(
            f"the file has expected values of {', '.join(expected) or 'nothing'}, expected {', '.join(outputs)}"
        )
    for value in (v for e in expected.values() for v in as_list(e)):
        if isinstance(value, Expected) and value.values is not None and value.values.shape != value.shape:
            raise ValueError("the expected values and their output have different shapes")


class DataStore:
    """A folder that gen_data wrote."""

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise UsageError(f"--data: {folder} is not a folder")
        self.folder = folder

    def load(self, group: Group, oracle: Oracle | None) -> Prepared | None:
        """The stored data of a group. None if the case does not apply, or if gen_data writes no file for it."""
        if not _has_file(group):
            return None
        path = _file(self.folder, group)
        if not path.exists():
            raise DataError(f"{path} does not exist: gen_data has not written the data of {group.name} to this folder")
        try:
            return _read(path, group, oracle)
        except Exception as error:  # a file may be truncated, overwritten, or of another origin
            reason = str(error).partition("\n")[0] or type(error).__name__
            raise DataError(f"{path}: cannot be read as data of {group.name}: {reason}") from None
