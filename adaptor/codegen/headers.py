"""Emits the C headers of `proto/include/diopi/` from the registry.

    python -m adaptor.codegen.headers            write the headers
    python -m adaptor.codegen.headers --check    exit 1 if the checked-in headers differ
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from .model import CONTRACT_FIELDS, Function, Param, Registry, load_registry

INCLUDE_DIR = Path(__file__).resolve().parents[2] / "proto" / "include" / "diopi"
TEMPLATES = Path(__file__).resolve().parent / "templates"


def environment() -> Environment:
    """The one configuration of Jinja2 that every emitter uses."""
    return Environment(
        loader=FileSystemLoader(TEMPLATES), undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
    )


def declaration(param: Param) -> str:
    """`const int64_t* dim`: the parameter as a C declarator."""
    kind = param.type.replace(" *", "*")
    return f"{kind} {param.name}".rstrip()


def typedef(name: str, kind: str) -> str:
    """A typedef line; function pointer types carry the name inside the parentheses."""
    if "(*)" in kind:
        return "typedef " + kind.replace("(*)", f"(*{name})").replace(" *", "*").replace("(void)", "(void)") + ";"
    return f"typedef {kind.replace(' *', '*')} {name};"


def emit(registry: Registry) -> dict[str, str]:
    """File name -> text of every header."""
    env = environment()
    env.globals.update(params_of=lambda f: ", ".join(map(declaration, f.params)) or "void", typedef=typedef, contract_fields=CONTRACT_FIELDS)
    by_header: dict[str, list[Function]] = {}
    for function in registry.functions.values():
        by_header.setdefault(function.header, []).append(function)
    texts = {
        name: env.get_template("functions.h.j2").render(
            registry=registry, header=name, guard=_guard(name), functions=functions)
        for name, functions in by_header.items() if name != "diopirt.h"
    }
    for name in ("diopirt.h", "diopi_register.h"):
        texts[name] = env.get_template(f"{name}.j2").render(
            registry=registry, guard=_guard(name), functions=by_header["diopirt.h"])
    return texts


def _guard(name: str) -> str:
    return "DIOPI_" + name.removeprefix("diopi_").replace(".", "_").upper() + "_"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare instead of writing; exit 1 on a difference")
    parser.add_argument("--out", type=Path, default=INCLUDE_DIR, help="folder of the headers")
    args = parser.parse_args()
    texts = emit(load_registry())
    present = {p.name for p in args.out.glob("*")} if args.out.is_dir() else set()
    wrong = [f"orphan: {name}" for name in sorted(present - set(texts))]
    for name, text in sorted(texts.items()):
        target = args.out / name
        if args.check:
            if not target.is_file():
                wrong.append(f"missing: {name}")
            elif target.read_text(encoding="utf-8") != text:
                wrong.append(f"stale: {name}")
        else:
            args.out.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
