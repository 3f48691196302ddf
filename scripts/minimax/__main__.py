# SPDX-License-Identifier: BSD-3-Clause
"""Makes the polynomials and the other constants with many digits of the CPU vendor, and checks those of the sources.

The files of this folder are the list of them: polynomials.py and error_functions.py have one row for each polynomial
(function, interval, number of terms, weight of the error, format), constants.py has one for each other constant. To
change a polynomial, change its row, run with --write, write the new error into the comment (and the new number of rows
into the dimension of a table), build, and run scripts/ulp_table.sh.

Without --write, prints one line for each array of polynomials:
  made     the error of the best polynomial, before its coefficients are rounded
  rounded  the same after they are rounded
  sources  the error of the coefficients in the sources
  stated   the bound that the comment at the array states
An error is the largest on a dense grid of the reduced argument, times the weight of the row (nearly always: relative to
the function), and printed as a power of two. For a table of pieces it is that of the worst piece.

exit code: 0 all is well; 1 numbers of the sources differ from those that the script makes, their error exceeds the
stated bound, or a number with many digits is in no list; 2 wrong usage, or mpmath is not installed
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

try:
    import mpmath  # noqa: F401
except ImportError:
    print("error: mpmath is not installed; scripts/install_deps.sh --optional installs it", file=sys.stderr)
    sys.exit(2)

from mpmath import mp, mpf

import constants
import error_functions
import polynomials
import sources
from polynomials import Polynomial
from sources import Place

GENERATORS = (
    polynomials.exponentials,
    polynomials.logarithms,
    polynomials.trigonometry,
    error_functions.erf,
    error_functions.erfinv,
    error_functions.tables,
    error_functions.normal,
)


def arrays(only: str) -> dict[Place, list[Polynomial]]:
    """The polynomials of each array: one, or one for each column of a table."""
    found: dict[Place, list[Polynomial]] = {}
    for generator in GENERATORS:
        for p in generator():
            if only in str(p.place):
                found.setdefault(p.place, []).append(p)
    return found


def column(p: Polynomial, made: list[mpf]) -> list[float]:
    """The numbers that stand for the coefficients: each one rounded, and its rounding error if a row holds it."""
    found: list[float] = []
    for c in made:
        found.append(sources.rounded(c, p.bits))
        if len(found) in p.low_rows:
            found.append(sources.rounded(c - found[-1], p.bits))
    return found


def coefficients(p: Polynomial, numbers: list[float]) -> list[mpf]:
    """The coefficients for which the numbers of a column stand."""
    found: list[mpf] = []
    for row, number in enumerate(numbers):
        if row in p.low_rows:
            found[-1] += number
        else:
            found.append(mpf(number))
    return found


def power_of_two(error: mpf) -> str:
    return f"2^{float(mp.log(error, 2)):.2f}"


def check_array(place: Place, group: list[Polynomial]) -> list[str]:
    """Prints the line of one array. Returns what is wrong with it."""
    values = sources.read(place, group[0].names)
    length = sum(p.terms + len(p.low_rows) for p in group)
    if len(values) != length:
        return [f"{place}: the array has {len(values)} numbers instead of {length}; run with --write"]
    faults, worst = [], [mpf(0)] * 3
    for i, p in enumerate(group):
        made, best = p.make()
        fresh, present = column(p, made), values[i :: len(group)]
        errors = [best, *p.errors(coefficients(p, fresh), coefficients(p, present))]
        worst = [max(a, b) for a, b in zip(worst, errors)]
        if fresh != present:
            index = next(i for i, (a, b) in enumerate(zip(fresh, present)) if a != b)
            change = f"coefficient {index} is {present[index]!r}, the script makes {fresh[index]!r}"
            faults.append(f"{place}: {p.meaning}: {change}")
    bound = sources.stated_bound(place)
    if worst[2] > mpf(2) ** -bound:
        faults.append(f"{place}: the error is {power_of_two(worst[2])}, the comment states 2^-{bound}")
    columns = [power_of_two(error) for error in worst] + [f"2^-{bound}"]
    meaning = group[len(group) > 1].meaning.replace("(1 step", "(k step")
    print(f"{place!s:66} {len(group):2} x {group[0].terms:2} " + " ".join(f"{c:>9}" for c in columns), end="")
    print(f"  {meaning}", flush=True)
    return faults


def check_constants(only: str) -> list[str]:
    faults, count = [], 0
    for c in constants.constants():
        if only in str(c.place):
            count += 1
            present = sources.read(c.place)
            if present != c.values:
                faults.append(f"{c.place}: {c.meaning} must be {c.values}, the sources have {present}")
    print(f"{count} other constants")
    return faults


def unlisted() -> list[str]:
    """The numbers with many digits that no row of the lists describes."""
    places = {*arrays(""), *(c.place for c in constants.constants()), *constants.CHOSEN}
    faults = []
    for path in sorted((sources.ROOT / "impl/cpu").rglob("*")):
        if path.suffix in (".hpp", ".cpp", ".h"):
            file = path.relative_to(sources.ROOT / "impl/cpu").as_posix()
            text = path.read_text(encoding="utf-8")
            known = [sources.span(text, place) for place in places if place.file == file]
            for begin, literal in sources.long_numbers(text):
                if not any(first <= begin < last for first, last in known):
                    line = text.count("\n", 0, begin) + 1
                    faults.append(f"{file}:{line}: no row of scripts/minimax makes {literal}")
    return faults


def write(only: str) -> None:
    for place, group in arrays(only).items():
        columns = len(group) if group[0].column is not None else 0
        values = [number for row in zip(*(column(p, p.make()[0]) for p in group)) for number in row]
        if values != sources.read(place, group[0].names):
            sources.write(place, values, group[0].bits, columns, group[0].names)
            print(f"wrote {place}")
    for c in constants.constants():
        if only in str(c.place) and sources.read(c.place) != c.values:
            sources.write(c.place, c.values, c.bits)
            print(f"wrote {c.place}")


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python scripts/minimax", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--check", action="store_true", help="checks the sources (this is what runs without options)")
    mode.add_argument("--write", action="store_true", help="replaces the numbers of the sources that differ")
    parser.add_argument(
        "--only", metavar="TEXT", default="", help="only those whose file, struct and name contain TEXT"
    )
    parser.add_argument(
        "--root", metavar="DIR", type=Path, default=sources.ROOT, help="the source tree (default: this one)"
    )
    arguments = parser.parse_args()
    sources.ROOT = arguments.root.resolve()
    try:
        if arguments.write:
            write(arguments.only)
            return 0
        heads = ("made", "rounded", "sources", "stated")
        print(f"{'array':66} {'size':>7} " + " ".join(f"{head:>9}" for head in heads))
        faults = [fault for place, group in arrays(arguments.only).items() for fault in check_array(place, group)]
        faults += check_constants(arguments.only)
        faults += [] if arguments.only else unlisted()
    except (ArithmeticError, OSError, ValueError) as error:
        faults = [str(error)]
    for fault in faults:
        print(f"error: {fault}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
