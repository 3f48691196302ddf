# SPDX-License-Identifier: BSD-3-Clause
"""Compares the C headers, as compilers see them, with the released interface of `proto/abi`.

    python -m adaptor.codegen.abi_check             exit 1 and a line per difference
    python -m adaptor.codegen.abi_check --extend    record a new header as a new release

A released declaration must never change or disappear. A new declaration needs a new header, a later minor version in
`proto/registry/types.yaml`, and a section of that version in CHANGELOG.md that names the header. Then `--extend`
records the new release.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from .abi_golden import ABI_DIR, CHANGELOG, Golden, extend, load_golden, release_problems, save_golden, version_of
from .compiler_view import CompilerError, View, run, view_of
from .headers import INCLUDE_DIR, environment
from .strict_yaml import exit_with

# Each compiler with C and with C++, in the oldest standard that has static assertions.
COMPILERS = (
    ("gcc", "-std=c11", "c"),
    ("clang", "-std=c11", "c"),
    ("g++", "-std=c++11", "c++"),
    ("clang++", "-std=c++11", "c++"),
)


def _signature(entry: dict) -> str:
    return f"{entry['returns']} ({', '.join(f'{t} {n}'.rstrip() for t, n in entry['params'])})"


def _function_problems(name: str, seen: dict, want: dict) -> list[str]:
    problems = []
    for key in ("header", "weak", "returns"):
        if seen[key] != want[key]:
            problems.append(f"{name}: {key} is {seen[key]!r}, released as {want[key]!r}")
    if len(seen["params"]) != len(want["params"]):
        return [*problems, f"{name}: is {_signature(seen)}, released as {_signature(want)}"]
    for number, (have, old) in enumerate(zip(seen["params"], want["params"]), 1):
        if have != old:
            problems.append(
                f"{name}: parameter {number} is '{' '.join(have).rstrip()}', released as '{' '.join(old).rstrip()}'"
            )
    return problems


def _list_problems(name: str, what: str, seen: list[list], want: list[list]) -> list[str]:
    """The differences between two lists of enum values or of fields, in order."""
    problems = []
    for number in range(max(len(seen), len(want))):
        have, old = (items[number] if number < len(items) else None for items in (seen, want))
        if have != old:
            shown = ["absent" if x is None else " ".join(map(str, x)) for x in (have, old)]
            problems.append(f"{name}: {what} {number + 1} is {shown[0]}, released as {shown[1]}")
    return problems


def _type_problems(section: str, name: str, seen: dict, want: dict) -> list[str]:
    problems = []
    for key, what in (("values", "value"), ("fields", "field")):
        if key in want:
            problems += _list_problems(name, what, seen[key], want[key])
    for key in want:
        if key not in ("values", "fields") and seen[key] != want[key]:
            problems.append(f"{name}: {key} is {seen[key]}, released as {want[key]}")
    return problems


def differences(seen: View, golden: Golden) -> list[str]:
    """One line for each difference between `seen` and the released interface."""
    problems = []
    if version_of(seen) != golden.version:
        problems.append(f"version is {version_of(seen)}, the newest release is {golden.version}")
    for section in ("enums", "structs", "typedefs", "functions"):
        have, want = getattr(seen, section), getattr(golden.view, section)
        for name in want:
            if name not in have:
                problems.append(f"{name}: is missing, released in {want[name]['header']}")
            elif section == "functions":
                problems += _function_problems(name, have[name], want[name])
            else:
                problems += _type_problems(section, name, have[name], want[name])
        problems += [
            f"{name}: is declared in {have[name]['header']}, but not part of a release"
            for name in have
            if name not in want
        ]
    return problems


def assertions(golden: Golden, language: str) -> str:
    """A C or C++ source that compiles only against the released interface."""
    suffix = {"c": "c", "c++": "cpp"}[language]
    return (
        environment()
        .get_template(f"abi_assertions.{suffix}.j2")
        .render(view=golden.view, version=(golden.version or "").split("."), headers=sorted(golden.headers))
    )


def assertion_problems(include: Path, golden: Golden) -> list[str]:
    """The errors of each compiler for the assertions."""
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        for compiler, standard, language in COMPILERS:
            source = Path(folder) / f"assertions.{language.replace('+', 'p')}"
            source.write_text(assertions(golden, language), encoding="utf-8")
            try:
                run([compiler, standard, "-fsyntax-only", f"-I{include}", "-x", language, str(source)])
            except CompilerError as error:
                lines = [x for x in str(error).splitlines() if "error:" in x or "not found" in x] or [str(error)]
                problems += [f"{compiler} {standard}: {line.split('error: ')[-1]}" for line in lines]
    return problems


def check(include: Path, abi: Path, changelog: Path, compile_assertions: bool = True) -> list[str]:
    """All differences between the headers and the released interface; an empty list if there are none."""
    golden = load_golden(abi)
    if golden.version is None:
        return [f"{abi} has no releases.json"]
    problems = release_problems(golden, changelog.read_text(encoding="utf-8"))
    problems += differences(view_of(include), golden)
    if compile_assertions:
        problems += assertion_problems(include, golden)
    return problems


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--extend", action="store_true", help="record new headers as a new release")
    parser.add_argument("--include", type=Path, default=INCLUDE_DIR, help="folder of the headers")
    parser.add_argument("--abi", type=Path, default=ABI_DIR, help="folder of the golden files")
    parser.add_argument("--changelog", type=Path, default=CHANGELOG)
    args = parser.parse_args()
    try:
        if args.extend:
            golden, view = load_golden(args.abi), view_of(args.include)
            problems = extend(golden, view, args.changelog.read_text(encoding="utf-8"))
            if not problems:
                problems = differences(view, golden) + assertion_problems(args.include, golden)
            if not problems:
                save_golden(golden, args.abi)
        else:
            problems = check(args.include, args.abi, args.changelog)
    except CompilerError as error:
        problems = [str(error)]
    for line in problems:
        print(line, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    exit_with(main)
