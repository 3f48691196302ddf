#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds missing targets and runs all tests. The last line has the numbers of passed and failed tests.
set -uo pipefail
source "$(dirname "$0")/common.sh"

usage() {
  cat <<'TEXT'
usage: scripts/test.sh [--jobs N] [--help]

Builds missing targets. Then runs

  - the checks of the sources (scripts/lint.sh),
  - the unit tests and the tests of the Python parts,
  - the checks of generated files,
  - the comparison of gradients with differences, and of oracles with PyTorch if it is installed, both with --quick,
  - the judge on the vendors cpu and skeleton, with a quarter of the hostile cases (--quick), and on an eighth of these
    cases of the vendor minimal, which the CPU vendor computes,
  - the judge with each call of the runtime failing in turn, on every second family,
  - the judge's invalid calls of every second family on the checks of the layer,
  - the judge on an eighth of the cases of the vendor cuda, whose kernels run on the CPU (docs/emulation.md),
  - the steps of scripts/judge_gpu.sh on one family of this build, and on some cases of the bench. Prints which families no
    chip has judged as they are now,
  - the messages of the vendor cuda without a driver, without memory, and after errors of kernels,
  - captures of its calls into CUDA graphs.

Half of the families are judged on each instruction set, and half of the cases on each kernel for products and
convolutions. The machine code of a sixth of the kernels is tested if scripts/install_deps.sh --cuda has installed the
compiler. The commit chooses the parts of vendors, families and kernels, and the order of threads; they are printed.
scripts/nightly.sh runs the whole.

The last line has the numbers of passed and failed tests. The exit code is 0 only if no test failed.

  --jobs N   runs N processes at a time (default: one per CPU)
TEXT
}

jobs=$(nproc)
while [[ $# -gt 0 ]]; do
  case $1 in
    --help | -h) usage && exit 0 ;;
    --jobs)
      [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || { usage >&2 && exit 2; }
      jobs=$2
      shift
      ;;
    *) usage >&2 && exit 2 ;;
  esac
  shift
done

hang=1800 # the time limit of a case in seconds; long, because the machine may be slow and busy
total_passed=0 total_failed=0 summary=() part_began=$SECONDS
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# record <name> <passed> <failed> <status>: adds the result of a part. A part that fails although no test of it failed
# counts as one failed test.
record() {
  local passed=$2 failed=$3
  if [[ $4 != 0 && $failed == 0 ]]; then failed=1; fi
  if [[ $4 == 0 && $passed == 0 && $failed == 0 ]]; then failed=1; fi # nothing ran
  total_passed=$((total_passed + passed))
  total_failed=$((total_failed + failed))
  summary+=("$(printf '%-28s %7d passed %5d failed %5d s' "$1" "$passed" "$failed" "$((SECONDS - part_began))")")
  part_began=$SECONDS
}

# number_before <word>: prints the last number in the log that is followed by this word, or 0 if there is none.
number_before() {
  local found
  found=$(grep -oE "[0-9]+ $1" "$log" | tail -n 1 | grep -oE '^[0-9]+')
  echo "${found:-0}"
}

run_check() {
  local name=$1
  shift
  step "$name"
  "$@"
  local status=$?
  record "$name" "$((status == 0))" "$((status != 0))" "$status"
}

run_pytest() {
  step "Python tests: $1"
  (cd "$root" && "$python" -m pytest -q -p no:cacheprovider "${parallel[@]}" "$1") 2>&1 | tee "$log"
  local status=${PIPESTATUS[0]} failed
  failed=$(($(number_before failed) + $(number_before errors?)))
  record "pytest $1" "$(number_before passed)" "$failed" "$status"
}

run_lint() {
  step "Checks of the sources"
  "$root/scripts/lint.sh" 2>&1 | tee "$log"
  record "source checks" "$(number_before passed)" "$(number_before failed)" "${PIPESTATUS[0]}"
}

run_ctest() {
  step "Unit tests"
  ctest --test-dir "$build_dir" --parallel "$jobs" --output-on-failure 2>&1 | tee "$log" |
    grep -vE '^ *(Start +[0-9]+:|[0-9]+/[0-9]+ Test.* Passed )'
  local status=${PIPESTATUS[0]} failed all
  failed=$(number_before 'tests? failed out of')
  all=$(grep -oE 'failed out of [0-9]+' "$log" | grep -oE '[0-9]+$')
  record "unit tests" "$((${all:-0} - failed))" "$failed" "$status"
}

