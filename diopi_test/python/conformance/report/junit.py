# SPDX-License-Identifier: BSD-3-Clause
"""Writes the verdicts of a run as JUnit XML, which continuous integration servers read."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

from ..run.result import FAIL, NOT_APPLICABLE, SKIPPED, UNSUPPORTED, UNTRUSTED, Result
from .record import RunRecord
from .terminal import repeat_line

# Characters that XML 1.0 does not allow, not even escaped. A library's message may contain them.
FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def clean(text: str) -> str:
    return FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)


def write_junit(record: RunRecord, path: Path) -> None:
    """Writes one test suite for each operator, without the cases that do not apply to a form of an operator."""
    by_operator: dict[str, list[Result]] = {}
    for result in record.results:
        if result.status != NOT_APPLICABLE:
            by_operator.setdefault(result.name.split("/")[0], []).append(result)
    root = ET.Element("testsuites", name=clean(record.title), time=f"{record.seconds:.3f}")
    for operator in sorted({*by_operator, *record.absent}):
        suite = ET.SubElement(root, "testsuite", name=operator)
        for result in by_operator.get(operator, []):
            _add_case(suite, operator, result, record.command)
        if operator in record.absent:
            _add_absent(suite, operator, record.absent_fails)
        _count(suite)
    for operator, count in sorted(record.no_oracle.items()):
        suite = ET.SubElement(root, "testsuite", name=operator)
        case = ET.SubElement(suite, "testcase", classname=operator, name="no oracle yet", time="0")
        skipped = f", {count} cases skipped" if count else ""
        ET.SubElement(case, "skipped", message=f"this operator has no oracle yet{skipped}")
        _count(suite)
    if record.stale:
        suite = ET.SubElement(root, "testsuite", name="vendor's settings")
        for entry in record.stale:
            case = ET.SubElement(suite, "testcase", classname="vendor's settings", name=clean(entry.entry), time="0")
            ET.SubElement(case, "skipped", message=clean(f"stale: {entry.why} (the entry's reason: {entry.reason})"))
        _count(suite)
    for key in ("tests", "failures", "errors", "skipped"):
        root.set(key, str(sum(int(s.get(key, "0")) for s in root)))
    ET.indent(root)
    ET.ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)


def _add_case(suite: ET.Element, operator: str, result: Result, command: str) -> None:
    case = ET.SubElement(
        suite, "testcase", classname=operator, name=clean(result.name.partition("/")[2]), time=f"{result.seconds:.6f}"
    )
    if result.status in (FAIL, UNTRUSTED):
        first = result.messages[0] if result.messages else result.status
        failure = ET.SubElement(case, "failure", type=result.status, message=clean(first))
        called = [f"called with {result.arguments}"] if result.arguments else []
        failure.text = clean("\n".join([*result.messages, *called, repeat_line(command, result.name)]))
    elif result.status in (UNSUPPORTED, SKIPPED):
        ET.SubElement(case, "skipped", message=clean(f"{result.status}: {'; '.join(result.messages)}"))


def _add_absent(suite: ET.Element, operator: str, fails: bool) -> None:
    case = ET.SubElement(suite, "testcase", classname=operator, name="absent", time="0")
    message = "the library does not have this operator"
    if fails:
        ET.SubElement(case, "failure", type="ABSENT", message=message)
    else:
        ET.SubElement(case, "skipped", message=message)


def _count(suite: ET.Element) -> None:
    suite.set("tests", str(len(suite)))
    suite.set("failures", str(len(suite.findall("testcase/failure"))))
    suite.set("errors", "0")
    suite.set("skipped", str(len(suite.findall("testcase/skipped"))))
    suite.set("time", f"{sum(float(c.get('time', '0')) for c in suite):.6f}")
