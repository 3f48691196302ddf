# SPDX-License-Identifier: BSD-3-Clause
"""Measures our library and its peers: times, ratios, and shares of the machine's limits. See docs/benchmark.md."""

from __future__ import annotations

import argparse
import json
import re
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))  # the strict YAML reader is the adaptor's

from rich.console import Console  # noqa: E402

from adaptor.codegen.model import load_registry  # noqa: E402
from adaptor.codegen.strict_yaml import ConfigError  # noqa: E402
from bench import options  # noqa: E402
from bench.cases import Case, Group, load_cases, load_groups  # noqa: E402
from bench.earlier import print_slower, read_times  # noqa: E402
from bench.machine import describe_machine  # noqa: E402
from bench.operators import BenchError, Operator, UnusableError, load_operators  # noqa: E402
from bench.report import (  # noqa: E402
    case_table,
    losers_table,
    print_limits,
    ratio_text,
    side_text,
    summary_table,
    threads_table,
    threshold,
    time_text,
    troubles,
)
from bench.results import OURS, Result, Samples, compare_threads, missed, set_share  # noqa: E402
from bench.runner import Run, Setup, add_numpy, measure_first_calls, run_cases  # noqa: E402

if TYPE_CHECKING:
    from bench.device import Target


def make_console() -> Console:
    return Console(width=None if sys.stdout.isatty() else 180)


def make_setup(arguments: argparse.Namespace) -> Setup:
    wanted = [peer for peer in arguments.peer.split(",") if peer]
    unknown = set(wanted) - set(options.PEERS)
    if unknown:
        raise BenchError(f"there is no peer {', '.join(sorted(unknown))}; there are {', '.join(options.PEERS)}")
    modules = {}
    program = arguments.build / "bin" / "diopi_bench"
    if not program.exists():
        raise UnusableError(f"there is no {program}; scripts/bench.sh builds it")
    for peer in wanted:
        path = arguments.build / "lib" / "bench" / f"{peer}.so"
        if path.exists():
            modules[peer] = path
        elif arguments.device:
            raise UnusableError("there is no PyTorch: its module is not built (--peer '' measures without it)")
        elif peer != "numpy":
            print(f"note: the peer {peer} is not measured: its module is not built", file=sys.stderr)
    setup = Setup(
        program=program,
        library=arguments.library or arguments.build / "lib" / "libdiopi_impl.so",
        peers=modules,
        samples=arguments.samples,
        library_first=arguments.library_first,
        isa=arguments.isa or "",
    )
    if arguments.quick:
        setup = replace(setup, samples=3, sample_seconds=2e-4, rotated_bytes=1 << 24)
    return setup


def run_threads(
    arguments: argparse.Namespace,
    setup: Setup,
    threads: int,
    cases: list[Case],
    peaks: list[Case],
    console: Console,
    groups: dict[str, Group],
) -> Run:
    def show(result: Result) -> None:
        ratios = [
            f"{peer} {side_text(samples)} {ratio_text(result, peer, threshold(groups[result.case.group]))}"
            for peer, samples in result.sides.items()
            if peer != OURS and samples.status != "absent"
        ]
        console.print(
            f"  {result.case.name}: {side_text(result.sides.get(OURS))}  " + "  ".join(ratios),
            soft_wrap=True,
            highlight=False,
        )

    flops: dict[str, float] = {}
    if peaks:
        for result in run_cases(setup, threads, peaks, False, lambda result: None).results:
            rates = [result.case.flops / min(samples.seconds) for samples in result.sides.values() if samples.seconds]
            flops[result.case.dtype] = max([flops.get(result.case.dtype, 0.0), *rates])
    run = run_cases(setup, threads, cases, not (arguments.no_limits or arguments.quick or arguments.device), show)
    if "numpy" in arguments.peer.split(","):
        add_numpy(setup, run, sys.executable, HERE / "numpy_peer.py")
    run.limits.flops = flops
    for result in run.results:
        set_share(result, run.limits)
    return run


def samples_as_json(sides: dict[str, Samples]) -> dict[str, Any]:
    return {
        name: {
            "status": samples.status,
            "message": samples.message,
            "median": samples.median,
            "minimum": min(samples.seconds, default=None),
            "spread": samples.spread,
            "seconds": samples.seconds,
        }
        for name, samples in sides.items()
    }


