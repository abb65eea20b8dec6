// SPDX-License-Identifier: Apache-2.0
// What goes wrong among ranks.
#pragma once

#include <situ/core/error.hpp>

namespace situ {

/// A collective that failed: a rank has left, MPI reports an error, the launcher and the program do not fit. The
/// message has the operation, its number in the group, the rank and the place of the call. What follows it in the group
/// fails, too: end the program, and go on from a checkpoint.
class CollectiveError : public Error {
 public:
  using Error::Error;
};

/// Ranks of a group that called different collectives. All of them throw it, with what each called.
class CollectiveMismatch : public CollectiveError {
 public:
  using CollectiveError::CollectiveError;
};

/// A collective that was not over in time. The message says who has not come; the time is `World::deadline`.
class CollectiveTimeout : public CollectiveError {
 public:
  using CollectiveError::CollectiveError;
};

}  // namespace situ
