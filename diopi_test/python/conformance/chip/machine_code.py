# SPDX-License-Identifier: BSD-3-Clause
"""Compiles kernels for a GPU without a GPU, and compares their machine code with impl/cuda/kernels/machine_code.yaml.

No kernel of the file may keep variables in local memory or spill registers. The file says of each how many registers it
may use, and how many bits its widest accesses to global memory have.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from adaptor.codegen.strict_yaml import load

from .. import REPOSITORY

VENDOR = REPOSITORY / "impl" / "cuda"
LIMITS = VENDOR / "kernels" / "machine_code.yaml"
ARCHITECTURE = "90"
INSTALL = "scripts/install_deps.sh --cuda installs it"

_USED = re.compile(
    r"Compiling entry function '(\S+)'.*?(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads"
    r".*?Used (\d+) registers",
    re.DOTALL,
)
_SECTION = re.compile(r"^\s*\.section\s+\.text\.([\w$]+),", re.MULTILINE)
_ENTRY = re.compile(r"^\.visible \.entry (\w+)\(|^\.entry (\w+)\(", re.MULTILINE)
_PTX_ACCESS = re.compile(r"\b(ld|st)\.global(?:\.\w+)*?(?:\.v(\d))?\.[bfsu](\d+)\b")
_PTX_ROUNDED = [re.compile(rf"\b({operation})\.rn\.f(32|64)\b") for operation in ("mul", "add|sub")]
_SASS_ACCESS = re.compile(r"\b(LD|ST)G\.E((?:\.\w+)*)")


class MissingTool(Exception):
    """Raised if the compiler of CUDA or the disassembler is not installed."""


@dataclass(frozen=True)
class Limits:
    """What the machine code of the kernels that match `kernel` must keep."""

    kernel: str  # a regular expression for the name, without namespaces
    registers: int  # the largest number for each thread
    load: int = 0  # bits of the widest load of global memory; 0 if any width is right
    store: int = 0
    rounded: bool = False  # whether a multiplication and an addition may not be fused


@dataclass(frozen=True)
class Kernel:
    """What a compiled kernel uses."""

    name: str
    registers: int
    local: int  # bytes of local memory for each thread
    spilled: int  # bytes
    load: tuple[int, int]  # bits of the widest load, in PTX and in machine code
    store: tuple[int, int]
    rounded: bool = False  # whether PTX has a multiplication and an addition that the assembler may not fuse


def find_tool(name: str) -> Path:
    """The path of a program of CUDA's toolkit, which may be in a package of Python."""
    folders = [f"{os.environ.get('CUDA_HOME', '')}/bin", "/usr/local/cuda/bin"]
    packages = [*REPOSITORY.glob(".venv/lib/python3*/site-packages"), Path(sysconfig.get_paths()["purelib"])]
    folders += [str(folder / "nvidia" / "cu13" / "bin") for folder in packages]
    found = shutil.which(name) or shutil.which(name, path=os.pathsep.join(folders))
    if found is None:
        raise MissingTool(f"there is no {name}; {INSTALL}")
    return Path(found)


def read_limits(path: Path = LIMITS) -> dict[str, list[Limits]]:
    """Source -> the limits of its kernels."""
    return {
        source: [
            Limits(**entry)
            for entry in entries
            if not entry.check_keys(("kernel", "registers"), ("load", "store", "rounded"))
        ]
        for source, entries in load(path).items()
    }


def compile_kernels(source: Path, folder: Path) -> list[Kernel]:
    """Compiles the source with the flags of the build, warnings being errors, and returns what its kernels use."""
    nvcc, disassemble = find_tool("nvcc"), find_tool("nvdisasm")
    binary = folder / f"{source.stem}.cubin"
    flags = (VENDOR / "nvcc_flags.txt").read_text(encoding="utf-8").split()
    command = [str(nvcc), *flags, f"-I{REPOSITORY}", f"-I{REPOSITORY / 'proto' / 'include'}", "-DDIOPI_VENDOR=cuda"]
    command += ["-Werror", "all-warnings", "-Xcompiler", "-Wall,-Werror,-ffp-contract=off"]
    command += [f"-arch=sm_{ARCHITECTURE}", "-Xptxas", "-v", "-cubin", "-keep"]
    run = _run([*command, "-keep-dir", str(folder), str(source), "-o", str(binary)])
    ptx = (folder / f"{source.stem}.ptx").read_text(encoding="utf-8")
    code = _run([str(disassemble), "-c", str(binary)]).stdout
    return list(_kernels(run.stderr + run.stdout, ptx, code))


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} failed:\n{run.stdout}{run.stderr}")
    return run


def _parts(text: str, beginning: re.Pattern[str]) -> dict[str, str]:
    """Name -> the text from one match of `beginning` to the next one."""
    matches = list(beginning.finditer(text))
    ends = [m.start() for m in matches[1:]] + [len(text)]
    return {next(g for g in m.groups() if g): text[m.end() : end] for m, end in zip(matches, ends)}


def _ptx_width(text: str, kind: str) -> int:
    return max((int(n or 1) * int(bits) for k, n, bits in _PTX_ACCESS.findall(text) if k == kind), default=0)


def _sass_width(text: str, kind: str) -> int:
    sizes = [re.findall(r"\d+", suffix) for k, suffix in _SASS_ACCESS.findall(text) if k == kind]
    return max((int(size[0]) if size else 32 for size in sizes), default=0)


def _kernels(report: str, ptx: str, code: str) -> Iterator[Kernel]:
    of_ptx, of_code = _parts(ptx, _ENTRY), _parts(code, _SECTION)
    used = _USED.findall(report)
    names = _run(["c++filt", *(mangled for mangled, *_ in used)]).stdout.splitlines() if used else []
    for name, (mangled, local, stores, loads, registers) in zip(names, used):
        texts = of_ptx[mangled], of_code[mangled]
        yield Kernel(
            re.sub(r"\(anonymous namespace\)::|\b(?:\w+::)+|^void ", "", name).split("(", 1)[0],
            int(registers),
            int(local),
            int(stores) + int(loads),
            (_ptx_width(texts[0], "ld"), _sass_width(texts[1], "LD")),
            (_ptx_width(texts[0], "st"), _sass_width(texts[1], "ST")),
            all(pattern.search(texts[0]) for pattern in _PTX_ROUNDED),
        )


def complaints(kernels: list[Kernel], limits: list[Limits]) -> list[str]:
    """What the kernels do not keep. A limit that matches no kernel is a complaint, too."""
    found = []
    for limit in limits:
        matching = [k for k in kernels if re.fullmatch(limit.kernel, k.name)]
        if not matching:
            found.append(f"no kernel is named {limit.kernel}")
        for kernel in matching:
            found += [f"{kernel.name}: {text}" for text in _broken(kernel, limit)]
    return found


def _broken(kernel: Kernel, limit: Limits) -> Iterator[str]:
    if kernel.spilled:
        yield f"spills {kernel.spilled} bytes of registers"
    if kernel.local:
        yield f"keeps {kernel.local} bytes in local memory"
    if kernel.registers > limit.registers:
        yield f"uses {kernel.registers} registers, expected at most {limit.registers}"
    if limit.rounded and not kernel.rounded:
        yield "may fuse a multiplication and an addition"
    for what, wanted, widths in (("load", limit.load, kernel.load), ("store", limit.store, kernel.store)):
        for where, width in zip(("PTX", "machine code"), widths):
            if wanted and width != wanted:
                yield f"the widest {what} has {width} bits in {where}, expected {wanted}"
