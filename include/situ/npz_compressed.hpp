// SPDX-License-Identifier: Apache-2.0
// Compressed .npz files, as numpy.savez_compressed writes them: a program that includes this header in one of its files,
// and links situ::zlib (or -lz), reads them wherever it reads .npz files.
#pragma once

// IWYU pragma: begin_exports
#include <situ/io/npz.hpp>
#include <situ/io/zlib_inflater.hpp>
// IWYU pragma: end_exports
