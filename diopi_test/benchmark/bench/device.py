# SPDX-License-Identifier: BSD-3-Clause
"""Runs on a GPU, or on its emulation on the CPU: the device, and which cases are measured how."""

from __future__ import annotations

import math
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

from .cases import Case, Group
from .operators import UnusableError
from .results import OURS, Result
from .runner import Run, Setup

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))  # the judge's package

from conformance.chip.judging import EMULATION, ChipError, Device, find_device, is_emulated  # noqa: E402

EMULATED_BYTES = 1 << 20  # the most bytes of a case under the emulation, which is slow


@dataclass(frozen=True)
class Target:
    """What computes, and whether its times say anything about a GPU."""

    device: Device
    emulated: bool

    @property
    def place(self) -> str:
        return "emulated: no figures of a GPU" if self.emulated else f"on {self.device.name}"


def find_target(build: Path, emulated: bool) -> Target:
    """The device of a build of the vendor cuda."""
    try:
        if is_emulated(build) != emulated:
            with_or_without = "without" if emulated else "with"
            raise UnusableError(f"{build} was built {with_or_without} the emulation of CUDA")
        return Target(EMULATION if emulated else find_device(), emulated)
    except ChipError as error:
        raise UnusableError(str(error)) from None


def for_device(groups: list[Group], emulated: bool) -> list[Group]:
    """The groups for a device. The small cases of the emulation have a share, too, so that it is computed."""
    if not emulated:
        return groups
    return [replace(group, bar=replace(group.bar, share_from=0)) for group in groups]


def fitting(cases: list[Case], emulated: bool) -> list[Case]:
    """The cases that are not too large for the device."""
    return [case for case in cases if not emulated or case.bytes <= EMULATED_BYTES]


def plan(setup: Setup, target: Target, minutes: float | None) -> Setup:
    """The settings for a device. Under the emulation, all is as short as possible."""
    ends = math.inf if minutes is None else time.monotonic() + 60 * minutes
    setup = replace(setup, on_device=True, ends=ends)
    if target.emulated:
        return replace(setup, samples=3, least_samples=1, sample_seconds=1e-5, most_seconds=0.2, rotated_bytes=0)
    return setup


def computed_on_host(results: list[Result]) -> list[Result]:
    return [result for result in results if result.sides[OURS].status == "absent"]


def best_copy(results: list[Result]) -> float | None:
    """The largest bandwidth of a copy on the device."""
    return max((rate for result in results if (rate := result.copy_rate)), default=None)


def summary(run: Run) -> list[str]:
    """Lines about the copy, and about what was not measured."""
    rate, host = best_copy(run.results), computed_on_host(run.results)
    lines = [f"copy on the device: {rate / 1e9:.4g} GB/s, read and written"] if rate else []
    if host:
        operators = sorted({result.case.op for result in host})
        lines.append(f"not measured, because the host computes them, {len(host)} cases of {', '.join(operators)}")
    if run.not_measured:
        lines.append(f"not measured, because the time is over, {len(run.not_measured)} cases")
    return lines
