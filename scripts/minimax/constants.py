# SPDX-License-Identifier: BSD-3-Clause
"""The other constants of the CPU vendor with many digits: numbers such as pi/2, whole or as a sum of parts."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mpmath import mp, mpf

import sources
from polynomials import FORMATS, LOG2
from sources import Place


@dataclass(frozen=True)
class Constant:
    """The numbers at `place` must be `values`."""

    place: Place
    meaning: str
    bits: int
    values: list[float]


def truncated(value: mpf, bits: int) -> mpf:
    scale = mpf(2) ** (bits - 1 - mp.floor(mp.log(abs(value), 2)))
    return mp.sign(value) * mp.floor(abs(value) * scale) / scale


def parts(value: mpf, bits: int, short: Sequence[int]) -> list[float]:
    """Numbers with the given value as their sum: cut off after so many bits, and the rest rounded to the format. The
    products of short parts with small integers are exact."""
    found: list[float] = []
    for count in short:
        found.append(float(truncated(value, count)))
        value -= found[-1]
    return [*found, sources.rounded(value, bits)]


def rounded_parts(value: mpf, bits: int, count: int) -> list[float]:
    """Numbers with the given value as their sum, each of which is rounded to the format."""
    found: list[float] = []
    for _ in range(count):
        found.append(sources.rounded(value, bits))
        value -= found[-1]
    return found


def one_each(file: str, scope: str, names: str, meaning: str, bits: int, values: Sequence[float]) -> Iterator[Constant]:
    for name, value in zip(names.split(), values):
        yield Constant(Place(file, scope, name), meaning, bits, [value])


def integer_bits(value: float, bits: int) -> float:
    code = ("<f", "<i") if bits == 24 else ("<d", "<q")
    return float(struct.unpack(code[1], struct.pack(code[0], value))[0])


def logarithms() -> Iterator[Constant]:
    log, log2_e, log10_e, log10_2 = "math/log-inl.h", 1 / LOG2, 1 / mp.log(10), mp.log10(2)
    for (name, bits), short, shorter in zip(FORMATS, (15, 41), (11, 41)):
        exp, scope = f"struct ExpConstants<{name}>", f"struct LogConstants<{name}>"
        ln2 = parts(LOG2, bits, [short])
        yield from one_each("math/exp-inl.h", exp, "kLog2E", "1 / log(2)", bits, [sources.rounded(log2_e, bits)])
        yield from one_each("math/exp-inl.h", exp, "kLn2High kLn2Low", "log(2)", bits, ln2)
        yield from one_each(log, scope, "kLn2High kLn2Low", "log(2)", bits, ln2)
        yield from one_each(log, scope, "kLog2EHigh kLog2ELow", "1 / log(2)", bits, rounded_parts(log2_e, bits, 2))
        yield from one_each(log, scope, "kLog10EHigh kLog10ELow", "1 / log(10)", bits, rounded_parts(log10_e, bits, 2))
        yield from one_each(log, scope, "kLog10Of2High kLog10Of2Low", "log10(2)", bits, parts(log10_2, bits, [shorter]))
        half = integer_bits(sources.rounded(mp.sqrt(mpf(1) / 2), bits), bits)
        yield from one_each(log, scope, "kSqrtHalfBits", "bits of sqrt(1/2)", bits, [half])
    yield Constant(Place("math/hyperbolic-inl.h", "", "kLog2"), "log(2)", 53, [float(LOG2)])
    two_thirds = rounded_parts(mpf(2) / 3, 53, 2)
    for name, value in zip(("two_thirds = hn::Set(d, ", "{two_thirds, hn::Set(d, "), two_thirds):
        yield Constant(Place("math/power-inl.h", "PreciseLog(", name), "2/3", 53, [value])


def trigonometry() -> Iterator[Constant]:
    inverse = "math/inverse_trig-inl.h"
    for (name, bits), short in zip(FORMATS, (11, 30)):
        trig, scope = "math/trig-inl.h", f"struct TrigConstants<{name}>"
        yield Constant(Place(trig, scope, "kTwoOverPi"), "2 / pi", bits, [sources.rounded(2 / mp.pi, bits)])
        yield Constant(Place(trig, scope, "kFused"), "pi/2", bits, rounded_parts(mp.pi / 2, bits, 3))
        yield Constant(Place(trig, scope, "kShort"), "pi/2", bits, parts(mp.pi / 2, bits, [short] * 3))
        scope = f"struct InverseTrigConstants<{name}>"
        yield from one_each(inverse, scope, "kHalfPiHigh kHalfPiLow", "pi/2", bits, rounded_parts(mp.pi / 2, bits, 2))
    for name, value in (("outer = hn::Gt(", mp.sqrt(2) + 1), ("inner = hn::Lt(", mp.sqrt(2) - 1)):
        place = Place(inverse, "atan((y - 1) / (y + 1))", name + "magnitude, hn::Set(d, T(")
        yield Constant(place, "tan(3 pi/8), tan(pi/8)", 53, [float(value)])


def tables() -> Iterator[Constant]:
    file, slope = "math/tables-inl.h", 2 / mp.sqrt(mp.pi)
    for scope, bits, step in (
        ("struct TanhPieces", 24, "0.59375"),
        ("struct ErfPieces ", 24, "0.2578125"),
        ("struct ErfPiecesOfDouble", 53, "0.796875"),
    ):
        yield Constant(Place(file, scope, "kInverseStep"), "1 / kStep", bits, [sources.rounded(1 / mpf(step), bits)])
        error = 0.0 if "Tanh" in scope else rounded_parts(slope, bits, 2)[1]
        yield Constant(Place(file, scope, "kSlopeError"), "rounding error of the slope", bits, [error])
    slope = mp.sqrt(mp.pi) / 2
    names = "kSlope kSlopeError"
    yield from one_each(
        "math/erf-inl.h", "struct ErfinvRangesOfFloat", names, "sqrt(pi)/2", 24, rounded_parts(slope, 24, 2)
    )
    file, scope, step = "math/normal-inl.h", "struct NormalPieces", mpf("0.353515625")
    yield Constant(Place(file, scope, "kInverseStep"), "1 / kStep", 24, [sources.rounded(1 / step, 24)])


def outside_math() -> Iterator[Constant]:
    random = "random/random-inl.h"
    yield from one_each(random, "struct Constants<float>", "kLn2High kLn2Low", "log(2)", 24,
                        [355 / 512, sources.rounded(LOG2 - mpf(355) / 512, 24)])  # fmt: skip
    yield from one_each(random, "struct Constants<double>", "kLn2High kLn2Low", "log(2)", 53, parts(LOG2, 53, [36]))
    yield Constant(Place(random, "", "hn::Mul(t, hn::Set(d, T("), "pi/2", 53, [float(mp.pi / 2)])
    activation, scope = "pointwise/activation_functions-inl.h", "struct GeluTanhFn"
    root = 2 * mp.sqrt(2 / mp.pi)
    yield from one_each(activation, scope, "kTwiceRoot kTwiceRootLow", "2 sqrt(2 / pi)", 53, rounded_parts(root, 53, 2))
    product = rounded_parts(root * mpf("0.044715"), 53, 2)
    yield from one_each(activation, scope, "kProduct kProductLow", "kTwiceRoot kCubic", 53, product)
    yield Constant(Place(activation, "", "kDensity"), "1 / sqrt(2 pi)", 53, [float(1 / mp.sqrt(2 * mp.pi))])
    place = Place("pointwise/unary_complex.cpp", "", "std::log(z) * ")
    yield Constant(place, "1 / log(2)", 53, [float(1 / LOG2)])
    place = Place("loss/focal.cpp", "", "floor = hn::Set(d, static_cast<T>(")
    yield Constant(place, "log of the least normal float", 53, [float(-126 * LOG2)])
    yield Constant(Place("engine/roi/orientation.cpp", "", "kPi"), "pi", 53, [float(mp.pi)])


# Numbers that somebody chose. They do not approximate anything.
CHOSEN = (
    Place("math/normal-inl.h", "struct NormalConstants<float>", "kSlope"),
    Place("math/normal-inl.h", "struct NormalConstants<double>", "kSlope"),
    Place("geometry/point_sets.cpp", "kQuarter", "static_cast<double>("),  # mmcv's number for pi
)


def constants() -> Iterator[Constant]:
    yield from logarithms()
    yield from trigonometry()
    yield from tables()
    yield from outside_math()
