#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Judges all cases of the emulated vendor cuda in three orders of threads, judges under sanitizers, and builds the library
# for GPUs.
set -uo pipefail
source "$(dirname "$0")/common.sh"

usage() {
  cat <<'TEXT'
usage: scripts/nightly.sh [--jobs N] [--no-build] [--help] [options of the judge ...]

What scripts/test.sh has no time for. Builds the vendor cuda with kernels that run on the CPU (docs/emulation.md), and

  - judges all its cases (not only --quick) in the orders forward, reverse and a random seed, which is printed; options such
    as --fname and --shard choose a part of the cases,
  - judges a sample of these cases under AddressSanitizer and, because each thread of a kernel is a thread to it, a small one
    under ThreadSanitizer,
  - judges the quick cases of the vendor cpu under AddressSanitizer and UndefinedBehaviorSanitizer, and with AVX2
    and SSE4 only, and those of the vendor minimal,
  - judges random calls of the vendors cpu and cuda, and calls with changed arguments, with a random seed, which is printed,
  - judges all cases of some families with every instruction set of this machine, and those of products and
    convolutions with every kernel,
  - compares gradients with differences, and the oracles with PyTorch if it is installed, all cases,
  - judges the vendors cpu and skeleton with each call of the runtime failing in turn, and the checks of the layer,
  - runs the kernels of the emulation's tests under AddressSanitizer and ThreadSanitizer, with and without planted errors,
  - builds the vendor cuda for GPUs, with a compiler from PyPI if the machine has none, and tests what can be tested of this
    library and of the machine code of its kernels without a GPU.

The last line has the numbers of passed and failed cases and programs. The exit code is 0 only if nothing failed, and 2 for
wrong options.

  --jobs N     runs N processes at a time (default: one per CPU)
  --no-build   builds nothing: build/cuda-emulated, build/cuda-emulated-asan, build/cuda-emulated-tsan, build/asan,
               build/release and build/release-cuda must be complete
TEXT
}

jobs=$(nproc) build=yes options=()
while [[ $# -gt 0 ]]; do
  case $1 in
    --help | -h) usage && exit 0 ;;
    --no-build) build=no ;;
    --jobs)
      [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || { usage >&2 && exit 2; }
      jobs=$2
      shift
      ;;
    *) options+=("$1") ;; # the judge checks these
  esac
  shift
done

export DIOPI_WERROR=ON # for nvcc and for the host compiler
passed=0 failed=0 log=$(mktemp)
trap 'rm -f "$log"' EXIT

# add <status>: adds the numbers of the last line of the log. A part that fails or in which nothing ran counts as a failure.
add() {
  local good bad
  good=$(tail -n 1 "$log" | grep -oE '[0-9]+ (passed|on the host)' | awk '{sum += $1} END {print sum + 0}')
  bad=$(tail -n 1 "$log" | grep -oE '[0-9]+ failed' | awk '{sum += $1} END {print sum + 0}')
  [[ $bad != 0 || ($1 == 0 && $good != 0) ]] || bad=1
  passed=$((passed + good)) failed=$((failed + bad))
}

# judge <preset> <vendor> [option of the judge ...]: judges the library in build/<preset>, or that of --library.
judge() {
  local libraries=$root/build/$1/lib vendor=$2 status
  shift 2
  (cd "$root/diopi_test/python" && "$python" main.py --mode run_test --jobs "$jobs" --timeout 3600 \
    --impl_folder "../../impl/$vendor" --library "$libraries/libdiopi_impl.so" --runtime "$libraries/libdiopirt.so" "$@") 2>&1 |
    tee "$log"
  status=${PIPESTATUS[0]}
  [[ $status != 2 ]] || exit 2
  add "$status"
}

# build_preset <preset> <vendor> [option of cmake ...]
build_preset() {
  [[ $build == yes ]] || return 0
  configure_build "$@" && cmake --build "$build_dir" --parallel "$jobs" --target "diopi_impl_$2" diopirt || exit 1
}

# judge_under <asan|tsan> <preset> <vendor> [option of the judge ...]: judges quick cases. Python is not instrumented, so it
# loads the sanitizer's library first, and with it the one whose exceptions the sanitizer watches.
judge_under() {
  local preload
  preload="$("${CXX:-c++}" -print-file-name="lib$1.so") $("${CXX:-c++}" -print-file-name=libstdc++.so.6)"
  shift
  LD_PRELOAD=$preload ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1${ASAN_MORE:-} UBSAN_OPTIONS=print_stacktrace=1 \
    TSAN_OPTIONS=ignore_noninstrumented_modules=1:halt_on_error=1 judge "$@" --quick
}

[[ $build == no ]] || "$root/scripts/build_impl.sh" cuda --emulated --jobs "$jobs" || exit 1
find_python
if [[ $build == yes ]]; then
  cmake --build "$root/build/release" --parallel "$jobs" --target diopi_impl_cpu diopirt diopi_layer \
    diopi_impl_skeleton diopi_impl_minimal emulation_thread emulation_address || exit 1
