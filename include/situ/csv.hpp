// SPDX-License-Identifier: Apache-2.0
// Delimited text: `load_csv`, `save_csv`. Beside `situ/situ.hpp`.
#pragma once

// IWYU pragma: begin_exports
#include <situ/io/csv_load.hpp>
#include <situ/io/csv_save.hpp>
#include <situ/io/csv_table.hpp>
// IWYU pragma: end_exports
