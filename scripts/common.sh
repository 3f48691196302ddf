# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Sourced by the scripts beside it.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
venv=$root/.venv

die() {
  echo "error: $*" >&2
  exit 1
}

step() { printf '\n== %s\n' "$*"; }

# The folders of impl/ that build a library.
list_vendors() {
  local file
  for file in "$root"/impl/*/CMakeLists.txt; do basename "$(dirname "$file")"; done
}

# The Python that runs the generators and the tests: named by DIOPI_PYTHON, or the one of install_deps.sh.
find_python() {
  python=${DIOPI_PYTHON:-$venv/bin/python}
  [[ -x $python ]] || die "there is no $python; run scripts/install_deps.sh first"
  export DIOPI_PYTHON=$python
}

# configure_build <preset> <vendor>: sets build_dir. What is configured already is left alone.
configure_build() {
  local preset=$1 vendor=$2
  build_dir=$root/build/$preset
  [[ $vendor == cpu ]] || build_dir=$build_dir-$vendor
  if [[ ! -f $build_dir/build.ninja ]]; then
    (cd "$root" && cmake --preset "$preset" -B "$build_dir" -DDIOPI_VENDOR="$vendor" -DDIOPI_PYTHON="$python")
  fi
}
