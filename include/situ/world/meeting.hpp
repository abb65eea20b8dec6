// SPDX-License-Identifier: Apache-2.0
// The first message of a collective: a hash of this rank's call, followed by the bytes for the receiving rank if they
// are few. Every rank sends one to every other in every collective of any kind, so that calls are compared before any
// transfer that requires them to be the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <situ/world/errors.hpp>
#include <situ/world/transport.hpp>

namespace situ::internal::world {

/// The header of a first message.
struct Header {
  std::uint64_t call = 0;   // `Call::hash`: equal on all ranks if their calls are
  std::uint32_t bytes = 0;  // after the header
  std::uint32_t later = 0;  // whether this rank has more to send, once all calls are found equal
};

/// The memory for the first messages of a group, kept from one collective to the next.
class Frames {
 public:
  /// At most this many bytes for a rank are sent with the header: together with MPI's own header they fit the 4 KiB
  /// that Open MPI sends eagerly. With twice as many, sums of 16 KiB took longer than with one more message.
  static constexpr std::size_t carried = 4032;

  Frames(int ranks, int own)
      : own_(static_cast<std::size_t>(own)),
        sent_(static_cast<std::size_t>(ranks)),
        received_(sent_.size()),
        out_(std::make_unique_for_overwrite<std::byte[]>(sent_.size() * room)),
        in_(std::make_unique_for_overwrite<std::byte[]>(sent_.size() * room)) {
    for (std::size_t rank = 0; rank < sent_.size(); ++rank) {
      if (rank != own_) received_[rank] = {rank * room, room};
    }
  }

  /// Writes the message to one rank, or to all the others.
  void put(std::size_t rank, const Header& header, const std::byte* bytes) {
    if (rank != own_) sent_[rank] = write(rank * room, header, bytes);
  }
  void put_for_all(const Header& header, const std::byte* bytes) {
    sent_.assign(sent_.size(), write(0, header, bytes));
    sent_[own_] = {};
  }

  [[nodiscard]] std::unique_ptr<Transfer> exchange(Communicator& communicator) {
    return communicator.meet(out_.get(), sent_, in_.get(), received_);
  }

  /// The header received from another rank.
  [[nodiscard]] Header header(std::size_t rank) const {
    Header header;
    std::memcpy(&header, in_.get() + rank * room, sizeof(header));
    return header;
  }
  /// Throws `CollectiveError` unless exactly `bytes` bytes were received.
  void take(std::size_t rank, std::byte* to, std::size_t bytes) const {
    if (const std::size_t come = header(rank).bytes; come != bytes) {
      throw CollectiveError("number " + std::to_string(rank) + " of the group sent " + std::to_string(come) +
                            " bytes where " + std::to_string(bytes) +
                            " were expected; all ranks must run the same program, with the same version of situ");
    }
    if (bytes > 0) std::memcpy(to, in_.get() + rank * room + sizeof(Header), bytes);
  }

 private:
  static constexpr std::size_t room = sizeof(Header) + carried;

  [[nodiscard]] Part write(std::size_t begin, const Header& header, const std::byte* bytes) {
    std::memcpy(out_.get() + begin, &header, sizeof(header));
    if (header.bytes > 0) std::memcpy(out_.get() + begin + sizeof(header), bytes, header.bytes);
    return {begin, sizeof(header) + header.bytes};
  }

  std::size_t own_;
  std::vector<Part> sent_;
  std::vector<Part> received_;
  std::unique_ptr<std::byte[]> out_;  // uninitialized: pages that are never written take no memory
  std::unique_ptr<std::byte[]> in_;
};

}  // namespace situ::internal::world
