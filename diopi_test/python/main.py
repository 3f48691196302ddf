#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The judge's main program. conformance/command_line.py defines the options; `--help` lists them."""

from __future__ import annotations

import sys

import conformance  # noqa: F401  (it makes `adaptor` importable)
from adaptor.codegen.strict_yaml import ConfigError
from conformance.cases.suite import UsageError
from conformance.command_line import parse_arguments
from conformance.modes import run
from conformance.run.binding import HostError
from conformance.run.workers import EndOfRun, LibraryError
from conformance.vendor.device_configs import SettingsError

OK, FAILED, USAGE, BAD_CASES, NO_LIBRARY = range(5)


def main(argv: list[str] | None = None) -> int:
    arguments = parse_arguments(argv)
    try:
        return OK if run(arguments) else FAILED
    except UsageError as error:
        code, problem = USAGE, str(error)
    except (ConfigError, SettingsError) as error:
        code, problem = BAD_CASES, str(error)
    except (HostError, LibraryError, EndOfRun, OSError) as error:
        code, problem = NO_LIBRARY, str(error)
    print(f"main.py: {problem}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
