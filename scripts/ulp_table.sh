#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Prints the largest errors of the CPU vendor's elementary functions.
set -euo pipefail
source "$(dirname "$0")/common.sh"

usage() {
  cat <<'TEXT'
usage: scripts/ulp_table.sh [--preset P] [--stride N] [--samples N] [--help]

Prints a table with the largest error of each elementary function of the CPU vendor, in ULP (units in the last place of
the exact result), for each dtype and each vector target of this machine. Then prints whether all errors are within their
bounds.

  --preset P    runs the unit tests of build/P (default: release), which must have been built
  --stride N    tests every Nth float32 number (default: 2503; 1 takes hours); float16 and bfloat16 are tested completely
  --samples N   tests N float64 numbers (default: 400000)
TEXT
}

preset=release
while [[ $# -gt 0 ]]; do
  case $1 in
    --help | -h) usage && exit 0 ;;
    --preset) preset=$2 && shift ;;
    --stride) export DIOPI_ULP_STRIDE=$2 && shift ;;
    --samples) export DIOPI_ULP_SAMPLES=$2 && shift ;;
    *) echo "unknown option $1" >&2 && usage >&2 && exit 2 ;;
  esac
  shift
done

status=0
lines=$(DIOPI_ULP_PRINT=1 "$root/build/$preset/bin/unit_cpu" --gtest_filter='MathUlp.*') || status=$?
printf '%-12s %-9s %-9s %8s  %s\n' function dtype target ULP at
grep $'^ulp\t' <<<"$lines" | sort -t $'\t' -k3,3 -k2,2 -k4,4 | while IFS=$'\t' read -r _ name dtype target worst at; do
  printf '%-12s %-9s %-9s %8s  %s\n' "$name" "$dtype" "$target" "$worst" "$at"
done
grep -E '^(\[  (PASSED|FAILED)|Expected)' <<<"$lines" || true
exit $status
