// SPDX-License-Identifier: Apache-2.0
// Several devices at once: scatter, broadcast, gather, all_reduce. Beside `situ/situ.hpp`, which does not include it.
#pragma once

// IWYU pragma: begin_exports
#include <situ/situ.hpp>

#include <situ/distributed/all_reduce.hpp>
#include <situ/distributed/scatter.hpp>
// IWYU pragma: end_exports
