#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# For CMake's <LANG>_COMPILER_LAUNCHER: another compiler than the one that follows. `instead.sh COMMAND... -- COMPILER ARGUMENT...`
# runs `COMMAND... ARGUMENT...`.
words=0
while [ "$1" != -- ]; do  # those of the command go to the end,
  set -- "$@" "$1"
  shift
  words=$((words + 1))
done
shift 2
arguments=$(($# - words))
while [ "$arguments" -gt 0 ]; do  # and the arguments behind them
  set -- "$@" "$1"
  shift
  arguments=$((arguments - 1))
done
exec "$@"
