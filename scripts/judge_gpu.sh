#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Judges the vendor cuda on the GPU of this machine, and writes what the GPU judged to impl/cuda/judged.json.
set -euo pipefail
source "$(dirname "$0")/common.sh"

usage() {
  cat <<'TEXT'
usage: scripts/judge_gpu.sh [--minutes N] [--families NAME ...] [--all-cases] [--emulated --out FILE] [--jobs N]
                            [--no-install] [--no-build] [--help]

Builds the vendor cuda with scripts/build_impl.sh, judges it on the GPU of this machine family by family, and writes the
entry of each finished family to impl/cuda/judged.json: a digest of the sources of the family, date, device, driver, and the
numbers of cases. A family that is not judged keeps its entry. Families that no chip has judged as they are now come first,
and among these the ones that networks use most. Families for which the time did not suffice are named at the end.

The build needs the CPU vendor, too: some functions of the vendor cuda let it compute some of their calls (docs/fallback.md),
which the file counts as "on_host". The file has no ratios to PyTorch, because the bench cannot measure on a GPU yet.

  --minutes N         the time limit of the judge in minutes, without the build (default: 20)
  --families NAME ..  judges only these families
  --all-cases         judges all cases, not only a quarter of the hostile ones
  --emulated          takes the same steps with kernels that run on the CPU (docs/emulation.md); needs --out
  --out FILE          writes to this file instead of impl/cuda/judged.json
  --jobs N            compiles and judges with N processes (default: one per CPU)
  --no-install        installs nothing
  --no-build          judges build/cuda-emulated as it is; only with --emulated, so that the file of the chips is true

exit codes: 0 all families were judged and no case failed; 1 a case failed; 2 wrong options; 3 the file is not a record of
judged families; 4 there is no driver or no GPU, or the library cannot be built or used; 5 the time was over before all
families were judged, and no case failed
TEXT
}

preset=release build=yes building=() judging=() emulated=no jobs=()
while [[ $# -gt 0 ]]; do
  case $1 in
    --help | -h) usage && exit 0 ;;
    --emulated) preset=cuda-emulated emulated=yes ;;
    --no-install) building+=(--no-install) ;;
    --no-build) build=no ;;
    --jobs)
      [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || { echo "error: --jobs needs a positive number" >&2 && exit 2; }
      jobs=(--jobs "$2")
      shift
      ;;
    *) judging+=("$1") ;; # the judging program checks these
  esac
  shift
done
[[ $emulated == no ]] || building+=(--emulated) judging+=(--emulated)
[[ $emulated == yes || $build == yes ]] || { echo "error: --no-build needs --emulated" >&2 && exit 2; }
[[ $emulated == yes ]] || nvidia-smi --list-gpus 2>/dev/null | grep '^GPU' >/dev/null || {
  echo "error: there is no driver of NVIDIA GPUs, or no GPU: nvidia-smi --list-gpus lists none (--emulated needs none)" >&2
  exit 4
}

judge() { PYTHONPATH=$root/diopi_test/python "$python" -m conformance.chip "${jobs[@]}" "${judging[@]}" "$@"; }

if [[ $build == yes ]]; then
  if [[ -x ${DIOPI_PYTHON:-$venv/bin/python} ]]; then
    find_python
    judge --changed # checks the options, too, before the long build
  fi
  "$root/scripts/build_impl.sh" cuda "${building[@]}" "${jobs[@]}" || exit 4
fi
find_python
step "Judging the vendor cuda"
judge --build "$(build_folder "$preset" cuda)"
