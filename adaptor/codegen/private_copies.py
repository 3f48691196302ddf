# SPDX-License-Identifier: BSD-3-Clause
"""Copies the libraries that a vendor needs, and their dependencies, under names that are unique in a process.

    python -m adaptor.codegen.private_copies --out build/release/lib/diopi /usr/lib/.../libdnnl.so ...

A process may already have loaded another build of these libraries. Then the first loaded library would provide the
symbols for all. So the copies get unique names, such as `libdnnl-diopi-1f2e3d4c.so.2` with digits from their contents,
and need each other under these names. The libraries that all C++ programs share are not copied: the C and C++ libraries
and the loader. The program prints the names of the copies; a copy comes after the copies that it needs.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import struct
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

_SHARED_BY_ALL = re.compile(r"^(ld-linux|ld64|linux-vdso|lib(c|m|dl|pthread|rt|util|resolv|stdc\+\+|gcc_s)\.so)")
_LDD_LINE = re.compile(r"^\s*(?P<name>\S+) => (?P<path>\S.*?)(?: \(0x[0-9a-f]+\))?$")
_TAKE_SETTINGS = ("libgomp.", "libomp.", "libopenblas.")

_RECIPE = b"2"  # part of the names; change it if the way of making a copy changes


class CopyError(Exception):
    """Raised if a library cannot be found, read or rewritten."""


def run(*command: str | Path) -> str:
    result = subprocess.run(list(map(str, command)), check=False, capture_output=True, text=True)
    if result.returncode != 0:
        raise CopyError(f"{' '.join(map(str, command))} failed: {result.stderr.strip() or result.stdout.strip()}")
    return result.stdout


def locations(library: Path) -> dict[str, Path]:
    """All libraries that the loader would load for `library`: name -> path."""
    found = {}
    for line in run("ldd", library).splitlines():
        match = _LDD_LINE.match(line)
        if match and match["path"].startswith("not found"):
            raise CopyError(f"{library} needs {match['name']}, which is not installed")
        if match:
            found[match["name"]] = Path(match["path"]).resolve()
    return found


def without_unique_symbols(image: bytes) -> bytes:
    """The 64-bit ELF file with its unique symbols (STB_GNU_UNIQUE) changed to ordinary global symbols.

    The loader binds all libraries of a process to the first unique symbol of a name, whatever the options of dlopen.
    The C++ compiler makes static variables of inline functions unique, also those in templates of the C++ library.
    """
    symbol_size, section_size, dynamic_symbols = 24, 64, 11
    result = bytearray(image)
    (sections,) = struct.unpack_from("<Q", result, 40)
    count = struct.unpack_from("<H", result, 60)[0]
    for section in range(sections, sections + count * section_size, section_size):
        kind = struct.unpack_from("<I", result, section + 4)[0]
        offset, size = struct.unpack_from("<QQ", result, section + 24)
        if kind != dynamic_symbols:
            continue
        for info in range(offset + 4, offset + size, symbol_size):
            if result[info] >> 4 == 10:
                result[info] = 1 << 4 | result[info] & 15
    return bytes(result)


@dataclass
class Copier:
    """Copies each library once. `copies` maps the file to the name of its copy; a copy comes after those it needs."""

    out: Path
    patchelf: str
    environment: str  # the library that passes settings to these libraries; empty if there is none
    copies: dict[Path, str] = field(default_factory=dict)

    def copy(self, library: Path) -> str:
        library = library.resolve()
        if library in self.copies:
            return self.copies[library]
        where = locations(library)
        needed = run(self.patchelf, "--print-needed", library).split()
        renamed = {name: self.copy(where[name]) for name in needed if not _SHARED_BY_ALL.match(name)}
        soname = run(self.patchelf, "--print-soname", library).strip() or library.name
        added = [self.environment] if self.environment and soname.startswith(_TAKE_SETTINGS) else []
        name = self.name(library, soname, [*renamed.values(), *added])
        if not (self.out / name).is_file():
            self.write(library, name, renamed, added)
        self.copies[library] = name
        return name

    def name(self, library: Path, soname: str, needs: list[str]) -> str:
        digest = hashlib.sha256(_RECIPE + library.read_bytes() + " ".join(needs).encode()).hexdigest()[:8]
        stem, dot, version = soname.partition(".so")
        return f"{stem}-diopi-{digest}{dot}{version}"

    def write(self, library: Path, name: str, renamed: dict[str, str], added: list[str]) -> None:
        unfinished = self.out / f".{name}.{os.getpid()}"
        shutil.copyfile(library, unfinished)
        unfinished.chmod(0o755)
        # Each change needs its own call, because patchelf 0.14 loses some of several changes of names.
        for old, new in renamed.items():
            run(self.patchelf, "--replace-needed", old, new, unfinished)
        for new in added:
            run(self.patchelf, "--add-needed", new, unfinished)
        run(self.patchelf, "--set-soname", name, unfinished)
        run(self.patchelf, "--set-rpath", "$ORIGIN", unfinished)
        unfinished.write_bytes(without_unique_symbols(unfinished.read_bytes()))
        unfinished.replace(self.out / name)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--patchelf", default="patchelf")
    parser.add_argument("--environment", default="", help="the library that copies which take settings must need")
    parser.add_argument("libraries", type=Path, nargs="+")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    copier = Copier(args.out, args.patchelf, args.environment)
    try:
        for library in args.libraries:
            copier.copy(library)
    except (CopyError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print("\n".join(copier.copies.values()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
