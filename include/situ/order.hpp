// SPDX-License-Identifier: Apache-2.0
// Operations based on sorting and counting, on every device.
#pragma once

// IWYU pragma: begin_exports
// First, because g++ prints the path by which a header was reached, one line for each, and errors point here.
#include <situ/tensor.hpp>

#include <situ/order/count.hpp>
#include <situ/order/histogram.hpp>
#include <situ/order/interpolate.hpp>
#include <situ/order/quantile.hpp>
#include <situ/order/running.hpp>
#include <situ/order/sample.hpp>
#include <situ/order/search.hpp>
#include <situ/order/unique.hpp>
#include <situ/order/unique_slices.hpp>
// IWYU pragma: end_exports
