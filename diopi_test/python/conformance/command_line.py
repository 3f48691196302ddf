# SPDX-License-Identifier: BSD-3-Clause
"""The options of the judge's command line, and the check that they can be combined."""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path

from .cases.shard import Shard
from .run import workers

DESCRIPTION = """Judges a vendor's library against the contract.

    python main.py --mode run_test                      judge the library in build/release/lib
    python main.py --mode run_test --fname add Softmax  judge only these operators or families
    python main.py --mode run_test --case NAME          repeat one case
    python main.py --mode run_test --model_name resnet50 --quick   judge the operator calls of a model, made smaller
    python main.py --mode run_test --random 20          judge 20 random calls of each operator
    python main.py --mode run_test --fuzz 20            judge 20 calls of each operator with changed arguments
    python main.py --get_model_list                     list the models with the numbers of their operators and cases
    python main.py --get_case_counts                    count the cases of each operator; fail if there are too few
    python main.py --mode gen_data --data DIR           write inputs and expected outputs to DIR
    python main.py --mode run_test --data DIR           judge with the inputs and expected outputs of gen_data
    python main.py --mode gen_case                      list the cases, and check that each can be prepared
    python main.py --mode run_test --captured diopi-layer          judge captured calls with their own numbers
    python main.py --mode utest                         run the judge's own tests

Exit codes: 0 all passed, 1 something failed, 2 wrong options, 3 a case file or a vendor's settings are wrong, 4 the
library or the runtime cannot be used.
"""

MOST_RANDOM = 100_000  # calls of each operator
RUN_ONLY = ("fuzz", "digests", "resume", "junit", "json", "html_report", "require_all", "impl_folder", "library")