def as_json(runs: list[Run], target: Target | None = None) -> dict[str, Any]:
    return {
        "machine": describe_machine(options.ROOT),
        "device": None if target is None else {**asdict(target.device), "emulated": target.emulated},
        "runs": [
            {
                "threads": run.threads,
                "process": run.process,
                "limits": {"bandwidth": run.limits.bandwidth, "flops": run.limits.flops},
                "first_calls": run.first_calls,
                "cases": [
                    {
                        "name": result.case.name,
                        "group": result.case.group,
                        "op": result.case.op,
                        "dtype": result.case.dtype,
                        "bytes": result.case.bytes,
                        "flops": result.case.flops,
                        "set_bytes": result.set_bytes,
                        "sets": result.sets,
                        "share_of_limit": result.share,
                        "limit": result.limit,
                        "copy_bandwidth": result.copy_rate,
                        "against_one_thread": result.speedup,
                        "triad_against_one_thread": result.triad_speedup,
                        "ratios": {
                            peer: ratio for peer in result.sides if peer != OURS and (ratio := result.ratio(peer))
                        },
                        "sides": samples_as_json(result.sides),
                        "references": samples_as_json(result.references),
                    }
                    for result in run.results
                ],
            }
            for run in runs
        ],
    }


def print_first_calls(console: Console, run: Run) -> None:
    if run.first_calls:
        console.print("First call in a fresh process, second call, warm call:", style="bold")
    for line in run.first_calls:
        console.print(
            f"  {line['name']}, {line['side']}: {time_text(line['first'])}, {time_text(line['second'])}, "
            f"{time_text(line['warm'])}"
        )


def print_run(console: Console, run: Run, groups: list[Group]) -> None:
    peers = [peer for peer in options.PEERS if any(peer in result.sides for result in run.results)]
    if run.limits.bandwidth:
        print_limits(console, run.limits, run.threads)
    for group in groups:
        results = [result for result in run.results if result.case.group == group.name]
        if results:
            console.print(case_table(group, results, peers, run.place))
    print_first_calls(console, run)
    console.print(summary_table(groups, run.results, run.place))
    for table in (losers_table(groups, run.results, run.place), threads_table(groups, run.results, run.place)):
        if table is not None:
            console.print(table)
    for trouble in troubles(run.results, run.place):
        console.print(f"[red]{trouble}[/]")


def print_process(console: Console, run: Run) -> None:
    for side, version in run.process.get("versions", {}).items():
        console.print(
            f"{side}: {version}; OpenMP from {run.process['openmp'].get(side) or 'an unknown library'}", soft_wrap=True
        )
    for path in run.process.get("libraries", []):
        console.print(f"  loaded: {path}", soft_wrap=True, highlight=False)


def draw_ratios(folder: Path, document: dict[str, Any], groups: list[Group]) -> None:
    from bench.chart import draw_chart

    folder.mkdir(parents=True, exist_ok=True)
    draw_chart(folder / "ratios.png", document, groups)


def redraw(arguments: argparse.Namespace) -> int:
    """Draws the chart of a run that an earlier call wrote with --json."""
    if not arguments.plot:
        raise BenchError("--from needs --plot DIR, the folder for the chart")
    try:
        document = json.loads(arguments.run.read_text())
        draw_ratios(arguments.plot, document, load_groups(HERE / "groups.yaml"))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BenchError(f"{arguments.run} is not a file that --json wrote: {error!r}") from None
    return 0


def failed(runs: list[Run]) -> bool:
    return any(result.has_trouble for run in runs for result in run.results)


def measure_models(arguments: argparse.Namespace, operators: list[Operator], groups: list[Group]) -> int:
    """Measures whole models in place of the cases of cases/*.yaml."""
    from bench import model_calls, model_results, model_run

    console = make_console()
    names = model_calls.known_models(arguments.models)
    every = model_calls.load_models(load_registry(), operators, names, int(arguments.memory * 2**30))
    models = model_run.chosen(every, arguments.filter)
    if not models:
        raise BenchError(f"no call of these models matches '{arguments.filter}'")
    if arguments.list:
        print("\n".join(case.name for case in model_run.in_order(models)))
        return 0
    arguments.peer = model_results.PEER
    setup = model_run.plan(make_setup(arguments), arguments.quick)
    group = next(group for group in groups if group.name == model_calls.GROUP)
    runs = [model_run.run_models(setup, int(n), models, console) for n in arguments.threads.split(",")]
    print_process(console, runs[0])
    model_run.print_left_out(console, models)
    figures = [model_run.print_models(console, models, run, group) for run in runs]
    if arguments.json:
        document = as_json(runs)
        for run, results in zip(document["runs"], figures):
            run["models"] = model_results.as_json(models, results)
        arguments.json.write_text(json.dumps(document, indent=1))
    return options.FAILED if failed(runs) else options.OK


