# SPDX-License-Identifier: BSD-3-Clause
"""Tests that a wrong type anywhere in a YAML file gives one message with file and line, never a traceback."""

from __future__ import annotations

import datetime
import re
import shutil
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from helpers import registry

from adaptor.codegen import config, strict_yaml
from adaptor.codegen.model import REGISTRY_DIR, load_registry
from adaptor.codegen.strict_yaml import ConfigError, Mapping
from conformance.cases.reader import CASES_DIR, load_case_files
from conformance.generate.hostile.generate import hostile_cases
from conformance.generate.invalid.generate import invalid_cases

OTHERS: tuple[Any, ...] = (
    None,
    5,
    1.5,
    True,
    "text",
    "",
    [],
    [5],
    ["text"],
    [[]],
    {},
    {"text": 1},
    datetime.date(2020, 1, 1),
)


def mapping(value: Any, like: Mapping) -> Any:
    """The value as the loader returns it: with `Mapping` objects, which have a file and a line, as dictionaries."""
    if isinstance(value, list):
        return [mapping(v, like) for v in value]
    if not isinstance(value, dict):
        return value
    made = Mapping({k: mapping(v, like) for k, v in value.items()})
    made.path, made.line, made.key_lines = like.path, like.line, {k: like.line for k in value}
    return made


def nodes(tree: Any, at: tuple = ()) -> Iterator[tuple]:
    """The path (keys and indices) of every value of the tree."""
    yield at
    for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ():
        yield from nodes(value, (*at, key))


def replaced(tree: Any, at: tuple, value: Any) -> Any:
    """A copy of the tree with another value at one path."""
    if not at:
        return value
    copy = deepcopy(tree)
    inner = copy
    for key in at[:-1]:
        inner = inner[key]
    inner[at[-1]] = value
    return copy


def survivors(monkeypatch, path: Path, read: Callable[[], object]) -> list[str]:
    """The paths at which a wrong value makes `read` fail without a message that names file and line."""
    tree, real, wrong = strict_yaml.load(path), strict_yaml.load, []
    first = tree if isinstance(tree, Mapping) else tree[0]
    for at in nodes(tree):
        for value in OTHERS:
            mutated = replaced(tree, at, mapping(value, first))
            for module in (strict_yaml, config):
                monkeypatch.setattr(module, "load", lambda p, m=mutated: deepcopy(m) if p == path else real(p))
            try:
                read()
            except ConfigError as error:
                if not re.match(rf"{re.escape(str(path.parent))}/\w+\.yaml:\d+: \S", str(error)):
                    wrong.append(
                        f"{'.'.join(map(str, at))} = {value!r}: the message does not name file and line: {error}"
                    )
            except Exception as error:
                wrong.append(f"{'.'.join(map(str, at))} = {value!r}: {type(error).__name__}: {error}")
    monkeypatch.undo()
    return wrong


def small_registry(folder: Path) -> Path:
    """A registry with few types of each kind and one family."""
    shutil.copy(REGISTRY_DIR / "types.yaml", folder)
    (folder / "small.yaml").write_text(
        """family: small
summary: A family of two.
contract: {shape: As input.}
functions:
  - name: diopiOne
    header: functions.h
    summary: One.
    params:
      - {name: ctx, type: diopiContextHandle_t, dir: attr}
      - {name: out, type: diopiTensorHandle_t *, dir: out, allocates: true, dtype_as: input, doc: Made here.}
      - {name: input, type: diopiConstTensorHandle_t, dir: in, dtypes: [float32, int64]}
      - {name: more, type: diopiConstTensorHandle_t *, dir: in, count: n, element_nullable: true, nullable: true}
      - {name: n, type: int64_t, dir: attr}
      - {name: pair, type: diopiConstTensorHandle_t *, dir: in, length: 2}
    contract: {formula: out = input, checks: [{rule: ndim, of: input, min: 1, when: {param: n, min: 1}}]}
  - name: diopiTwo
    header: functions.h
    returns: diopiError_t
    weak: true
    summary: Two.
    params:
      - {name: ctx, type: diopiContextHandle_t, dir: attr}
    contract: {like: diopiOne, formula: nothing}
""",
        encoding="utf-8",
    )
    return folder


def thinned(path: Path) -> None:
    """Reduces each list of a types.yaml to two members, except dtypes and error codes."""
    import yaml

    tree = yaml.safe_load(path.read_text(encoding="utf-8"))
    for key, value in tree.items():
        if isinstance(value, list):
            kept = [v for v in value if v["name"] in ("diopiDtype_t", "diopiError_t")] if key == "enums" else []
            tree[key] = (kept or value[:2]) if key != "handles" else value
    tree["dtype_sets"] = {"floating": ["float32", "float64"]}
    path.write_text(yaml.safe_dump(tree, sort_keys=False), encoding="utf-8")


@pytest.mark.parametrize("name", ["types.yaml", "small.yaml"])
def test_the_registry(tmp_path, monkeypatch, name):
    folder = small_registry(tmp_path)
    thinned(folder / "types.yaml")
    load_registry(folder)
    wrong = survivors(monkeypatch, folder / name, lambda: load_registry(folder))
    assert not wrong, f"{len(wrong)}:\n" + "\n".join(wrong[:60])


