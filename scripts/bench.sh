#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Measures the CPU vendor, or the vendor cuda on a GPU, and other libraries (peers) alternately. docs/benchmark.md explains
# the results.
set -euo pipefail
source "$(dirname "$0")/common.sh"

usage() {
  cat <<'TEXT'
usage: scripts/bench.sh [--filter RE] [--peer torch,onednn,numpy] [--threads 1,2] [--json F] [--plot DIR] [--from F] [--list]
                        [--preset P] [--no-install] [--no-build] [--build-only] [--jobs N] [--help]
                        [--models LIST] [--device cuda [--emulated] [--torch PYTHON]] [more options of the bench]

Builds the CPU vendor, the bench and the modules of its peers, runs the cases whose names match RE, and prints times,
ratios to the peers and shares of the machine's limits. The options of the bench follow below.

  --preset P     uses the build folder build/P instead of build/release
  --no-install   installs nothing; a peer that is not installed is not measured
  --no-build     builds nothing
  --build-only   builds, but does not run the bench
  --jobs N       compiles N files at a time (default: one per CPU)
  --device cuda  measures the vendor cuda on the GPU of this machine (build/release-cuda) against PyTorch on this GPU
  --emulated     with --device: runs the kernels on the CPU (build/cuda-emulated), small cases only, without a peer. The
                 times say nothing about a GPU
  --torch PYTHON with --device: the Python whose PyTorch is measured (default: the first of DIOPI_PYTHON, .venv and python3
                 whose PyTorch has CUDA)

TEXT
}

# Prints the folder of the first PyTorch that has CUDA.
find_torch() {
  local candidate
  for candidate in "${torch_python[@]}"; do
    "$candidate" - <<'PYTHON' 2>/dev/null && return
import importlib.util, pathlib
folder = pathlib.Path(importlib.util.find_spec("torch").origin).parent
assert (folder / "lib" / "libtorch_cuda.so").exists()
print(folder)
PYTHON
  done
  echo "error: there is no PyTorch with CUDA in ${torch_python[*]} (--peer '' measures without it)" >&2
  exit 4
}

# Builds the vendor cuda, and the bench in its build folder.
build_for_device() {
  local options=(-DDIOPI_BENCH=ON) building=(--no-install --jobs "$jobs") torch
  [[ $preset == release ]] || building+=(--emulated)
  if [[ $preset == release && -n $peers ]]; then
    torch=$(find_torch) || exit
    options+=(-DDIOPI_BENCH_TORCH="$torch")
  fi
  "$root/scripts/build_impl.sh" cuda "${building[@]}" >&2 || exit 4
  configure_build "$preset" cuda "${options[@]}" >&2
  local target=diopi_bench_all
  [[ $preset == release && -n $peers ]] || target=diopi_bench
  cmake --build "$build_dir" --parallel "$jobs" --target "$target" >&2 || exit 4
}

preset=release install=yes build=yes measure=yes jobs=$(nproc) help=no peers=torch,onednn arguments=() vendor=cpu
torch_python=("${DIOPI_PYTHON:-$venv/bin/python}" "$venv/bin/python" python3)
while [[ $# -gt 0 ]]; do
  case $1 in
    --help | -h) help=yes ;;
    --no-install) install=no ;;
    --no-build) build=no ;;
    --build-only) measure=no ;;
    --list) build=no && arguments+=(--list) ;;
    --device)
      vendor=cuda arguments+=(--device "${2:?"--device needs a value"}")
      shift
      ;;
    --emulated) preset=cuda-emulated && arguments+=(--emulated) ;;
    --torch)
      torch_python=("${2:?"--torch needs a value"}")
      shift
      ;;
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
  if [[ $vendor == cuda ]]; then
    [[ $preset != release ]] || options+=(--cuda)
  elif [[ ,$peers, == *,torch,* ]]; then options+=(--optional); fi
  "$root/scripts/install_deps.sh" "${options[@]}"
fi
find_python
bench=("$python" "$root/diopi_test/benchmark/bench.py" --build "$(build_folder "$preset" "$vendor")")
if [[ $help == yes ]]; then
  usage
  "${bench[@]}" --help
  exit 0
fi
if [[ $vendor == cuda && $build == yes ]]; then
  "${bench[@]}" "${arguments[@]}" --list >/dev/null || exit # checks the options before the long build
  [[ $preset != release ]] || require_gpu
  build_for_device
elif [[ $build == yes ]]; then
  configure_build "$preset" cpu >&2
  log=$build_dir/bench_configure.log
  cmake -S "$root" -B "$build_dir" -DDIOPI_BENCH=ON >"$log" 2>&1 || die "configuring failed; see $log"
  cmake --build "$build_dir" --parallel "$jobs" --target diopi_impl_cpu diopi_bench_all >&2
fi
[[ $measure == no ]] || exec "${bench[@]}" "${arguments[@]}"