# run_judge <vendor> <library> [option of the judge ...]
run_judge() {
  local vendor=$1 library=$2
  shift 2
  step "Conformance of $vendor (--quick${*:+ $*})"
  (cd "$root/diopi_test/python" && "$python" main.py --mode run_test --quick --jobs "$jobs" --timeout "$hang" \
    --impl_folder "../../impl/$vendor" --library "$library" --runtime "$build_dir/lib/libdiopirt.so" "$@") 2>&1 | tee "$log"
  local status=${PIPESTATUS[0]} passed
  passed=$(($(number_before passed) + $(number_before 'on the host')))
  record "conformance $vendor" "$passed" "$(number_before failed)" "$status"
}

# The commit is the seed of what is chosen at random: it changes from commit to commit, and the same commit repeats it.
seed=$((16#$(git -C "$root" rev-parse HEAD 2>/dev/null | cut -c 1-6 | grep . || printf %x "$RANDOM")))

# Every second family, as options of --fname.
mapfile -t half < <(basename -s .yaml "$root"/proto/registry/*.yaml |
  awk -v rest="$((seed / 3 % 2))" '!/^(runtime|types)$/ && ++n % 2 == rest {print "family:" $0}')

# run_part_of_judge <parts> <vendor> <library>: judges one of so many parts of the cases.
run_part_of_judge() {
  local shard=$((seed / 3 % $1 + 1))/$1
  run_judge "$2" "$3" --shard "$shard"
  summary+=("  $2: --shard $shard")
}

# Captures calls of the emulated vendor cuda into graphs.
run_graphs() {
  step "CUDA graphs"
  "$build_dir/lib/diopi_cuda_graphs" 2>&1 | tee "$log" | grep -vE '^\[ +(RUN|OK) +\]'
  local status=${PIPESTATUS[0]}
  record "CUDA graphs" "$(grep -cE '^\[ +OK +\]' "$log")" "$(grep -cE '^\[ +FAILED +\] .*\(' "$log")" "$status"
}

# Builds the vendor cuda for the CPU, and judges a part of it. Prints what no chip has judged.
run_emulated_cuda() {
  local host=$build_dir orders=(forward reverse "$seed") order
  order=${DIOPI_CUDA_ORDER:-${orders[seed % 3]}}
  step "Building the vendor cuda for the CPU"
  configure_build cuda-emulated cuda -DDIOPI_HOST_BUILD="$host" -DDIOPI_BUILD_TESTS=OFF -DDIOPI_BENCH=ON &&
    cmake --build "$build_dir" --parallel "$jobs" --target diopi_impl_cuda diopirt diopi_bench diopi_cuda_graphs
  local status=$?
  record "build of cuda-emulated" "$((status == 0))" "$((status != 0))" "$status"
  if [[ $status == 0 ]]; then
    echo "DIOPI_CUDA_ORDER=$order"
    DIOPI_CUDA_ORDER=$order run_part_of_judge 8 cuda "$build_dir/lib/libdiopi_impl.so"
    summary+=("  cuda: DIOPI_CUDA_ORDER=$order")
    run_graphs
    DIOPI_EMULATED_CUDA=1 run_pytest diopi_test/python/tests/test_chip_emulated.py
    DIOPI_EMULATED_CUDA=1 run_pytest diopi_test/python/tests/test_device_emulated.py
    DIOPI_EMULATED_CUDA=1 run_pytest diopi_test/python/tests/test_deferred_emulated.py
    DIOPI_EMULATED_CUDA=1 run_pytest diopi_test/python/tests/test_long_folds_emulated.py
    DIOPI_EMULATED_CUDA=1 run_pytest diopi_test/python/tests/test_sums_emulated.py
    DIOPI_EMULATED_CUDA=1 run_pytest diopi_test/python/tests/test_channel_norms_emulated.py
  fi
  build_dir=$host
  PYTHONPATH=$root/diopi_test/python run_check "what a chip has judged" "$python" -m conformance.chip --changed
}

# Exit code 3 means that PyTorch is missing, and that the operators that do not need it agree.
run_crosscheck() {
  step "Oracles against PyTorch"
  (cd "$root/diopi_test/python" && "$python" -m conformance.selfcheck.crosscheck --quick --jobs "$jobs") 2>&1 |
    tee "$log" | tail -n 3
  local status=${PIPESTATUS[0]} unexplained
  unexplained=$(number_before unexplained)
  [[ $status == 0 || $status == 3 ]] || grep -E '^diopi[^ ]*/|^stale|^compared with nothing' "$log"
  record "oracles against PyTorch" "$(number_before 'operators')" "$unexplained" "$((status == 3 ? 0 : status))"
  [[ $status != 3 ]] ||
    summary+=("  PyTorch is not installed (scripts/install_deps.sh --optional): only random operators compared")
}

run_gradients() {
  step "Gradients against differences"
  (cd "$root/diopi_test/python" && "$python" -m conformance.selfcheck.gradients --quick --jobs "$jobs") 2>&1 | tee "$log"
  record "gradients" "$(number_before gradients)" "$(number_before wrong)" "${PIPESTATUS[0]}"
}

# run_failures <vendor> <library>
run_failures() {
  step "Failures of the runtime on $1"
  (cd "$root/diopi_test/python" && "$python" -m conformance.selfcheck.failures --jobs "$jobs" --timeout "$hang" \
    --impl_folder "../../impl/$1" --library "$2" --runtime "$build_dir/lib/libdiopirt.so" --fname "${half[@]}") 2>&1 | tee "$log"
  record "failures $1" "$(number_before passed)" "$(number_before failed)" "${PIPESTATUS[0]}"
}

run_contract() {
  step "Checks of the layer"
  (cd "$root/diopi_test/python" && "$python" -m conformance.selfcheck.contract --jobs "$jobs" --timeout "$hang" \
    --layer "$build_dir/lib/libdiopi_layer.so" --runtime "$build_dir/lib/libdiopirt.so" --fname "${half[@]}") 2>&1 | tee "$log"
  record "checks of the layer" "$(number_before refused)" "$(number_before failed)" "${PIPESTATUS[0]}"
}

[[ -n ${DIOPI_PYTHON:-} || -x $venv/bin/python ]] || "$root/scripts/install_deps.sh" || exit 1
find_python
# pytest-xdist runs the tests in several processes. A Python of DIOPI_PYTHON may lack it. With "load", each process runs
# its tests in the order of the files: tests that replace the runtime come before tests that load it.
parallel=()
! "$python" -c 'import xdist' 2>/dev/null || parallel=(--numprocesses "$jobs" --dist load)
step "Building"
configure_build release cpu && cmake --build "$build_dir" --parallel "$jobs"
status=$?
record "build" "$((status == 0))" "$((status != 0))" "$status"
if [[ $status == 0 ]]; then
  run_lint
  run_ctest
  run_pytest adaptor/tests
  run_pytest python/tests
  half_part=$((seed / 3 % 2 + 1))/2 sixth_part=$((seed / 3 % 6 + 1))/6
  DIOPI_QUICK_INSTRUCTION_SETS=1 DIOPI_INSTRUCTION_SETS_PART=$half_part DIOPI_CANDIDATES_PART=$half_part \
    DIOPI_MACHINE_CODE_PART=$sixth_part run_pytest diopi_test/python/tests
  summary+=("  DIOPI_INSTRUCTION_SETS_PART=$half_part DIOPI_CANDIDATES_PART=$half_part DIOPI_MACHINE_CODE_PART=$sixth_part")
  run_pytest diopi_test/benchmark/tests
  cd "$root" || exit 1
  run_check "headers fit the registry" "$python" -m adaptor.codegen.headers --check
  run_check "the interface is unchanged" "$python" -m adaptor.codegen.abi_check
  run_gradients
  run_crosscheck
  run_judge cpu "$build_dir/lib/libdiopi_impl.so"
  run_judge cpu "$build_dir/lib/libdiopi_impl.so" --random 10
  run_judge cpu "$build_dir/lib/libdiopi_impl.so" --fuzz 10
  run_judge skeleton "$build_dir/lib/skeleton/libdiopi_impl.so"
  run_part_of_judge 8 minimal "$build_dir/lib/minimal/libdiopi_impl.so"
  run_failures cpu "$build_dir/lib/libdiopi_impl.so"
  run_failures skeleton "$build_dir/lib/skeleton/libdiopi_impl.so"
  run_contract
  run_emulated_cuda
fi

step "Summary"
summary+=("failures, checks of the layer: families ${half[0]#family:}, ${half[1]#family:}, ... (every second)")
printf '%s\n' "${summary[@]}"
printf '%-48s %11d s\n' "all parts" "$SECONDS"
echo "$total_passed passed, $total_failed failed"
[[ $total_failed == 0 ]]
