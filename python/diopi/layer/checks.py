# SPDX-License-Identifier: BSD-3-Clause
"""Checks a line of the index of captured calls, which docs/layer.md describes, so that its readers can trust it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..arguments import INT_BITS
from ..contract import Contract, Param, load_contract
from ..errors import short_repr
from ..signatures import kind_of
from .elements import item_size
from .errors import UsageError

SPECIAL = {"nan": float("nan"), "inf": float("inf"), "-inf": float("-inf")}
MOST = 2**63 - 1
FLOATING = ("float", "bfloat")  # what the dtypes begin with whose scalars are a double


@dataclass(frozen=True)
class Field:
    """A value of the index: where it is (file, line and call), the name of the field, and the value."""

    where: str
    name: str
    value: Any

    def wrong(self, expected: str) -> UsageError:
        return UsageError(f"{self.where}: {self.name or 'the line'} is {short_repr(self.value)}, expected {expected}")

    def has(self, key: str) -> bool:
        return isinstance(self.value, dict) and key in self.value

    def at(self, key: str) -> Field:
        """A field of an object."""
        if not isinstance(self.value, dict):
            raise self.wrong("an object")
        name = f"{self.name}.{key}" if self.name else key
        if key not in self.value:
            raise UsageError(f"{self.where}: {name} is missing")
        return Field(self.where, name, self.value[key])

    def items(self, length: int | None = None) -> list[Field]:
        if not isinstance(self.value, list) or (length is not None and len(self.value) != length):
            raise self.wrong("a list" if length is None else f"a list of {length}")
        return [Field(self.where, f"{self.name}[{i}]", item) for i, item in enumerate(self.value)]

    def whole(self, least: int = 0, most: int = MOST) -> int:
        if type(self.value) is not int or not least <= self.value <= most:
            raise self.wrong(f"a whole number from {least} to {most}")
        return self.value

    def wholes(self, least: int, length: int | None = None) -> list[int]:
        return [item.whole(least) for item in self.items(length)]

    def text(self) -> str:
        try:
            str.encode(self.value)
        except (TypeError, UnicodeEncodeError):
            raise self.wrong("a text") from None
        return str(self.value)

    def one_of(self, words: Any) -> str:
        if not isinstance(self.value, str) or self.value not in words:
            raise self.wrong(f"one of {', '.join(words)}")
        return self.value

    def real(self) -> None:
        if type(self.value) not in (int, float) and not (isinstance(self.value, str) and self.value in SPECIAL):
            raise self.wrong('a number, "nan", "inf" or "-inf"')
        if type(self.value) is int and abs(self.value) > 2**1023:
            raise self.wrong("a number that a double can hold")


def check_call(call: Field, folder: Path) -> None:
    """Raises an error if a captured call cannot be repeated: a field is missing or wrong, or bytes are missing."""
    call.at("operator").text()
    call.at("status").whole(-(2**31), 2**31 - 1)
    file, size = call.at("file"), 0
    if file.value is not None:
        size = _size_of_file(file, folder)
    sizes = [_check_storage(s, file, size) for s in call.at("storages").items()]
    arguments, contract = call.at("arguments"), load_contract()
    after = call.at("numbers_after").value if call.has("numbers_after") else {}
    if not isinstance(after, dict):
        raise call.at("numbers_after").wrong("an object")
    if call.value["operator"] not in contract.names:
        return  # the call can only be counted
    check = _Arguments(contract, arguments, sizes)
    for param in contract.function(call.value["operator"]).params:
        if param.name != "ctx":
            check.argument(param)
        if param.name in after:
            check.plain(call.at("numbers_after").at(param.name), kind_of(param).removesuffix("*"))


def _size_of_file(file: Field, folder: Path) -> int:
    name = file.text()
    if Path(name).name != name:
        raise file.wrong("the name of a file beside the index")
    try:
        return (folder / name).stat().st_size
    except (OSError, ValueError) as error:
        raise file.wrong(f"a file in {folder} ({getattr(error, 'strerror', error)})") from None


def _check_storage(storage: Field, file: Field, size: int) -> int:
    length = storage.at("bytes").whole(0, 2**62)
    storage.at("device").one_of(("host", "device"))
    storage.at("alignment").whole(0, 63)
    for key in ("before", "after"):
        position = storage.at(key)
        if position.value is None:
            continue
        if file.value is None:
            raise position.wrong("null, because the call has no file")
        end = position.whole() + length
        if end > size:
            text = f"{file.value} is cut off: it has {size} bytes, {position.name} and bytes expect {end}"
            raise UsageError(f"{storage.where}: {text}")
    return length


class _Arguments:
    """The checks of the arguments of one call. `sizes` are the lengths of its storages."""

    def __init__(self, contract: Contract, arguments: Field, sizes: list[int]) -> None:
        self.contract, self.arguments, self.sizes = contract, arguments, sizes

    def argument(self, param: Param) -> None:
        field, kind = self.arguments.at(param.name), kind_of(param)
        listed = kind in ("tensors", "generators") or param.allocates
        if field.value is None and (listed or kind in ("tensor", "generator") or kind.endswith("*")):
            return
        one: Callable[[Field], None] = self.generator if kind.startswith("generator") else self.tensor
        if listed:
            for item in field.items(self._length(param)):
                if item.value is not None:
                    one(item)
        elif kind in ("tensor", "generator"):
            one(field)
        else:
            self.plain(field, kind)

    def _length(self, param: Param) -> int:
        """How many elements the operator reads or writes."""
        return max(self.arguments.at(param.count).whole(-MOST), 0) if param.count else param.length or 1

    def generator(self, field: Field) -> None:
        for key in ("seed", "offset"):
            text = field.at(key)
            digits = text.value if isinstance(text.value, str) and len(text.value) <= 20 else ""
            if not (digits.isascii() and digits.isdigit() and int(digits) < 2**64):
                raise text.wrong("a decimal number of 64 bits as text")

    def tensor(self, field: Field) -> None:
        dtype = field.at("dtype").one_of(self.contract.dtypes)
        shape = field.at("shape").wholes(0)
        field.at("handle").whole()
        if math.prod(shape) * item_size(dtype) > MOST:
            raise field.at("shape").wrong("a shape whose bytes fit 64 bits")
        if field.value.get("sparse"):
            for part in ("crow_indices", "col_indices", "values"):
                self.tensor(field.at(part))
            return
        stride = field.at("stride").wholes(0, len(shape))
        if field.has("device"):
            field.at("device").one_of(("host", "device"))
        storage = field.at("storage")
        if storage.value is None:
            if 0 not in shape:
                raise storage.wrong("the index of a storage, because the tensor has elements")
            return
        length, offset = self.sizes[storage.whole(0, len(self.sizes) - 1)], field.at("offset")
        elements = 0 if 0 in shape else 1 + sum((n - 1) * s for n, s in zip(shape, stride))
        span = elements * item_size(dtype)
        if offset.whole() + span > length:
            raise offset.wrong(f"a place for the tensor's {span} bytes in a storage of {length}")

    def plain(self, field: Field, kind: str) -> None:
        """A number, a text, a list of numbers, or what a pointer points to."""
        kind = kind.removesuffix("*") if kind not in ("char*", "void*") else kind
        if kind == "diopiScalar_t":
            dtype = field.at("stype").one_of(self.contract.dtypes)
            self.plain(field.at("value"), "double" if dtype.startswith(FLOATING) else "int64_t")
        elif kind == "diopiSize_t":
            field.wholes(-(2**63))
        elif kind == "char*":
            field.text()
        elif kind == "void*":
            field.one_of(("pointer",))
        elif kind == "bool":
            if not isinstance(field.value, bool):
                raise field.wrong("true or false")
        elif kind in ("float", "double"):
            field.real()
        else:
            bits = INT_BITS.get(kind, 32)  # 32 for enums
            field.whole(-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
