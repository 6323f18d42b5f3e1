// SPDX-License-Identifier: Apache-2.0
// Tasks to measure with, and the LAPACK work that bounds the speed.
#pragma once

#include "data/synthetic.hpp"

#include <colla/lifelong_agent.hpp>

#include <string>
#include <vector>

namespace colla::bench {

struct Shape {
  Index features;  // d
  Index atoms;     // u
  Index rows;      // M
  Problem problem;

  std::string name() const;
};

/// `count` tasks of the shape, from a dictionary of `atoms` atoms with half of them active.
std::vector<Batch> make_batches(const Shape& shape, Index count);

AgentOptions agent_options(const Shape& shape);

/// An agent that has learned all of `batches`.
LifelongAgent experienced_agent(const Shape& shape, const std::vector<Batch>& batches);

/// Seconds since an arbitrary moment.
double now();
/// Processor time of the calling thread, which other programs do not affect.
double thread_seconds();

double median(std::vector<double> values);

/// Resident memory of this process, in bytes.
double resident_bytes();

}  // namespace colla::bench