CASES = """family: binary
tolerance: [{reason: why, ulp: 1, dtypes: [float32], outputs: [out]}]
hostile:
  - {names: [diopiAdd], case: input, dims: [0], ranges: {input: {low: 0, nan: false}}, aliases: {out: [input]}}
  - {without: {lengths: it has none}, may_be_empty: [0], at_least: 2, large_exponent: 0.5, keep_values: [other],
     sizes_in: []}
  - {forward: {function: diopiAdd, shapes: {input: out}, values: {}, arguments: {alpha: 1}}, square: true}
operators:
  - names: [diopiAdd]
    dtypes: [float32, real]
    defaults: {alpha: 1, other: {gen: nonzero}}
    layouts: {without: [expanded], add: [channels_last], reason: none}
    tolerance: [{reason: why, rel: 0.5}]
    cases:
      - {input: [3, 4], other: [4], id: one}
      - {input: {shape: [2], dtype: int32, gen: "int(0, 5)"}, other: {values: [1, 2]}, dtypes: float32}
      - {input: [5], other: {same: input}, each: {alpha: [2, {value: 3, dtype: int32}]}}
      - input: [3]
        other: [4]
        error: {code: diopiErrorOccurred, argument: [input], values: [[2]], shows: input-broadcastable}
"""


def test_a_case_file(tmp_path, monkeypatch):
    path = tmp_path / "binary.yaml"
    path.write_text(CASES, encoding="utf-8")

    def read() -> None:
        files = load_case_files(registry(), tmp_path)
        hostile_cases(registry(), files)
        invalid_cases(registry(), [case for f in files for case in f.cases])

    read()
    wrong = survivors(monkeypatch, path, read)
    assert not wrong, f"{len(wrong)}:\n" + "\n".join(wrong[:60])


CONFIG = """
- common_config: {dtype: "(int64)->int32, (float64)->float32", layout: NCHW, narrowing: trust}
- unsupported:
    - {operator: diopiAdd, parameter: [out], dtypes: [bool], reason: there is none}
- diopiExp: {dtype: "(float16)->float32", tensor_dtype: {out: "(float16)->float32"}, layout: "input(NHWC), NCHW"}
"""


def test_a_vendors_configuration(tmp_path, monkeypatch):
    path = tmp_path / "convert_config.yaml"
    path.write_text(CONFIG, encoding="utf-8")

    def read() -> None:
        made = config.load_config(path, registry())
        made.plan(registry().functions["diopiExp"], ("float16",))

    read()
    wrong = survivors(monkeypatch, path, read)
    assert not wrong, f"{len(wrong)}:\n" + "\n".join(wrong[:60])


BROKEN = {
    "empty": b"",
    "only a comment": b"# nothing\n",
    "null": b"null\n",
    "no mapping": b"- 1\n- 2\n",
    "a text": b"softmax\n",
    "not UTF-8": b"family: softmax\nsummary: caf\xe9\n",
    "UTF-16": "family: softmax\n".encode("utf-16"),
    "binary": bytes(range(256)) * 4,
    "a control character": b"family: soft\x07max\n",
    "nested 50,000 deep": b"[" * 50_000,
    "nested 50,000 deep and closed": b"family: " + b"[" * 50_000 + b"]" * 50_000,
    "a list of itself": b"family: &a [*a]\n",
    "a date that is none": b"family: 2020-13-45\n",
    "a number that is none": b"family: !!int abc\n",
    "a number of 9,999 digits": b"family: " + b"9" * 9_999 + b"\n",
    "a Python object": b"family: !!python/object:os.system {}\n",
    "an unknown tag": b"family: !what {}\n",
    "an open quote": b'family: "softmax\n',
    "an unknown alias": b"family: *nothing\n",
    "two documents": b"family: softmax\n---\nfamily: softmax\n",
    "a list as key": b"? [1, 2]\n: 3\n",
    "base64 that is none": b"family: !!binary '*'\n",
    "a list tagged as a mapping": b"!!map [1]\n",
    "a tagged list": b"!!set [1]\n",
}


@pytest.mark.parametrize("kind", BROKEN)
@pytest.mark.parametrize("where", ["registry", "types", "cases", "config"])
def test_a_file_that_is_broken_as_a_whole(tmp_path, where, kind):
    folder = tmp_path
    if where in ("registry", "types"):
        path = small_registry(folder) / ("types.yaml" if where == "types" else "softmax.yaml")
    else:
        path = folder / ("softmax.yaml" if where == "cases" else "convert_config.yaml")
    path.write_bytes(BROKEN[kind])
    read = {
        "registry": lambda: load_registry(folder),
        "types": lambda: load_registry(folder),
        "cases": lambda: load_case_files(registry(), folder),
        "config": lambda: config.load_config(path, registry()),
    }[where]
    if where == "config" and kind in ("empty", "only a comment", "null"):
        read()  # an empty configuration is valid
        return
    with pytest.raises(ConfigError) as error:
        read()
    assert str(error.value).startswith(f"{path}:") and "\n" not in str(error.value)


def test_a_folder_without_the_types(tmp_path):
    with pytest.raises(ConfigError, match="types.yaml"):
        load_registry(tmp_path)


def test_the_line_of_what_is_not_utf_8(tmp_path):
    (tmp_path / "softmax.yaml").write_bytes(b"family: softmax\noperators:\n  - caf\xe9\n")
    with pytest.raises(ConfigError, match=r"softmax\.yaml:3: not UTF-8"):
        load_case_files(registry(), tmp_path)


def test_the_files_of_the_project_are_right():
    assert load_case_files(registry(), CASES_DIR)
