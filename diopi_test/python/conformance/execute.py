"""Runs one group of variants against a vendor and says PASS, FAIL, UNSUPPORTED or UNTRUSTED of each."""

from __future__ import annotations

import hashlib
import time
import traceback
from dataclasses import dataclass, field, replace
from typing import Any, Callable, Protocol

import numpy as np

from . import dtypes, messages, philox, verdict
from .binding import Allocated, Outcome, Scalar, Seed, Written
from .buffers import Buffer, Layout, make_layout, random_layout, row_major
from .far_apart import make_buffer
from .hostile.many import LAYOUT
from .oracles import Oracle
from .prepare import (CaseError, Expected, FOLDS, Group, NotApplicable, Prepared, is_output, is_written, prepare,
                      untrusted)

from adaptor.codegen.model import Function

PASS, FAIL, UNSUPPORTED, UNTRUSTED, SKIPPED, NOT_APPLICABLE = (
    "PASS", "FAIL", "UNSUPPORTED", "UNTRUSTED", "SKIPPED", "NOT_APPLICABLE")


# What numbers hold that an operator writes through a pointer, until it does: implausible as a result.
UNWRITTEN = -77


# Why a vendor declares that it does not take a dtype for a parameter of a group's operator, if it does.
Refuses = Callable[[Group, str, str], str | None]


class Vendor(Protocol):
    """Whoever computes: a library behind the runtime, or a test's double."""

    def has(self, name: str) -> bool: ...

    def call(self, function: Function, arguments: dict[str, Any]) -> Outcome: ...


@dataclass(frozen=True)
class Result:
    """The verdict on one variant of one case."""

    name: str
    status: str
    messages: tuple[str, ...] = ()
    arguments: str = ""  # shapes and strides, for a failure
    tainted: bool = False  # the call wrote to foreign memory: the process that made it is not to be trusted further
    digest: str = ""  # of every bit of the outputs
    seconds: float = 0.0  # for the whole case; the first layout of a group has the preparation of all of them
    call_seconds: float = 0.0  # inside the library
    errors: tuple[tuple[str, str, float], ...] = ()  # output, its dtype, largest distance from the oracle in ULP


@dataclass
class _Run:
    """One call: its buffers and what became of them."""

    prepared: Prepared
    variant: str
    arguments: dict[str, Any] = field(default_factory=dict)
    inputs: list[tuple[str, Buffer]] = field(default_factory=list)
    outputs: dict[str, Any] = field(default_factory=dict)  # parameter -> Buffer, Allocated or list of them
    complaints: list[str] = field(default_factory=list)
    tainted: bool = False
    call_seconds: float = 0.0
    errors: list[tuple[str, str, float]] = field(default_factory=list)


def applicable(variant: str, prepared: Prepared) -> bool:
    """Whether the variant gives the call another memory layout than `contiguous` does."""
    if variant in ("contiguous", "offset"):
        return True
    function = prepared.group.raw.function
    arrays: list[np.ndarray] = []
    for p in function.params:
        value = prepared.inputs.get(p.name)
        if p.name in prepared.aliases or (variant in FOLDS and p.dir != "in"):
            continue
        arrays += [v for v in (value if isinstance(value, list) else [value]) if isinstance(v, np.ndarray)]
    if variant == "transposed":
        return any(sum(n > 1 for n in a.shape) > 1 and a.size for a in arrays)
    if variant == "sliced":
        return any(a.size for a in arrays)
    if variant == "overlapping":
        lists = [p.name for p in function.params if p.is_tensor_list]
        return any(sum(n > 1 for n in a.shape) > 1 for a in arrays) and not lists
    if variant == "expanded":
        lists = [p.name for p in function.params if p.is_tensor_list]
        return any(a.size and max(a.shape, default=0) > 1 for a in arrays) and not lists
    if variant in ("far_apart", LAYOUT):
        return True
    if variant == "channels_last":
        return any(a.ndim in (4, 5) and a.size for a in arrays) or any(
            _caller_supplied(p, prepared) and isinstance(e := prepared.expected[p.name], Expected)
            and len(e.shape) in (4, 5) for p in function.params)
    supplied = any(_caller_supplied(p, prepared) for p in function.params)
    return supplied or (variant == "mixed" and any(a.ndim and a.size for a in arrays))