def parse_arguments(argv: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mode", choices=("gen_data", "gen_case", "run_test", "utest"), help="what to do, see above")
    parser.add_argument(
        "--fname",
        nargs="+",
        default=[],
        metavar="NAME",
        help="operators or families: add, Add, diopiAdd, softmax, family:sort",
    )
    parser.add_argument(
        "--model_name",
        nargs="+",
        default=[],
        metavar="MODEL",
        help="judge the operator calls of these models (`all`: of every model) instead of the case files",
    )
    parser.add_argument(
        "--captured",
        type=Path,
        metavar="FOLDER",
        help="judge calls that the layer has captured in this folder (diopi-layer --capture) instead of the case files",
    )
    parser.add_argument(
        "--random",
        type=int,
        metavar="N",
        help="judge N random calls of each operator instead of the case files: its cases with other sizes and numbers",
    )
    parser.add_argument(
        "--fuzz",
        type=int,
        metavar="N",
        help="judge N random calls of each operator with one or two changed arguments, which may be invalid",
    )
    parser.add_argument("--seed", type=int, default=0, help="with --random and --fuzz: the seed (default: 0)")
    parser.add_argument("--get_model_list", action="store_true", help="list the models and exit")
    parser.add_argument(
        "--get_case_counts",
        action="store_true",
        help="count the cases of each operator and exit; exit code 1 if an operator has too few",
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="judge a quarter of the hostile cases; limit the calls of models to 64 Ki elements",
    )
    parser.add_argument(
        "--nhwc", action="store_true", help="make 4-d and 5-d tensors channels-last instead of contiguous"
    )
    parser.add_argument(
        "--four_bytes",
        action="store_true",
        help="make index tensors int32 instead of int64, if both are allowed",
    )
    parser.add_argument("--filter_dtype", nargs="+", default=[], metavar="DTYPE", help="skip these dtypes")
    parser.add_argument("--case", help="the name of a case, as a failure prints it; * stands for any text")
    parser.add_argument("--impl_folder", type=Path, help="vendor's folder: convert_config.yaml, device_configs.py")
    parser.add_argument("--library", type=Path, help="libdiopi_impl.so (default: in the build folder)")
    parser.add_argument("--runtime", type=Path, help="libdiopirt.so (default: in the build folder)")
    parser.add_argument("--data", type=Path, help="the folder that gen_data writes and run_test reads")
    parser.add_argument(
        "--jobs", type=int, default=workers.default_jobs(), help="worker processes (default: one per CPU)"
    )
    parser.add_argument("--timeout", type=float, default=120.0, help="time limit of one case in seconds (default: 120)")
    parser.add_argument(
        "--layouts",
        "--variants",
        dest="layouts",
        choices=("some", "all"),
        default="some",
        help="all: every memory layout with every dtype; some (default): with two dtypes and a sample of the others",
    )
    _add_run_options(parser)
    arguments = parser.parse_args(argv)
    arguments.given = ["main.py", *(sys.argv[1:] if argv is None else argv)]
    return arguments


def _add_run_options(parser: argparse.ArgumentParser) -> None:
    """The options that divide a run, continue it and write its results."""
    parser.add_argument(
        "--digests",
        type=argparse.FileType("w"),
        metavar="FILE",
        help="write a digest of the output bits of each case; compare the files of two runs with `sort` and `diff`",
    )
    parser.add_argument(
        "--shard",
        type=shard,
        metavar="I/N",
        help="process only part I of N; the N parts together have all cases",
    )
    parser.add_argument(
        "--resume",
        type=Path,
        metavar="FILE",
        help="record finished cases in FILE, and skip cases that an earlier run recorded there as passed",
    )
    parser.add_argument("--junit", type=Path, metavar="FILE", help="write all verdicts as JUnit XML")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all verdicts as JSON")
    parser.add_argument(
        "--html_report",
        type=Path,
        nargs="?",
        const=Path("report.html"),
        metavar="FILE",
        help="write a report as one HTML page (default: report.html)",
    )
    parser.add_argument(
        "--require_all", action="store_true", help="count an operator that the library lacks as a failure"
    )
    parser.add_argument("--max_failures", type=int, default=50, help="failures printed in full (default: 50)")


def contradiction(arguments: argparse.Namespace) -> str | None:
    """The mistake in the options, if there is one."""
    if not 1 <= arguments.jobs <= workers.MOST_JOBS:
        return f"--jobs must be from 1 to {workers.MOST_JOBS}"
    if not arguments.timeout > 0:
        return "--timeout must be more than 0 seconds"
    if arguments.max_failures < 0:
        return "--max_failures must not be negative"
    options = ("captured", "model_name", "random", "fuzz")
    sources = [f"--{o}" for o in options if getattr(arguments, o) not in (None, [])]
    if len(sources) > 1:
        return f"{sources[0]} cannot be combined with {sources[1]}"
    for option in ("random", "fuzz"):
        count = getattr(arguments, option)
        if count is not None and not 1 <= count <= MOST_RANDOM:
            return f"--{option} must be from 1 to {MOST_RANDOM}"
    if arguments.seed and arguments.random is None and arguments.fuzz is None:
        return "--seed needs --random or --fuzz"
    tables = [f"--{o}" for o in ("get_model_list", "get_case_counts") if getattr(arguments, o)]
    if bool(arguments.mode) + len(tables) != 1:
        return (
            f"{tables[0]} cannot be combined with --mode or another table"
            if tables
            else "one of --mode, --get_model_list and --get_case_counts is required"
        )
    if arguments.mode != "run_test":
        for option in (o for o in RUN_ONLY if getattr(arguments, o)):
            return f"--{option} needs --mode run_test, not {arguments.mode or tables[0]}"
    if arguments.mode == "gen_data" and arguments.data is None:
        return "gen_data needs --data DIR, the folder to write to"
    if arguments.data and arguments.mode not in ("gen_data", "run_test"):
        return "--data needs --mode gen_data or --mode run_test"
    if arguments.four_bytes and arguments.data:
        return "--four_bytes cannot be combined with --data, because it changes the data of the cases"
    if arguments.resume and arguments.resume.exists() and not arguments.resume.is_file():
        return f"--resume: {arguments.resume} is not a regular file"
    if arguments.resume and not arguments.resume.absolute().parent.is_dir():
        return f"--resume: there is no folder for {arguments.resume}"
    if arguments.shard and not arguments.mode:
        return f"--shard cannot be combined with {tables[0]}"
    if arguments.impl_folder and not arguments.impl_folder.is_dir():
        return f"--impl_folder: there is no folder {arguments.impl_folder}"
    return None


def shard(text: str) -> Shard:
    try:
        return Shard.parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def has_own_cases(arguments: argparse.Namespace) -> bool:
    """Whether the run judges calls of models, captured or random calls, and not the case files."""
    return bool(arguments.model_name or arguments.captured or arguments.random or arguments.fuzz)


def repeat_command(arguments: argparse.Namespace) -> str:
    parts = ["python", "main.py", "--mode", "run_test"]
    for option in ("impl_folder", "library", "runtime", "data"):
        value = getattr(arguments, option)
        parts += [f"--{option}", shlex.quote(str(value))] if value else []
    parts += [f"--{option}" for option in ("nhwc", "four_bytes") if getattr(arguments, option)]
    if arguments.captured:
        parts += ["--captured", shlex.quote(str(arguments.captured))]
    for option in (o for o in ("random", "fuzz") if getattr(arguments, o)):
        parts += [f"--{option} {getattr(arguments, option)} --seed {arguments.seed}"]
    if arguments.model_name:
        parts += ["--model_name", *arguments.model_name] + (["--quick"] if arguments.quick else [])
    return " ".join(parts)
