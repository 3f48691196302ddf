# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Functions for the other scripts in this folder, which source this file.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
venv=$root/.venv

die() {
  echo "error: $*" >&2
  exit 1
}

step() { printf '\n== %s\n' "$*"; }

# Prints the vendors: the folders of impl/ that build a library.
list_vendors() {
  local file
  for file in "$root"/impl/*/CMakeLists.txt; do basename "$(dirname "$file")"; done
}

# Sets `python`, which runs the generators and the tests: DIOPI_PYTHON, or the Python that install_deps.sh installs.
find_python() {
  python=${DIOPI_PYTHON:-$venv/bin/python}
  [[ -x $python ]] || die "there is no $python; run scripts/install_deps.sh first"
  export DIOPI_PYTHON=$python
}

# Ends the script with code 4 if the machine has no GPU of NVIDIA.
require_gpu() {
  nvidia-smi --list-gpus 2>/dev/null | grep '^GPU' >/dev/null && return
  echo "error: there is no driver of NVIDIA GPUs, or no GPU: nvidia-smi --list-gpus lists none (--emulated needs none)" >&2
  exit 4
}

# Ends the script if CXX names another compiler than that of the existing build folder: cmake would ignore CXX.
check_compiler() {
  local wanted=${CXX:-} built
  [[ -n $wanted ]] || return 0
  built=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$build_dir/CMakeCache.txt")
  [[ $(readlink -f "$(command -v "${wanted%% *}")") == "$(readlink -f "$built")" ]] ||
    die "CXX is $CXX, but ${build_dir#"$root"/} was configured with $built; remove this folder first"
}

# build_folder <preset> <vendor>: prints the build folder. The presets of a vendor have its name.
build_folder() {
  if [[ $2 == cpu || $1 == "$2"-* ]]; then echo "$root/build/$1"; else echo "$root/build/$1-$2"; fi
}

# configure_build <preset> <vendor> [option of cmake ...]: sets build_dir. Configures it if it is not configured yet, or if
# there are options.
configure_build() {
  local preset=$1 vendor=$2
  shift 2
  build_dir=$(build_folder "$preset" "$vendor")
  if [[ ! -f $build_dir/build.ninja ]]; then
    (cd "$root" && cmake --preset "$preset" -B "$build_dir" -DDIOPI_VENDOR="$vendor" -DDIOPI_PYTHON="$python" "$@")
  else
    check_compiler
    [[ $# == 0 ]] || cmake "$@" "$build_dir"
  fi
}
