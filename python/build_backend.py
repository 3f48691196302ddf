# SPDX-License-Identifier: BSD-3-Clause
"""Packs the wheel of `diopi` from a build folder: the build backend of pyproject.toml. It needs no other package.

`pip wheel python/` packs the first build folder that has the libraries; the environment variable DIOPI_BUILD_DIR names
another folder. scripts/build_wheel.sh builds the libraries before it packs them.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
PRESETS = ("release", "ci", "dev")
LIBRARIES = ("libdiopi_impl.so", "libdiopirt.so", "libdiopi_layer.so", "libdiopi_layer_heap.so")
# GLIBCXX_3.4.<key> -> the smallest minor version of glibc with which distributions ship this C++ library.
GLIBC_OF_CXX = {24: 27, 25: 28, 28: 31, 29: 34, 30: 35, 32: 38, 33: 39, 34: 42}
# The libraries that every Linux with glibc has. All other libraries must be in the wheel.
SYSTEM = re.compile(r"^(ld-linux|lib(c|m|dl|pthread|rt|util|stdc\+\+|gcc_s)\.so)")


class PackingError(Exception):
    """Raised if the wheel cannot be made."""


def get_requires_for_build_wheel(config_settings: object = None) -> list[str]:
    return []


def build_sdist(directory: str, config_settings: object = None) -> str:
    raise PackingError("diopi has no source distribution, because its source is the whole source tree")


def build_wheel(directory: str, config_settings: object = None, metadata_directory: object = None) -> str:
    build = build_folder()
    project = tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    with tempfile.TemporaryDirectory() as temporary:
        tree = Path(temporary)
        package, info = tree / "diopi", tree / f"diopi-{project['version']}.dist-info"
        copy_sources(package)
        libraries = copy_libraries(build, package / "lib")
        tag = f"py3-none-{platform_tag(libraries)}"
        write_metadata(info, project, tag)
        copy_licences(info / "licenses", libraries)
        name = f"diopi-{project['version']}-{tag}.whl"
        pack(tree, info, Path(directory) / name)
    return name


def build_folder() -> Path:
    asked = os.environ.get("DIOPI_BUILD_DIR")
    candidates = [Path(asked)] if asked else [ROOT / "build" / preset for preset in PRESETS]
    for folder in candidates:
        if all((folder / "lib" / name).is_file() for name in LIBRARIES):
            return folder.resolve()
    shown = ", ".join(str(c) for c in candidates)
    raise PackingError(f"{', '.join(LIBRARIES)} are in the folder lib of none of {shown}: run scripts/build_wheel.sh")


def copy_sources(package: Path) -> None:
    """Copies the modules, the stubs, the digits of the demonstration, and the tables of the contract and of names."""
    for folder in (package, package / "layer"):
        folder.mkdir()
        for pattern in ("*.py", "*.pyi", "py.typed", "aten.json"):
            for path in sorted((HERE / "diopi" / folder.relative_to(package)).glob(pattern)):
                shutil.copy(path, folder)
    shutil.copy(ROOT / "examples" / "data" / "digits.csv", package)
    python = os.environ.get("DIOPI_PYTHON") or sys.executable
    command = [python, "-m", "adaptor.codegen.python_package", "--tables", str(package)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise PackingError(f"{' '.join(command)} failed (DIOPI_PYTHON names the Python of the tree): {done.stderr}")


def copy_libraries(build: Path, target: Path) -> list[Path]:
    """Copies the library, the runtime and the private copies that they need, without debug symbols."""
    (target / "diopi").mkdir(parents=True)
    sources = [build / "lib" / name for name in LIBRARIES]
    sources += sorted((build / "lib" / "diopi").glob("*.so*"))
    copied = []
    for source in sources:
        path = target / source.relative_to(build / "lib")
        shutil.copy(source.resolve(), path)
        make_small(path)
        path.chmod(0o755)
        copied.append(path)
    names = {p.name for p in copied}
    for path in copied:
        for needed in re.findall(r"\(NEEDED\).*\[(.+?)\]", run("readelf", "--dynamic", str(path))):
            if not SYSTEM.match(needed) and needed not in names:
                raise PackingError(f"{path.name} needs {needed}, which is not in the wheel: build with private copies")
    return copied


def make_small(path: Path) -> None:
    """Strips our own libraries. Libraries of the distribution must already be stripped, because a library that patchelf
    has changed cannot be loaded after `strip`."""
    if "-diopi-" not in path.name:
        run("strip", "--strip-unneeded", str(path))
    elif re.search(r"\.(symtab|debug_info)\b", run("readelf", "--section-headers", "--wide", str(path))):
        raise PackingError(f"{path.name} has symbols for debuggers: install the distribution's stripped library")


def platform_tag(libraries: list[Path]) -> str:
    """The platform tag, such as `manylinux_2_36_x86_64`, with the oldest glibc that has all symbols."""
    minor = 17
    for path in libraries:
        symbols = run("readelf", "--version-info", "--wide", str(path))
        minor = max(minor, *(int(n) for n in re.findall(r"\bGLIBC_2\.(\d+)", symbols)), 17)
        newest = max((int(n) for n in re.findall(r"\bGLIBCXX_3\.4\.(\d+)", symbols)), default=0)
        fitting = [glibc for cxx, glibc in GLIBC_OF_CXX.items() if cxx >= newest]
        if not fitting:
            raise PackingError(f"{path.name} needs GLIBCXX_3.4.{newest}, which build_backend.py does not know")
        minor = max(minor, fitting[0] if newest else 0)
    return f"manylinux_2_{minor}_{os.uname().machine}"


def write_metadata(info: Path, project: dict[str, Any], tag: str) -> None:
    info.mkdir()
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {project['name']}",
        f"Version: {project['version']}",
        f"Summary: {project['description']}",
        f"License-Expression: {project['license']}",
        "License-File: LICENSE",
        f"Requires-Python: {project['requires-python']}",
        *(f"Requires-Dist: {d}" for d in project["dependencies"]),
    ]
    for extra, requirements in project["optional-dependencies"].items():
        lines += [f"Provides-Extra: {extra}", *(f'Requires-Dist: {r}; extra == "{extra}"' for r in requirements)]
    readme = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    lines += ["Description-Content-Type: text/markdown", "", readme]
    (info / "METADATA").write_text("\n".join(lines), encoding="utf-8")
    wheel = ["Wheel-Version: 1.0", "Generator: diopi", "Root-Is-Purelib: false", f"Tag: {tag}", ""]
    (info / "WHEEL").write_text("\n".join(wheel), encoding="utf-8")
    commands = [f"{name} = {target}" for name, target in project["scripts"].items()]
    (info / "entry_points.txt").write_text("\n".join(["[console_scripts]", *commands, ""]), encoding="utf-8")


def copy_licences(target: Path, libraries: list[Path]) -> None:
    """Copies our licence, that of the digits, and those of the distribution's libraries in the wheel."""
    target.mkdir()
    shutil.copy(ROOT / "LICENSE", target)
    shutil.copy(ROOT / "examples" / "data" / "README.md", target / "digits.md")
    for path in libraries:
        stem, mark, rest = path.name.partition("-diopi-")
        if not mark:
            continue
        original = f"{stem}.so{rest.partition('.so')[2]}"
        package = owner(original)
        text = Path("/usr/share/doc") / package / "copyright"
        if not text.is_file():
            raise PackingError(f"{text} is missing: the wheel must carry the licence of {original}")
        (target / package).mkdir(exist_ok=True)
        shutil.copy(text, target / package / "copyright")


