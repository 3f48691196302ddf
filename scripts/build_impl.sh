#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds a vendor's library, the runtime and the examples.
set -euo pipefail
source "$(dirname "$0")/common.sh"

usage() {
  cat <<'TEXT'
usage: scripts/build_impl.sh <vendor> [clean] [--debug | --emulated] [--jobs N] [--no-install] [--help]

Installs missing packages, and builds libdiopi_impl.so of the vendor, libdiopirt.so and the examples in build/. For the
cpu vendor it then trains a network on handwritten digits with these libraries. A second run builds only changed files.
The vendor cuda needs CUDA's compiler, which comes from PyPI if the machine has none.
CC and CXX choose the compilers of a new build folder (default: GCC).

  clean          removes the build folders of the vendor, and builds nothing
  --debug        builds without optimization and with assertions
  --emulated     compiles the kernels of the vendor cuda for the CPU, in build/cuda-emulated; needs no compiler of CUDA
  --jobs N       compiles N files at a time (default: one per CPU)
  --no-install   installs nothing

TEXT
  echo "vendors: $(list_vendors | tr '\n' ' ')"
}

wrong_usage() {
  echo "error: $1" >&2
  usage >&2
  exit 2
}

vendor="" preset=release emulated=no jobs=$(nproc) install=yes clean=no
while [[ $# -gt 0 ]]; do
  case $1 in
    --help | -h) usage && exit 0 ;;
    --debug) preset=debug ;;
    --emulated) emulated=yes ;;
    --no-install) install=no ;;
    --jobs)
      [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || wrong_usage "--jobs needs a positive number"
      jobs=$2
      shift
      ;;
    clean) clean=yes ;;
    -*) wrong_usage "unknown option $1" ;;
    *)
      [[ -z $vendor ]] || wrong_usage "give one vendor, not $vendor and $1"
      vendor=$1
      ;;
  esac
  shift
done
[[ -n $vendor ]] || wrong_usage "the vendor is missing"
[[ $vendor =~ ^[a-z][a-z0-9_]*$ ]] ||
  wrong_usage "a vendor's name has small letters, digits and _ only, and begins with a letter; '$vendor' does not"
[[ -f $root/impl/$vendor/CMakeLists.txt ]] || wrong_usage "there is no vendor '$vendor'"
host_preset=$preset
uses_cuda=no
! grep -qs '^include(DiopiCuda)' "$root/impl/$vendor/CMakeLists.txt" || uses_cuda=yes
if [[ $emulated == yes ]]; then
  [[ $uses_cuda == yes ]] || wrong_usage "the vendor $vendor has no kernels to emulate"
  [[ $preset == release ]] || wrong_usage "--emulated and --debug exclude each other"
  preset=$vendor-emulated
fi

if [[ $clean == yes ]]; then
  for preset in release debug "$vendor-emulated"; do rm -rf "$(build_folder "$preset" "$vendor")"; done
  echo "Removed the build folders of $vendor."
  exit 0
fi

options=()
[[ $uses_cuda == no || $emulated == yes ]] || options=(--cuda)
[[ $install == no ]] || "$root/scripts/install_deps.sh" "${options[@]}"
find_python

# A vendor with fallback needs the CPU vendor's operators, which are built in the CPU vendor's build folder, once for all.
host=() falls_back=OFF config=$root/impl/$vendor/convert_config.yaml
[[ ! -f $config ]] || falls_back=$(cd "$root" && "$python" -m adaptor.codegen.fallback "$config")
if [[ $falls_back == ON ]]; then
  step "Building what $vendor computes on the host ($host_preset)"
  configure_build "$host_preset" cpu
  cmake --build "$build_dir" --parallel "$jobs" --target diopi_host
  host=(-DDIOPI_HOST_BUILD="$build_dir")
fi

step "Building $vendor ($preset)"
configure_build "$preset" "$vendor" "${host[@]}"
cmake --build "$build_dir" --parallel "$jobs" --target product
echo "Built: ${build_dir#"$root"/}/lib/libdiopi_impl.so and libdiopirt.so, examples in ${build_dir#"$root"/}/bin"

if [[ $vendor == cpu ]]; then
  step "Training a network on handwritten digits through libdiopi_impl.so"
  "$build_dir/bin/train_digits"
fi