def _caller_supplied(p: Any, prepared: Prepared) -> bool:
    if not is_output(p) or p.allocates or p.name not in prepared.expected:
        return False
    expected = prepared.expected[p.name]
    return any(e is not None and 0 not in e.shape for e in (expected if isinstance(expected, list) else [expected]))


def _mixed_buffer(dtype: str, shape: tuple[int, ...], seed: str) -> Buffer:
    """A layout of its own for each tensor, which the names of case and parameter decide."""
    rng = np.random.default_rng(int.from_bytes(hashlib.sha256(seed.encode()).digest()[:8], "little"))
    return Buffer(dtype, random_layout(shape, rng), int(rng.integers(0, 4)))


def _input_buffer(array: np.ndarray, variant: str, inout: bool, seed: str) -> Buffer:
    if variant == "mixed":
        buffer = _mixed_buffer(dtypes.name_of(array.dtype), array.shape, seed)
        buffer.array[...] = array
        return buffer
    kind, offset = {"transposed": ("transposed", 0), "sliced": ("sliced", 3), "channels_last": ("channels_last", 0),
                    "strided_out": ("strided" if inout else "contiguous", 1 if inout else 0),
                    "offset": ("contiguous", 1), "far_apart": ("far_apart", 0)}.get(variant, ("contiguous", 0))
    layout = make_layout(kind, array.shape)
    if variant == "overlapping" and not inout and array.size and not array.flags.c_contiguous:
        layout = Layout(array.shape, tuple(s // array.itemsize for s in array.strides))
    if variant == "expanded" and not inout and 0 in array.strides and array.size:
        dim = next(i for i, n in enumerate(array.shape) if n > 1)
        collapsed = tuple(1 if i == dim else n for i, n in enumerate(array.shape))
        strides = list(row_major(collapsed).strides)
        strides[dim] = 0
        layout = Layout(array.shape, tuple(strides))
    if variant == LAYOUT:
        layout = Layout(array.shape, (0, 1))
    buffer = make_buffer(dtypes.name_of(array.dtype), layout, offset)
    if variant == LAYOUT:
        buffer.array[0] = array[0]
        return buffer
    buffer.array[...] = array
    return buffer


def _output_buffer(expected: Expected, variant: str, seed: str) -> Buffer:
    if variant == "mixed":
        return _mixed_buffer(expected.dtype, expected.shape, seed)
    kind, offset = {"strided_out": ("strided", 1), "channels_last": ("channels_last", 0), "offset": ("contiguous", 1),
                    "far_apart": ("far_apart", 0)}.get(variant, ("contiguous", 0))
    return make_buffer(expected.dtype, make_layout(kind, expected.shape), offset)


def _build(prepared: Prepared, variant: str) -> _Run:
    run = _Run(prepared, variant)
    for p in prepared.group.raw.function.params:
        value = prepared.inputs.get(p.name)
        if p.name == "ctx" and "ctx" in prepared.group.raw.arguments:
            run.arguments["ctx"] = prepared.group.raw.arguments["ctx"]
        if p.name in prepared.aliases or p.dir == "out" or p.name == "ctx":
            continue
        if isinstance(value, np.ndarray):
            run.arguments[p.name] = _input_buffer(value, variant, p.dir == "inout", f"{prepared.group.name}:{p.name}")
        elif p.is_tensor_list and value is not None:
            run.arguments[p.name] = [
                None if v is None else _input_buffer(v, variant, p.dir == "inout",
                                                     f"{prepared.group.name}:{p.name}[{i}]")
                for i, v in enumerate(value)]
        else:
            run.arguments[p.name] = value
        if p.dir == "inout" and is_output(p):
            run.outputs[p.name] = run.arguments[p.name]
    for p in prepared.group.raw.function.params:
        if p.name in prepared.aliases:
            run.arguments[p.name] = run.arguments[prepared.aliases[p.name]]
            if p.dir == "out":
                run.outputs[p.name] = run.arguments[p.name]
        elif p.dir == "out":
            run.arguments[p.name] = run.outputs[p.name] = _make_output(prepared, p, variant)
    written = {id(b) for v in run.outputs.values() for b in (v if isinstance(v, list) else [v])}
    for name, value in run.arguments.items():
        for i, buffer in enumerate(value if isinstance(value, list) else [value]):
            if isinstance(buffer, Buffer):
                buffer.seal()
                if id(buffer) not in written:
                    run.inputs.append((f"{name}[{i}]" if isinstance(value, list) else name, buffer))
    return run


def _make_output(prepared: Prepared, p: Any, variant: str) -> Any:
    seed = f"{prepared.group.name}:{p.name}"
    expected = prepared.expected.get(p.name)
    if is_written(p) and prepared.group.raw.arguments.get(p.name, p) is not None:
        return Written([UNWRITTEN] * (len(expected) if expected else 1))
    if p.allocates and not isinstance(expected, list):
        explicit_null = p.name in prepared.group.raw.arguments and prepared.group.raw.arguments[p.name] is None
        return None if explicit_null else Allocated()
    if expected is None:
        return None
    if isinstance(expected, list):
        return [None if e is None else Allocated() if p.allocates else _output_buffer(e, variant, f"{seed}[{i}]")
                for i, e in enumerate(expected)]
    return _output_buffer(expected, variant, seed)


# --- judging one call ---

def _untouched(run: _Run, inside_outputs: bool) -> None:
    """Inputs must be bit-identical, and nothing written outside an output's elements (or in them either)."""
    for name, buffer in run.inputs:
        change = buffer.first_change(inside=True)
        if change:
            run.tainted = True
            run.complaints.append(f"input {name} was modified, first {change}")
    for name, value in run.outputs.items():
        for buffer in value if isinstance(value, list) else [value]:
            if inside_outputs and getattr(buffer, "touched", False):
                run.complaints.append(f"the call failed but wrote to {name}")
            change = buffer.first_change(inside=inside_outputs) if isinstance(buffer, Buffer) else None
            if change and inside_outputs:
                run.complaints.append(f"the call failed but modified {name}, first {change}")
            elif change:
                run.tainted = True
                run.complaints.append(f"wrote outside {name}, first {change}")


def _judge_invalid(run: _Run, outcome: Outcome) -> None:
    error, lowering = run.prepared.group.raw.error, run.prepared.group.lowering
    if outcome.code == "diopiSuccess" and error.code == "diopiDtypeNotSupported":
        if lowering is not None and lowering.hides_dtypes(run.arguments):
            raise NotApplicable  # the conversion that the vendor declares makes the call valid
    if outcome.code != error.code:
        run.complaints.append(f"expected {error.code}, got {outcome.code} ({outcome.message or 'no message'})")
    if outcome.code != "diopiSuccess":
        run.complaints += messages.complaints(error, run.prepared.group.raw.function, outcome.message)
        _untouched(run, inside_outputs=True)


def _pairs(run: _Run) -> list[tuple[str, Expected, Any]]:
    """Every output beside what it should be."""
    pairs = []
    for name, expected in run.prepared.expected.items():
        value = run.outputs.get(name)
        if isinstance(expected, list) and isinstance(value, list):
            pairs += [(f"{name}[{i}]", e, v) for i, (e, v) in enumerate(zip(expected, value)) if e is not None]
        elif isinstance(expected, Expected):
            pairs.append((name, expected, value))
    return pairs


def _judge_outputs(run: _Run) -> None:
    raw, oracle = run.prepared.group.raw, run.prepared.oracle
    got: dict[str, Any] = {}
    for name, expected, value in _pairs(run):
        array = value.array
        if array is None:
            run.complaints.append(f"{name} was not allocated")
            continue
        dtype = dtypes.name_of(array.dtype)
        if array.shape != expected.shape or dtype != expected.dtype:
            run.complaints.append(f"{name}: expected {expected.dtype}{list(expected.shape)}, "
                                  f"got {dtype}{list(array.shape)}")
            continue
        if expected.strides is not None and isinstance(value, Allocated):
            pairs = zip(expected.strides, value.strides, expected.shape)
            if 0 not in expected.shape and any(want != have for want, have, size in pairs if size > 1):
                run.complaints.append(f"{name}: expected strides {list(expected.strides)}, got {list(value.strides)}")
        got[name] = dtypes.widen(array)
        if expected.values is not None:
            tolerance = verdict.choose_tolerance(raw.tolerances, name.split("[")[0], expected)
            mismatch, max_ulp = verdict.compare(name, expected, array, tolerance, oracle.signed_zero)
            run.errors.append((name, dtype, max_ulp))
            if mismatch is not None:
                run.complaints.append(str(mismatch))
    for name, value in run.outputs.items():
        if isinstance(value, Written) and not _right_numbers(run, name, value.values):
            run.complaints.append(f"{name}: expected {run.prepared.expected[name]}, got {value.values}")
    if oracle.check is not None and not run.complaints:
        arguments = dict(run.prepared.oracle_arguments)
        with np.errstate(all="ignore"):
            complaint = oracle.check(**arguments, got=got)
        if complaint:
            run.complaints.append(complaint)


def _right_numbers(run: _Run, name: str, got: list) -> bool:
    """Numbers written through a pointer: integers exact, others within the tolerance of a float64 output."""
    numbers = run.prepared.expected[name]
    if len(got) != len(numbers) or not all(isinstance(n, float) for n in numbers):
        return list(got) == numbers
    expected = Expected("float64", (len(numbers),), np.array(numbers), "float64")
    tolerance = verdict.choose_tolerance(run.prepared.group.raw.tolerances, name, expected)
    return verdict.compare(name, expected, np.array(got), tolerance)[0] is None


def run_group(group: Group, oracle: Oracle | None, vendor: Vendor, unsupported: str | None = None,
              supplied: Prepared | None = None, refuses: Refuses | None = None) -> list[Result]:
    """The verdicts on every variant of the group. `unsupported` is the reason that the vendor declares, if any.

    `refuses` answers the same for an output, whose dtype only the oracle knows. `supplied` holds inputs and expected outputs that were computed elsewhere.
    """
    begun = time.perf_counter()
    try:
        prepared = supplied or prepare(group, oracle)
    except NotApplicable:
        return [Result(f"{group.name}/{group.variants[0]}", NOT_APPLICABLE)]
    except Exception as error:  # a broken case or oracle must not end the run
        return [Result(f"{group.name}/{group.variants[0]}", FAIL, (_judge_error(error),))]
    results = []
    distrust = untrusted(prepared)
    for variant in group.variants:
        name = f"{group.name}/{variant}"
        if not applicable(variant, prepared) or (variant in FOLDS and supplied is not None):
            continue
        if distrust:
            results.append(Result(name, UNTRUSTED, (distrust,)))
            break
        try:
            data = prepare(group, oracle, variant) if variant in FOLDS else prepared
            refused = unsupported or _refused_output(data, refuses) or (
                group.lowering and group.lowering.misfit(data.inputs))
            result = _run_variant(name, data, variant, vendor, refused)
            now = time.perf_counter()
            results.append(replace(result, seconds=now - begun))
            begun = now
        except NotApplicable:
            continue
        except Exception as error:
            results.append(Result(name, FAIL, (_judge_error(error),)))
    return results


def _refused_output(prepared: Prepared, refuses: Refuses | None) -> str | None:
    """Why the vendor does not take the dtype of an output that the caller makes, as it declares."""
    for p in prepared.group.raw.function.params if refuses else ():
        expected = prepared.expected.get(p.name)
        for one in expected if isinstance(expected, list) else [expected]:
            if isinstance(one, Expected) and not p.allocates:
                reason = refuses(prepared.group, p.name, one.dtype)
                if reason is not None:
                    return reason
    return None


def _judge_error(error: Exception) -> str:
    if isinstance(error, CaseError):
        return f"the case or its oracle is wrong: {error}"
    place = traceback.extract_tb(error.__traceback__)[-1]
    return f"the judge failed: {type(error).__name__}: {error} ({place.filename}:{place.lineno})"


def _run_variant(name: str, prepared: Prepared, variant: str, vendor: Vendor, unsupported: str | None) -> Result:
    raw = prepared.group.raw
    run = _build(prepared, variant)
    begun = time.perf_counter()
    outcome = vendor.call(raw.function, run.arguments)
    run.call_seconds = time.perf_counter() - begun
    if raw.error is not None and unsupported is not None and outcome.code == "diopiDtypeNotSupported" != raw.error.code:
        _untouched(run, inside_outputs=True)
        if not run.complaints:
            return Result(name, UNSUPPORTED, (unsupported,), call_seconds=run.call_seconds)
    elif raw.error is not None:
        _judge_invalid(run, outcome)
    elif unsupported is not None:
        if outcome.code == "diopiDtypeNotSupported":
            _untouched(run, inside_outputs=True)
            if not run.complaints:
                return Result(name, UNSUPPORTED, (unsupported,), call_seconds=run.call_seconds)
        else:
            run.complaints.append(f"declared as not supported ({unsupported}), but returned {outcome.code}")
    elif outcome.code != "diopiSuccess":
        run.complaints.append(f"returned {outcome.code}: {outcome.message or 'no message'}")
        _untouched(run, inside_outputs=True)
    else:
        _untouched(run, inside_outputs=False)
        _judge_outputs(run)
        _judge_offset(run, outcome)
        if variant in ("contiguous", "channels_last") and _is_repeated(prepared, variant, outcome):
            _repeat(run, vendor, outcome)
    measured = {"call_seconds": run.call_seconds, "errors": tuple(run.errors)}
    if not run.complaints:
        return Result(name, PASS, digest=digest(run) if raw.error is None else "", **measured)
    return Result(name, FAIL, tuple(run.complaints), describe_arguments(run.arguments), run.tainted, **measured)


def _judge_offset(run: _Run, outcome: Outcome) -> None:
    """The generator must be left exactly past the words that the contract says are taken."""
    seeds = [v for v in run.arguments.values() if isinstance(v, Seed)]
    if run.prepared.oracle.draws is None or not seeds:
        return
    words = run.prepared.oracle.draws(**run.prepared.oracle_arguments)
    expected = philox.offset_after(seeds[0], words)
    if outcome.generator_offset != expected:
        run.complaints.append(f"the generator's offset went from {seeds[0].offset} to {outcome.generator_offset}, "
                              f"expected {expected}")


def digest(run: _Run) -> str:
    """A fingerprint of the outputs' bits, for comparing two runs."""
    state = hashlib.sha256()
    for _, _, value in _pairs(run):
        state.update(np.ascontiguousarray(value.array).tobytes())
    return state.hexdigest()[:16]


def _is_repeated(prepared: Prepared, variant: str, outcome: Outcome) -> bool:
    """Whether to call twice: whoever draws random numbers, and others with two of their dtypes."""
    group = prepared.group
    chosen = variant == "contiguous" and group.dtype in (group.raw.dtypes[0], "float32")
    return chosen or outcome.generator_offset is not None


def _repeat(run: _Run, vendor: Vendor, outcome: Outcome) -> None:
    """Equal calls must give the same bits, and the call must leave the generator further on."""
    again = _build(run.prepared, run.variant)
    second = vendor.call(run.prepared.group.raw.function, again.arguments)
    seeds = [v for v in run.arguments.values() if isinstance(v, Seed)]
    if second != outcome:
        run.complaints.append(f"the same call again returned {second}, not {outcome}")
    for (name, _, first), (_, _, other) in zip(_pairs(run), _pairs(again)):
        if first.array is not None and first.array.tobytes() != other.array.tobytes():
            run.complaints.append(f"{name} differs between two calls with equal arguments")
    drew = any(e.values is None and 0 not in e.shape for _, e, _ in _pairs(run))
    if drew and seeds and outcome.generator_offset <= seeds[0].offset:
        run.complaints.append("the generator's offset did not advance: the next call would repeat these numbers")


def describe_arguments(arguments: dict[str, Any]) -> str:
    """Shapes, strides and attributes in one line."""
    return ", ".join(f"{k}={_describe(v)}" for k, v in arguments.items())


def _describe(value: Any) -> str:
    if isinstance(value, Buffer):
        return f"{value.dtype}{list(value.layout.shape)} strides {list(value.layout.strides)}"
    if isinstance(value, list) and any(isinstance(v, (Buffer, Allocated)) for v in value):
        return "[" + "; ".join(_describe(v) for v in value) + "]"
    if isinstance(value, Scalar):
        return f"{value.value} ({value.dtype})"
    return "allocated by the call" if isinstance(value, Allocated) else "null" if value is None else str(value)