def owner(library: str) -> str:
    """The package of the distribution that contains this library."""
    for line in run("dpkg-query", "--search", f"*/{library}*").splitlines():
        names, _, path = line.partition(": ")
        if "-dev" not in names and "dbg" not in names and not path.startswith("/usr/share"):
            return names.split(",")[0].split(":")[0]
    raise PackingError(f"no package of the distribution has {library}, whose licence the wheel must carry")


def pack(tree: Path, info: Path, wheel: Path) -> None:
    """Writes the zip file. Equal contents give equal files."""
    record = info / "RECORD"
    rows = []
    files = sorted(p for p in tree.rglob("*") if p.is_file())
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=level()) as archive:
        for path in [*(f for f in files if info not in f.parents), *(f for f in files if info in f.parents)]:
            name, content = path.relative_to(tree).as_posix(), path.read_bytes()
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            rows.append(f"{name},sha256={digest},{len(content)}")
            add(archive, name, content, path.stat().st_mode & 0o777)
        rows.append(f"{record.relative_to(tree).as_posix()},,")
        add(archive, record.relative_to(tree).as_posix(), "\n".join([*rows, ""]).encode(), 0o644)


def level() -> int:
    """The compression level of zlib. Tests set a lower one, because they pack often."""
    return int(os.environ.get("DIOPI_WHEEL_COMPRESSION") or 9)


def add(archive: zipfile.ZipFile, name: str, content: bytes, mode: int) -> None:
    entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    entry.external_attr = (0o100000 | mode) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, content)


def run(*command: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise PackingError(f"{command[0]} is not installed: run scripts/install_deps.sh") from error
    if done.returncode != 0:
        raise PackingError(f"{' '.join(command)} failed: {done.stderr.strip()}")
    return done.stdout


if __name__ == "__main__":
    try:
        print(build_wheel(sys.argv[1]))
    except PackingError as problem:
        sys.exit(f"error: {problem}")
