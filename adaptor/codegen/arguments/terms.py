# SPDX-License-Identifier: BSD-3-Clause
"""Terms of checks as C++ expressions over the arguments of a form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..checks import base_type
from ..rules.terms import Call, Item, Name, Number, Operation, Slice, Term
from .struct import is_view, is_view_list

if TYPE_CHECKING:
    from .reader import Reader


class NotGenerated(Exception):
    """A rule or a term that has no generated code: the family makes the check."""


def number(term: object, reader: Reader) -> str:
    """A term that is a 64-bit integer, or a floating-point constant."""
    if isinstance(term, float):
        return repr(term)
    if isinstance(term, Number):
        return f"int64_t{{{term.value}}}"
    if isinstance(term, Name):
        return _scalar(term.name, reader)
    if isinstance(term, Item):
        return _extent(term, reader)
    if isinstance(term, Call):
        return _call(term, reader)
    if isinstance(term, Operation):
        function = {"+": "sum_of", "-": "difference_of", "*": "product_of"}[term.sign]
        return f"{function}({number(term.left, reader)}, {number(term.right, reader)})"
    raise NotGenerated(f"the term {term}")


def extents(term: object, reader: Reader) -> str:
    """A call that adds the extents of a term to a ShapePattern."""
    if term == "any":
        return ".any()"
    if isinstance(term, Slice):
        return f".part({shape(Name(term.name), reader)}, {_start(term, reader)}, {_end(term, reader)})"
    return f".extent({number(term, reader)})"


def shape(term: object, reader: Reader) -> str:
    """A term that is a shape."""
    if term == "broadcast":
        return "args->broadcast"
    if isinstance(term, Slice):
        return f"part_of({shape(Name(term.name), reader)}, {_start(term, reader)}, {_end(term, reader)})"
    if isinstance(term, Name):
        param = reader.param(term.name)
        if is_view(param):
            return f"{reader.view(term.name)}.shape"
        if base_type(param.type) == "diopiSize_t" and not param.is_pointer:
            reader.shape_lists.add(param.name)
            return f"Dims({param.name})"
    raise NotGenerated(f"the shape {term}")


def _start(term: Slice, reader: Reader) -> str:
    return "0" if term.start is None else _bound(term.start, reader)


def _end(term: Slice, reader: Reader) -> str:
    return "kMaxDims" if term.stop is None else _bound(term.stop, reader)


def _bound(bound: int | str, reader: Reader) -> str:
    """The limit of a part of a shape. A parameter is a dimension that the reader has wrapped."""
    return f"static_cast<int>(args->{reader.location(bound)})" if isinstance(bound, str) else str(bound)


def _scalar(name: str, reader: Reader) -> str:
    param = reader.param(name)
    if param.is_pointer or base_type(param.type) == "diopiSize_t":
        raise NotGenerated(f"{name} as a number")
    return f"int64_t{{{name}}}" if base_type(param.type) != "int64_t" else name


def _extent(term: Item, reader: Reader) -> str:
    param = reader.param(term.name)
    if base_type(param.type) == "diopiSize_t":
        if isinstance(term.index, str):
            raise NotGenerated(f"the term {term}")
        return f"entry({term.name}, {term.index})"
    if not is_view(param):
        raise NotGenerated(f"the term {term}")
    if isinstance(term.index, int):
        return f"extent({reader.view(term.name)}, {term.index})"
    index = reader.param(term.index)
    if index.is_tensor_list:
        raise NotGenerated(f"the term {term}")
    value = f"*{term.index}" if index.is_pointer else term.index
    return f"extent_along({reader.view(term.name)}, {value})"


def _call(term: Call, reader: Reader) -> str:
    argument = term.arguments[0]
    if term.function == "prod" and isinstance(argument, Slice):
        return f"{shape(argument, reader)}.product()"
    if len(term.arguments) != 1 or not isinstance(argument, Name):
        raise NotGenerated(f"the term {term}")
    param = reader.param(argument.name)
    if is_view(param) and term.function in ("numel", "ndim", "channels"):
        view = reader.view(argument.name)
        return {"numel": f"{view}.numel", "ndim": f"int64_t{{{view}.ndim()}}", "channels": f"channels_of({view})"}[
            term.function
        ]
    if term.function == "len" and param.is_tensor_list and param.count:
        return param.count
    if term.function == "len" and base_type(param.type) == "diopiSize_t" and not param.is_pointer:
        return f"{param.name}.len"
    raise NotGenerated(f"the term {term}")


def names_shape(term: object) -> bool:
    """Whether the value of a term depends on the shape of a parameter."""
    return isinstance(term, (Item, Slice, Call, Operation)) and bool(term.names)


__all__ = ["NotGenerated", "Term", "extents", "is_view_list", "names_shape", "number", "shape"]
