// SPDX-License-Identifier: Apache-2.0
// The whole core: tensors, expressions, operations, devices.
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

#include <situ/core/profile_range.hpp>
#include <situ/device/properties.hpp>
#include <situ/device/runtime.hpp>
#include <situ/device/stream.hpp>
#include <situ/expression/compound_assignment.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/expression/number_check.hpp>
#include <situ/expression/operators.hpp>
#include <situ/memory/scope.hpp>
#include <situ/ops/activation.hpp>
#include <situ/ops/arrivals.hpp>
#include <situ/ops/axes.hpp>
#include <situ/ops/binary.hpp>
#include <situ/ops/class_loss.hpp>
#include <situ/ops/closeness.hpp>
#include <situ/ops/composed_activation.hpp>
#include <situ/ops/convolution.hpp>
#include <situ/ops/covariance.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/dropout.hpp>
#include <situ/ops/gather.hpp>
#include <situ/ops/gradient.hpp>
#include <situ/ops/in_indexing.hpp>
#include <situ/ops/in_other_headers.hpp>
#include <situ/ops/join.hpp>
#include <situ/ops/last_axis.hpp>
#include <situ/ops/linalg.hpp>
#include <situ/ops/linear.hpp>
#include <situ/ops/loss.hpp>
#include <situ/ops/mask.hpp>
#include <situ/ops/nested_list.hpp>
#include <situ/ops/norm.hpp>
#include <situ/ops/normalize.hpp>
#include <situ/ops/one_hot.hpp>
#include <situ/ops/pad.hpp>
#include <situ/ops/pooling.hpp>
#include <situ/ops/prod.hpp>
#include <situ/ops/random.hpp>
#include <situ/ops/rearrange.hpp>
#include <situ/ops/reduce.hpp>
#include <situ/ops/reshape.hpp>
#include <situ/ops/run_time_device.hpp>
#include <situ/ops/scan.hpp>
#include <situ/ops/scan_options.hpp>
#include <situ/ops/select.hpp>
#include <situ/ops/softmax.hpp>
#include <situ/ops/sort.hpp>
#include <situ/ops/structure.hpp>
#include <situ/ops/triangle.hpp>
#include <situ/ops/unary.hpp>
#include <situ/ops/variance.hpp>
#include <situ/ops/view.hpp>
#include <situ/ops/windows1d.hpp>
#include <situ/ops/windows3d.hpp>
#include <situ/tensor/copy.hpp>
#include <situ/tensor/print.hpp>
#include <situ/tensor/transfer.hpp>
#include <situ/version.hpp>
// IWYU pragma: end_exports
