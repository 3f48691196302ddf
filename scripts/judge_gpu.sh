#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Judges the vendor cuda on the GPU of this machine and measures its speed: impl/cuda/judged.json and benched.json.
set -euo pipefail
source "$(dirname "$0")/common.sh"

usage() {
  cat <<'TEXT'
usage: scripts/judge_gpu.sh [--minutes N] [--families NAME ...] [--all-cases] [--emulated --out FILE] [--jobs N]
                            [--no-bench] [--bench-minutes N] [--bench-filter RE] [--bench-out FILE] [--torch PYTHON]
                            [--no-install] [--no-build] [--help]

Builds the vendor cuda with scripts/build_impl.sh, judges it on the GPU of this machine a few families at a time, and writes the
entry of each finished family to impl/cuda/judged.json: a digest of the code of the family, date, device, driver, and the
numbers of cases. A family that is not judged keeps its entry. Families that no chip has judged as they are now come first,
and among these the ones that networks use most. Families for which the time did not suffice are named at the end.
The processes of the judge share the GPU through NVIDIA's Multi-Process Service, if the machine has it.

The build needs the CPU vendor, too: some functions of the vendor cuda let it compute some of their calls (docs/fallback.md),
which the file counts as "on_host".

Then it captures calls into CUDA graphs and replays them (diopi_test/cuda_graphs).

Then it measures the vendor against PyTorch on the same GPU with scripts/bench.sh, and writes the figures to
impl/cuda/benched.json: the device, the driver, the commit, the times, the ratios, which goals were reached, and the times of
the radix sort and of CUB's.

  --minutes N         the time limit of the judge in minutes, without the build (default: 20)
  --families NAME ..  judges only these families
  --all-cases         judges all cases, not only a quarter of the hostile ones
  --emulated          takes the same steps with kernels that run on the CPU (docs/emulation.md); needs --out
  --out FILE          writes to this file instead of impl/cuda/judged.json
  --no-bench          does not measure
  --bench-minutes N   the time limit of the bench in minutes (default: 10)
  --bench-filter RE   measures only the cases whose names match; needs --bench-out
  --bench-out FILE    writes the figures to this file instead of impl/cuda/benched.json; with --emulated, the bench runs only
                      if there is such a file
  --torch PYTHON      the Python whose PyTorch is measured (scripts/bench.sh)
  --jobs N            compiles and judges with N processes (default: one per CPU)
  --no-install        installs nothing
  --no-build          judges build/cuda-emulated as it is; only with --emulated, so that the file of the chips is true

exit codes: 0 all families were judged and no case failed; 1 a case or a captured call failed; 2 wrong options; 3 the file is
not a record of judged families; 4 there is no driver or no GPU, or the library or PyTorch cannot be built or used; 5 the time
was over before all families were judged or all cases measured, and no case failed; 6 a goal of the bench was missed. If judging
does not end with 0, its code counts, not that of the bench.
TEXT
}

preset=release build=yes building=() judging=() emulated=no jobs=()
bench=yes benching=() bench_out="" bench_minutes=10
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
    --no-bench) bench=no ;;
    --bench-minutes | --bench-filter | --bench-out | --torch)
      [[ -n ${2:-} ]] || { echo "error: $1 needs a value" >&2 && exit 2; }
      case $1 in
        --bench-minutes) bench_minutes=$2 ;;
        --bench-filter) benching+=(--filter "$2") ;;
        --bench-out) bench_out=$2 ;;
        --torch) benching+=(--torch "$2") ;;
      esac
      shift
      ;;
    *) judging+=("$1") ;; # the judging program checks these
  esac
  shift
done
[[ $emulated == no ]] || building+=(--emulated) judging+=(--emulated) benching+=(--emulated)
[[ $emulated == no || -n $bench_out ]] || bench=no
benching+=(--device cuda --minutes "$bench_minutes" --record "${bench_out:-$root/impl/cuda/benched.json}")
[[ $emulated == yes || $build == yes ]] || { echo "error: --no-build needs --emulated" >&2 && exit 2; }
[[ $emulated == yes ]] || require_gpu

judge() { PYTHONPATH=$root/diopi_test/python "$python" -m conformance.chip "${jobs[@]}" "${judging[@]}" "$@"; }

if [[ $build == yes ]]; then
  if [[ -x ${DIOPI_PYTHON:-$venv/bin/python} ]]; then
    find_python
    judge --changed # checks the options, too, before the long build
  fi
  "$root/scripts/build_impl.sh" cuda "${building[@]}" "${jobs[@]}" || exit 4
fi
find_python
# Checks the options of the bench before the long run of the judge.
[[ $bench == no ]] || "$root/scripts/bench.sh" "${benching[@]}" --no-install --list >/dev/null || exit
step "Judging the vendor cuda"
status=0
judge --build "$(build_folder "$preset" cuda)" || status=$?
[[ $status == 0 || $status == 1 || $status == 5 ]] || exit "$status"
step "Capturing calls of the vendor cuda into graphs"
build_dir=$(build_folder "$preset" cuda)
[[ $build == no ]] || cmake --build "$build_dir" --target diopi_cuda_graphs || exit 4
"$build_dir/lib/diopi_cuda_graphs" || status=1
if [[ $bench == yes ]]; then
  step "Measuring the vendor cuda"
  bench_status=0
  [[ $build == yes ]] || benching+=(--no-build)
  "$root/scripts/bench.sh" "${benching[@]}" "${jobs[@]}" --no-install || bench_status=$?
  [[ $status != 0 ]] || status=$bench_status
fi
exit "$status"
