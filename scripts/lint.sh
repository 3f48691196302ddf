#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks the sources without running them. Prints one line for each check; the exit code is 1 if a check failed.
set -uo pipefail
source "$(dirname "$0")/common.sh"

usage() {
  cat <<'TEXT'
usage: scripts/lint.sh [--base REV] [--fix] [--no-tidy] [--help]

Checks all sources: SPDX line, ruff (rules and format), mypy, clang-format, shellcheck. Runs clang-tidy on the C++
sources that differ from REV; it needs the build folder build/release.

  --base REV   compares with this commit (default: the commit before the last one)
  --fix        lets ruff and clang-format correct the files in place
  --no-tidy    does not run clang-tidy
TEXT
}

base=HEAD~1 fix=no tidy=yes
while [[ $# -gt 0 ]]; do
  case $1 in
    --help | -h) usage && exit 0 ;;
    --fix) fix=yes ;;
    --no-tidy) tidy=no ;;
    --base)
      base=${2:?"--base needs a value"}
      shift
      ;;
    *) echo "error: unknown option $1" >&2 && usage >&2 && exit 2 ;;
  esac
  shift
done

find_python
cd "$root" || exit 1
passed=0 failed=0

# check <name> <command ...>: runs the command, and prints its output if it fails.
check() {
  local name=$1 output
  shift
  if output=$("$@" 2>&1); then
    passed=$((passed + 1))
    echo "ok      $name"
  else
    failed=$((failed + 1))
    printf '%s\nFAILED  %s\n' "$output" "$name"
  fi
}

# sources <pattern ...>: prints the matching files of the tree, tracked or new, except generated headers.
sources() { git ls-files --cached --others --exclude-standard -- "$@" | grep -v '^proto/include/' | sort -u; }

has_spdx_lines() {
  local missing
  missing=$(sources '*.py' '*.pyi' '*.c' '*.h' '*.cpp' '*.hpp' '*.sh' '*.cmake' '*CMakeLists.txt' '.ci/run' |
    while IFS= read -r file; do
      [[ ! -s $file ]] || head -n 3 "$file" | grep -q 'SPDX-License-Identifier: BSD-3-Clause' || echo "$file"
    done)
  [[ -z $missing ]] || { printf 'no SPDX line: %s\n' "$missing" && return 1; }
}

formats_cpp() {
  local mode=(--dry-run -Werror)
  [[ $fix == no ]] || mode=(-i)
  sources '*.c' '*.h' '*.cpp' '*.hpp' | xargs clang-format "${mode[@]}"
}

is_shell_clean() { sources '*.sh' '.ci/run' | xargs shellcheck -x; }

# Prints the C++ sources that differ from the base and that the release build compiles.
changed_cpp() {
  git diff --name-only --diff-filter=d "$base" -- '*.cpp' |
    while IFS= read -r file; do
      grep -qF "\"$root/$file\"" build/release/compile_commands.json 2>/dev/null && echo "$file"
    done
}

is_tidy() {
  local files
  files=$(changed_cpp)
  [[ -n $files ]] || return 0
  xargs -n 1 -P "$(nproc)" clang-tidy -p build/release --quiet --warnings-as-errors='*' <<<"$files"
}

format=(format --check) rules=(check)
[[ $fix == no ]] || { format=(format) && rules=(check --fix); }
check "SPDX lines" has_spdx_lines
check "ruff check" "$python" -m ruff "${rules[@]}" --quiet .
check "ruff format" "$python" -m ruff "${format[@]}" --quiet .
check "mypy" "$python" -m mypy
check "clang-format" formats_cpp
check "shellcheck" is_shell_clean
if [[ $tidy == yes ]]; then
  git rev-parse --quiet --verify "$base^{commit}" >/dev/null || { echo "error: there is no commit $base" >&2 && exit 2; }
  check "clang-tidy on files changed since $base" is_tidy
fi
echo "$passed passed, $failed failed"
[[ $failed == 0 ]]
