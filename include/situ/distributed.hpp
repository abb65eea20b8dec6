// SPDX-License-Identifier: Apache-2.0
// One value over several devices: `Spread`, its layouts, operations and collectives. Beside `situ/situ.hpp`, which does
// not include it.
#pragma once

// IWYU pragma: begin_exports
#include <situ/situ.hpp>

#include <situ/distributed/collectives.hpp>
#include <situ/distributed/compound_assignment.hpp>
#include <situ/distributed/dropout.hpp>
#include <situ/distributed/elementwise.hpp>
#include <situ/distributed/index_parts.hpp>
#include <situ/distributed/join.hpp>
#include <situ/distributed/linear.hpp>
#include <situ/distributed/loss.hpp>
#include <situ/distributed/matmul.hpp>
#include <situ/distributed/order.hpp>
#include <situ/distributed/place.hpp>
#include <situ/distributed/print.hpp>
#include <situ/distributed/rearrange.hpp>
#include <situ/distributed/reduce.hpp>
#include <situ/distributed/reshape.hpp>
#include <situ/distributed/select.hpp>
#include <situ/distributed/structure.hpp>
#include <situ/distributed/take.hpp>
#include <situ/distributed/triangle.hpp>
// IWYU pragma: end_exports
