#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# For CMake's CXX_COMPILER_LAUNCHER: clang++ in place of g++. `by_clang.sh COMMAND... -- COMPILER ARGUMENT...` runs `COMMAND... ARGUMENT...`,
# with what CMake says of precompiled headers to g++ said as it says it to clang++.
command=()
while [ "$1" != -- ]; do
  command+=("$1")
  shift
done
shift 2
arguments=()
makes_headers=
while [ $# -gt 0 ]; do
  case $1:${2:-} in
    -Winvalid-pch:*) ;;
    -x:c++-header) makes_headers=yes arguments+=(-x c++-header) && shift ;;
    -include:*/cmake_pch.hxx)
      if [ -n "$makes_headers" ]; then
        arguments+=(-Xclang -emit-pch)
      else
        arguments+=(-Xclang -include-pch -Xclang "$2.gch")
      fi
      arguments+=(-Xclang -include -Xclang "$2")
      shift ;;
    *) arguments+=("$1") ;;
  esac
  shift
done
exec "${command[@]}" "${arguments[@]}"
