#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A program by pkg-config, with a copy of situ in the home folder, as docs/guide/install.md has it; run.cmake calls it
# in a folder with app.cpp, and with a home of its own. COMPILER is that of the build.
set -euo pipefail
g++() { "$COMPILER" "$@"; }

# [home]
export PKG_CONFIG_PATH=$HOME/.local/share/pkgconfig:${PKG_CONFIG_PATH:-}
pkg-config --modversion situ
g++ -std=c++20 -O2 -march=native app.cpp $(pkg-config --cflags --libs situ) -o app
# [home-end]
./app
