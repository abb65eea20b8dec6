# SPDX-License-Identifier: Apache-2.0
# Sourced by the other scripts: where things are, and the steps they share. Not run by itself.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)

say() { printf '\n== %s\n' "$*"; }

# Prints a command as it could be typed, then runs it.
run() {
  printf '+'
  printf ' %q' "$@"
  printf '\n'
  "$@"
}

# Builds go to build/ in the tree, or, when the tree is read-only, to a folder of this user's own.
choose_build_root() {
  build_root=${SITU_BUILD_DIR:-$root/build}
  if ! mkdir -p "$build_root" 2>/dev/null || [ ! -w "$build_root" ]; then
    build_root=${TMPDIR:-/tmp}/situ-build-$(id -u)
    mkdir -p -m 700 "$build_root"
    if [ ! -O "$build_root" ]; then
      echo "$build_root belongs to somebody else; name another folder: SITU_BUILD_DIR=... $0" >&2
      exit 1
    fi
    say "The source tree is read-only: building in $build_root"
  fi
}
choose_build_root
export SITU_BUILD_DIR=$build_root  # for the scripts that this one calls
deps=$root/.deps
[ -w "$root" ] || deps=$build_root/.deps

# What scripts/setup unpacked without root, if anything, comes before what the system has.
use_deps() {
  if [ -d "$deps/usr" ]; then
    export CMAKE_PREFIX_PATH="$deps/usr${CMAKE_PREFIX_PATH:+:$CMAKE_PREFIX_PATH}"
    export PATH="$deps/usr/bin:$PATH"
  fi
  if [ -d "$deps/python" ] && [[ ":${PYTHONPATH:-}:" != *":$deps/python:"* ]]; then
    export PYTHONPATH="$deps/python${PYTHONPATH:+:$PYTHONPATH}"
  fi
}
use_deps

# ccache, where it is; a launcher in the environment or in CMake's cache stays. A build of all stages takes
# about half a GB of ccache's 5. With it goes what tests/unchanged.py keeps, which stands for refusals and syntax.
use_cache() {
  local version
  version=$(ccache --version 2>/dev/null | sed -n '1s/.*version \([0-9.]*\).*/\1/p')
  if [ -n "$version" ] && [ "$(printf '4.6\n%s\n' "$version" | sort -V | head -n 1)" = 4.6 ]; then  # older know no CCACHE_NAMESPACE
    export CMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER-$root/scripts/cached}
    export CMAKE_CUDA_COMPILER_LAUNCHER=${CMAKE_CUDA_COMPILER_LAUNCHER-$root/scripts/cached}
    export SITU_PASSED_BEFORE=${SITU_PASSED_BEFORE-${XDG_CACHE_HOME:-$HOME/.cache}/situ/passed}
  fi
}

# configure PRESET [OPTION...]: into $build_root/PRESET. A cache of another source path or generator is dropped.
configure() {
  local preset=$1
  shift
  local arguments=(-S "$root" --preset "$preset" -B "$build_root/$preset" "$@")
  if ! command -v ninja >/dev/null; then
    arguments+=(-G "Unix Makefiles")
  fi
  if [ -f "$build_root/$preset/CMakeCache.txt" ] &&
     ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$build_root/$preset/CMakeCache.txt"; then
    arguments+=(--fresh)
  fi
  run cmake "${arguments[@]}"
}

has_nvcc() { [ -n "${CUDACXX:-}" ] || command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ]; }
has_gpu() { command -v nvidia-smi >/dev/null && nvidia-smi -L 2>/dev/null | grep -q '^GPU '; }

# SITU_REQUIRE_CUDA=1: what could not run on a GPU is an error, not a line of the summary.
if [ "${SITU_REQUIRE_CUDA:-0}" = 1 ]; then
  has_nvcc || { echo "SITU_REQUIRE_CUDA=1, but there is no nvcc in PATH, in CUDACXX or in /usr/local/cuda/bin" >&2; exit 1; }
  has_gpu || { echo "SITU_REQUIRE_CUDA=1, but nvidia-smi finds no GPU" >&2; exit 1; }
fi
