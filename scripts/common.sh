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
}
use_deps

# configure PRESET: into $build_root/PRESET. A cache of another source path or generator is dropped.
configure() {
  local arguments=(-S "$root" --preset "$1" -B "$build_root/$1")
  if ! command -v ninja >/dev/null; then
    arguments+=(-G "Unix Makefiles")
  fi
  if [ -f "$build_root/$1/CMakeCache.txt" ] &&
     ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$build_root/$1/CMakeCache.txt"; then
    arguments+=(--fresh)
  fi
  run cmake "${arguments[@]}"
}

gpu_message="GPU part skipped: this version of situ computes on the CPU only; the CUDA backend is not part of it yet"