fi
memory=$((15 << 40)) # of the emulated device: tensors with wide strides span up to 2.3 TB
for order in forward reverse "$RANDOM"; do
  step "All cases, DIOPI_CUDA_ORDER=$order"
  DIOPI_CUDA_MEMORY=$memory DIOPI_CUDA_ORDER=$order judge cuda-emulated cuda "${options[@]}"
done

step "A sample of the cases of cuda under AddressSanitizer"
build_preset cuda-emulated-asan cuda -DDIOPI_HOST_BUILD="$root/build/release"
judge_under asan cuda-emulated-asan cuda --shard 1/64

# The families of which the kernels have barriers, shuffles or atomics, in each folder of impl/cuda/kernels. Some names are
# those of an operator, too.
shared=(cumulative detection distance embedding equal foreach index index_put loss_ctc masked_select mmcv_roi norm_batch
  norm_layer permute pool_max random reduce softmax sort)
shard=$((RANDOM % 230 + 1))/230
step "A sample of the cases of cuda under ThreadSanitizer, --shard $shard"
build_preset cuda-emulated-tsan cuda -DDIOPI_HOST_BUILD="$root/build/release"
judge_under tsan cuda-emulated-tsan cuda --shard "$shard" --fname "${shared[@]/#/family:}"

step "The cases of cpu under AddressSanitizer and UndefinedBehaviorSanitizer"
build_preset asan cpu -DDIOPI_SANITIZER=address,undefined -DDIOPI_BUILD_TESTS=OFF \
  -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O1 -g1" # -O2 takes longer to compile
judge_under asan asan cpu
ASAN_MORE=:max_allocation_size_mb=6000 judge_under asan asan cpu --fuzz 100 --seed "$RANDOM" # sizes of 2^40 are refused

for isa in avx2 sse4; do
  step "The cases of cpu, DIOPI_CPU_ISA=$isa"
  DIOPI_CPU_ISA=$isa judge release cpu --quick
done

seed=$RANDOM
step "Random calls of cpu and of cuda, --seed $seed"
judge release cpu --random 100 --seed "$seed"
judge cuda-emulated cuda --random 10 --seed "$seed"

step "Calls of cpu and of cuda with changed arguments, --seed $seed"
judge release cpu --fuzz 300 --seed "$seed"
judge cuda-emulated cuda --fuzz 20 --seed "$seed"

step "All cases of some families on each instruction set, and of products and convolutions with each kernel"
(cd "$root" && "$python" -m pytest -q -p no:cacheprovider diopi_test/python/tests/test_instruction_sets.py \
  diopi_test/python/tests/test_candidates.py) 2>&1 | tee "$log"
add "${PIPESTATUS[0]}"

step "The cases of minimal"
judge release minimal --quick --library "$root/build/release/lib/minimal/libdiopi_impl.so"

# selfcheck <title> <module> [option ...]: counts as one passed or failed program.
selfcheck() {
  local status
  step "$1"
  (cd "$root/diopi_test/python" && "$python" -m "conformance.selfcheck.$2" --jobs "$jobs" "${@:3}") 2>&1 | tee "$log"
  status=${PIPESTATUS[0]}
  [[ $status == 0 ]] && echo "1 passed, 0 failed" >"$log" || echo "0 passed, 1 failed" >"$log"
  add "$status"
}

selfcheck "Gradients against differences" gradients
! "$python" -c 'import torch' 2>/dev/null || selfcheck "Oracles against PyTorch" crosscheck
selfcheck "Checks of the layer" contract --timeout 3600 --layer "$root/build/release/lib/libdiopi_layer.so" \
  --runtime "$root/build/release/lib/libdiopirt.so"
for vendor in cpu skeleton; do
  library=$root/build/release/lib/libdiopi_impl.so
  [[ $vendor == cpu ]] || library=$root/build/release/lib/$vendor/libdiopi_impl.so
  selfcheck "Failures of the runtime on $vendor" failures --timeout 3600 --impl_folder "$root/impl/$vendor" \
    --library "$library" --runtime "$root/build/release/lib/libdiopirt.so"
done

step "Programs under sanitizers"
ctest --test-dir "$root/build/release" --parallel "$jobs" --output-on-failure --no-tests=error \
  --tests-regex '^emulation\.(thread|address)\.' 2>&1 | tee "$log"
status=${PIPESTATUS[0]}
# ctest prints "100% tests passed, 0 tests failed out of 12" before its last lines.
bad=$(grep -oE '[0-9]+ tests? failed out of' "$log" | grep -oE '^[0-9]+')
all=$(grep -oE 'failed out of [0-9]+' "$log" | grep -oE '[0-9]+$')
echo "$((${all:-0} - ${bad:-0})) passed, ${bad:-0} failed" >"$log"
add "$status"

step "The library for GPUs"
if [[ $build == no ]] || "$root/scripts/build_impl.sh" cuda --jobs "$jobs"; then
  (cd "$root" && "$python" -m pytest -q -p no:cacheprovider diopi_test/python/tests/test_cuda_library.py \
    diopi_test/python/tests/test_cuda_errors.py diopi_test/python/tests/test_machine_code.py) 2>&1 | tee "$log"
  add "${PIPESTATUS[0]}"
else
  : >"$log"
  add 1
fi

step "Summary"
echo "$passed passed, $failed failed"
[[ $failed == 0 ]]
