# SPDX-License-Identifier: BSD-3-Clause
"""Checks that the libraries on the command line are hardened. Prints a line and exits with code 1 if one is not.

A hardened library has full RELRO (its table of addresses is read-only after loading), no executable stack, and stack
protectors. If it calls functions of the C library that have a fortified form, it uses this form. If its thread-local
variables are in the memory that the C library reserves for libraries that are opened later, they are small.
"""

from __future__ import annotations

import subprocess
import sys

MOST_THREAD_LOCAL_BYTES = 64


def output_of(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def thread_local_bytes(segments: str) -> int:
    """The size of the thread-local variables, from the lines of `readelf -l`."""
    line = next((line for line in segments.splitlines() if line.split()[:1] == ["TLS"]), "")
    return int(line.split()[5], 16) if line else 0


def problems(library: str) -> list[str]:
    segments, dynamic = output_of("readelf", "-lW", library), output_of("readelf", "-dW", library)
    imports = output_of("nm", "-D", "--undefined-only", library)
    stack = next((line for line in segments.splitlines() if "GNU_STACK" in line), "")
    found = {
        "no RELRO": "GNU_RELRO" not in segments,
        "no BIND_NOW": "BIND_NOW" not in dynamic,
        "an executable stack": not stack or "E" in stack.split()[-2],
        "no stack protector": "__stack_chk_fail" not in imports,
        "large thread-local variables": "STATIC_TLS" in dynamic
        and thread_local_bytes(segments) > MOST_THREAD_LOCAL_BYTES,
        "no fortified functions": "_chk@" not in imports.replace("__stack_chk_fail", ""),
    }
    return [f"{library}: {problem}" for problem, is_there in found.items() if is_there]


def main() -> int:
    found = [problem for library in sys.argv[1:] for problem in problems(library)]
    print("\n".join(found) or f"{len(sys.argv) - 1} libraries are hardened")
    return 1 if found or len(sys.argv) < 2 else 0


if __name__ == "__main__":
    sys.exit(main())
