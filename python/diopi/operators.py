# SPDX-License-Identifier: BSD-3-Clause
"""Operators as Python functions: convert the arguments to C, call, convert the results to Python."""

from __future__ import annotations

import collections
import ctypes
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

from . import signatures
from .arguments import converter
from .binding import PLAIN, ctype_of
from .contract import Function, load_docs
from .errors import ArgumentError, DtypeError, Error
from .results import describe, make_output
from .signatures import kind_of
from .tensor import Tensor
from .tensors import Call

if TYPE_CHECKING:
    from .library import Library

_MISSING: Any = type("Missing", (), {"__repr__": lambda self: "nothing"})()


class Operator:
    """One operator of a library. Call it to compute; help() shows its contract."""

    def __init__(self, library: Library, function: Function, address: int) -> None:
        contract = library.contract
        self._library, self._function = library, function
        self.__name__ = signatures.python_name(function.name)
        self.__qualname__ = f"Library.{self.__name__}"
        self.__signature__ = signatures.signature(function)
        self.__doc__ = load_docs().get(function.name)
        params = function.params
        types = [ctype_of(p, contract.enums) for p in params]
        restype = ctypes.c_int if function.returns == "diopiError_t" else ctypes.c_char_p
        self.entry = ctypes.CFUNCTYPE(restype, *types)(address)
        self._context_slot = next((i for i, p in enumerate(params) if p.name == "ctx"), None)
        self._arguments = signatures.arguments(function)
        self._positional = [a.slot for a in self._arguments if not a.by_keyword]
        self._slots = {a.name: a.slot for a in self._arguments}
        self._slots |= {params[a.slot].name: a.slot for a in self._arguments}  # `from` as well as `from_`
        # Inputs are converted first, because the shapes of created outputs depend on them.
        self._steps = [
            (a.slot, converter(self.__name__, params[a.slot], contract)) for a in self._arguments if not a.output
        ]
        self._outputs = [
            (a.slot, converter(self.__name__, params[a.slot], contract), function.result.get(params[a.slot].name))
            for a in self._arguments
            if a.output
        ]
        self._made_for_none = {
            slot for slot, _, rule in self._outputs if rule is not None and not params[slot].nullable
        }
        self._optional = {a.slot for a in self._arguments if not a.required}
        self._counts = _counts(function)
        self._returned = signatures.returned(function)
        self._behind = [
            (i, _receiver(p)) for i, p in self._returned if signatures.is_returned_only(p) or kind_of(p) == "int64_t*"
        ]
        self._results = _result_type(function, self._returned)

    def __repr__(self) -> str:
        return f"<diopi operator {self.__name__}{self.__signature__}>"

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        values = self._bind(args, kwargs)
        if self._context_slot is None:
            return (self.entry() or b"").decode(errors="replace")
        call = self._library.new_call()
        converted: list[Any] = [None] * len(values)
        converted[self._context_slot] = call.context
        try:
            for slot, convert in self._steps:
                converted[slot] = convert(call, values[slot])
            for slot, convert, rule in self._outputs:
                given = values[slot]
                # None is no output if the C function accepts null there, else the default of the signature.
                if rule is not None and (given is _MISSING or (given is None and slot in self._made_for_none)):
                    values[slot] = self._make(call, rule, values, converted)
                elif given is _MISSING:
                    values[slot] = None
                converted[slot] = convert(call, values[slot])
            for slot, lists in self._counts:
                converted[slot] = self._count(slot, lists, values)
            for slot, receiver in self._behind:
                converted[slot], values[slot] = receiver(call, values[slot])
            code = self.entry(*converted)
            if code:
                self._fail(code, values, converted, call)
            if call.copies is not None:
                call.copies.copy_back(call)
            return self._result(values)
        finally:
            call.release()

    def _bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """The values of all C parameters, in their order."""
        values = [_MISSING] * len(self._function.params)
        if len(args) > len(self._positional):
            raise ArgumentError(
                f"{self.__name__}: {len(args)} positional arguments, expected at most {len(self._positional)} of "
                f"{self.__name__}{self.__signature__}",
                expected=str(self.__signature__),
            )
        for slot, value in zip(self._positional, args):
            values[slot] = value
        for name, value in kwargs.items():
            given = self._slots.get(name)
            if given is None:
                raise ArgumentError(
                    f"{self.__name__}: there is no argument {name!r}, expected {self.__name__}{self.__signature__}",
                    argument=name,
                    expected=str(self.__signature__),
                    value=value,
                )
            if values[given] is not _MISSING:
                raise ArgumentError(f"{self.__name__}: {name} is given twice", argument=name, value=value)
            values[given] = value
        for a in self._arguments:
            value = values[a.slot]
            if value is _MISSING and not a.output and a.slot in self._optional:
                values[a.slot] = None
            elif (value is _MISSING or value is None) and not self._may_lack(a, value):
                self._lacks(a)
        return values

    def _may_lack(self, a: signatures.Argument, value: Any) -> bool:
        """Whether the argument may be None or, if the value is _MISSING, omitted."""
        is_mode = kind_of(self._function.params[a.slot]) == "diopiRoundMode_t"  # None means no rounding
        return a.slot in self._optional or (value is None and is_mode)

    def _lacks(self, a: signatures.Argument) -> NoReturn:
        expected = "a tensor to write to" if a.output else "a value"
        why = f": the shape of {a.name} does not follow from a simple rule" if a.output else ""
        raise ArgumentError(
            f"{self.__name__}: {a.name} is not given, expected {expected}{why} ({self.__name__}{self.__signature__})",
            argument=a.name,
            expected=expected,
        )

    def _make(self, call: Call, rule: Any, values: list[Any], converted: list[Any]) -> Any:
        given = {n: values[i] for n, i in self._slots.items()}
        handles = {n: converted[i] for n, i in self._slots.items()}
        if all(given[n] is None for n in rule.of):
            return None
        handle, shape, dtype = make_output(call, self.__name__, rule, given, handles)
        return Tensor(self._library, handle, shape, dtype)

    def _count(self, slot: int, lists: list[int], values: list[Any]) -> int:
        lengths = {self._function.params[i].name: len(values[i]) for i in lists if isinstance(values[i], (list, tuple))}
        if len(set(lengths.values())) > 1:
            shown = ", ".join(f"{n} {name}" for name, n in lengths.items())
            raise ArgumentError(
                f"{self.__name__}: lists of different lengths ({shown}), expected as many of each",
                argument=next(iter(lengths)),
            )
        return next(iter(lengths.values()), 0)

    def _result(self, values: list[Any]) -> Any:
        found = [values[i] for i, _ in self._returned]
        for i, thing in enumerate(found):
            if isinstance(thing, _Received):
                found[i] = thing.value(self._library)
        if self._results is None:
            return found[0] if found else None
        return self._results(*found)

    def _fail(self, code: int, values: list[Any], converted: list[Any], call: Call) -> NoReturn:
        """Raises an error with the library's message and, if the contract shows it, the wrong argument."""
        name = self._library.contract.codes.get(code, str(code))
        message = self._library.last_error() or f"{self._function.name}: {name}"
        if name != "diopiDtypeNotSupported":
            raise Error(message, code=name)
        wrong = []
        for i, p in enumerate(self._function.params):
            if p.dtypes and kind_of(p) == "tensor" and isinstance(converted[i], int):
                dtype = describe(call, values[i], converted[i])[1]
                if dtype not in p.dtypes:
                    wrong.append((p.name, p.dtypes, dtype))
        # A created output may have the same wrong dtype as an input. The argument that the message names comes first.
        for argument, known, dtype in sorted(wrong, key=lambda w: f" {w[0]} " not in message):
            raise DtypeError(message, code=name, argument=argument, expected=", ".join(known), value=dtype)
        raise DtypeError(message, code=name)


