# SPDX-License-Identifier: BSD-3-Clause
"""Reads and writes the golden files in `proto/abi`, which record the released interface.

`functions.jsonl` and `types.json` hold every function and type with the header that declares it. `releases.json` lists
the headers of each release, with a digest of everything that they declare. If a released declaration changes or
disappears, or a released header gets a new declaration, the digest of that release no longer matches.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field
from pathlib import Path

from .compiler_view import VERSION_MACROS, View
from .strict_yaml import ConfigError

ABI_DIR = Path(__file__).resolve().parents[2] / "proto" / "abi"
CHANGELOG = Path(__file__).resolve().parents[2] / "CHANGELOG.md"
TYPE_SECTIONS = ("enums", "structs", "typedefs")


@dataclass
class Golden:
    """The recorded interface. `releases` maps each version to its headers and digest, oldest first."""

    view: View = field(default_factory=View)
    releases: dict[str, dict] = field(default_factory=dict)

    @property
    def version(self) -> str | None:
        """The newest release."""
        return next(reversed(self.releases), None)

    @property
    def headers(self) -> set[str]:
        return {header for release in self.releases.values() for header in release["headers"]}


def load_golden(folder: Path = ABI_DIR) -> Golden:
    """Reads the golden files. The result is empty if there are none yet."""
    if not (folder / "releases.json").is_file():
        return Golden()
    (types,), entries, (releases,) = (
        _parsed(folder / "types.json"),
        _parsed(folder / "functions.jsonl", lines=True),
        _parsed(folder / "releases.json"),
    )
    for release in releases.values():
        if not isinstance(release, dict) or not isinstance(release.get("headers"), (list, dict)):
            raise ConfigError(folder / "releases.json", 1, "is not a golden file: a release has no headers")
    for section in TYPE_SECTIONS:
        if not isinstance(types.get(section), dict):
            raise ConfigError(folder / "types.json", 1, f"is not a golden file: it has no {section}")
    view = View(**{section: types[section] for section in TYPE_SECTIONS})
    for number, entry in enumerate(entries, 1):
        if not isinstance(entry.get("name"), str):
            raise ConfigError(folder / "functions.jsonl", number, "is not a golden file: a function has no name")
        view.functions[entry.pop("name")] = entry
    return Golden(view, releases)


def _parsed(path: Path, lines: bool = False) -> list[dict]:
    """The JSON object of a file, or of each of its lines."""
    number = 1
    try:
        text, objects = path.read_bytes().decode("utf-8"), []
        for part in text.splitlines() if lines else [text]:
            objects.append(json.loads(part))
            if not isinstance(objects[-1], dict):
                raise ConfigError(path, number, "is not a golden file: expected a JSON object")
            number += 1
    except OSError as error:
        raise ConfigError(path, 0, f"cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise ConfigError(path, number, f"is not a golden file: {error}") from None
    return objects


def save_golden(golden: Golden, folder: Path) -> None:
    """Writes the golden files with one entry per line, so that differences are easy to review."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps({"name": name, **entry}) for name, entry in golden.view.functions.items()]
    (folder / "functions.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    sections = []
    for section in TYPE_SECTIONS:
        entries = getattr(golden.view, section)
        body = ",\n".join(f"  {json.dumps(name)}: {json.dumps(entry)}" for name, entry in entries.items())
        sections.append(f' "{section}": {{\n{body}\n }}')
    (folder / "types.json").write_text("{\n" + ",\n".join(sections) + "\n}\n", encoding="utf-8")
    (folder / "releases.json").write_text(json.dumps(golden.releases, indent=1) + "\n", encoding="utf-8")


def digest(view: View, headers: list[str]) -> str:
    """A hash of everything that `headers` declare. It does not depend on the order of declarations."""
    content = {
        section: {n: e for n, e in sorted(getattr(view, section).items()) if e["header"] in headers}
        for section in (*TYPE_SECTIONS, "functions")
    }
    return "sha256:" + hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def version_of(view: View) -> str:
    return ".".join(str(view.version.get(macro, "?")) for macro in VERSION_MACROS)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def changelog_section(text: str, version: str) -> str | None:
    """The lines after the heading of `version`, up to the next heading of the same level."""
    match = re.search(rf"^## \[?{re.escape(version)}\b.*?$(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    return match[1] if match else None


def release_problems(golden: Golden, changelog: str) -> list[str]:
    """The contradictions within the golden files, and the releases that the changelog does not have."""
    problems = []
    previous: str | None = None
    for version, release in golden.releases.items():
        if digest(golden.view, release["headers"]) != release["digest"]:
            problems.append(
                f"release {version}: the declarations of {', '.join(release['headers'])} differ from the release"
            )
        if previous and not _numbers(previous) < _numbers(version) < (_numbers(previous)[0] + 1,):
            problems.append(f"release {version}: must be a later minor version than {previous}")
        section = changelog_section(changelog, version)
        if section is None:
            problems.append(f"release {version}: CHANGELOG.md has no section '## {version}'")
        else:
            problems += [
                f"release {version}: CHANGELOG.md does not name {header} in the section of {version}"
                for header in release["headers"]
                if header not in section
            ]
        previous = version
    for section in (*TYPE_SECTIONS, "functions"):
        for name, entry in getattr(golden.view, section).items():
            if entry["header"] not in golden.headers:
                problems.append(f"{name}: its header {entry['header']} belongs to no release")
    return problems


def extend(golden: Golden, view: View, changelog: str) -> list[str]:
    """Records the new headers of `view` as a release, or returns the problems that prevent this."""
    version = version_of(view)
    entries = [(s, n, e) for s in (*TYPE_SECTIONS, "functions") for n, e in getattr(view, s).items()]
    added = [(s, n, e) for s, n, e in entries if n not in getattr(golden.view, s)]
    if not added:
        return ["there is no new header to record"]
    problems = [
        f"{n}: {e['header']} is released; declare it in a new header"
        for _, n, e in added
        if e["header"] in golden.headers
    ]
    if golden.version and not _numbers(golden.version)[:2] < _numbers(version)[:2]:
        problems.append(f"the version in types.yaml must be a later minor version than {golden.version}, not {version}")
    if problems:
        return problems
    for section, name, entry in added:
        getattr(golden.view, section)[name] = entry
    headers = sorted({e["header"] for _, _, e in added})
    golden.releases[version] = {"headers": headers, "digest": digest(view, headers)}
    return release_problems(golden, changelog)
