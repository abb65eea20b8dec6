// SPDX-License-Identifier: Apache-2.0
// Errors of collectives.
#pragma once

#include <situ/core/error.hpp>

namespace situ {

/// A collective that failed: a rank has left, MPI reports an error, or the launcher does not fit the program. The
/// message has the operation, its number in the group, the rank and the location of the call. All later collectives of
/// the group fail, too: end the program and resume from a checkpoint.
class CollectiveError : public Error {
 public:
  using Error::Error;
};

/// The ranks of a group called different collectives. All of them throw it, with the call of each.
class CollectiveMismatch : public CollectiveError {
 public:
  using CollectiveError::CollectiveError;
};

/// A collective that was not over in time. The message lists the missing ranks; the time is `World::deadline`.
class CollectiveTimeout : public CollectiveError {
 public:
  using CollectiveError::CollectiveError;
};

}  // namespace situ
