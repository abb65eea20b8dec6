// SPDX-License-Identifier: Apache-2.0
// The parts of the benchmark; see main.cpp.
#pragma once

/// Collectives beside MPI's own; with one rank, what they cost where nobody is.
int collectives(int argc, char** argv);
/// Steps of training: with one rank's World and without any, by turns.
int one_rank(int argc, char** argv);
/// The same steps in a process that never makes a World.
int no_world();
/// Steps whose sums go beside the walk, and after it; over this MPI, or over a link that is made slower.
int overlap(int argc, char** argv, double latency_us, double gigabytes_per_s);
/// What messages and additions cost here, and what collectives of many ranks would by that.
int model(int argc, char** argv);
