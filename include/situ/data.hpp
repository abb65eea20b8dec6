// SPDX-License-Identifier: Apache-2.0
// Data sets, and batches of them made ahead by threads. Beside `situ/situ.hpp`.
#pragma once

// IWYU pragma: begin_exports
#include <situ/data/collate.hpp>
#include <situ/data/dataset.hpp>
#include <situ/data/loader.hpp>
// IWYU pragma: end_exports