def _counts(function: Function) -> list[tuple[int, list[int]]]:
    """The parameters that hold lengths of lists, with the positions of these lists."""
    names = [p.name for p in function.params]
    found: dict[str, list[int]] = {}
    for i, p in enumerate(function.params):
        if p.count:
            found.setdefault(p.count, []).append(i)
    return [(names.index(count), lists) for count, lists in found.items()]


class _Received:
    """The memory behind a pointer to which an operator writes a result."""

    __slots__ = ("memory", "length", "tensor")

    def __init__(self, memory: Any, length: int | None, tensor: bool) -> None:
        self.memory, self.length, self.tensor = memory, length, tensor

    def value(self, library: Library) -> Any:
        if not self.tensor:
            return self.memory.value
        made = [library.adopt(self.memory[i]) for i in range(self.length or 1)]
        return made if self.length else made[0]


def _receiver(param: signatures.ParamLike) -> Callable[[Call, Any], tuple[Any, _Received]]:
    """A function that creates the argument for an output that the operator allocates, and the memory of its result."""
    if param.allocates:

        def handles(call: Call, value: Any) -> tuple[Any, _Received]:
            memory = (ctypes.c_void_p * (param.length or 1))()
            return memory, _Received(memory, param.length, True)

        return handles
    kind = PLAIN[kind_of(param).removesuffix("*")]

    def number(call: Call, value: Any) -> tuple[Any, _Received]:
        memory = kind() if value is _MISSING else kind(value)
        return call.keep(memory), _Received(memory, None, False)

    return number


def _result_type(function: Function, returned: list[tuple[int, Any]]) -> Any:
    """The named tuple type for several results; None if there is at most one result."""
    if len(returned) < 2:
        return None
    names = [signatures.argument_name(p.name) for _, p in returned]
    return collections.namedtuple(f"{function.name.removeprefix('diopi')}Result", names)  # noqa: PYI024
