// SPDX-License-Identifier: Apache-2.0
// The light entry header: tensors on all devices, expressions, element-wise functions, reductions, products, printing.
// The whole core, with random numbers, tensor indices, sorting, convolution and what networks need, is situ/situ.hpp.
#pragma once

// IWYU pragma: begin_exports
// First, because g++ prints the path by which a header was reached, one line for each, and errors point here.
#include <situ/device/diagnostics.hpp>
#include <situ/expression/diagnostics.hpp>
#include <situ/ops/diagnostics.hpp>
#include <situ/tensor/diagnostics.hpp>

#include <situ/device/placed.hpp>

#include <situ/tensor/tensor.hpp>

#include <situ/expression/nodes.hpp>

#include <situ/device/runtime.hpp>
#include <situ/expression/compound_assignment.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/operators.hpp>
#include <situ/ops/activation.hpp>
#include <situ/ops/binary.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/linalg.hpp>
#include <situ/ops/nested_list.hpp>
#include <situ/ops/norm.hpp>
#include <situ/ops/prod.hpp>
#include <situ/ops/reduce.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/ops/run_time_device.hpp>
#include <situ/ops/select.hpp>
#include <situ/ops/structure.hpp>
#include <situ/ops/unary.hpp>
#include <situ/ops/variance.hpp>
#include <situ/tensor/copy.hpp>
#include <situ/tensor/print.hpp>
#include <situ/tensor/transfer.hpp>
#include <situ/version.hpp>
// IWYU pragma: end_exports
