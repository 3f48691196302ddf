#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs the packages for the build and the tests on Debian 12 or Ubuntu 24.04, and prints their names.
set -euo pipefail
source "$(dirname "$0")/common.sh"

usage() {
  cat <<'TEXT'
usage: scripts/install_deps.sh [--optional] [--bench] [--cuda] [--help]

Installs system packages (as root or with sudo) and Python packages (into .venv of the source tree). Packages that are
already installed do not change, so a second run does nothing. Eigen (libeigen3-dev) and
nlohmann-json3-dev are for the bench only: no library of DIOPI uses them.

  --optional   also installs PyTorch, for comparisons of results and speed, Matplotlib, for the chart of the bench, and
               mpmath, for scripts/minimax, which makes the polynomials of the CPU vendor
  --bench      also installs the package with which the bench draws charts (scripts/bench.sh)
  --cuda       also installs the compiler of CUDA with its headers from PyPI (180 MB), if there is no nvcc in PATH or in
               /usr/local/cuda/bin, and the disassembler (5 MB), with which tests read the machine code of kernels
TEXT
}

packages=(g++ clang cmake ninja-build ccache pkg-config patchelf python3 python3-venv libdnnl-dev libhwy-dev
          libopenblas-openmp-dev libgtest-dev nlohmann-json3-dev libeigen3-dev clang-format clang-tidy shellcheck)
optional=no bench=no cuda=no
for argument in "$@"; do
  case $argument in
    --optional) optional=yes ;;
    --bench) bench=yes ;;
    --cuda) cuda=yes ;;
    --help | -h) usage && exit 0 ;;
    *) usage >&2 && exit 2 ;;
  esac
done

is_installed() { [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }

as_root() {
  if [[ $(id -u) == 0 ]]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    die "installing system packages needs root or sudo"
  fi
}

install_system_packages() {
  command -v apt-get >/dev/null || die "this system has no apt-get; install packages that correspond to: ${packages[*]}"
  local missing=() package
  for package in "${packages[@]}"; do is_installed "$package" || missing+=("$package"); done
  if [[ ${#missing[@]} == 0 ]]; then
    echo "System packages: all ${#packages[@]} are installed."
    return
  fi
  step "Installing system packages: ${missing[*]}"
  as_root apt-get update -q
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
}

# Prints the path of the distribution's Python, even if PATH has another Python before it.
system_python() { if [[ -x /usr/bin/python3 ]]; then echo /usr/bin/python3; else command -v python3; fi; }

# install_python_packages <file>: afterwards a copy of the file in .venv shows that its packages are installed.
install_python_packages() {
  local list=$1 stamp
  stamp=$venv/$(basename "$1")
  [[ -x $venv/bin/python ]] || "$(system_python)" -m venv "$venv"
  if cmp -s "$list" "$stamp"; then
    echo "Python packages of $(basename "$list"): installed in .venv."
    return
  fi
  step "Installing Python packages into .venv: $(grep -v '^#' "$list" | tr '\n' ' ')"
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$list"
  cp "$list" "$stamp"
}

install_system_packages
install_python_packages "$root/scripts/requirements.txt"
[[ $optional == no ]] || install_python_packages "$root/scripts/requirements-optional.txt"
[[ $bench == no ]] || install_python_packages "$root/scripts/requirements-bench.txt"
if [[ $cuda == yes ]]; then
  if nvcc=$(PATH=$PATH:/usr/local/cuda/bin command -v nvcc); then
    echo "The compiler of CUDA: $nvcc."
  else
    install_python_packages "$root/scripts/requirements-cuda.txt"
  fi
  install_python_packages "$root/scripts/requirements-cuda-tools.txt"
fi