def measure_sweep(arguments: argparse.Namespace, operators: list[Operator], groups: list[Group]) -> int:
    """Measures the shapes, dtypes and layouts of sweep/*.yaml in place of the cases of cases/*.yaml."""
    from bench import sweep

    earlier = read_times(arguments.against) if arguments.against else None
    cases = chosen(load_cases(HERE / "sweep", operators, groups), groups, arguments.filter)
    if not cases:
        raise BenchError(f"no case name matches '{arguments.filter}'")
    if arguments.list:
        print("\n".join(case.name for case in cases))
        return options.OK
    console = make_console()
    arguments.peer = sweep.PEER
    setup = sweep.plan(make_setup(arguments), arguments.quick)
    group = next(group for group in groups if group.name == sweep.GROUP)
    runs = [sweep.run_sweep(setup, int(n), cases, console) for n in arguments.threads.split(",")]
    print_process(console, runs[0])
    for run in runs:
        sweep.print_sweep(console, group, run)
        if earlier is not None:
            print_slower(console, run, earlier)
    if arguments.json:
        arguments.json.write_text(json.dumps(as_json(runs), indent=1))
    return options.FAILED if failed(runs) else options.OK


def chosen(cases: list[Case], groups: list[Group], pattern: str) -> list[Case]:
    names = {group.name for group in groups}
    return [case for case in cases if case.group in names and re.search(pattern, case.name)]


def measure_device(arguments: argparse.Namespace, operators: list[Operator]) -> int:
    """Measures the cases of groups_cuda.yaml on a GPU."""
    from bench import device, record, sort_candidate

    groups = device.for_device(load_groups(HERE / "groups_cuda.yaml"), arguments.emulated)
    every = device.fitting(load_cases(HERE / "cases", operators, groups), arguments.emulated)
    cases = chosen(every, groups, arguments.filter)
    if not cases:
        raise BenchError(f"no case name matches '{arguments.filter}'")
    if arguments.list:
        print("\n".join(case.name for case in cases))
        return options.OK
    target = device.find_target(arguments.build, arguments.emulated)
    console = make_console()
    setup = device.plan(make_setup(arguments), target, arguments.minutes)
    console.print(f"{len(cases)} cases, {target.place}", style="bold")
    run = run_threads(arguments, setup, 1, cases, [], console, {group.name: group for group in groups})
    run.device = target.place
    print_process(console, run)
    print_run(console, run, groups)
    for line in device.summary(run):
        console.print(line, soft_wrap=True, highlight=False)
    if arguments.json:
        arguments.json.write_text(json.dumps(as_json([run], target), indent=1))
    sorts: dict[str, Any] = {}
    if arguments.record:
        sorts = sort_candidate.compare_sorts(arguments.build, arguments.emulated, setup.seconds_left)
        for line in sort_candidate.summary(sorts):
            console.print(line, soft_wrap=True, highlight=False)
        record.write_record(arguments.record, target, run, groups, sorts)
    if failed([run]) or sorts.get("wrong"):
        return options.FAILED
    if run.not_measured:
        return options.TIME_OVER
    return options.MISSED if missed(groups, run.results) and not target.emulated else options.OK


def main() -> int:
    arguments = options.read_arguments()
    if arguments.run:
        return redraw(arguments)
    console = make_console()
    operators = load_operators(HERE / "operators")
    if arguments.device:
        return measure_device(arguments, operators)
    groups = load_groups(HERE / "groups.yaml")
    if arguments.models is not None:
        return measure_models(arguments, operators, groups)
    if arguments.sweep:
        return measure_sweep(arguments, operators, groups)
    earlier = read_times(arguments.against) if arguments.against else None
    every = load_cases(HERE / "cases", operators, groups)
    cases = chosen(every, groups, arguments.filter)
    if arguments.list:
        print("\n".join(case.name for case in cases))
        return 0
    if not cases and not re.search(arguments.filter, "first_call"):
        raise BenchError(f"no case name matches '{arguments.filter}'")
    setup = make_setup(arguments)
    dtypes = {case.dtype for case in cases if case.flops}
    without_limits = arguments.no_limits or arguments.quick
    peaks = [case for case in every if case.group == "limit" and case.dtype in dtypes and not without_limits]
    first = [
        case
        for case in every
        if case.group == "first_call" and re.search(arguments.filter, case.name) and not arguments.no_first_call
    ]
    runs = []
    for threads in map(int, arguments.threads.split(",")):
        console.print(f"{len(cases)} cases, {threads} thread(s)", style="bold")
        run = run_threads(arguments, setup, threads, cases, peaks, console, {group.name: group for group in groups})
        run.first_calls = measure_first_calls(setup, threads, first, [OURS, *({"torch"} & set(setup.peers))])
        print_process(console, run)
        runs.append(run)
    compare_threads([result for run in runs for result in run.results])
    for run in runs:
        print_run(console, run, groups)
        if earlier is not None:
            print_slower(console, run, earlier)
    if arguments.json:
        arguments.json.write_text(json.dumps(as_json(runs), indent=1))
    if arguments.plot:
        from bench.plot import draw

        draw_ratios(arguments.plot, as_json(runs), groups)
        draw(arguments.plot, runs)
    return options.FAILED if failed(runs) else options.OK


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (BenchError, ConfigError) as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(options.UNUSABLE if isinstance(error, UnusableError) else options.USAGE)
