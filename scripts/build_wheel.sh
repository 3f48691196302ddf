#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds a wheel of the Python package with the cpu vendor's library.
set -euo pipefail
source "$(dirname "$0")/common.sh"

usage() {
  cat <<'TEXT'
usage: scripts/build_wheel.sh [--out DIR] [--build-dir DIR] [--jobs N] [--help]

Builds libdiopi_impl.so of the cpu vendor, libdiopirt.so and libdiopi_layer.so (preset release), and packs them into a wheel with the Python
package diopi, stripped copies of the libraries that they need, and all licences. Prints the name and size of the wheel.
A machine needs only Python, NumPy and a C++ library to install and use it.

  --out DIR        writes the wheel to this folder (default: build/wheel)
  --build-dir DIR  packs the libraries of this build folder, and builds nothing
  --jobs N         compiles N files at a time (default: one per CPU)
TEXT
}

wrong_usage() {
  echo "error: $1" >&2
  usage >&2
  exit 2
}

out=$root/build/wheel build="" jobs=$(nproc)
while [[ $# -gt 0 ]]; do
  case $1 in
    --help | -h) usage && exit 0 ;;
    --out | --build-dir | --jobs)
      [[ -n ${2:-} ]] || wrong_usage "$1 needs a value"
      case $1 in
        --out) out=$2 ;;
        --build-dir) build=$2 ;;
        --jobs)
          [[ $2 =~ ^[1-9][0-9]*$ ]] || wrong_usage "--jobs needs a positive number"
          jobs=$2
          ;;
      esac
      shift
      ;;
    *) wrong_usage "unknown option $1" ;;
  esac
  shift
done

find_python
if [[ -z $build ]]; then
  step "Building the cpu vendor (release)"
  configure_build release cpu
  cmake --build "$build_dir" --parallel "$jobs" --target diopi_impl_cpu diopirt diopi_layer
  build=$build_dir
fi
[[ -d $build ]] || die "there is no folder $build"

step "Packing the wheel"
mkdir -p "$out"
DIOPI_BUILD_DIR=$build
export DIOPI_BUILD_DIR
wheel=$out/$("$python" "$root/python/build_backend.py" "$out")
"$python" - "$wheel" <<'PYTHON'
import os, sys, zipfile
packed, installed = os.path.getsize(sys.argv[1]), sum(i.file_size for i in zipfile.ZipFile(sys.argv[1]).infolist())
print(f"{sys.argv[1]}: {packed / 1e6:.1f} MB, {installed / 1e6:.1f} MB installed")
PYTHON
