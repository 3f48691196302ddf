#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Measures the CPU vendor and other libraries (peers) alternately. docs/benchmark.md explains the results.
set -euo pipefail
source "$(dirname "$0")/common.sh"

usage() {
  cat <<'TEXT'
usage: scripts/bench.sh [--filter RE] [--peer torch,onednn,numpy] [--threads 1,2] [--json F] [--plot DIR] [--from F] [--list]
                        [--preset P] [--no-install] [--no-build] [--build-only] [--jobs N] [--help]
                        [--models LIST] [more options of the bench]

Builds the CPU vendor, the bench and the modules of its peers, runs the cases whose names match RE, and prints times,
ratios to the peers and shares of the machine's limits. The options of the bench follow below.

  --preset P     uses the build folder build/P instead of build/release
  --no-install   installs nothing; a peer that is not installed is not measured
  --no-build     builds nothing
  --build-only   builds, but does not run the bench
  --jobs N       compiles N files at a time (default: one per CPU)

TEXT
}

preset=release install=yes build=yes measure=yes jobs=$(nproc) help=no peers=torch,onednn arguments=()
while [[ $# -gt 0 ]]; do
  case $1 in
    --help | -h) help=yes ;;
    --no-install) install=no ;;
    --no-build) build=no ;;
    --build-only) measure=no ;;
    --list) build=no && arguments+=(--list) ;;
    --preset)
      preset=${2:?"--preset needs a value"}
      shift
      ;;
    --jobs)
      jobs=${2:?"--jobs needs a value"}
      shift
      ;;
    --peer)
      peers=${2?"--peer needs a value"}
      arguments+=(--peer "$peers")
      shift
      ;;
    *) arguments+=("$1") ;;
  esac
  shift
done

if [[ $install == yes && $help == no && -z ${DIOPI_PYTHON:-} ]]; then
  options=(--bench)
  if [[ ,$peers, == *,torch,* ]]; then options+=(--optional); fi
  "$root/scripts/install_deps.sh" "${options[@]}"
fi
find_python
bench=("$python" "$root/diopi_test/benchmark/bench.py" --build "$root/build/$preset")
if [[ $help == yes ]]; then
  usage
  "${bench[@]}" --help
  exit 0
fi
if [[ $build == yes ]]; then
  configure_build "$preset" cpu >&2
  log=$build_dir/bench_configure.log
  cmake -S "$root" -B "$build_dir" -DDIOPI_BENCH=ON >"$log" 2>&1 || die "configuring failed; see $log"
  cmake --build "$build_dir" --parallel "$jobs" --target diopi_impl_cpu diopi_bench >&2
fi
[[ $measure == no ]] || exec "${bench[@]}" "${arguments[@]}"
