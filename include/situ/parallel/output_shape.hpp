// SPDX-License-Identifier: Apache-2.0
// The shape of the combined output of replicas, and the errors if it is not one value.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>

namespace situ::internal {

/// The shape of the whole output of replicas, from that of the batch, of its parts, and of their outputs. Throws
/// `ShapeError` if the outputs do not form one value: for a network that merges the rows with another axis, which would
/// be mistaken for rows.
[[nodiscard]] inline Shape shape_of_rows(const Shape& batch, std::span<const Shape> given,
                                         std::span<const Shape> outputs) {
  for (std::size_t at = 0; at != outputs.size(); ++at) {
    Shape wanted = outputs[0];
    if (wanted.rank() > 0) wanted.set(0, given[at][0]);
    if (wanted.rank() > 0 && outputs[at] == wanted) continue;
    throw ShapeError("Replicas: the network returns shape " + outputs[at].to_string() + " for part " +
                     std::to_string(at) + " of the batch, which has shape " + given[at].to_string() + " (all of it " +
                     batch.to_string() + "); axis 0 of its result must be these " + std::to_string(given[at][0]) +
                     " rows, in order, and the others the same for all parts: let the network end with a reshape to (" +
                     std::to_string(given[at][0]) + ", ...), or compute the loss within each replica, by DataParallel");
  }
  Shape whole = outputs[0];
  whole.set(0, batch[0]);
  return whole;
}
/// The same for a batch that every replica has.
[[nodiscard]] inline Shape shape_of_replicas(const Shape& batch, std::span<const Shape> outputs) {
  for (std::size_t at = 1; at < outputs.size(); ++at) {
    if (outputs[at] == outputs[0]) continue;
    throw ShapeError("Replicas: for one batch, of shape " + batch.to_string() + ", replica " + std::to_string(at) +
                     " returns shape " + outputs[at].to_string() + ", and replica 0 " + outputs[0].to_string() +
                     "; replicas must be equal: what changes one of them must change all");
  }
  return outputs[0];
}

}  // namespace situ::internal
